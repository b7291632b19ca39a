import VaultSealing
import VaultStorage

/// Standard error, for everything that is not data.
///
/// Write errors are ignored; there is nowhere left to report them.
package enum StandardError {
  private static let descriptor: Int32 = 2

  package static var isTerminal: Bool { ProcessState.isTerminal(descriptor) }

  /// The width of the terminal; `nil` elsewhere, where nothing is ever broken.
  private static var columns: Int? { isTerminal ? ProcessState.columns(of: descriptor) : nil }

  package static func write(_ text: String) {
    ProgressLine.end()
    writeAsIs(text)
  }

  /// Writes without removing the progress line first.
  static func writeAsIs(_ text: String) {
    Array(text.utf8).withRawSpan { bytes in try? System.writeAll(descriptor, bytes) }
  }

  /// Writes a line; what a name or path in it could do to a terminal is escaped.
  package static func writeLine(_ text: String) {
    write(LineWrap.wrapped(Sanitizer.visible(text), to: columns) + "\n")
  }

  /// Writes a line that begins with words in a style.
  package static func writeLine(_ lead: String, _ style: TextStyle, _ text: String) {
    let isColored = OutputOptions.isColored(onTerminal: isTerminal)
    let rest = LineWrap.wrapped(
      Sanitizer.visible(text), to: columns, after: DisplayWidth.of(lead))
    write(style.applied(to: lead, isColored: isColored) + rest + "\n")
  }
}
