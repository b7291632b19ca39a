import VaultCredentials
import VaultSealing
import VaultStorage

/// Which stores of applications a machine has added: `secrets.vault.sync.data`.
///
/// Documentation/design/sync-format.md, section 10.
extension SyncFiles {
  private static let magic = Array("VSD1".utf8)
  private var dataName: String { name + ".data" }

  func addedStores(_ own: SecretBytes) throws -> [AddedStore] {
    guard let bytes = try read(dataName, limit: 1 << 20) else { return [] }
    do {
      guard bytes.starts(with: Self.magic) else { throw MalformedRecord() }
      let plain = try AuthenticatedEncryption.open(
        Array(bytes[Self.magic.count...]), key: own, context: Self.magic)
      var reader = SecretReader(plain)
      var stores: [AddedStore] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        stores.append(
          AddedStore(
            application: try reader.text(), store: try reader.text(), path: try reader.text(),
            lastRun: try reader.number()))
      }
      return stores
    } catch {
      throw SyncError(
        .tampered, "what this machine remembers of the synchronized stores is damaged",
        hint: "remove the file \(dataName) beside the vault, and add the stores again")
    }
  }

  func replace(_ stores: [AddedStore], _ own: SecretBytes) throws {
    guard !stores.isEmpty else { return try removeAddedStores() }
    var builder = SecretBuilder()
    builder.put(UInt16(stores.count))
    for store in stores {
      try builder.text(store.application)
      try builder.text(store.store)
      try builder.text(store.path)
      builder.put(store.lastRun)
    }
    let sealed = try builder.joined().withBytes {
      try AuthenticatedEncryption.seal($0, key: own, context: Self.magic)
    }
    try Self.reached {
      try AtomicFile.replace(dataName, in: Directory(folder), with: Self.magic + sealed)
    }
  }

  func removeAddedStores() throws {
    try Self.reached { try Directory(folder).remove(dataName) }
  }
}
