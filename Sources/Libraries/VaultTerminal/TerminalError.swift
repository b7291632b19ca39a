/// A failure at the terminal, of a stream, or of another program.
///
/// The message never holds what was typed or read.
///
/// ```swift
/// do {
///   let passphrase = try Prompt.secret("Passphrase")
/// } catch let error as TerminalError where error.code == .cancelled {
///   print("nothing was changed")
/// }
/// ```
public struct TerminalError: Error, Sendable, CustomStringConvertible {
  /// Which failure it is; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The person gave up at a prompt.
    public static let cancelled = Code(rawValue: "cancelled")
    /// What was typed, read or is to be copied is too long.
    public static let tooLong = Code(rawValue: "too-long")
    /// Several lines were pasted where the terminal marks no pastes.
    public static let severalLines = Code(rawValue: "several-lines")
    /// There is nothing to copy.
    public static let empty = Code(rawValue: "empty")
    /// The bytes are not text, and text is needed.
    public static let notText = Code(rawValue: "not-text")
    /// Reading or writing failed, or the system is out of descriptors or memory.
    public static let inputOutput = Code(rawValue: "input-output")
    /// An input file is not there.
    public static let fileNotFound = Code(rawValue: "file-not-found")
    /// An input file cannot be opened or read.
    public static let inputUnreadable = Code(rawValue: "input-unreadable")
    /// A program is missing, or could not be started.
    public static let programMissing = Code(rawValue: "program-missing")
    /// The editor failed.
    public static let editorFailed = Code(rawValue: "editor-failed")
    /// There is no folder in memory for the editor's file.
    public static let noMemoryFileSystem = Code(rawValue: "no-memory-file-system")
    /// No clipboard is within reach.
    public static let noClipboard = Code(rawValue: "no-clipboard")
    /// The program to be executed was not found.
    public static let commandNotFound = Code(rawValue: "command-not-found")
    /// The program to be executed cannot be.
    public static let commandNotExecutable = Code(rawValue: "command-not-executable")
  }

  /// What would help; the caller turns it into words.
  package enum Remedy: Equatable, Sendable {
    /// Pass the secret by a stream or a file instead of typing it.
    case useStreamOrFile
    /// Paste it into an editor, or pass it by a stream or a file.
    case pasteElsewhere
    /// Keep the file elsewhere, and only its key in the vault.
    case keepElsewhere
    /// Check the path of the input file.
    case checkPath
    /// Check the first line of a script, or the program's loader.
    case checkInterpreter
    /// Give secrets as files instead of variables.
    case useFiles
    /// Check the name of the program, and PATH.
    case checkName
    /// Write the secret to a file instead of copying it.
    case writeToFile
    /// Install a program; `nil` for the one that the message names.
    case install(String?)
    /// Install the program whole: its helper is missing.
    case installHelper
    /// Name an editor in the environment: there is none.
    case nameEditor
    /// Name another editor in the environment: this one cannot be started.
    case nameOtherEditor
    /// Mount a file system in memory, or avoid the editor.
    case mountMemory
    /// Leave the choice of the clipboard to the program: this one does not fit.
    case leaveClipboardOut(ClipboardRoute)
    /// Use the terminal's clipboard instead of the display's.
    case useTerminalClipboard
    /// Give the line an input.
    case giveInput
    /// Write the secret to a file: there is neither a display nor a terminal with a clipboard.
    case noDisplay
  }

  /// Which failure it is.
  public let code: Code
  /// One sentence that says what happened.
  public let message: String
  package let remedy: Remedy?

  init(_ code: Code, _ message: String, _ remedy: Remedy? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// The process was started without a stdin.
  package static let closedInput = TerminalError(
    .inputOutput, "standard input is closed, and something was to be read from it", .giveInput)

  /// The person ended the input.
  package static let cancelled = TerminalError(.cancelled, "the input was ended")

  /// The message.
  public var description: String { message }
}
