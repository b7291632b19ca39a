package import VaultPreferences
import VaultStorage

/// What a package says of a domain's keys: types, defaults, limits, descriptions.
///
/// It is a file `DOMAIN.toml` in one of the folders of ``directories(environment:)``. Beside
/// `description`, it has a table for each key below `keys`:
///
/// ```toml
/// description = "An editor"
///
/// [keys.fontSize]
/// type = "integer"
/// description = "In points"
/// default = 12
/// minimum = 6
/// maximum = 96
///
/// [keys.theme]
/// type = "string"
/// values = ["light", "dark"]
/// renamedFrom = ["colors"]
/// ```
package struct PreferenceSchema: Sendable {
  /// What is said of one key.
  package struct Key: Sendable {
    package let name: String
    /// What `read-type` prints of its values; `nil` for any.
    package var type: String?
    package var description: String?
    package var standard: PreferenceValue?
    package var minimum: Double?
    package var maximum: Double?
    /// The only values; empty for any.
    package var values: [PreferenceValue] = []
    /// A pattern of its texts, with `*` and `?`.
    package var pattern: String?
    /// What to do instead of using it.
    package var deprecation: String?
    /// The names that it had before.
    package var formerNames: [String] = []
  }

  /// The file.
  package let path: String
  package let description: String?
  /// By their names.
  package let keys: [String: Key]

  // MARK: Files

  /// The folders of schemas, the strongest first: `/etc/vault/schemas`, and `vault/schemas` below
  /// `XDG_DATA_HOME` and each of `XDG_DATA_DIRS` (XDG Base Directory Specification 0.8).
  package static func directories(
    environment: (String) -> String? = StoreLocation.variable
  ) -> [String] {
    let own = (try? StoreLocation(environment: environment)).map { ["\($0.data)/schemas"] } ?? []
    let shared = DefaultsDirectories.shared(environment)
    return ["/etc/vault/schemas"] + own + shared.map { "\($0)/vault/schemas" }
  }

  /// The schema of a domain; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - domain: The domain's name.
  ///   - directories: Where to look, the strongest first.
  /// - Returns: That of the first folder that has one.
  /// - Throws: ``DefaultsRefusal`` for a file that cannot be read.
  static func of(_ domain: String, in directories: [String]) throws -> PreferenceSchema? {
    guard !domain.utf8.contains(0x2f), !domain.utf8.contains(0) else { return nil }
    for directory in directories {
      let path = "\(directory)/\(domain).toml"
      guard UserFile.exists(path) else { continue }
      do {
        return try PreferenceSchema(UserFile.bytes(of: path, limit: TOMLText.sizeLimit), path: path)
      } catch {
        let reason = (error as? System.Failure)?.reason ?? (error as? PreferenceError)?.message
        throw DefaultsRefusal("The schema \(path) cannot be read: \(reason ?? "\(error)")")
      }
    }
    return nil
  }

  /// Reads a schema.
  ///
  /// - Parameters:
  ///   - bytes: TOML.
  ///   - path: The file.
  /// - Throws: ``PreferenceError`` with code `.syntax`, also for a word that means nothing here.
  package init(_ bytes: [UInt8], path: String) throws(PreferenceError) {
    guard case .dictionary(var parts) = try TOMLText.parse(bytes) else {
      throw PreferenceError(.syntax, "this is not a table")
    }
    self.path = path
    description = try Self.text(parts.removeValue(forKey: "description"), "description")
    guard case .dictionary(let tables) = parts.removeValue(forKey: "keys") ?? [:] else {
      throw PreferenceError(.syntax, "keys is not a table")
    }
    if let other = parts.keys.min() { throw PreferenceError(.syntax, "'\(other)' means nothing") }
    var keys: [String: Key] = [:]
    for (name, table) in tables {
      guard case .dictionary(let entries) = table else {
        throw PreferenceError(.syntax, "keys.\(name) is not a table")
      }
      keys[name] = try Key(name, entries)
    }
    self.keys = keys
  }

  fileprivate static func text(
    _ value: PreferenceValue?, _ name: String
  ) throws(PreferenceError) -> String? {
    guard let value else { return nil }
    guard case .string(let text) = value else {
      throw PreferenceError(.syntax, "\(name) is not a text")
    }
    return text
  }

  // MARK: Checking

  /// What a schema says of a value.
  enum Verdict: Equatable {
    case fits
    /// It is written, and this is said.
    case warning(String)
    /// It is refused, and this is said.
    case refusal(String)
  }

  /// Judges a value of a key.
  func verdict(on value: PreferenceValue, of name: String) -> Verdict {
    guard let key = keys[name] else {
      if let renamed = keys.values.first(where: { $0.formerNames.contains(name) }) {
        return .refusal("\(name) is called \(renamed.name) now")
      }
      if let nearest = Suggestion.nearest(to: name, among: keys.keys.sorted()) {
        return .refusal("there is no key \(name); did you mean \(nearest)?")
      }
      return .warning("the schema \(path) has no key \(name)")
    }
    if let problem = key.problem(of: value) { return .refusal(problem) }
    return key.deprecation.map { .warning("\(name) is deprecated: \($0)") } ?? .fits
  }
}

extension PreferenceSchema.Key {
  /// How `write` is told a type, by what `read-type` prints.
  private static let options = [
    "string": "-string", "integer": "-int", "float": "-float", "boolean": "-bool",
    "date": "-date", "data": "-data", "array": "-array", "dictionary": "-dict",
  ]

  fileprivate init(
    _ name: String, _ entries: [String: PreferenceValue]
  ) throws(PreferenceError) {
    self.init(name: name)
    for (word, value) in entries {
      switch word {
      case "type":
        type = try PreferenceSchema.text(value, "type of \(name)")
        guard let type, Self.options[type] != nil else {
          throw PreferenceError(
            .syntax,
            "the type of \(name) is none of \(Self.options.keys.sorted().joined(separator: ", "))")
        }
      case "description":
        description = try PreferenceSchema.text(value, "description of \(name)")
      case "deprecated": deprecation = try PreferenceSchema.text(value, "deprecated of \(name)")
      case "pattern": pattern = try PreferenceSchema.text(value, "pattern of \(name)")
      case "default": standard = value
      case "minimum": minimum = try Self.number(value, "minimum of \(name)")
      case "maximum": maximum = try Self.number(value, "maximum of \(name)")
      case "values":
        guard case .array(let elements) = value else {
          throw PreferenceError(.syntax, "values of \(name) is not an array")
        }
        values = elements
      case "renamedFrom":
        guard case .array(let elements) = value else {
          throw PreferenceError(.syntax, "renamedFrom of \(name) is not an array")
        }
        for element in elements {
          formerNames.append(try PreferenceSchema.text(element, "renamedFrom of \(name)") ?? "")
        }
      default: throw PreferenceError(.syntax, "'\(word)' of \(name) means nothing")
      }
    }
    if let standard, let problem = problem(of: standard) {
      throw PreferenceError(.syntax, "the default of \(name) does not fit: \(problem)")
    }
  }

  private static func number(
    _ value: PreferenceValue, _ name: String
  ) throws(PreferenceError) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .real(let number): return number
    default: throw PreferenceError(.syntax, "\(name) is not a number")
    }
  }

  /// Why a value does not fit, and what would; `nil` if it does.
  func problem(of value: PreferenceValue) -> String? {
    if let type, value.kind.rawValue != type, !(type == "float" && value.kind == .integer) {
      let option = Self.options[type] ?? ""
      return
        "\(name) is of type \(type), and this is of type \(value.kind.rawValue); write it after \(option)"
    }
    if !values.isEmpty, !values.contains(value) {
      return "\(name) is one of \(values.map { JSONText.text($0) }.joined(separator: ", "))"
    }
    let number: Double?
    switch value {
    case .integer(let whole): number = Double(whole)
    case .unsignedInteger(let whole): number = Double(whole)
    case .real(let real): number = real
    case .float(let real): number = Double(real)
    default: number = nil
    }
    if let number {
      if let minimum, !(number >= minimum) { return "\(name) is at least \(Self.shown(minimum))" }
      if let maximum, !(number <= maximum) { return "\(name) is at most \(Self.shown(maximum))" }
    }
    if let pattern, case .string(let text) = value, !NamePattern(pattern).matches(text) {
      return "\(name) is a text of the form \(pattern)"
    }
    return nil
  }

  static func shown(_ number: Double) -> String { PlainJSON.digits(of: number) }

  /// The limits, in words.
  var limits: [String] {
    var words: [String] = []
    if !values.isEmpty {
      words.append("one of \(values.map { JSONText.text($0) }.joined(separator: ", "))")
    }
    if let minimum { words.append("at least \(Self.shown(minimum))") }
    if let maximum { words.append("at most \(Self.shown(maximum))") }
    if let pattern { words.append("of the form \(pattern)") }
    return words
  }
}
