public import FoundationEssentials
import VaultStorage

/// A value of an item's property that met another one, which is current.
///
/// Of secrets the other value is an earlier version; of a note, an attribute, an expiry and a name
/// it is kept beside the item until somebody settles it or changes that property.
public struct LostValue: Sendable, Equatable {
  /// A property that has no earlier versions.
  public enum Property: String, Sendable, CaseIterable {
    /// The item's name.
    case name
    /// An attribute.
    case attribute
    /// The note.
    case note
    /// When the item expires.
    case expiry
  }

  /// What has another value now.
  public let property: Property
  /// The attribute's name; empty for other properties.
  public let attribute: String
  /// The value; of an expiry the milliseconds since 1970, decimal.
  public let value: String
  /// The machine that wrote it; `nil` where that is not known.
  public internal(set) var machine: String?
  /// When the item was changed so.
  public let written: Date

  package init(
    _ property: Property, _ attribute: String = "", value: String, machine: String?, written: Int64
  ) {
    self.property = property
    self.attribute = attribute
    self.value = value
    self.machine = machine
    self.written = Date(milliseconds: written)
  }

  /// When an expiry was to be; `nil` for other properties.
  public var expires: Date? {
    property == .expiry ? Int64(value).map { Date(milliseconds: $0) } : nil
  }

  /// The same value written by somebody who is called otherwise.
  package func named(_ machine: String) -> LostValue {
    var named = self
    named.machine = machine
    return named
  }

  func isOfSameProperty(as other: LostValue) -> Bool {
    property == other.property && attribute.isSame(as: other.attribute)
  }

  /// Whether an item has it.
  func isCurrent(in record: ItemRecord) -> Bool {
    switch property {
    case .name: record.name.isSame(as: value)
    case .attribute: record.attributes[attribute].map { $0.isSame(as: value) } ?? false
    case .note: record.note.isSame(as: value)
    case .expiry: String(record.expires) == value
    }
  }
}

// MARK: - In a vault file

/// Values that lost, as attributes that the vault itself writes: `vault:lost.0.0` and so on, each
/// value in parts, since a note may be longer than an attribute of the file.
///
/// Documentation/design/file-format.md, section 4.
extension ItemConflict {
  /// Says that a person has settled what lost, and that the others have not heard of it.
  static let settled = "vault:lost"
  private static let lostPrefix = "vault:lost."
  /// Most bytes of a part, and of all values of an item together.
  private static let partLength = 32 << 10
  private static let maximumLost = 256 << 10
  private static let maximumCount = 256

  /// Whether an attribute is of one vault file, so that other machines do not hear of it.
  static func isOfOneFile(_ name: String) -> Bool {
    ofOneFile.contains(name) || name == settled || name.utf8.starts(with: lostPrefix.utf8)
  }

  /// Whether an attribute is one of those that say what a merge left.
  static func isOwn(_ name: String) -> Bool { all.contains(name) || isOfOneFile(name) }

  /// The values that lost.
  static func lost(in attributes: NamedTexts) -> [LostValue] {
    var parts: [(place: Int, part: Int, text: String)] = []
    for entry in attributes.all where entry.name.utf8.starts(with: lostPrefix.utf8) {
      let numbers = entry.name.utf8.dropFirst(lostPrefix.utf8.count)
        .split(separator: UInt8(ascii: ".")).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
      guard numbers.count == 2 else { continue }
      parts.append((numbers[0], numbers[1], entry.text))
    }
    parts.sort { ($0.place, $0.part) < ($1.place, $1.part) }
    var texts: [Int: String] = [:]
    for part in parts { texts[part.place, default: ""] += part.text }
    return texts.sorted { $0.key < $1.key }.compactMap { LostValue(stored: $0.value) }
  }

  /// Whether two items have the same values that lost, whoever wrote them.
  static func haveSameLost(_ one: NamedTexts, _ other: NamedTexts) -> Bool {
    let (one, other) = (lost(in: one), lost(in: other))
    return one.count == other.count
      && zip(one, other).allSatisfy { $0.isOfSameProperty(as: $1) && $0.value.isSame(as: $1.value) }
  }

  /// Whether an attribute is a part of a value that lost.
  static func isOfLost(_ name: String) -> Bool { name.utf8.starts(with: lostPrefix.utf8) }

  /// Keeps values that lost in the place of those that are kept; more than there is room for are
  /// left out.
  static func keep(_ lost: [LostValue], in attributes: inout NamedTexts) {
    attributes.removeAll { $0.utf8.starts(with: lostPrefix.utf8) }
    var length = 0
    for (place, value) in lost.prefix(maximumCount).enumerated() {
      let text = value.stored
      length += text.utf8.count
      guard length <= maximumLost else { return }
      for (number, part) in parts(of: text).enumerated() {
        attributes["\(lostPrefix)\(place).\(number)"] = part
      }
    }
  }

  private static func parts(of text: String) -> [String] {
    var parts = [""]
    for scalar in text.unicodeScalars {
      if parts[parts.count - 1].utf8.count + 4 > partLength { parts.append("") }
      parts[parts.count - 1].unicodeScalars.append(scalar)
    }
    return parts
  }

  /// Forgets values that lost: a person has changed that property, or settled it.
  ///
  /// - Parameters:
  ///   - attributes: The item's.
  ///   - isSettled: Which values.
  static func settle(
    in attributes: inout NamedTexts, where isSettled: (LostValue) -> Bool = { _ in true }
  ) {
    let before = lost(in: attributes)
    let rest = before.filter { !isSettled($0) }
    guard rest.count < before.count else { return }
    keep(rest, in: &attributes)
    // Of a merge of files nobody else knows.
    if before.contains(where: { $0.machine != nil && !rest.contains($0) }) {
      attributes[settled] = "1"
    }
  }
}

extension LostValue {
  /// As it stands in a vault file: `note 0 1790000000000 laptop`, a line feed, the attribute's name
  /// of so many bytes, the value.
  fileprivate var stored: String {
    "\(property.rawValue) \(attribute.utf8.count) \(written.milliseconds) \(machine ?? "")\n"
      + attribute + value
  }

  fileprivate init?(stored: String) {
    guard let end = stored.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let words = stored.utf8[..<end].split(
      separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    let rest = stored.utf8[stored.utf8.index(after: end)...]
    guard words.count == 4, let property = Property(rawValue: words[0]), let count = Int(words[1]),
      count >= 0, count <= rest.count, let written = Int64(words[2])
    else { return nil }
    self.init(
      property, String(decoding: rest.prefix(count), as: UTF8.self),
      value: String(decoding: rest.dropFirst(count), as: UTF8.self),
      machine: words[3].isEmpty ? nil : words[3], written: written)
  }
}
