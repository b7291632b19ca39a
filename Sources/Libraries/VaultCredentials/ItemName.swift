import VaultSealing

/// The name of an item: any Unicode text without control characters, 1 to 1,024 bytes in NFC.
///
/// `/` makes a hierarchy: `work/github`. Two texts that look alike and differ only in their Unicode
/// normalisation are one name.
///
/// ```swift
/// let name = try ItemName("work/github")
/// ```
public struct ItemName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The most bytes a name may have.
  public static let maximumLength = 1024

  /// The name, normalised.
  public let text: String

  /// Checks and normalises a name.
  ///
  /// - Parameter text: What the user wrote.
  /// - Throws: ``CredentialError`` with code `.invalidName` if it is empty, too long, or holds a
  ///   control character, a line or paragraph separator, or an empty part between slashes.
  public init(_ text: String) throws {
    let normal = UnicodeNormalization.nfc(text)
    func refuse(_ why: String) -> CredentialError {
      CredentialError(
        .invalidName, "invalid name: \(why)",
        hint: "use letters, digits, '-', '_', '.' and '/', such as work/github")
    }
    guard !normal.isEmpty else { throw refuse("it is empty") }
    guard normal.utf8.count <= Self.maximumLength else {
      throw refuse("it has more than 1,024 bytes")
    }
    for scalar in normal.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control: throw refuse("it holds a control character")
      case .lineSeparator, .paragraphSeparator: throw refuse("it holds a line separator")
      default: break
      }
    }
    guard !Self.hasEmptyPart(normal.utf8.span) else {
      throw refuse("'//', or a slash at an end")
    }
    self.text = normal
  }

  /// Whether there is nothing before, behind or between slashes.
  private static func hasEmptyPart(_ name: Span<UInt8>) -> Bool {
    var isBehindSlash = true
    for position in name.indices {
      let isSlash = name[position] == UInt8(ascii: "/")
      if isSlash, isBehindSlash { return true }
      isBehindSlash = isSlash
    }
    return isBehindSlash
  }

  /// A name that comes out of an authenticated index.
  init(stored text: String) { self.text = text }

  /// The parts of `NAME@3`, which people write for version 3 of an item; `nil` for another name.
  ///
  /// An item may have such a name itself, so look for that one first.
  package var splittingVersion: (name: ItemName, version: UInt64)? {
    let scalars = text.unicodeScalars
    guard let at = text.unicodeScalars.lastIndex(of: "@") else { return nil }
    let digits = scalars[scalars.index(after: at)...]
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
      let version = UInt64(String(digits)), let name = try? ItemName(String(scalars[..<at]))
    else { return nil }
    return (name, version)
  }

  /// The name.
  public var description: String { text }

  /// Orders names by their Unicode scalars.
  public static func < (left: ItemName, right: ItemName) -> Bool {
    left.text.precedes(right.text)
  }
}

extension String {
  /// Whether it comes before another text by Unicode scalars, whose order is that of their UTF-8.
  func precedes(_ other: String) -> Bool {
    let (left, right) = (utf8.span, other.utf8.span)
    let count = min(left.count, right.count)
    for place in 0..<count where left[place] != right[place] { return left[place] < right[place] }
    return left.count < right.count
  }
}
