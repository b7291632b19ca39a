import VaultSealing
import VaultStorage
import VaultTerminal

/// Bytes that are mostly text, such as paths.
package enum ByteText {
  /// The text, with `\xff` for every byte beyond ASCII where it is no UTF-8.
  package static func exact(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text: [UInt8] = []
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text += Array("\\x\(Hexadecimal.text([byte]))".utf8)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text for a line of a person's terminal or of a table.
  package static func shown(_ bytes: [UInt8]) -> String { Sanitizer.visible(exact(bytes)) }
}
