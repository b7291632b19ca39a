import CVaultSQLite
import Glibc

/// Maps SQLite's result codes (sqlite.org/rescode.html) to errors, for the whole module.
package enum SQLiteFailure {
  /// Returns the error for `status`.
  ///
  /// Copies the connection's message before it calls anything else.
  @unsafe package static func error(
    _ status: Int32, database: OpaquePointer?, sql: String?
  ) -> StorageError {
    let extended = unsafe database.map { unsafe sqlite3_extended_errcode($0) } ?? status
    // The connection may have had another failure since; then the extended code is not of this
    // status.
    let code = extended & 0xff == status & 0xff ? extended : status
    let message =
      if let database = unsafe database, code == extended {
        unsafe String(cString: sqlite3_errmsg(database))
      } else {
        unsafe String(cString: sqlite3_errstr(status))
      }
    let last = unsafe database.map { unsafe sqlite3_system_errno($0) } ?? 0
    let errno = code & 0xff == SQLITE_FULL && ![ENOSPC, EDQUOT].contains(last) ? ENOSPC : last
    return StorageError(
      self.code(for: code), self.message(message, code, errno),
      systemError: errno == 0 ? nil : errno, databaseError: code, sql: sql)
  }

  /// What is said: of a disk that takes nothing what the system says of it, since SQLite has other
  /// words for that at each of its places.
  private static func message(_ text: String, _ code: Int32, _ errno: Int32) -> String {
    let message = "SQLite: \(text)"
    if [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL].contains(code & 0xff),
      [EROFS, ENOSPC, EDQUOT].contains(errno)
    {
      return "the store cannot be written: \(System.Failure(errno: errno).reason)"
    }
    guard [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xff) else { return message }
    switch errno {
    case EMFILE:
      var limit = rlimit()
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return "\(message): the process has too many open files (\(limit.rlim_cur))"
    case ENFILE: return "\(message): the system has too many open files"
    case EACCES, EPERM:
      return "\(message): \(System.Failure(errno: errno).reason)"
    default: return message
    }
  }

  private static func code(for status: Int32) -> StorageError.Code {
    switch status & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
    case SQLITE_CANTOPEN: .cannotCreate
    case SQLITE_PERM, SQLITE_AUTH, SQLITE_READONLY: .accessDenied
    case SQLITE_IOERR, SQLITE_FULL, SQLITE_NOLFS, SQLITE_PROTOCOL, SQLITE_NOMEM: .inputOutput
    case SQLITE_TOOBIG: .tooLarge
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_INTERRUPT: .interrupted
    default: .statement
    }
  }
}
