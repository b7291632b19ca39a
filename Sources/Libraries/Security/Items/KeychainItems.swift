import Foundation
import VaultCredentials
import VaultSealing

/// The four calls on items, over a vault.
struct KeychainItems {
  private let vault: KeychainVault

  init() throws { vault = try KeychainVault.current ?? KeychainVault() }

  // MARK: - Adding

  func add(_ attributes: CFDictionary) throws -> (any Sendable)? {
    let request = try ItemRequest(attributes, application: vault.application)
    guard let itemClass = request.search.itemClass, request.search.references == nil,
      !request.search.isOfAnySynchronizable
    else { throw Refusal(errSecParam) }
    let data = request.secret ?? Data()
    guard data.count <= Secret.maximumLength else { throw Refusal(errSecDataTooLarge) }
    var changes = ItemChanges()
    changes.kind = itemClass.kind
    var new = [ItemAttribute.application: vault.application]
    for (attribute, value) in request.search.values { value.write(attribute, into: &new) }
    changes.attributes = new
    changes.note = request.comment ?? ""
    let secret = try Secret(copying: data)
    let same = ItemSearch(primaryKeysOf: new, itemClass, application: vault.application)
    let item = try edit(request, makes: true) { edit in
      guard edit.items(matching: same.candidates()).allSatisfy({ !same.matches($0) }) else {
        throw Refusal(errSecDuplicateItem)
      }
      let name = try edit.place(of: same, new, itemClass)
      return try edit.set(name, to: secret, changes: changes).item
    }
    guard !request.returned.isNothing else { return nil }
    return try request.returned.value(of: item, itemClass) { data }
  }

  // MARK: - Finding

  func copy(_ query: CFDictionary) throws -> (any Sendable)? {
    let request = try ItemRequest(query, application: vault.application)
    return try locking(request) {
      try again {
        let open = try vault.open(mayPrompt: request.prompt == .allowed)
        let snapshot = try open.blocking.read()
        let search = request.search
        var found: [(item: Item, itemClass: ItemClass)] = []
        for item in snapshot.items(matching: search.candidates()).sorted(by: Self.isOlder) {
          guard search.matches(item), let itemClass = ItemClass(of: item) else { continue }
          found.append((item, itemClass))
          if found.count >= request.limit ?? 1 { break }
        }
        guard !found.isEmpty else { throw Refusal(errSecItemNotFound) }
        guard !request.returned.isNothing else { return nil }
        let values = try found.map { item, itemClass in
          try request.returned.value(of: item, itemClass) { try snapshot.secret(of: item).data }
        }
        return request.limit == nil ? values.first : values
      }
    }
  }

  /// The order of items: the first that was added comes first.
  private static func isOlder(_ left: Item, _ right: Item) -> Bool {
    (left.created, left.name) < (right.created, right.name)
  }

  // MARK: - Changing

  func update(_ query: CFDictionary, _ attributes: CFDictionary) throws {
    let request = try ItemRequest(query, application: vault.application)
    let update = try ItemUpdate(attributes)
    if let data = update.secret, data.count > Secret.maximumLength {
      throw Refusal(errSecDataTooLarge)
    }
    let secret = try update.secret.map { try Secret(copying: $0) }
    try edit(request, makes: false) { edit in
      for (item, itemClass) in try edit.items(of: request.search) {
        let former = item.attributes
        var new = former
        for (attribute, value) in update.values { value.write(attribute, into: &new) }
        var changes = ItemChanges()
        changes.attributes = new
        changes.note = update.comment
        if let secret {
          try edit.set(item.name, to: secret, changes: changes)
        } else {
          try edit.update(item.name, changes)
        }
        try edit.rename(item, from: former, to: new, itemClass)
        let same = ItemSearch(primaryKeysOf: new, itemClass, application: vault.application)
        let others = edit.items(matching: same.candidates()).filter(same.matches)
        if others.contains(where: { $0.id != item.id }) { throw Refusal(errSecDuplicateItem) }
      }
    }
  }

  // MARK: - Deleting

  func delete(_ query: CFDictionary) throws {
    let request = try ItemRequest(query, application: vault.application)
    try edit(request, makes: false) { edit in
      for (item, _) in try edit.items(of: request.search) { try edit.remove(item.name) }
    }
  }

  // MARK: - The vault

  private func edit<Result>(
    _ request: ItemRequest, makes: Bool, _ change: (inout VaultEdit) throws -> Result
  ) throws -> Result {
    try locking(request) {
      try again {
        let mayPrompt = request.prompt == .allowed
        let open =
          try makes
          ? vault.openOrMake(mayPrompt: mayPrompt) : vault.open(mayPrompt: mayPrompt)
        return try open.blocking.edit(change)
      }
    }
  }

  /// Does a call once more with a vault that is opened anew, where the one that was kept open is no
  /// longer the one in the file.
  private func again<Result>(_ call: () throws -> Result) throws -> Result {
    do {
      return try call()
    } catch let error as CredentialError
      where [.changedMeanwhile, .locked, .noVault].contains(error.code) && KeychainVault.forget()
    {
      return try call()
    }
  }

  private func locking<Result>(
    _ request: ItemRequest, _ call: () throws -> Result
  ) throws -> Result {
    do {
      return try call()
    } catch  where request.prompt == .skipped && OSStatus(error) == errSecInteractionNotAllowed {
      throw Refusal(errSecItemNotFound)
    }
  }
}

extension VaultEdit {
  /// The items that a query means.
  ///
  /// - Throws: ``Refusal`` of ``errSecItemNotFound`` for none.
  fileprivate func items(
    of search: ItemSearch
  ) throws -> [(item: Item, itemClass: ItemClass)] {
    let found = items(matching: search.candidates()).compactMap { item in
      search.matches(item) ? ItemClass(of: item).map { (item: item, itemClass: $0) } : nil
    }
    guard !found.isEmpty else { throw Refusal(errSecItemNotFound) }
    return found
  }

  /// The name for a new item: a free one, or that of the item which is taken out of the trash.
  ///
  /// Many programs replace a secret by deleting and adding it. It is one item with earlier versions
  /// then, and not another item in the trash with each change.
  fileprivate mutating func place(
    of search: ItemSearch, _ attributes: [String: String], _ itemClass: ItemClass
  ) throws -> ItemName {
    let removed = items(matching: search.candidates(isInTrash: true)).filter { item in
      search.matches(item)
        && item.attributes[ItemAttribute.application] == search.application
    }
    let last = removed.max { ($0.trashed ?? .distantPast) < ($1.trashed ?? .distantPast) }
    // One whose last secret can no longer be read stays where it is.
    if let last, let item = try? restoreFromTrash(last) { return item.name }
    return try freeName(for: attributes, itemClass)
  }

  private func freeName(
    for attributes: [String: String], _ itemClass: ItemClass
  ) throws -> ItemName {
    try FreeName.like(itemClass.name(for: attributes)) { self[$0] != nil }
  }

  /// Renames an item that is called after its attributes; a name that a person gave it stays.
  fileprivate mutating func rename(
    _ item: Item, from former: [String: String], to new: [String: String], _ itemClass: ItemClass
  ) throws {
    let (before, after) = (itemClass.name(for: former), itemClass.name(for: new))
    guard before != after, item.name.text == before else { return }
    try rename(item.name, to: freeName(for: new, itemClass))
  }
}

extension ItemSearch {
  /// Whether a query says ``kSecAttrSynchronizableAny``, which an item cannot be.
  fileprivate var isOfAnySynchronizable: Bool { synchronizable == nil }
}

extension Secret {
  fileprivate convenience init(copying data: Data) throws {
    self.init(try SecretBytes(copying: [UInt8](data)))
  }
}
