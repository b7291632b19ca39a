import VaultCredentials
import VaultSealing

/// A text with references in double braces: `{{ secret://… }}`.
///
/// Everything else is kept byte for byte, including the `{{ … }}` of other programs and bytes that
/// are not text. A backslash right before a reference is removed and keeps the reference as it is;
/// two backslashes become one, and the reference is filled. Anywhere else a backslash has no
/// meaning.
public struct Template: Sendable {
  /// A place in the template.
  public struct Position: Equatable, Sendable {
    /// The line, counted from 1.
    public let line: Int
    /// The column, counted from 1 in Unicode scalars.
    public let column: Int

    /// `line:column`.
    public var text: String { "\(line):\(column)" }
  }

  /// A part of the template.
  public enum Part: Equatable, Sendable {
    /// Bytes of the template that stay as they are.
    case bytes(Range<Int>)
    /// A reference to be replaced.
    case reference(SecretReference, Position)
  }

  /// The parts in their order.
  public let parts: [Part]

  private static let opening = Array("{{".utf8)
  private static let closing = Array("}}".utf8)
  private static let scheme = Array(SecretReference.scheme.utf8)
  /// The number of faults that a message names.
  private static let namedFaults = 20
  private static let backslash = UInt8(ascii: "\\")

  /// Splits a template at its references.
  ///
  /// - Parameter bytes: The template.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` that names the place of every
  ///   reference that cannot be read.
  public init(_ bytes: [UInt8]) throws(ProtocolError) {
    var parts: [Part] = []
    var faults: [String] = []
    var lines = LineCounter()
    // The beginning of the bytes that are in no part yet.
    var pending = 0
    var index = 0
    while let start = Self.firstOpening(in: bytes, from: index) {
      index = start + Self.opening.count
      guard let begin = Self.reference(in: bytes, after: index) else { continue }
      let backslashes = bytes[pending..<start].reversed().prefix { $0 == Self.backslash }.count
      parts.append(.bytes(pending..<start - (backslashes + 1) / 2))
      pending = start
      guard backslashes.isMultiple(of: 2) else { continue }
      let position = lines.position(of: start, in: bytes)
      // Go on behind what was searched: a line may hold a hundred thousand openings and no end.
      let (end, isClosed) = Self.end(of: begin, in: bytes)
      index = isClosed ? end + Self.closing.count : end
      do throws(ProtocolError) {
        guard isClosed else {
          throw ProtocolError(.invalidRequest, "the reference has no }} on its line")
        }
        parts.append(.reference(try Self.reference(bytes[begin..<end]), position))
        pending = index
      } catch {
        faults.append("\(position.text): \(error.message)")
      }
    }
    parts.append(.bytes(pending..<bytes.count))
    guard faults.isEmpty else {
      let more =
        faults.count > Self.namedFaults ? "; and \(faults.count - Self.namedFaults) more" : ""
      throw ProtocolError(
        .invalidRequest,
        "the template cannot be filled: "
          + faults.prefix(Self.namedFaults).joined(separator: "; ") + more,
        remedy: .exampleTemplate)
    }
    self.parts = parts.filter { if case .bytes(let range) = $0 { !range.isEmpty } else { true } }
  }

  /// The references and their places, in their order.
  public var references: [(reference: SecretReference, position: Position)] {
    parts.compactMap {
      if case .reference(let reference, let position) = $0 { (reference, position) } else { nil }
    }
  }

  private static func firstOpening(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index + 1] != opening[1] {
        index += 2
      } else if bytes[index] == opening[0] {
        // Of three braces the last two open: {{{ is a brace and an opening.
        return index + 2 < bytes.count && bytes[index + 2] == opening[0] ? index + 1 : index
      } else {
        index += 1
      }
    }
    return nil
  }

  /// Returns the start of the reference that follows the braces, if there is one.
  private static func reference(in bytes: [UInt8], after start: Int) -> Int? {
    let begin = bytes[start...].firstIndex { !isBlank($0) } ?? bytes.count
    return bytes[begin...].starts(with: scheme) ? begin : nil
  }

  /// Returns the place where the braces close, or the end of the line if they do not.
  private static func end(of begin: Int, in bytes: [UInt8]) -> (end: Int, isClosed: Bool) {
    var end = begin
    while end < bytes.count, bytes[end] != 0x0A {
      if bytes[end] == closing[0], end + 1 < bytes.count, bytes[end + 1] == closing[1] {
        return (end, true)
      }
      end += 1
    }
    return (end, false)
  }

  private static func reference(_ inner: ArraySlice<UInt8>) throws(ProtocolError) -> SecretReference
  {
    let last = inner.lastIndex { !isBlank($0) } ?? inner.startIndex
    guard let text = String(validating: inner[...last], as: UTF8.self) else {
      throw ProtocolError(.invalidRequest, "the reference is not UTF-8")
    }
    do {
      let reference = try SecretReference(text)
      _ = try ItemName(reference.name)
      return reference
    } catch let error as ProtocolError {
      throw error
    } catch let error as CredentialError {
      throw ProtocolError(.invalidRequest, error.message)
    } catch {
      throw ProtocolError(.invalidRequest, "the reference cannot be read")
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Counts lines and columns on the way, so that a long template is read once.
  private struct LineCounter {
    private var index = 0
    private var line = 1
    private var column = 1

    mutating func position(of target: Int, in bytes: [UInt8]) -> Position {
      while index < target {
        if bytes[index] == 0x0A {
          line += 1
          column = 1
        } else if bytes[index] & 0xC0 != 0x80 {
          column += 1
        }
        index += 1
      }
      return Position(line: line, column: column)
    }
  }
}
