import VaultSealing

/// The state of a line while it is typed: bytes in locked memory, and the effect of editing keys.
///
/// What the terminal marks as pasted is taken as it is, newlines included. Terminals send a
/// carriage return for a newline in a paste. XTerm Control Sequences, "Bracketed Paste Mode".
package struct LineEditor {
  /// The effect of a key.
  package enum Outcome: Equatable { case more, done, cancelled, full }

  /// The number of bytes so far.
  package private(set) var count = 0
  /// Whether a paste has begun that has not ended.
  package private(set) var isPasting = false
  private var characters = 0
  private var newlines = 0
  private var last: UInt8 = 0
  private var pastes = 0
  private var isTyped = false
  /// Whether the last byte of a paste was a carriage return.
  private var endsInReturn = false
  private var escape = Escape.none
  private enum Escape: Equatable { case none, begun, sequence(number: Int) }

  private static let newline: UInt8 = 0x0A
  private static let pasteBegins = 200
  private static let pasteEnds: [UInt8] = [0x1B] + Array("[201~".utf8)

  package init() {}

  /// The number of characters so far, at most `limit`.
  package func dots(atMost limit: Int) -> Int { min(characters, limit) }

  /// The number of lines so far; the end of the last one does not begin another.
  package var lines: Int { newlines + (count > 0 && last != Self.newline ? 1 : 0) }

  /// Whether everything came in one paste, and no key changed it.
  package var wasPasted: Bool { pastes == 1 && !isTyped && !isPasting }

  /// Takes one byte from the terminal.
  package mutating func take(_ byte: UInt8, into room: inout MutableRawSpan) -> Outcome {
    if isPasting { return takePasted(byte, into: &room) }
    if skipsEscape(byte) { return .more }
    switch byte {
    case 0x0A, 0x0D:
      // One line that was copied with its end: the newline is no part of a secret.
      if pastes > 0, newlines == 1, last == Self.newline { erase(&room) }
      return .done
    case 0x04: return count == 0 ? .cancelled : .done
    case 0x08, 0x7F:
      isTyped = true
      erase(&room)
    // ^U and ^W erase everything: nobody sees where a word ends.
    case 0x15, 0x17: while count > 0 { erase(&room) }
    case 0x1B: escape = .begun
    case 0x00..<0x20 where byte != 0x09: break
    default:
      guard append(byte, to: &room) else { return .full }
      isTyped = true
    }
    if count == 0 { (pastes, isTyped) = (0, false) }
    return .more
  }

  private mutating func takePasted(_ byte: UInt8, into room: inout MutableRawSpan) -> Outcome {
    // A text of Windows ends its lines by both: that is one newline.
    let isSecondHalf = byte == 0x0A && endsInReturn
    endsInReturn = byte == 0x0D
    if isSecondHalf { return .more }
    guard append(byte == 0x0D ? Self.newline : byte, to: &room) else { return .full }
    let end = Self.pasteEnds
    guard count >= end.count,
      end.indices.allSatisfy({ room.bytes.byte(at: count - end.count + $0) == end[$0] })
    else { return .more }
    for _ in end { erase(&room) }
    isPasting = false
    pastes += 1
    return .more
  }

  private mutating func append(_ byte: UInt8, to room: inout MutableRawSpan) -> Bool {
    guard count < room.byteCount else { return false }
    room.write(byte: byte, at: count)
    count += 1
    last = byte
    if byte == Self.newline { newlines += 1 }
    if byte & 0xC0 != 0x80 { characters += 1 }
    return true
  }

  /// Skips the escape sequences that arrow keys and the like send; one of them begins a paste.
  private mutating func skipsEscape(_ byte: UInt8) -> Bool {
    switch escape {
    case .none: return false
    case .begun:
      escape = byte == 0x5B || byte == 0x4F ? .sequence(number: 0) : .none
      return byte != 0x0A && byte != 0x0D
    case .sequence(let number):
      switch byte {
      case 0x30...0x39: escape = .sequence(number: min(number, 999) * 10 + Int(byte - 0x30))
      case 0x40...0x7E:
        escape = .none
        isPasting = byte == UInt8(ascii: "~") && number == Self.pasteBegins
      default: escape = .sequence(number: 0)
      }
      return true
    }
  }

  /// Erases the last character with all its bytes.
  private mutating func erase(_ room: inout MutableRawSpan) {
    guard count > 0 else { return }
    if last == Self.newline { newlines -= 1 }
    var isContinuation: Bool
    repeat {
      count -= 1
      isContinuation = room.bytes.byte(at: count) & 0xC0 == 0x80
      room.write(byte: 0, at: count)
    } while isContinuation && count > 0
    characters = max(0, characters - 1)
    last = count > 0 ? room.bytes.byte(at: count - 1) : 0
  }
}
