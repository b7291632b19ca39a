import FoundationEssentials
import VaultPreferences
import VaultSealing

/// The values of `defaults write`, as words.
struct DefaultsValue {
  private var words: ArraySlice<String>

  /// A change of a key.
  enum Change: Equatable {
    case set(PreferenceValue)
    /// Append to the present array.
    case append([PreferenceValue], isUnique: Bool)
    /// Merge into the present dictionary.
    case merge([String: PreferenceValue])
  }

  private static let composites: Set<String> = ["-array", "-array-add", "-dict", "-dict-add"]

  /// Reads the words after the key.
  static func change(_ words: ArraySlice<String>) throws -> Change {
    var reader = DefaultsValue(words: words)
    return try reader.change()
  }

  private mutating func change() throws -> Change {
    switch words.first {
    case "-array":
      words.removeFirst()
      return .set(.array(try elements()))
    case "-array-add":
      words.removeFirst()
      let isUnique = words.first == "--unique"
      if isUnique { words.removeFirst() }
      return .append(try elements(), isUnique: isUnique)
    case "-dict":
      words.removeFirst()
      return .set(.dictionary(try entries()))
    case "-dict-add":
      words.removeFirst()
      return .merge(try entries())
    case "--json" where words.count == 2:
      return .set(try JSONText.parse((words.last ?? "").utf8))
    default:
      let value = try value()
      if let extra = words.first {
        throw DefaultsRefusal("Unexpected argument \(extra); leaving defaults unchanged.")
      }
      return .set(value)
    }
  }

  private mutating func elements() throws -> [PreferenceValue] {
    var elements: [PreferenceValue] = []
    while !words.isEmpty { elements.append(try element()) }
    return elements
  }

  private mutating func entries() throws -> [String: PreferenceValue] {
    var entries: [String: PreferenceValue] = [:]
    while !words.isEmpty {
      guard case .string(let key) = try element() else {
        throw DefaultsRefusal("Dictionary keys must be strings")
      }
      guard !words.isEmpty else {
        throw DefaultsRefusal("Key \(key) lacks a corresponding value")
      }
      entries[key] = try element()
    }
    return entries
  }

  private mutating func element() throws -> PreferenceValue {
    if let word = words.first, Self.composites.contains(word) {
      throw DefaultsRefusal("Cannot nest composite types (arrays and dictionaries); exiting")
    }
    return try value()
  }

  private mutating func value() throws -> PreferenceValue {
    guard let word = words.popFirst() else { throw DefaultsUsage() }
    switch word {
    case "-string": return .string(try argument())
    case "-int", "-integer": return .integer(DefaultsNumber.integer(try argument()))
    // A 32-bit number: `-float 32.3` exports as 32.299999237060547.
    case "-float": return .float(Float(DefaultsNumber.real(try argument())))
    case "-bool", "-boolean":
      switch try argument().lowercased() {
      case "yes", "true": return .boolean(true)
      case "no", "false": return .boolean(false)
      default: throw DefaultsUsage()
      }
    case "-data": return .data(try data(try argument()))
    case "-date":
      guard let date = DefaultsNumber.date(try argument(), now: Date()) else {
        throw DefaultsUsage()
      }
      return .date(date)
    default: return try Self.representation(word)
    }
  }

  private mutating func argument() throws -> String {
    guard let word = words.popFirst() else { throw DefaultsUsage() }
    return word
  }

  /// Hexadecimal digits; with an odd number of them, the first is a byte of its own.
  private func data(_ text: String) throws -> [UInt8] {
    let isEven = text.utf8.count.isMultiple(of: 2)
    guard let bytes = Hexadecimal.bytes(isEven ? text : "0" + text) else { throw DefaultsUsage() }
    return bytes
  }

  /// A `<value_rep>`: without any of `"()[]{}<>`, the inside of an old-style string, in which
  /// backslashes have a meaning; else a property list.
  static func representation(_ text: String) throws -> PreferenceValue {
    let marks = Set("\"()[]{}<>".utf8)
    let isPlain = !text.utf8.contains { marks.contains($0) }
    do {
      if isPlain, !text.utf8.contains(0x5c) { return .string(text) }
      return try PropertyList.parse(Array((isPlain ? "\"\(text)\"" : text).utf8))
    } catch {
      throw DefaultsRefusal("Could not parse: \(text).  Try single-quoting it.")
    }
  }
}
