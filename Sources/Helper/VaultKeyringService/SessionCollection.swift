import FoundationEssentials
import VaultCredentials
import VaultDBus
import VaultKeyringTransport
import VaultSealing

/// The collection `session`: items in locked memory, which end with the service.
///
/// It has no lock, and belongs to the service's thread.
final class SessionCollection {
  static let path = "\(SecretServiceNames.collections)/session"
  private static let maximumItems = 1000
  /// Bytes of all secrets: what is stored here lies in this process's memory.
  private static let maximumSize = 16 << 20

  /// An item in memory.
  struct Item {
    let path: String
    var label: String
    var attributes: [String: String]
    var secret: SecretBytes
    var contentType: String
    var created: UInt64
    var modified: UInt64

    var properties: [String: DBusValue] {
      [
        "Locked": .boolean(false), "Attributes": .texts(attributes), "Label": .string(label),
        "Type": .string(
          attributes[SecretServiceNames.schemaAttribute] ?? SecretServiceNames.genericSchema),
        "Created": .uint64(created), "Modified": .uint64(modified),
      ]
    }
  }

  private var byPath: [String: Item] = [:]
  private var nextNumber = 1

  /// All items, the oldest first.
  var items: [Item] { byPath.values.sorted { ($0.created, $0.path) < ($1.created, $1.path) } }

  subscript(path: String) -> Item? { byPath[path] }

  /// The paths of the items with these attributes, the newest first.
  func paths(with wanted: [String: String]) -> [String] {
    items.filter { item in wanted.allSatisfy { item.attributes[$0.key] == $0.value } }
      .map(\.path).reversed()
  }

  /// Stores a secret, in place of the one with exactly these attributes or as a new item.
  ///
  /// - Returns: The item's path, and whether it is new.
  /// - Throws: `BusError` if there are too many.
  func store(
    _ secret: SecretBytes, label: String, attributes: [String: String], contentType: String,
    replaces: Bool
  ) throws(BusError) -> (path: String, isNew: Bool) {
    let now = UInt64(max(0, Date().timeIntervalSince1970))
    let same = replaces ? items.last { $0.attributes == attributes } : nil
    guard same != nil || byPath.count < Self.maximumItems else {
      throw BusError(BusErrorName.limitsExceeded, "too many items")
    }
    try checkRoom(for: secret, at: same?.path)
    let path = same?.path ?? "\(Self.path)/i\(nextNumber)"
    if same == nil { nextNumber += 1 }
    byPath[path] = Item(
      path: path, label: label, attributes: attributes, secret: secret, contentType: contentType,
      created: same?.created ?? now, modified: now)
    return (path, same == nil)
  }

  /// Checks that a secret fits beside the others, in place of the one at `path`.
  ///
  /// - Throws: `BusError` if it does not.
  func checkRoom(for secret: SecretBytes, at path: String?) throws(BusError) {
    let replaced = path.flatMap { byPath[$0]?.secret.count } ?? 0
    let size = byPath.values.reduce(secret.count) { $0 + $1.secret.count } - replaced
    guard size <= Self.maximumSize else {
      throw BusError(BusErrorName.limitsExceeded, "too many secrets in memory")
    }
  }

  /// Changes an item that is there.
  func change(_ path: String, _ body: (inout Item) -> Void) {
    guard var item = byPath[path] else { return }
    body(&item)
    item.modified = UInt64(max(0, Date().timeIntervalSince1970))
    byPath[path] = item
  }

  func remove(_ path: String) { byPath[path] = nil }
}

extension KeyringService {
  /// The methods of an item in memory.
  func memoryItemMethod(
    _ member: String, _ signature: String, _ item: SessionCollection.Item, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("GetSecret", "o"):
      let session = try session(call.arguments()[0].path ?? "", call)
      return [try session.wrapped(item.secret, contentType: item.contentType)]
    case ("SetSecret", "(oayays)"):
      let (secret, contentType) = try secret(call.arguments()[0], call)
      try memory.checkRoom(for: secret, at: item.path)
      memory.change(item.path) { ($0.secret, $0.contentType) = (secret, contentType) }
      return []
    case ("Delete", ""):
      memory.remove(item.path)
      try emitMemory("ItemDeleted", item.path, changesList: true)
      return [.objectPath(SecretServiceNames.nothing)]
    default: throw Self.unknownMethod(call)
    }
  }

  /// Stores what `CreateItem` of this collection has.
  func createInMemory(_ call: DBusMessage) throws -> String {
    let new = try newItem(call)
    let (path, isNew) = try memory.store(
      new.secret, label: new.label, attributes: new.attributes, contentType: new.contentType,
      replaces: new.replaces)
    try emitMemory(isNew ? "ItemCreated" : "ItemChanged", path, changesList: isNew)
    return path
  }

  /// Sets a property of an item in memory.
  func setInMemory(
    _ name: String, to value: DBusValue, of item: SessionCollection.Item
  ) throws -> Bool {
    switch (name, value) {
    case ("Label", .string(let label)): memory.change(item.path) { $0.label = label }
    case ("Attributes", _) where value.type == DBusValue.texts([:]).type:
      let attributes = value.textEntries ?? [:]
      try check(attributes)
      memory.change(item.path) { $0.attributes = attributes }
    default: return false
    }
    try emitMemory("ItemChanged", item.path, changesList: false)
    try emitChanged(item.path, SecretServiceNames.item, memory[item.path]?.properties ?? [:])
    return true
  }

  private func emitMemory(_ member: String, _ path: String, changesList: Bool) throws {
    try emit(SessionCollection.path, SecretServiceNames.collection, member, [.objectPath(path)])
    guard changesList else { return }
    try emitChanged(
      SessionCollection.path, SecretServiceNames.collection,
      ["Items": .objectPaths(memory.items.map(\.path))])
  }
}
