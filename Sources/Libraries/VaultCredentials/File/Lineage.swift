import VaultSealing

/// Short marks of the ancestors that the index no longer lists, one for each generation.
///
/// Documentation/design/file-format.md, section 4, the setting `lineage`. Two bytes of a tag are
/// enough to tell a history from another one: they add to what is authenticated, and prove nothing
/// by themselves.
struct Lineage {
  static let setting = "lineage"
  /// With the listed ancestors, a fork is noticed whose other branch is so much longer.
  static let maximumMarks = 8_000
  private static let markLength = 4
  private static let numberLength = 16

  /// Hex digits: the generation of the first mark, then the marks.
  private(set) var text: String
  private let first: UInt64

  /// The marks that an index has; `nil` if it has none that make sense.
  init?(of index: VaultIndex) {
    guard let text = index.settings[Self.setting], text.utf8.count >= Self.numberLength,
      (text.utf8.count - Self.numberLength).isMultiple(of: Self.markLength),
      let first = UInt64(text.utf8.prefix(Self.numberLength).text, radix: 16)
    else { return nil }
    self.text = text
    self.first = first
  }

  /// The first mark of all.
  private init(beginningWith ancestor: VaultIndex.Ancestor) {
    first = ancestor.generation
    var number: [UInt8] = []
    for byte in 0..<8 { number.append(UInt8(truncatingIfNeeded: first >> (56 - 8 * byte))) }
    text = Hexadecimal.text(number) + Self.mark(of: ancestor.tag)
  }

  /// Whether the marks have this ancestor; `nil` if they do not go back so far.
  func contains(generation: UInt64, tag: Bytes16) -> Bool? {
    guard generation >= first, generation - first < UInt64(count) else { return nil }
    let start = Self.numberLength + Int(generation - first) * Self.markLength
    return text.utf8.dropFirst(start).prefix(Self.markLength).elementsEqual(
      Self.mark(of: tag).utf8)
  }

  /// The marks with one more: of the ancestor that the index lists no longer.
  static func appending(_ ancestor: VaultIndex.Ancestor, to lineage: Lineage?) -> Lineage {
    // After a salvage there may be a gap, over which nothing is known.
    guard var lineage, ancestor.generation == lineage.first + UInt64(lineage.count) else {
      return Lineage(beginningWith: ancestor)
    }
    lineage.text += mark(of: ancestor.tag)
    guard lineage.count > maximumMarks else { return lineage }
    return Lineage(droppingFirstOf: lineage)
  }

  private init(droppingFirstOf lineage: Lineage) {
    first = lineage.first + 1
    var number: [UInt8] = []
    for byte in 0..<8 { number.append(UInt8(truncatingIfNeeded: first >> (56 - 8 * byte))) }
    let rest = lineage.text.utf8.dropFirst(Self.numberLength + Self.markLength)
    text = Hexadecimal.text(number) + rest.text
  }

  private var count: Int { (text.utf8.count - Self.numberLength) / Self.markLength }

  private static func mark(of tag: Bytes16) -> String {
    Hexadecimal.text(Array(tag.bytes.prefix(2)))
  }
}

extension Substring.UTF8View {
  fileprivate var text: String { String(Substring(self)) }
}
