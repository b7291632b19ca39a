/// A value of a `.env` file, quoted so that as many readers as possible read the same text.
///
/// There is no standard. Tried: a POSIX shell that sources the file, python-dotenv 1.2, node 20's
/// `parseEnv`.
/// - In single quotes all three read every character literally, except that python-dotenv reads
///   `\\` and `\'` as escapes: two backslashes become one.
/// - A backslash before the closing quote, of either kind, makes python-dotenv go on to the next
///   quote: a comment that holds one ends that on the same line.
/// - In double quotes all three agree while there is no `"`, backslash, `$` or backquote. The shell
///   and python-dotenv take `\"` and `\\` for escapes, node takes neither. `\$` and a backslash
///   before a backquote are escapes for the shell alone.
/// - A carriage return reaches the shell alone. python-dotenv replaces `${NAME}` in any quotes.
package struct DotenvQuoting: Equatable, Sendable {
  /// A program that reads `.env` files.
  package enum Reader: String, CaseIterable, Sendable {
    case shell = "sh"
    case pythonDotenv = "python-dotenv"
    case node
  }

  /// The value with its quotes, and perhaps a comment.
  package let text: String
  /// The readers that read exactly the value; a shell always does, and never runs any part of it.
  package let readers: Set<Reader>

  /// Quotes a value.
  ///
  /// - Parameter value: Any text without NUL.
  package init(_ value: String) {
    let bytes = Array(value.utf8)
    let hasSingleQuote = bytes.contains(UInt8(ascii: "'"))
    let hasDoubleQuote = bytes.contains(UInt8(ascii: "\""))
    let hasBackslash = bytes.contains(UInt8(ascii: "\\"))
    let isExpanded = bytes.contains { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "`") }
    let endsInBackslash = bytes.last == UInt8(ascii: "\\")
    var readers = Set(Reader.allCases)
    if !hasSingleQuote, !Self.hasDoubledBackslash(bytes) || isExpanded || endsInBackslash {
      text =
        Quoting.enclosed(value, in: UInt8(ascii: "'")) { _ in nil }
        + (endsInBackslash ? " # '" : "")
      if Self.hasDoubledBackslash(bytes) { readers.remove(.pythonDotenv) }
    } else {
      let quoted = Quoting.enclosed(value, in: UInt8(ascii: "\"")) { byte in
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case UInt8(ascii: "$"): "\\$"
        case UInt8(ascii: "`"): "\\`"
        default: nil
        }
      }
      text = quoted + (endsInBackslash ? " # \"" : "")
      if hasDoubleQuote || hasBackslash || isExpanded { readers.remove(.node) }
      if isExpanded { readers.remove(.pythonDotenv) }
    }
    if endsInBackslash { readers.remove(.pythonDotenv) }
    if bytes.contains(0x0D) { readers = [.shell] }
    if value.contains(bytes: "${") { readers.remove(.pythonDotenv) }
    self.readers = readers
  }

  /// Returns whether python-dotenv would read an escape in single quotes.
  private static func hasDoubledBackslash(_ bytes: [UInt8]) -> Bool {
    let backslash = UInt8(ascii: "\\")
    return zip(bytes, bytes.dropFirst()).contains { $0 == backslash && $1 == backslash }
  }
}
