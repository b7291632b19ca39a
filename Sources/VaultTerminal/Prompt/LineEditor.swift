import VaultSealing

/// The state of a line while it is typed: bytes in locked memory, and the effect of editing keys.
package struct LineEditor {
  /// The effect of a key.
  package enum Outcome: Equatable { case more, done, cancelled, full }

  /// The number of bytes so far.
  package private(set) var count = 0
  private var characters = 0
  private var escape = Escape.none
  private enum Escape { case none, begun, sequence }

  package init() {}

  /// The number of characters so far, at most `limit`.
  package func dots(atMost limit: Int) -> Int { min(characters, limit) }

  /// Takes one byte from the terminal.
  package mutating func take(_ byte: UInt8, into room: inout MutableRawSpan) -> Outcome {
    if skipsEscape(byte) { return .more }
    switch byte {
    case 0x0A, 0x0D: return .done
    case 0x04: return count == 0 ? .cancelled : .done
    case 0x08, 0x7F: erase(&room)
    // ^U and ^W erase everything: nobody sees where a word ends.
    case 0x15, 0x17: while count > 0 { erase(&room) }
    case 0x1B: escape = .begun
    case 0x00..<0x20 where byte != 0x09: break
    default:
      guard count < room.byteCount else { return .full }
      room.write(byte: byte, at: count)
      count += 1
      if byte & 0xC0 != 0x80 { characters += 1 }
    }
    return .more
  }

  /// Skips the escape sequences that arrow keys and the like send.
  private mutating func skipsEscape(_ byte: UInt8) -> Bool {
    switch escape {
    case .none: return false
    case .begun:
      escape = byte == 0x5B || byte == 0x4F ? .sequence : .none
      return byte != 0x0A && byte != 0x0D
    case .sequence:
      if (0x40...0x7E).contains(byte) { escape = .none }
      return true
    }
  }

  /// Erases the last character with all its bytes.
  private mutating func erase(_ room: inout MutableRawSpan) {
    guard count > 0 else { return }
    var isContinuation: Bool
    repeat {
      count -= 1
      isContinuation = room.bytes.byte(at: count) & 0xC0 == 0x80
      room.write(byte: 0, at: count)
    } while isContinuation && count > 0
    characters = max(0, characters - 1)
  }
}
