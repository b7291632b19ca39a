import CVaultSQLite
import Glibc

/// A file system for one connection: it contains its store and SQLite's three files beside it.
///
/// SQLite opens and deletes files by names that it finds in other files. A journal names a
/// super-journal, which is deleted when the journal has been rolled back
/// (sqlite.org/atomiccommit.html, 5.0), and a statement may name any file (ATTACH, VACUUM INTO). A
/// store from another source must not choose such names: here, a file with another name does not
/// exist and cannot be opened.
///
/// This is a VFS (sqlite.org/vfs.html) for one connection, in front of the default one. The files
/// themselves are those of the default VFS, so that reading, writing and locking cost the same.
@safe final class StoreFileSystem {
  private let base: UnsafeMutablePointer<sqlite3_vfs>
  private let own: UnsafeMutablePointer<sqlite3_vfs>
  /// The store's path as SQLite spells it, with its NUL; empty before it is opened.
  private var store: [CChar] = []
  private let hasStore: Bool

  /// Creates a file system and registers it with SQLite.
  ///
  /// - Parameters:
  ///   - hasStore: Whether there is a file at all; the first file that is opened is the store.
  ///   - isLocked: Whether files are locked, as they must be where anybody can write.
  /// - Throws: ``StorageError`` with code `.inputOutput` if SQLite cannot be started.
  init(hasStore: Bool, isLocked: Bool = true) throws(StorageError) {
    guard let base = unsafe sqlite3_vfs_find(isLocked ? nil : "unix-none") else {
      throw StorageError(.inputOutput, "SQLite does not know this system's files")
    }
    self.hasStore = hasStore
    unsafe self.base = base
    unsafe own = .allocate(capacity: 1)
    unsafe own.initialize(to: sqlite3_vfs())
    unsafe own.pointee.iVersion = 2
    unsafe own.pointee.szOsFile = base.pointee.szOsFile
    unsafe own.pointee.mxPathname = base.pointee.mxPathname
    // The address makes the name unique among those that exist.
    unsafe own.pointee.zName = UnsafePointer(
      strdup("vault-" + String(UInt(bitPattern: own), radix: 16)))
    unsafe own.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    setNamedCalls()
    setOtherCalls()
    unsafe sqlite3_vfs_register(own, 0)
  }

  /// Released after the connection and its last statement, which both retain it.
  deinit {
    unsafe sqlite3_vfs_unregister(own)
    unsafe free(UnsafeMutablePointer(mutating: own.pointee.zName))
    unsafe own.deallocate()
  }

  /// The name for `sqlite3_open_v2`.
  var name: String { unsafe String(cString: own.pointee.zName) }

  /// Sets the calls that name a file.
  private func setNamedCalls() {
    unsafe own.pointee.xOpen = { vfs, name, file, flags, outFlags in
      let files = unsafe StoreFileSystem.of(vfs)
      guard unsafe files.mayOpen(name, flags) else {
        // Without methods, SQLite does not close the file.
        unsafe file?.pointee.pMethods = nil
        return SQLITE_CANTOPEN
      }
      // Where SQLite may create the log, it syncs the folder at the first commit of each
      // connection. A log with contents has been created, and whoever created it did that.
      if flags & SQLITE_OPEN_WAL != 0, files.hasLog {
        let status = unsafe files.base.pointee.xOpen(
          files.base, name, file, flags & ~SQLITE_OPEN_CREATE, outFlags)
        // Another connection may have removed it in this moment.
        if status != SQLITE_CANTOPEN { return status }
      }
      return unsafe files.base.pointee.xOpen(files.base, name, file, flags, outFlags)
    }
    unsafe own.pointee.xDelete = { vfs, name, syncsDirectory in
      let files = unsafe StoreFileSystem.of(vfs)
      // SQLite deletes nothing else of a store: not the store itself, and -shm by another call.
      guard unsafe files.isOwn(name, "-journal") || files.isOwn(name, "-wal") else {
        return SQLITE_IOERR
      }
      return unsafe files.base.pointee.xDelete(files.base, name, syncsDirectory)
    }
    unsafe own.pointee.xAccess = { vfs, name, flags, answer in
      let files = unsafe StoreFileSystem.of(vfs)
      guard ["", "-journal", "-wal"].contains(where: { unsafe files.isOwn(name, $0) })
      else {
        // A journal whose super-journal does not exist was committed: SQLite removes only the
        // journal.
        unsafe answer?.pointee = 0
        return SQLITE_OK
      }
      return unsafe files.base.pointee.xAccess(files.base, name, flags, answer)
    }
    unsafe own.pointee.xFullPathname = { vfs, name, count, path in
      let base = unsafe StoreFileSystem.of(vfs).base
      return unsafe base.pointee.xFullPathname(base, name, count, path)
    }
  }

  /// Sets the calls for time and randomness, and refuses to load libraries.
  private func setOtherCalls() {
    unsafe own.pointee.xRandomness = { vfs, count, bytes in
      let base = unsafe StoreFileSystem.of(vfs).base
      return unsafe base.pointee.xRandomness(base, count, bytes)
    }
    unsafe own.pointee.xSleep = { vfs, microseconds in
      let base = unsafe StoreFileSystem.of(vfs).base
      return unsafe base.pointee.xSleep(base, microseconds)
    }
    unsafe own.pointee.xCurrentTime = { vfs, time in
      let base = unsafe StoreFileSystem.of(vfs).base
      return unsafe base.pointee.xCurrentTime(base, time)
    }
    unsafe own.pointee.xCurrentTimeInt64 = { vfs, time in
      let base = unsafe StoreFileSystem.of(vfs).base
      return unsafe base.pointee.xCurrentTimeInt64(base, time)
    }
    unsafe own.pointee.xGetLastError = { vfs, count, text in
      let base = unsafe StoreFileSystem.of(vfs).base
      return unsafe base.pointee.xGetLastError(base, count, text)
    }
    unsafe own.pointee.xDlOpen = { _, _ in nil }
    unsafe own.pointee.xDlError = { _, count, text in
      if count > 0 { unsafe text?.pointee = 0 }
    }
    unsafe own.pointee.xDlSym = { _, _, _ in nil }
    unsafe own.pointee.xDlClose = { _, _ in }
  }

  /// The object of a VFS.
  ///
  /// SQLite calls a VFS only for a connection or statement that retains this object.
  @unsafe private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> StoreFileSystem {
    guard let data = unsafe vfs?.pointee.pAppData else {
      preconditionFailure("a VFS without its file system")
    }
    return unsafe Unmanaged<StoreFileSystem>.fromOpaque(data).takeUnretainedValue()
  }

  private func mayOpen(_ name: UnsafePointer<CChar>?, _ flags: Int32) -> Bool {
    // A temporary file: the default VFS names it and removes it at once.
    guard let name = unsafe name else { return true }
    if flags & SQLITE_OPEN_MAIN_DB != 0 {
      if store.isEmpty, hasStore {
        unsafe store = Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
      }
      return unsafe isOwn(name, "")
    }
    if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 {
      return unsafe isOwn(name, "-journal") && hasOneName("-journal")
    }
    if flags & SQLITE_OPEN_WAL != 0 {
      // The default VFS itself opens the index of the log, right after the log.
      return unsafe isOwn(name, "-wal") && hasOneName("-wal") && hasOneName("-shm")
    }
    return false
  }

  /// Whether the log is there and not empty.
  private var hasLog: Bool {
    var status = stat()
    return unsafe lstat(path(with: "-wal"), &status) == 0 && status.st_size > 0
  }

  private func isOwn(_ name: UnsafePointer<CChar>?, _ suffix: String) -> Bool {
    guard let name = unsafe name, !store.isEmpty else { return false }
    let count = store.count - 1
    return unsafe strncmp(name, store, count) == 0 && strcmp(name + count, suffix) == 0
  }

  /// The path of a file beside the store, with its NUL.
  private func path(with suffix: String) -> [CChar] {
    store.dropLast() + suffix.utf8.map { CChar(bitPattern: $0) } + [0]
  }

  /// Whether a file beside the store, if it exists, is not another file under a second name.
  ///
  /// SQLite empties and overwrites the file. (It does not follow symbolic links by itself.)
  private func hasOneName(_ suffix: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path(with: suffix), &status) == 0 else {
      return errno == ENOENT
    }
    return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
  }
}
