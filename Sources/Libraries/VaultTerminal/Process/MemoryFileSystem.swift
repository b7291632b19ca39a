import Glibc
import VaultStorage

/// File systems in memory: tmpfs(5) and ramfs.
enum MemoryFileSystem {
  // linux/magic.h.
  private static let magic: Set<Int64> = [0x0102_1994, 0x8584_58F6]

  /// Whether a directory is in memory.
  static func holds(_ path: String) -> Bool {
    guard let folder = try? System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY) else {
      return false
    }
    defer { System.close(folder) }
    return holds(folder)
  }

  /// Whether an open file or directory is in memory.
  static func holds(_ descriptor: Int32) -> Bool {
    (try? System.fileSystemType(descriptor)).map(magic.contains) ?? false
  }
}
