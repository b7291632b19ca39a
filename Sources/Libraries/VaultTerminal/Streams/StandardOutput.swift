import CVaultLinux
import Glibc
package import VaultSealing
package import VaultStorage

/// Standard output, for data and nothing else.
///
/// Everything goes straight to write(2). A buffer would keep a copy of a secret.
package enum StandardOutput {
  private static let descriptor: Int32 = 1

  // Asked once: a list asks for each of its names.
  package static let isTerminal = ProcessState.isTerminal(descriptor)

  /// Whether something keeps or reads what is written: neither a terminal nor `/dev/null`.
  package static var isFileOrPipe: Bool { ProcessState.isFileOrPipe(descriptor) }

  /// Whether styles show: ``TextStyle``.
  static var isColored: Bool { OutputOptions.isColored(onTerminal: isTerminal) }

  /// The width of the terminal in columns; `nil` in a pipe, where nothing is ever cut.
  package static var columns: Int? { isTerminal ? ProcessState.columns(of: descriptor) : nil }

  package static func write(_ text: String) throws { try write(Array(text.utf8)) }

  package static func line(_ text: String) throws { try write(text + "\n") }

  package static func write(_ bytes: [UInt8]) throws {
    ProgressLine.end()
    try bytes.withRawSpan { bytes throws(System.Failure) in try System.writeAll(descriptor, bytes) }
  }

  package static func write(_ bytes: RawSpan) throws(System.Failure) {
    try System.writeAll(descriptor, bytes)
  }

  package static func write(_ secret: SecretBytes) throws {
    ProgressLine.end()
    try secret.withBytes { bytes throws(System.Failure) in try System.writeAll(descriptor, bytes) }
  }

  /// Runs `body` while a reader that has gone is an error, `EPIPE`, and not the end of the process.
  package static func survivingClosedPipe(_ body: () throws -> Void) rethrows {
    let isIgnored = cvault_is_ignored(SIGPIPE) != 0
    cvault_ignore_signal(SIGPIPE)
    // Programs that are started inherit what is ignored.
    defer { if !isIgnored { _ = cvault_default_signal(SIGPIPE) } }
    try body()
  }

  /// A text that describes something, such as a note: nothing in it acts on a terminal.
  ///
  /// Also where a pipe leads to one, as that of a pager does; there its lines stay lines.
  package static func described(_ text: String) -> String {
    guard !isTerminal else { return Sanitizer.visible(text) }
    return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Sanitizer.visible(String(decoding: $0, as: UTF8.self)) }.joined(separator: "\n")
  }

  /// A name in the form that fits stdout: escaped on a terminal, exact in a pipe.
  package static func shown(_ name: String) -> String {
    isTerminal ? Sanitizer.visible(name) : name
  }
}
