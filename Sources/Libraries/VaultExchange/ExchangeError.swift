/// A failure to read another program's file, or to write a form that it reads.
///
/// A message never holds a secret. It may hold the name of an item or the number of a line.
///
/// ```swift
/// do {
///   let reading = try ImportFormat.bitwarden.read(bytes)
/// } catch let error as ExchangeError where error.code == .encrypted {
///   print("Export the vault again, as unencrypted JSON.")
/// }
/// ```
public struct ExchangeError: Error, Sendable, CustomStringConvertible {
  /// The kind of a failure; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as it stands in the command's `--json` errors.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are not a file of the format.
    public static let unreadable = Code(rawValue: "import-unreadable")
    /// The file is an encrypted export.
    public static let encrypted = Code(rawValue: "import-encrypted")
    /// An item cannot be written in the format, because of its name or its secret.
    public static let invalidRequest = Code(rawValue: "usage")
  }

  /// A way out that a program can offer to a person.
  public enum Remedy: Sendable {
    /// Choose the format that the file has.
    case chooseFormat
    /// Describe the columns of the table.
    case describeColumns
    /// Import the file in the format that it has.
    case read(as: ImportFormat)
    /// Save the file as UTF-8.
    case saveAsUTF8
    /// Export the other program's items again, without encryption.
    case exportUnencrypted
    /// Export the items that collide apart, or rename one of them.
    case exportApartOrRename
    /// Export JSON, which holds everything.
    case exportJSON
    /// Rename the item.
    case rename
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence that says what happened.
  public let message: String
  /// The line of the file where it happened, counted from 1; `nil` for formats without lines.
  public let line: Int?
  /// A way out, if there is one.
  public let remedy: Remedy?

  init(_ code: Code, _ message: String, line: Int? = nil, remedy: Remedy?) {
    self.code = code
    self.message = message
    self.line = line
    self.remedy = remedy
  }

  /// The message.
  public var description: String { message }

  static func unreadable(
    _ reason: String, line: Int? = nil, remedy: Remedy = .chooseFormat
  ) -> ExchangeError {
    ExchangeError(
      .unreadable,
      "the file is not in this format: \(reason)" + (line.map { ", line \($0)" } ?? ""),
      line: line, remedy: remedy)
  }
}
