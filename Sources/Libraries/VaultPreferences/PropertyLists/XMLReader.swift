import FoundationEssentials
import VaultStorage

/// Reads XML property lists: builds values from the tags and text that expat finds.
///
/// A whole document, or one bare value such as `<true/>`.
final class XMLReader: XMLHandler {
  private enum Open {
    case list
    case array([PreferenceValue])
    case dictionary([String: PreferenceValue], key: String?)
    case text(String)
  }

  /// The deepest value, and what `<plist>`, a domain and the text inside it add.
  private static let depthLimit = PreferenceValue.depthLimit + 8

  private var stack: [Open] = []
  private var characters: [UInt8] = []
  private var result: PreferenceValue?
  private(set) var failure: String?
  private(set) var placeWord = "at"
  private let isStrict: Bool

  private init(isStrict: Bool) { self.isStrict = isStrict }

  static func parse(
    _ bytes: [UInt8], isStrict: Bool = false
  ) throws(PreferenceError) -> PreferenceValue {
    let reader = XMLReader(isStrict: isStrict)
    try ExpatParser.parse(bytes, into: reader)
    guard let result = reader.result else {
      throw PreferenceError(.syntax, "the document has no value")
    }
    return result
  }

  /// - Parameters:
  ///   - what: What is wrong.
  ///   - theirs: CoreFoundation's words for it, and the word that it has before "line 1".
  private func fail(_ what: String, _ theirs: (words: String, place: String)? = nil) {
    guard failure == nil else { return }
    if isStrict, let theirs {
      (failure, placeWord) = theirs
    } else {
      failure = "an XML property list is damaged: \(what)"
    }
  }

  func text(_ bytes: [UInt8]) { characters += bytes }

  func words(for fault: XMLFault, line: Int) -> String? {
    guard isStrict else { return nil }
    switch fault {
    case .end: return "Encountered unexpected EOF"
    case .ampersand: return "Encountered unknown ampersand-escape sequence at line \(line)"
    case .mismatch:
      let open: String? =
        switch stack.last {
        case .list: "plist"
        case .array: "array"
        case .dictionary: "dict"
        case .text(let tag): tag
        case nil: nil
        }
      return open.map { "Close tag on line \(line) does not match open tag \($0)" }
    }
  }

  /// Whether a container would be inside of more than CoreFoundation reads.
  private func isTooDeep(_ name: String) -> Bool {
    guard name == "array" || name == "dict" else { return false }
    let outer = if case .list? = stack.first { 1 } else { 0 }
    return stack.count - outer >= PreferenceValue.depthLimit
  }

  func start(_ name: String, _ attributes: [String: String]) {
    if case .text(let open)? = stack.last { return fail("<\(name)> inside <\(open)>") }
    guard stack.count < Self.depthLimit, !isStrict || !isTooDeep(name) else {
      return fail("too deep", ("Too many nested arrays or dictionaries, failing", "on"))
    }
    if !characters.allSatisfy({ $0 <= 0x20 }) { return fail("text outside of a value") }
    characters.removeAll(keepingCapacity: true)
    switch name {
    case "plist":
      guard stack.isEmpty else { return fail("<plist> inside another element") }
      stack.append(.list)
    case "array": stack.append(.array([]))
    case "dict": stack.append(.dictionary([:], key: nil))
    case "key":
      guard case .dictionary(_, key: nil)? = stack.last else {
        return fail("<key> where none may be")
      }
      stack.append(.text(name))
    case "string", "integer", "real", "true", "false", "date", "data": stack.append(.text(name))
    default: fail("unknown element <\(name)>", ("Encountered unknown tag \(name)", "on"))
    }
  }

  func end() {
    let isText: Bool
    if case .text? = stack.last { isText = true } else { isText = false }
    if !isText, !characters.allSatisfy({ $0 <= 0x20 }) { return fail("text outside of a value") }
    let content = characters
    characters.removeAll(keepingCapacity: true)
    switch stack.popLast() {
    case .list: if result == nil { fail("<plist> holds no value") }
    case .array(let elements): add(.array(elements))
    case .dictionary(let entries, let key):
      if let key {
        return fail("the key '\(key)' has no value", ("Value missing for key inside <dict>", "at"))
      }
      if entries.count == 1, case .integer(let number)? = entries["CF$UID"], number >= 0 {
        add(.uid(UInt64(number)))
      } else {
        add(.dictionary(entries))
      }
    case .text("key"):
      guard case .dictionary(let entries, key: nil)? = stack.popLast() else { return fail("<key>") }
      stack.append(.dictionary(entries, key: String(decoding: content, as: UTF8.self)))
    case .text(let tag):
      if let value = scalar(tag, content) {
        add(value)
      } else {
        fail("<\(tag)> holds no \(tag)", Self.words(for: tag, content))
      }
    case nil: fail("an element ends that did not begin")
    }
  }

  private func add(_ value: PreferenceValue) {
    switch stack.popLast() {
    case nil:
      if result != nil { return fail("more than one value") }
      result = value
    case .list:
      if result != nil { return fail("more than one value") }
      result = value
      stack.append(.list)
    case .array(var elements):
      elements.append(value)
      stack.append(.array(elements))
    case .dictionary(var entries, let key?):
      if let problem = entries.add(value, key) { return fail(problem) }
      stack.append(.dictionary(entries, key: nil))
    case .dictionary: fail("a value without a key", ("Found non-key inside <dict>", "at"))
    case .text(let tag): fail("a value inside <\(tag)>")
    }
  }

  private func scalar(_ tag: String, _ content: [UInt8]) -> PreferenceValue? {
    let text = String(decoding: content, as: UTF8.self)
    switch tag {
    case "string": return .string(text)
    case "true", "false": return content.isEmpty ? .boolean(tag == "true") : nil
    case "integer":
      return isStrict && text.utf8.last.map { $0 <= 0x20 } ?? false ? nil : Self.integer(text)
    case "real":
      // CoreFoundation takes blanks in front, and neither behind nor hexadecimal digits.
      if isStrict, text.utf8.contains(where: { $0 == 0x78 || $0 == 0x58 }) { return nil }
      return isStrict && text.utf8.last.map { $0 <= 0x20 } ?? false ? nil : real(text)
    case "date":
      if isStrict, content.contains(UInt8(ascii: ".")) { return nil }
      return DateText.iso8601(text).map { .date($0) }
    case "data": return Base64Text.decode(content).map { .data($0) }
    default: return nil
    }
  }

  /// CoreFoundation's words for a scalar that does not hold what its tag says.
  private static func words(
    for tag: String, _ content: [UInt8]
  ) -> (words: String, place: String)? {
    let text = content.filter { $0 > 0x20 }
    let last = content.last ?? 0
    switch tag {
    case "true", "false": return ("Encountered non-empty <\(tag)>", "on")
    case "date": return ("Could not interpret <date>", "at")
    case "real": return ("Encountered misformatted real", "on")
    case "integer":
      if text.isEmpty { return ("Encountered empty <integer>", "on") }
      let other = text.first { !(0x30...0x39).contains($0) && $0 != 0x2d }
      guard
        let wrong = last <= 0x20 && integer(String(decoding: text, as: UTF8.self)) != nil
          ? last : other
      else { return nil }
      let character = Unicode.Scalar(wrong)
      return (
        "Unknown character '\(character)' (0x\(String(wrong, radix: 16))) in <integer>", "on"
      )
    default: return nil
    }
  }

  private static func integer(_ text: String) -> PreferenceValue? {
    var rest = text.utf8.filter { $0 > 0x20 }[...]
    var isNegative = false
    if let first = rest.first, first == 0x2b || first == 0x2d {
      isNegative = first == 0x2d
      rest = rest.dropFirst()
    }
    let isHex = rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8)
    let digits = String(decoding: isHex ? rest.dropFirst(2) : rest, as: UTF8.self)
    guard let first = digits.utf8.first, first != 0x2b, first != 0x2d,
      let magnitude = UInt64(digits, radix: isHex ? 16 : 10)
    else { return nil }
    if !isNegative { return PreferenceValue(unsigned: magnitude) }
    if magnitude == UInt64(Int64.max) + 1 { return .integer(.min) }
    return Int64(exactly: magnitude).map { .integer(-$0) }
  }

  private func real(_ text: String) -> PreferenceValue? {
    let word = String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
    switch word.lowercased() {
    case "nan": return .real(.nan)
    case "inf", "infinity", "+inf", "+infinity": return .real(.infinity)
    case "-inf", "-infinity": return .real(-.infinity)
    default:
      return Double(word.begins(with: "+") ? String(word.dropFirst()) : word).map { .real($0) }
    }
  }
}
