import CVaultSQLite
import Glibc
package import VaultStorage

/// Makes SQLite's own system calls fail by a ``FaultPlan``, on the task that runs under it.
///
/// Calls of other tasks are not affected, nor those of a task that counts the program's own calls
/// alone: the hook is the process's, and which test installs it first is chance. It uses SQLite's
/// hook for tests, `xSetSystemCall`: sqlite.org/c3ref/vfs.html.
package enum SQLiteFaults {
  /// Installs the calls, once for the process.
  private static let install: Void = {
    unsafe replace("pwrite64", with: unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    unsafe replace("pwrite", with: unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    unsafe replace("ftruncate", with: unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self))
    unsafe replace("unlink", with: unsafeBitCast(remove, to: sqlite3_syscall_ptr.self))
  }()

  @TaskLocal private static var areCounted = false

  /// Runs `body` with a planned fault; SQLite's calls are counted, too.
  package static func withFaults<Result>(
    _ plan: FaultPlan, _ body: () throws -> Result
  ) rethrows -> Result {
    install
    return try $areCounted.withValue(true) { try System.withFaults(plan, body) }
  }

  private static func planned(_ call: System.Call) -> FaultPlan.Fault? {
    areCounted ? System.plannedFault(for: call) : nil
  }

  @unsafe private static func replace(_ name: String, with call: sqlite3_syscall_ptr) {
    guard let vfs = unsafe sqlite3_vfs_find(nil) else { return }
    _ = unsafe vfs.pointee.xSetSystemCall(vfs, name, call)
  }

  private static let write: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
    file, bytes, count, offset in
    switch planned(.write) {
    case .error(let code):
      errno = code
      return -1
    case .kill:
      errno = EIO
      return -1
    case .shortWrite: return unsafe pwrite(file, bytes, min(1, count), offset)
    case nil: return unsafe pwrite(file, bytes, count, offset)
    }
  }

  private static let truncate: @convention(c) (Int32, off_t) -> Int32 = { file, size in
    guard fails(.truncate) else { return ftruncate(file, size) }
    return -1
  }

  private static let remove: @convention(c) (UnsafePointer<CChar>?) -> Int32 = { path in
    guard let path = unsafe path, !fails(.unlink) else { return -1 }
    return unsafe unlink(path)
  }

  private static func fails(_ call: System.Call) -> Bool {
    switch planned(call) {
    case .error(let code): errno = code
    case .kill: errno = EIO
    case .shortWrite, nil: return false
    }
    return true
  }
}
