import VaultPreferences
import VaultStorage

/// A key of a domain, or a value inside of its value: `--key-path :window:size:0`.
///
/// A word that begins with a colon has to follow, and a Mac refuses such a line as one with an
/// argument too many. So no line of a Mac's means something else here.
struct DefaultsPlace {
  let key: String
  /// The way from the key's value; empty for that value itself.
  let path: ArraySlice<String>

  /// Takes a key, or the option and a path, off the front.
  ///
  /// - Parameters:
  ///   - words: The words behind the domain.
  ///   - count: How many words must follow the path.
  /// - Returns: The place.
  /// - Throws: ``DefaultsUsage`` if there is no word.
  static func take(
    _ words: inout ArraySlice<String>, before count: Int
  ) throws -> DefaultsPlace {
    guard let word = words.popFirst() else { throw DefaultsUsage() }
    guard word == "--key-path", words.count > count, let next = words.first,
      let path = PropertyListPath(word: next)
    else { return DefaultsPlace(key: word, path: []) }
    words.removeFirst()
    return DefaultsPlace(path)
  }

  /// The place that `--key-path` of a verb that reads names.
  static func take(
    _ options: DefaultsOptions, _ words: inout ArraySlice<String>
  ) throws -> DefaultsPlace? {
    guard let word = options.value("--key-path") else {
      return words.popFirst().map { DefaultsPlace(key: $0, path: []) }
    }
    guard let path = PropertyListPath(word: word), words.isEmpty else { throw DefaultsUsage() }
    return DefaultsPlace(path)
  }

  private init(_ path: PropertyListPath) {
    self.init(key: path.components[0], path: path.components.dropFirst())
  }

  private init(key: String, path: ArraySlice<String>) {
    self.key = key
    self.path = path
  }

  /// The key, or the path as it is typed.
  var text: String {
    if path.isEmpty { return key }
    var whole = PropertyListPath("")
    whole.components = [key] + path
    return whole.text
  }

  /// The value here, of the whole value of the key.
  func value(in whole: PreferenceValue?) -> PreferenceValue? { whole?.value(at: path) }

  /// Refuses to change a part of a value whose parts are in its text, and not keys of it.
  func checkIsPlain(_ whole: PreferenceValue?) throws {
    guard let tag = DesktopTag.of(whole) else { return }
    throw DefaultsRefusal(
      "The value of \(key) is a text of the desktop's, after \(tag); it can only be written whole"
        + "\(tag == DConfSource.tag ? ", by --gvariant" : "").  Leaving defaults unchanged.")
  }

  /// The whole value of the key with another value here.
  func setting(
    _ value: PreferenceValue, in whole: PreferenceValue?
  ) throws -> PreferenceValue {
    guard !path.isEmpty else { return value }
    try checkIsPlain(whole)
    var whole = whole ?? .dictionary([:])
    do {
      try whole.set(value, at: path)
    } catch is NoSuchParent {
      throw DefaultsRefusal(
        "There is neither an array nor a dictionary to take \(text).  Leaving defaults unchanged.")
    }
    return whole
  }
}

/// What a key must hold for a line to change it: `--if-equals VALUE`, `--if-absent`.
enum DefaultsCondition {
  case none
  case absent
  /// What `read` or `read --json` prints.
  case equals(String)

  /// Takes a condition off the front; on a Mac a line with it has an argument too many.
  ///
  /// - Parameters:
  ///   - words: The words behind the key.
  ///   - count: How many words must follow the condition.
  /// - Returns: The condition.
  static func take(_ words: inout ArraySlice<String>, before count: Int) -> DefaultsCondition {
    switch words.first {
    case "--if-absent" where words.count > count && count > 0:
      words.removeFirst()
      return .absent
    case "--if-equals" where words.count >= 2 + count:
      words.removeFirst()
      return .equals(words.removeFirst())
    default: return .none
    }
  }

  /// Refuses a line whose condition is not met.
  func check(_ value: PreferenceValue?, at place: DefaultsPlace) throws {
    let isMet =
      switch self {
      case .none: true
      case .absent: value == nil
      case .equals(let text): value.map { Self.is($0, text) } ?? false
      }
    guard !isMet else { return }
    throw DefaultsRefusal(
      value == nil
        ? "\(place.text) has no value.  Leaving defaults unchanged."
        : "\(place.text) has another value than expected.  Leaving defaults unchanged.")
  }

  private static func `is`(_ value: PreferenceValue, _ text: String) -> Bool {
    if text.isSame(as: OldStyleWriter().text(value)) { return true }
    return (try? JSONText.parse(text.utf8)) == value
  }
}
