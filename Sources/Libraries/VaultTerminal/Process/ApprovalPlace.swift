import Glibc
import VaultStorage

/// The folder in which those who serve wait for answers, each with a socket of its own.
///
/// It lies in `$XDG_RUNTIME_DIR`, which is the user's alone and which no wall shows, and has the
/// mode 0700. Sockets are reached by a descriptor of the folder: no link leads elsewhere.
package final class ApprovalPlace: Sendable {
  /// The folder's name.
  package static let folderName = "vault-approve"
  /// A file that is written to when a socket is new.
  package static let changed = "changed"
  /// A file that those who show questions hold a lock of.
  private static let watching = "watching"

  /// Whether there can be questions in another terminal: there is a folder for them.
  package static var isPossible: Bool {
    ApprovalPlace(in: ProcessState.variable("XDG_RUNTIME_DIR"), makes: true) != nil
  }

  /// The folder's path.
  package let path: String
  package let descriptor: Int32

  /// Opens the folder; `nil` where there is none, or it is not the user's alone.
  ///
  /// - Parameters:
  ///   - runtime: The value of `XDG_RUNTIME_DIR`.
  ///   - makes: Whether to make the folder if it is missing.
  package init?(in runtime: String?, makes: Bool) {
    guard let runtime, runtime.utf8.first == 0x2F,
      let parent = try? System.open(runtime, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return nil }
    defer { System.close(parent) }
    guard let above = try? System.status(parent), above.owner == System.effectiveUser,
      above.permissions & 0o022 == 0
    else { return nil }
    if makes { try? System.makeDirectory(Self.folderName, in: parent, mode: 0o700) }
    guard
      let folder = try? System.openNoLinks(
        Self.folderName, in: parent, flags: O_RDONLY | O_DIRECTORY)
    else { return nil }
    guard let status = try? System.status(folder), status.owner == System.effectiveUser,
      status.permissions & 0o777 == 0o700
    else {
      System.close(folder)
      return nil
    }
    descriptor = folder
    path = "\(runtime)/\(Self.folderName)"
  }

  deinit { System.close(descriptor) }

  /// The address of a socket, which does not depend on how long the folder's path is.
  package func address(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

  /// The names of the sockets: the numbers of the processes that serve.
  package var names: [String] {
    ((try? System.names(in: descriptor)) ?? [])
      .filter { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
      .sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }
  }

  /// Removes a socket.
  package func remove(_ name: String) { try? System.unlink(name, in: descriptor) }

  /// Says that there is a new socket.
  package func tellChange() {
    let flags = O_WRONLY | O_CREAT
    guard
      let file = try? System.openNoLinks(Self.changed, in: descriptor, flags: flags, mode: 0o600)
    else { return }
    System.close(file)
  }

  /// Holds what says that somebody shows questions; the descriptor to close when that ends.
  package func watch() -> Int32? {
    guard let file = openWatching() else { return nil }
    guard (try? System.lock(file, exclusive: false)) != nil else {
      System.close(file)
      return nil
    }
    return file
  }

  /// Whether somebody shows questions.
  package var isWatched: Bool {
    guard let file = openWatching() else { return false }
    defer { System.close(file) }
    return (try? System.lock(file, exclusive: true)) == nil
  }

  private func openWatching() -> Int32? {
    try? System.openNoLinks(
      Self.watching, in: descriptor, flags: O_RDWR | O_CREAT, mode: 0o600)
  }
}
