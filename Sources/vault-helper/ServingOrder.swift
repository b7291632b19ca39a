import Glibc
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// What the command asks of the helper: the vault key, then a JSON document, through a pipe.
struct ServingOrder {
  private static let keyLength = 32
  private static let limit = 64 << 10

  /// Patterns of the items that are served; all of them if there is none.
  let patterns: [String]
  let isReadOnly: Bool
  /// Whether it takes the place of another keyring.
  let replaces: Bool
  /// The process that becomes the command.
  let process: Int32
  /// The vault, which was opened with the key in the order.
  let vault: LockedVault
  /// The vault file, to be watched.
  let vaultFile: (folder: String, name: String)

  /// Reads the order, and opens the vault with the key in it.
  static func read(_ descriptor: Int32) throws -> (UnlockedVault, ServingOrder) {
    let whole = try SecretInput.read(descriptor, limit: limit)
    close(descriptor)
    guard whole.count > keyLength else { throw HelperFailure("the order cannot be read") }
    let key = try whole.slice(0..<keyLength)
    let text = whole.withBytes { $0.array(keyLength..<$0.byteCount) }
    guard let document = try? JSONValue.parse(text), let process = document["process"]?.scalarText,
      let process = Int32(process), let only = document["only"]
    else { throw HelperFailure("the order cannot be read") }
    var options = VaultOptions()
    // The desktop's keyring is another one, or this one: neither is asked from here.
    options.usesKeyring = false
    options.sessionSeconds = 0
    options.acceptsRollback = document["acceptsRollback"] == .bool(true)
    let home = document["home"]?.scalarText
    let locked = try LockedVault(
      location: home.map { StoreLocation(home: $0) } ?? StoreLocation(),
      name: document["vault"]?.scalarText, options: options)
    let vault = try locked.blocking.unlock(with: [.vaultKey(key)])
    let path = Array(locked.path.utf8)
    let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
    let order = ServingOrder(
      patterns: only.elements.compactMap(\.scalarText),
      isReadOnly: document["isReadOnly"] == .bool(true),
      replaces: document["replaces"] == .bool(true), process: process, vault: locked,
      vaultFile: (
        String(decoding: path[..<slash], as: UTF8.self),
        String(decoding: path[(slash + 1)...], as: UTF8.self)
      ))
    return (vault, order)
  }
}
