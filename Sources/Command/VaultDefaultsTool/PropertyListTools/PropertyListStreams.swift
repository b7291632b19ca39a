import VaultPreferences
import VaultStorage

/// The streams of ``PlistUtilTool`` and ``PlistBuddyTool``.
package struct PropertyListStreams {
  package var output: ([UInt8]) -> Void
  package var error: ([UInt8]) -> Void
  /// All of stdin.
  package var input: () throws -> [UInt8]
  /// The next line of stdin without its newline; `nil` at its end.
  package var line: () -> String?
  /// Where the domains are that some paths mean; `nil` if each path is a file.
  package var domains: PropertyListDomains?

  package init(
    output: @escaping ([UInt8]) -> Void, error: @escaping ([UInt8]) -> Void,
    input: @escaping () throws -> [UInt8], line: @escaping () -> String?,
    domains: PropertyListDomains? = nil
  ) {
    self.domains = domains
    self.output = output
    self.error = error
    self.input = input
    self.line = line
  }

  func print(_ text: String) { output(Array((text + "\n").utf8)) }

  func complain(_ text: String) { error(Array((text + "\n").utf8)) }
}

/// The forms that the tools write.
enum PropertyListForm {
  case xml
  case binary
  case json
  case oldStyle

  /// The form of a file's bytes.
  init(_ bytes: [UInt8]) {
    self =
      bytes.starts(with: "bplist".utf8)
      ? .binary : bytes.drop { $0 <= 0x20 || $0 >= 0xef }.first == 0x3c ? .xml : .oldStyle
  }
}
