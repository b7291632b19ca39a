import Glibc
import VaultSealing
import VaultStorage

/// The mark that something was said, which is gone when the machine starts again.
///
/// Where the home cannot be written, two places are left: the kernel's key service, which forgets the
/// keys of a user without processes, as between two runs of cron, and which containers refuse; and a
/// folder in memory. Both are marked, and either will do.
struct ToldMark {
  private let name: String

  /// A mark.
  ///
  /// - Parameter name: Its name, without a slash.
  init(_ name: String) { self.name = name }

  private var description: String { "vault-told:\(name)" }

  /// A file of the user's own in memory: tmpfs(5), file-hierarchy(7).
  private var path: String {
    let runtime = StoreLocation.variable("XDG_RUNTIME_DIR") ?? ""
    return runtime.hasPrefix("/")
      ? "\(runtime)/vault-told-\(name)" : "/dev/shm/vault-told-\(geteuid())-\(name)"
  }

  /// Leaves the mark.
  ///
  /// - Returns: Whether it was not there.
  func leave() -> Bool {
    if (try? KernelKeyring.read(description: description, capacity: 1)) != nil { return false }
    if let mark = try? SecretBytes(copying: [1]) {
      try? KernelKeyring.store(mark, description: description, seconds: UInt32(Int32.max))
    }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    if let file = try? System.open(path, in: AT_FDCWD, flags: flags, mode: 0o600) {
      System.close(file)
      return true
    }
    // Somebody else's file in its place keeps nothing secret.
    guard let status = try? System.status(of: path, in: AT_FDCWD) else { return true }
    return !(status.owner == geteuid() && status.isRegular)
  }
}
