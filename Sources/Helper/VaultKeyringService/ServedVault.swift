package import VaultCredentials
import VaultDBus
import VaultSealing

/// A vault that is to be served as a collection.
package struct ServedCollection: Sendable {
  /// The last part of the collection's path: letters, digits and underscores.
  package let name: String
  /// What clients show.
  package let label: String
  package let vault: UnlockedVault
  /// What keeps the vault open, and opens it again.
  package let door: VaultDoor

  package init(name: String, label: String, vault: UnlockedVault, door: VaultDoor) {
    (self.name, self.label, self.vault, self.door) = (name, label, vault, door)
  }
}

/// A vault that is served: its items as they are now, and changes to them.
///
/// It belongs to the service's thread.
final class ServedVault {
  /// The last part of the collection's path.
  let name: String
  let label: String
  let door: VaultDoor
  /// The collection's path.
  let path: String
  /// `nil` while it is locked: the key is gone, and what clients may know of the items stays.
  private var vault: UnlockedVault.Blocking?
  private let scope: ServedScope
  /// `nil` before the first look, and while it is locked.
  private var snapshot: VaultSnapshot?
  /// The items that clients may see; `nil` until somebody looks at all of them.
  private var listing: ServedListing?
  /// The items that clients may see of a vault that was locked, by their paths.
  private var remembered: [String: ServedItem] = [:]
  /// Of more changes at once, a listing is made anew.
  private static let maximumChanges = 100
  /// Whether this process has changed the file since the last look.
  private(set) var hasChanged = false

  /// What keeps its file from being read: gone, damaged, open to others.
  ///
  /// Meanwhile it counts as locked, and other vaults are served.
  var obstacle: CredentialError?

  var isLocked: Bool { vault == nil || obstacle != nil }

  init(_ collection: ServedCollection, scope: ServedScope) {
    name = collection.name
    label = collection.label
    door = collection.door
    path = "\(SecretServiceNames.collections)/\(collection.name)"
    vault = collection.vault.blocking
    self.scope = scope
  }

  /// What has changed since the last look.
  struct Change {
    var added: [String] = []
    var changed: [String] = []
    var removed: [String] = []

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  /// Forgets the key, and everything that was read with it but the items' names and attributes.
  func lock() {
    let items = items
    listing = ServedListing(items)
    remembered = Dictionary(items.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    (vault, snapshot) = (nil, nil)
  }

  /// Takes the vault that was opened again.
  func unlock(_ vault: UnlockedVault) { self.vault = vault.blocking }

  /// Reads the file if it is another one.
  func refresh() throws -> Change {
    hasChanged = false
    guard let vault, let new = try vault.read(unlessUnchangedSince: snapshot) else {
      return Change()
    }
    defer { (snapshot, remembered) = (new, [:]) }
    if let snapshot {
      return note(new.changes(since: snapshot).map { (served($0), served($1)) })
    }
    // After it was locked, or at the first look, which is no change.
    return listing.map { note($0.changes(to: served(new.items()))) } ?? Change()
  }

  /// Takes changes of items, each as it was and as it is.
  private func note(_ changes: [(before: ServedItem?, after: ServedItem?)]) -> Change {
    var change = Change()
    for (before, after) in changes {
      switch (before, after) {
      case (nil, let after?): change.added.append(after.path)
      case (let before?, nil): change.removed.append(before.path)
      case (let before?, let after?):
        if before.differs(from: after) { change.changed.append(after.path) }
      case (nil, nil): break
      }
    }
    if changes.count > Self.maximumChanges { listing = nil }
    listing?.take(changes)
    return change
  }

  /// An item as clients see it; `nil` if they may not.
  private func served(_ item: Item?) -> ServedItem? {
    guard let item = item.map({ ServedItem($0, collection: path) }) else { return nil }
    return scope.contains(name: item.item.name.text, attributes: item.own) ? item : nil
  }

  private func served(_ items: [Item]) -> [ServedItem] { items.compactMap { served($0) } }

  /// The items that clients may see, in the order of their names.
  var items: [ServedItem] {
    if let listing { return listing.items }
    let items = served(snapshot?.items() ?? [])
    listing = ServedListing(items)
    return items
  }

  /// The item at a path, if clients may see it.
  subscript(path: String) -> ServedItem? {
    snapshot == nil ? remembered[path] : served(anyItem(at: path))
  }

  /// The item at a path, also one that clients may not see.
  private func anyItem(at path: String) -> Item? {
    guard path.utf8.starts(with: "\(self.path)/".utf8) else { return nil }
    return snapshot?.item(
      withID: String(decoding: path.utf8.dropFirst(self.path.utf8.count + 1), as: UTF8.self))
  }

  /// The items with these attributes, the newest first.
  func items(with attributes: [String: String]) -> [ServedItem] {
    candidates(for: attributes).filter { $0.matches(attributes) }
      .sorted { $0.item.modified > $1.item.modified }
  }

  /// All items that may have these attributes.
  private func candidates(for wanted: [String: String]) -> [ServedItem] {
    guard let snapshot, !wanted.isEmpty, !ServedItem.mayBePublished(wanted) else { return items }
    var query = ItemQuery()
    query.attributes = wanted
    var found = served(snapshot.items(matching: query))
    // Published copies have their items' names as the user's.
    if let name = wanted[ServedItem.userAttribute].flatMap({ try? ItemName($0) }),
      let item = served(snapshot[name]), !found.contains(where: { $0.path == item.path })
    {
      found.append(item)
    }
    return found
  }

  /// Opens an item's secret.
  func secret(of item: ServedItem) throws -> SecretBytes {
    if let obstacle { throw obstacle }
    guard let snapshot else { throw Self.locked }
    return try snapshot.secret(of: item.item).bytes
  }

  /// Records that a client is given secrets, or is refused them.
  ///
  /// Of a locked vault nothing is recorded: the records are sealed with its key.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - caller: The client's process.
  ///   - isAllowed: Whether it gets them.
  ///   - answers: What a person has said, by the items' paths.
  func record(
    _ items: [ServedItem], by caller: LocalSocket.Peer?, isAllowed: Bool = true,
    _ answers: [String: Approval] = [:]
  ) {
    record(items.map { ($0.item, answers[$0.path]) }, by: caller, isAllowed: isAllowed)
  }

  /// Records that a client wanted an item that is not served; does nothing for other paths.
  func recordHidden(at path: String, by caller: LocalSocket.Peer?) {
    guard let item = anyItem(at: path), served(item) == nil else { return }
    record([(item, nil)], by: caller, isAllowed: false)
  }

  private func record(
    _ items: [(item: Item, approval: Approval?)], by caller: LocalSocket.Peer?, isAllowed: Bool
  ) {
    guard let snapshot, let caller else { return }
    snapshot.record(
      items.map { item, approval in
        Usage(
          item, verb: .service, isAllowed: isAllowed,
          account: UsageAccount(reason: approval?.reason, by: approval?.by))
      },
      by: UsageCaller(caller))
  }

  // MARK: Changes

  /// Stores a secret: in place of the one with exactly these attributes, or as a new item.
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - label: What clients show.
  ///   - attributes: What clients search for.
  ///   - contentType: The secret's.
  ///   - replaces: Whether an item with exactly these attributes gets the secret.
  ///   - permits: Is asked before an item that is there is changed; what it throws is thrown.
  /// - Returns: The path of the item, which is there after the next ``refresh()``.
  /// - Throws: `BusError`, `CredentialError`, what `permits` throws; then nothing is stored.
  func store(
    _ secret: SecretBytes, label: String, attributes: [String: String], contentType: String,
    replaces: Bool, permits: (ServedItem) throws -> Void
  ) throws -> String {
    var changes = ItemChanges()
    var stored = attributes
    stored[ServedItem.labelAttribute] = label
    if contentType != "text/plain" { stored[ServedItem.contentTypeAttribute] = contentType }
    changes.attributes = stored
    let base = Self.name(for: label)
    guard scope.maySet(name: base, attributes: attributes, over: [:]) else {
      throw Self.outOfScope
    }
    guard let vault else { throw Self.locked }
    hasChanged = true
    let item = try vault.edit { [changes] edit in
      // Under the lock: two clients that store the same make one item.
      if replaces {
        var query = ItemQuery()
        query.attributes = attributes
        let same = served(edit.items(matching: query)).filter { $0.own == attributes }
        if let newest = same.max(by: { $0.item.modified < $1.item.modified }) {
          try permits(newest)
          return try edit.set(newest.item.name, to: Secret(secret), changes: changes).item
        }
      }
      let name = try FreeName.like(base) { edit[$0] != nil }
      return try edit.set(name, to: Secret(secret), changes: changes).item
    }
    return ServedItem(item, collection: path).path
  }

  func setSecret(of item: ServedItem, to secret: SecretBytes, contentType: String) throws {
    var stored = item.stored(item.own)
    stored[ServedItem.contentTypeAttribute] = contentType == "text/plain" ? nil : contentType
    var changes = ItemChanges()
    changes.attributes = stored
    try change(item) { [changes] edit, name in
      _ = try edit.set(name, to: Secret(secret), changes: changes)
    }
  }

  func setLabel(of item: ServedItem, to label: String) throws {
    var changes = ItemChanges()
    var stored = item.stored(item.own)
    stored[ServedItem.labelAttribute] = label
    changes.attributes = stored
    try change(item) { [changes] edit, name in _ = try edit.update(name, changes) }
  }

  func setAttributes(of item: ServedItem, to attributes: [String: String]) throws {
    guard scope.maySet(name: item.item.name.text, attributes: attributes, over: item.own) else {
      throw Self.outOfScope
    }
    var changes = ItemChanges()
    changes.attributes = item.stored(attributes)
    try change(item) { [changes] edit, name in _ = try edit.update(name, changes) }
  }

  /// Moves an item to the trash.
  func remove(_ item: ServedItem) throws {
    try change(item) { edit, name in try edit.remove(name) }
  }

  /// Changes the item that was seen, and no other that has its name by now.
  private func change(
    _ item: ServedItem, _ body: (inout VaultEdit, ItemName) throws -> Void
  ) throws {
    guard let vault else { throw Self.locked }
    hasChanged = true
    try vault.edit { edit in
      guard edit[item.item.name]?.id == item.item.id else { throw ServedVault.missing }
      try body(&edit, item.item.name)
    }
  }

  private static let outOfScope = BusError(
    BusErrorName.accessDenied, "items with these attributes are not served here")

  static let locked = BusError(SecretServiceError.isLocked, "The vault is locked")

  private static let missing = BusError(
    SecretServiceError.noSuchObject, "The item does not exist")

  /// A name for a new item: `keyring/` and its label, as far as that can be a name.
  static func name(for label: String) -> String {
    var text = ""
    for scalar in label.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .format: text.unicodeScalars.append(" ")
      default: text.unicodeScalars.append(scalar)
      }
    }
    // A part of a name is never empty.
    let parts = text.unicodeScalars.split(separator: "/").map { String($0) }
    return (["keyring"] + (parts.isEmpty ? ["item"] : parts)).joined(separator: "/")
  }
}
