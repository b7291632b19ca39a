import Glibc

/// The lock on a folder that says that somebody works in it: flock(2), which takes directories too.
enum FolderLock {
  /// Takes it, if nobody has it; it goes with the last descriptor, of whichever process.
  static func take(_ folder: Int32) -> Bool { flock(folder, LOCK_EX | LOCK_NB) == 0 }
}
