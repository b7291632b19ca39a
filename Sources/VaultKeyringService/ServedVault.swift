import VaultCredentials
import VaultDBus
import VaultSealing

/// The vault that is served: its items as they are now, and changes to them.
///
/// It belongs to the service's thread.
final class ServedVault {
  /// `nil` while it is locked: the key is gone, and what clients may know of the items stays.
  private var vault: UnlockedVault.Blocking?
  private let scope: ServedScope
  private let collection: String
  private var snapshot: VaultSnapshot?
  /// The items that clients may see, oldest name first.
  private(set) var items: [ServedItem] = []
  private var positions: [String: Int] = [:]
  /// Whether this process has changed the file since the last look.
  private(set) var hasChanged = false
  private var wasRead = false

  var isLocked: Bool { vault == nil }

  init(_ vault: UnlockedVault, scope: ServedScope, collection: String) {
    self.vault = vault.blocking
    self.scope = scope
    self.collection = collection
  }

  /// What has changed since the last look.
  struct Change {
    var added: [String] = []
    var changed: [String] = []
    var removed: [String] = []

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  /// Forgets the key, and everything that was read with it but the items' names and attributes.
  func lock() { (vault, snapshot) = (nil, nil) }

  /// Takes the vault that was opened again.
  func unlock(_ vault: UnlockedVault) { self.vault = vault.blocking }

  /// Reads the file if it is another one.
  func refresh() throws -> Change {
    hasChanged = false
    guard let vault, let new = try vault.read(unlessUnchangedSince: snapshot) else {
      return Change()
    }
    let isFirst = !wasRead
    wasRead = true
    let old = (items: items, positions: positions)
    snapshot = new
    items = new.items().map { ServedItem($0, collection: collection) }
      .filter { scope.contains(name: $0.item.name.text, attributes: $0.own) }
    positions = Dictionary(
      items.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    guard !isFirst else { return Change() }
    var change = Change()
    for item in items {
      guard let before = old.positions[item.path].map({ old.items[$0] }) else {
        change.added.append(item.path)
        continue
      }
      if before.item.version != item.item.version || before.item.modified != item.item.modified
        || before.attributes != item.attributes || before.label != item.label
      {
        change.changed.append(item.path)
      }
    }
    change.removed = old.items.map(\.path).filter { positions[$0] == nil }
    return change
  }

  /// The item at a path.
  subscript(path: String) -> ServedItem? { positions[path].map { items[$0] } }

  /// The items with these attributes, the newest first.
  func items(with attributes: [String: String]) -> [ServedItem] {
    items.filter { $0.matches(attributes) }.sorted { $0.item.modified > $1.item.modified }
  }

  /// Opens an item's secret.
  func secret(of item: ServedItem) throws -> SecretBytes {
    guard let snapshot else { throw Self.locked }
    return try snapshot.secret(of: item.item).bytes
  }

  /// Records that a client is given secrets.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - caller: The client's process.
  func record(_ items: [ServedItem], by caller: LocalSocket.Peer?) {
    guard let snapshot, let caller else { return }
    snapshot.record(
      items.map { Usage($0.item, verb: .service) },
      by: UsageCaller(process: caller.process, user: caller.user))
  }

  // MARK: Changes

  /// Stores a secret: in place of the one with exactly these attributes, or as a new item.
  ///
  /// - Returns: The path of the item, which is there after the next ``refresh()``.
  func store(
    _ secret: SecretBytes, label: String, attributes: [String: String], contentType: String,
    replaces: Bool
  ) throws -> String {
    var changes = ItemChanges()
    var stored = attributes
    stored[ServedItem.labelAttribute] = label
    if contentType != "text/plain" { stored[ServedItem.contentTypeAttribute] = contentType }
    changes.attributes = stored
    let base = Self.name(for: label)
    guard scope.contains(name: base, attributes: attributes) else {
      throw BusError(
        BusErrorName.accessDenied, "items with these attributes are not served here")
    }
    guard let vault else { throw Self.locked }
    hasChanged = true
    let item = try vault.edit { [changes] edit in
      // Under the lock: two clients that store the same make one item.
      if replaces {
        let same = edit.items().map { ServedItem($0, collection: collection) }
          .filter {
            $0.own == attributes && scope.contains(name: $0.item.name.text, attributes: $0.own)
          }
        if let newest = same.max(by: { $0.item.modified < $1.item.modified }) {
          return try edit.set(newest.item.name, to: Secret(secret), changes: changes).item
        }
      }
      let name = try FreeName.like(base) { edit[$0] != nil }
      return try edit.set(name, to: Secret(secret), changes: changes).item
    }
    return ServedItem(item, collection: collection).path
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
    guard scope.contains(name: item.item.name.text, attributes: attributes) else {
      throw BusError(
        BusErrorName.accessDenied, "items with these attributes are not served here")
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
