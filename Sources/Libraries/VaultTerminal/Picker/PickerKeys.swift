/// Reads keys from the bytes that a terminal sends.
struct PickerKeys {
  /// What a key asks for.
  enum Key: Equatable {
    case text(String)
    case erase, eraseWord, clear, choose, copy, cancel
    /// The end of input, which counts only where nothing was typed.
    case end
    case move(Int)
    case page(Int)
  }

  /// The bytes of a character that is not complete.
  private var partial: [UInt8] = []

  /// Takes one byte.
  ///
  /// - Parameters:
  ///   - byte: The byte.
  ///   - next: Returns the next byte of an escape sequence; `nil` if none comes.
  /// - Returns: The key; `nil` if there is none yet, or it means nothing here.
  mutating func take(_ byte: UInt8, next: () -> UInt8?) -> Key? {
    switch byte {
    case 0x0A, 0x0D: return .choose
    case 0x08, 0x7F: return .erase
    case 0x04: return .end
    case 0x07: return .cancel
    case 0x09, 0x0E: return .move(1)
    case 0x10: return .move(-1)
    case 0x15: return .clear
    case 0x17: return .eraseWord
    case 0x19: return .copy
    case 0x1B: return escape(next)
    case 0x00..<0x20: return nil
    default: return character(byte)
    }
  }

  /// Arrow keys and the like: ECMA-48, 5.4, and xterm's ctlseqs.
  private func escape(_ next: () -> UInt8?) -> Key? {
    guard let kind = next() else { return .cancel }
    guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return nil }
    var parameters: [UInt8] = []
    while let byte = next() {
      guard (0x40...0x7E).contains(byte) else {
        parameters.append(byte)
        continue
      }
      switch (byte, parameters) {
      case (UInt8(ascii: "A"), []), (UInt8(ascii: "Z"), []): return .move(-1)
      case (UInt8(ascii: "B"), []): return .move(1)
      case (UInt8(ascii: "H"), []): return .move(.min / 2)
      case (UInt8(ascii: "F"), []): return .move(.max / 2)
      case (UInt8(ascii: "~"), [UInt8(ascii: "5")]): return .page(-1)
      case (UInt8(ascii: "~"), [UInt8(ascii: "6")]): return .page(1)
      default: return nil
      }
    }
    return nil
  }

  private mutating func character(_ byte: UInt8) -> Key? {
    if byte & 0xC0 != 0x80 { partial = [] }
    partial.append(byte)
    if partial.count > 4 { partial = [] }
    guard let text = String(validating: partial, as: UTF8.self), !text.isEmpty else { return nil }
    partial = []
    return .text(text)
  }
}
