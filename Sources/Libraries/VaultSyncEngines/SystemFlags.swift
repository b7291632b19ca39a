import Glibc
import VaultStorage

/// Flags of open(2), and what its errors mean.
enum SystemFlags {
  /// For a file that may be anything, a FIFO too.
  static let readingWithoutWaiting = O_RDONLY | O_NONBLOCK | O_NOCTTY
  /// For a file that must be new.
  static let creating = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  /// For a whole path.
  static let noFolder = AT_FDCWD
}

extension System.Failure {
  /// Whether there is no such file.
  var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }
  /// Whether a name leads to what cannot be opened as a file: a symbolic link, a socket.
  var isOfNoFile: Bool { errno == ELOOP || errno == ENXIO }
  /// Whether something else is in the place of a folder on the way.
  var isOfNoFolder: Bool { errno == ENOTDIR }
  /// Whether a folder has the name that a file is to get.
  var isOfFolder: Bool { errno == EISDIR }
  /// Whether the disk, or what the user may have of it, is full.
  var isOfFullDisk: Bool { errno == ENOSPC || errno == EDQUOT }
  /// Whether nobody may write there, or this user may not.
  var isOfReadOnly: Bool { errno == EROFS || errno == EACCES || errno == EPERM }
  /// Whether the name is taken.
  var isExisting: Bool { errno == EEXIST }
  /// Whether the file system has no links.
  var isWithoutLinks: Bool { [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) }
}
