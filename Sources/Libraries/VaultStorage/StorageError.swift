import Glibc

/// A failure of files, locks or the SQLite store.
///
/// The message names files and the problem with them. It never contains a value bound to a
/// statement, or the contents of a file.
///
/// ```swift
/// do {
///   let recent = FileStore<[String]>(path: "/home/me/.config/tool/recent.json")
///   print(try recent.blocking.load() ?? [])
/// } catch let error as StorageError where error.code == .accessDenied {
///   print("not for us: \(error.message)")
/// }
/// ```
public struct StorageError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as in `--json` errors.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no such file or directory.
    public static let notFound = Code(rawValue: "file-not-found")
    /// A file or directory belongs to another user, is open to others, or is not a regular file.
    public static let refused = Code(rawValue: "unsafe-file")
    /// The system refused access.
    public static let accessDenied = Code(rawValue: "access-denied")
    /// A file or directory cannot be created.
    public static let cannotCreate = Code(rawValue: "cannot-create")
    /// Reading or writing failed; what was there before is unchanged.
    public static let inputOutput = Code(rawValue: "input-output")
    /// The new contents are in place, but the disk did not confirm them.
    public static let notDurable = Code(rawValue: "stored-but-not-durable")
    /// Another process held a lock for longer than the caller wanted to wait.
    public static let busy = Code(rawValue: "busy")
    /// A file is larger than the limit.
    public static let tooLarge = Code(rawValue: "too-large")
    /// A file is not a store, or its contents are inconsistent.
    public static let damaged = Code(rawValue: "store-damaged")
    /// The file was written by a newer version and cannot be read.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// A file is not an app data store.
    public static let unknownStore = Code(rawValue: "unknown-store")
    /// A store belongs to another application.
    public static let otherApplication = Code(rawValue: "other-application")
    /// A store's schema is newer than all that the program knows.
    public static let newerSchema = Code(rawValue: "newer-schema")
    /// A store's schema is none of those that the program knows.
    public static let unknownSchema = Code(rawValue: "unknown-schema")
    /// Entities or properties contradict each other, or cannot be tables and columns.
    public static let invalidSchema = Code(rawValue: "invalid-schema")
    /// A store cannot be migrated automatically.
    public static let migration = Code(rawValue: "migration")
    /// A file's format cannot hold the value.
    public static let invalidValue = Code(rawValue: "invalid-value")
    /// A condition or name asks for what a store does not have.
    public static let invalidQuery = Code(rawValue: "invalid-query")
    /// The location of files cannot be determined, for example without a home directory.
    public static let noLocation = Code(rawValue: "no-location")
    /// A vault's name contains characters that are not allowed in it.
    public static let invalidName = Code(rawValue: "invalid-name")
    /// A unique value, a foreign key or another rule of the schema was violated.
    public static let constraint = Code(rawValue: "constraint")
    /// The call was interrupted.
    public static let interrupted = Code(rawValue: "interrupted")
    /// SQLite refused the statement.
    public static let statement = Code(rawValue: "statement")
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence that describes the failure.
  public let message: String
  /// The `errno` of a failed system call.
  public let systemError: Int32?
  /// SQLite's extended result code, if SQLite failed.
  public let databaseError: Int32?
  /// The statement's text, if SQLite failed; with placeholders, never with bound values.
  public let sql: String?
  /// What helps in this case, where the code alone does not say it.
  package let advice: String?

  package init(
    _ code: Code, _ message: String, systemError: Int32? = nil, databaseError: Int32? = nil,
    sql: String? = nil, advice: String? = nil
  ) {
    self.code = code
    self.message = message
    self.systemError = systemError
    self.databaseError = databaseError
    self.sql = sql
    self.advice = advice
  }

  /// What to do about it, without the words of any program; `nil` if nothing is known to help.
  public var recovery: String? {
    if let advice { return advice }
    if systemError == EMFILE || systemError == ENFILE {
      return "close files, or raise the limit of open files"
    }
    return switch code {
    case .refused: "make it yours and close it to others: chmod 600, 700 for a directory"
    case .accessDenied: "check the owner and mode of the file and of the directories above it"
    case .cannotCreate, .inputOutput: "check the free space, and whether the disk can be written"
    case .notDurable: "check the disk, and write it again"
    case .busy: "try again when the other program is done"
    case .damaged: "restore a copy from before"
    case .newerVersion, .newerSchema: "use a newer version of this program"
    case .unknownStore: "name another file, or restore a copy from before"
    case .otherApplication: "name another file, or use the application that it belongs to"
    case .noLocation: "set HOME or XDG_DATA_HOME to an absolute path"
    default: nil
    }
  }

  /// The message and, in parentheses, what to do about it.
  public var description: String { recovery.map { "\(message) (\($0))" } ?? message }

  /// Whether nothing could be written where SQLite keeps its files beside a store.
  package var isOfNoPlaceToWrite: Bool {
    if let systemError, [ENOSPC, EDQUOT, EROFS].contains(systemError) { return true }
    // SQLITE_CANTOPEN, SQLITE_READONLY.
    return databaseError.map { [14, 8].contains($0 & 0xff) } ?? false
  }
}
