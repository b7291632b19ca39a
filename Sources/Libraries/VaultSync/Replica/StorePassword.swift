/// What opens a store for this machine: a password, sealed beside the vault file by a key of its index.
///
/// The key has a purpose that merges, other machines and backups leave out. The password is bound to
/// the store's text: it does not open at another address, and so is never sent to one.
enum StorePassword {
  static let purpose = "sync-credential"

  static func context(_ store: String) -> [UInt8] {
    Array("VSR1/store-password".utf8) + Array(store.utf8)
  }
}
