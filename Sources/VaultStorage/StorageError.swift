/// What can go wrong with files, locks and the SQLite store.
///
/// The message names files and what was wrong with them. It never holds a value that was bound to a
/// statement or the contents of a file.
///
/// ```swift
/// do {
///   _ = try Store(location: location)
/// } catch let error where error.code == .newerVersion {
///   print("made by a newer version: \(error.message)")
/// }
/// ```
public struct StorageError: Error, Sendable, CustomStringConvertible {
  /// Which failure it is; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as it stands in `--json` errors.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no such file or directory.
    public static let notFound = Code(rawValue: "file-not-found")
    /// A file or directory belongs to somebody else, is open to others, or is no regular file.
    public static let refused = Code(rawValue: "unsafe-file")
    /// The system refused access.
    public static let accessDenied = Code(rawValue: "access-denied")
    /// A file or directory cannot be made.
    public static let cannotCreate = Code(rawValue: "cannot-create")
    /// Reading or writing failed; what was there before is unchanged.
    public static let inputOutput = Code(rawValue: "input-output")
    /// The new contents are in place, but the disk did not confirm them.
    public static let notDurable = Code(rawValue: "stored-but-not-durable")
    /// Another process held a lock for longer than the caller wanted to wait.
    public static let busy = Code(rawValue: "busy")
    /// A file is larger than what is accepted.
    public static let tooLarge = Code(rawValue: "too-large")
    /// A file is no store, or its contents contradict themselves.
    public static let damaged = Code(rawValue: "store-damaged")
    /// The file was made by a newer version, which this one cannot read.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// A file is no app-data store at all.
    public static let unknownStore = Code(rawValue: "unknown-store")
    /// A store belongs to another application.
    public static let otherApplication = Code(rawValue: "other-application")
    /// A store's schema is newer than every one that the program knows.
    public static let newerSchema = Code(rawValue: "newer-schema")
    /// A store's schema is none of those that the program knows.
    public static let unknownSchema = Code(rawValue: "unknown-schema")
    /// Entities or properties contradict each other, or cannot be tables and columns.
    public static let invalidSchema = Code(rawValue: "invalid-schema")
    /// A store cannot be brought to a newer schema by itself.
    public static let migration = Code(rawValue: "migration")
    /// A file's format cannot hold the value.
    public static let invalidValue = Code(rawValue: "invalid-value")
    /// A condition or name asks for what a store does not have.
    public static let invalidQuery = Code(rawValue: "invalid-query")
    /// There is no way to tell where files belong, such as without a home directory.
    public static let noLocation = Code(rawValue: "no-location")
    /// A vault's name holds what a file name here may not hold.
    public static let invalidName = Code(rawValue: "invalid-name")
    /// A unique value, a foreign key or another rule of the schema was violated.
    public static let constraint = Code(rawValue: "constraint")
    /// The call was interrupted.
    public static let interrupted = Code(rawValue: "interrupted")
    /// SQLite refused the statement.
    public static let statement = Code(rawValue: "statement")
  }

  /// Which failure it is.
  public let code: Code
  /// One sentence that says what happened.
  public let message: String
  /// The system's `errno`, where a system call failed.
  public let systemError: Int32?
  /// SQLite's extended result code, where SQLite failed.
  public let databaseError: Int32?
  /// The statement's text, where SQLite failed; with placeholders, never with bound values.
  public let sql: String?

  package init(
    _ code: Code, _ message: String, systemError: Int32? = nil, databaseError: Int32? = nil,
    sql: String? = nil
  ) {
    self.code = code
    self.message = message
    self.systemError = systemError
    self.databaseError = databaseError
    self.sql = sql
  }

  /// The message.
  public var description: String { message }
}
