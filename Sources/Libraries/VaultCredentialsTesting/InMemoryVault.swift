import Glibc
public import VaultCredentials
import VaultSealing
import VaultStorage

/// A vault for tests: in memory, opened by a random key, without session and keyring, and gone with
/// its last reference.
///
/// It is a vault in all other respects: what passes here passes on a disk. Its files lie on the
/// memory file system `/dev/shm`, or in the temporary folder where there is none.
///
/// ```swift
/// let test = try InMemoryVault()
/// try test.open.blocking.set(ItemName("api-token"), to: Secret("s3cr3t"))
/// let tool = MyTool(vault: test.open)
/// ```
public final class InMemoryVault: Sendable {
  /// The vault, not open.
  public let vault: LockedVault
  /// The vault, open.
  public let open: UnlockedVault
  private let folder: String
  private let key: SecretBytes

  /// Makes a vault without items.
  ///
  /// - Parameter options: How it behaves. With the standard options it leaves the desktop's keyring
  ///   alone; see `VaultOptions.use(_:)`. It never begins a session.
  /// - Throws: `CredentialError` with code `.cannotCreate`.
  public init(options: VaultOptions = VaultOptions()) throws {
    var options = options
    options.sessionSeconds = 0
    if options.desktopKeyring == nil { options.usesKeyring = false }
    let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    let random = Hexadecimal.text(RandomBytes.bytes(count: 8))
    let folder = "\(parent)/vault-test-\(random)"
    self.folder = folder
    let key = try SecretBytes.random(count: 32)
    self.key = key
    vault = try LockedVault(location: StoreLocation(home: folder), options: options)
    open = try vault.blocking.create(slots: [.keyFile(key)])
  }

  deinit { Self.remove(folder) }

  /// A key source that opens the vault.
  public var source: KeySource {
    let key = key
    return .key { key }
  }

  private static func remove(_ folder: String) {
    guard let directory = try? Directory(folder), let names = try? directory.names() else { return }
    for name in names where (try? System.unlink(name, in: directory.descriptor)) == nil {
      remove("\(folder)/\(name)")
    }
    _ = unsafe rmdir(folder)
  }
}
