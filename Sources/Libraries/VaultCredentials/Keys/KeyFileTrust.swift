import VaultSealing
import VaultStorage

/// The key files that the user trusts although others may read them.
///
/// A stick with FAT, as most are, gives each file the mode of its mount, and chmod(1) changes
/// nothing there. Who reads such a key file still needs the vault's own file, which lies elsewhere.
/// What was trusted once is remembered by the path in the state folder, which only the user can
/// write to.
package struct KeyFileTrust: Sendable {
  private let stateFolder: String
  private let whenTrusted: (@Sendable (_ path: String) -> Void)?

  /// - Parameters:
  ///   - stateFolder: Where it is remembered.
  ///   - whenTrusted: Called for a file that is trusted from now on; `nil` to trust no other one.
  init(stateFolder: String, whenTrusted: (@Sendable (_ path: String) -> Void)?) {
    self.stateFolder = stateFolder
    self.whenTrusted = whenTrusted
  }

  /// Whether an open key file is trusted; it is remembered from now on if it is to be.
  ///
  /// - Parameters:
  ///   - file: The open file.
  ///   - path: How it was reached, for messages.
  /// - Returns: Whether it is trusted.
  /// - Throws: `StorageError` if it cannot be remembered.
  func accepts(_ file: Int32, path: String) throws -> Bool {
    // However it is reached: the path that the kernel knows it by.
    guard let place = System.linkTarget("/proc/self/fd/\(file)") else { return false }
    let name = Hexadecimal.text(try Hash.blake2b(place, count: 16)) + ".trusted"
    if let folder = try? Directory(stateFolder), (try? folder.read(name, limit: 4096)) == place {
      return true
    }
    guard let whenTrusted else { return false }
    try AtomicFile.replace(name, in: Directory(stateFolder, create: true), with: place)
    whenTrusted(path)
    return true
  }
}
