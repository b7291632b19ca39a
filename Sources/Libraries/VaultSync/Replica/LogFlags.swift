import Glibc

/// Flags of open(2).
enum LogFlags {
  /// For a file that grows at its end.
  static let appending = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW
  /// For a whole path.
  static let noFolder = AT_FDCWD
}
