import FoundationEssentials
import VaultStorage

/// What a program says of its domain's keys: types, defaults, limits, descriptions, earlier names.
///
/// A package ships it as a file, `/usr/share/vault/schemas/DOMAIN.toml`, which `vault defaults`
/// reads, too; or a program makes it of its typed keys. ``PreferenceStore/use(_:environment:)`` applies it.
///
/// ```swift
/// extension PreferenceKey where Value == Int {
///   static let fontSize = PreferenceKey("fontSize", default: 12)
///     .described("In points").limited(to: 6...96).renamed(from: "size")
/// }
/// let schema = PreferenceSchema("An editor", keys: [PreferenceKey.fontSize.schema])
/// try preferences.use(schema)
/// print(schema.toml)   // for the package
/// ```
public struct PreferenceSchema: Sendable, Equatable {
  /// What is said of one key.
  public struct Key: Sendable, Equatable {
    /// The key in the store.
    public let name: String
    /// What `read-type` prints of its values, such as `integer`; `nil` for any.
    public var type: String?
    /// What it is for.
    public var description: String?
    /// The value where no stronger layer has one.
    public var defaultValue: PreferenceValue?
    /// The smallest number; of dates the earliest, in seconds since 2001.
    public var minimum: Double?
    /// The largest number; of dates the latest, in seconds since 2001.
    public var maximum: Double?
    /// The limits as the file has them, where 64 bits of a real number may not hold them exactly.
    var wholeMinimum: PreferenceValue?
    var wholeMaximum: PreferenceValue?
    /// The only values, or the only elements of an array; empty for any.
    public var values: [PreferenceValue] = []
    /// A pattern of its texts, with `*` and `?`.
    public var pattern: String?
    /// How its texts look, for people, such as a regular expression; it is not checked.
    public var format: String?
    /// What to do instead of using it.
    public var deprecation: String?
    /// The names that it had before.
    public var formerNames: [String] = []
    /// Whether its value is a secret, and belongs into a protected domain.
    public var isSensitive = false
    /// Its type in GSettings, such as `u`.
    public var signature: String?

    /// Makes a key of which nothing is said.
    ///
    /// - Parameter name: The key in the store.
    public init(_ name: String) { self.name = name }
  }

  /// Where the domain's text file counts, `DOMAIN.toml` or `DOMAIN.json` in `XDG_CONFIG_HOME`.
  public enum TextFile: String, Sendable, CaseIterable {
    /// It is stronger than what the user has set.
    case above
    /// What the user has set is stronger.
    case below
  }

  /// The key of a domain that has the version of the schema that its values are of.
  ///
  /// It lies among the values, so that it goes with them: into files, snapshots, to other machines.
  public static let versionKey = "@schema"

  /// What the program is.
  public var description: String?
  /// The version of the keys and their meaning; a domain that says nothing is of version 1.
  public var version: Int
  /// The keys by their names.
  public var keys: [String: Key]
  /// How values of earlier versions become those of this one.
  public var migrations: [Migration]
  /// The prefix of environment variables that override values, such as `TOOL` for `TOOL_FONT_SIZE`;
  /// `nil` for none.
  public var environmentPrefix: String?
  /// Where the domain's text file counts; `nil` if there is none.
  ///
  /// A running program sees its changes at once.
  public var textFile: TextFile?
  /// The file that it was read from.
  public internal(set) var path: String?

  /// Makes a schema.
  ///
  /// - Parameters:
  ///   - description: What the program is.
  ///   - version: The version of the keys and their meaning.
  ///   - keys: The keys; of two of one name the last counts.
  ///   - migrations: How values of earlier versions become those of this one.
  ///   - environmentPrefix: The prefix of environment variables that override values.
  ///   - textFile: Where the domain's text file counts; `nil` if there is none.
  public init(
    _ description: String? = nil, version: Int = 1, keys: [Key] = [],
    migrations: [Migration] = [], environmentPrefix: String? = nil, textFile: TextFile? = nil
  ) {
    self.description = description
    self.version = version
    self.keys = Dictionary(keys.map { ($0.name, $0) }) { $1 }
    self.migrations = migrations
    self.environmentPrefix = environmentPrefix
    self.textFile = textFile
  }

  /// The defaults of all keys that have one.
  public var defaults: [String: PreferenceValue] { keys.compactMapValues(\.defaultValue) }

  // MARK: Checking

  /// What a schema says of a value.
  package enum Verdict: Equatable, Sendable {
    case fits
    /// It may be written, and this is to be said.
    case warning(String)
    /// It is to be refused, and this is to be said.
    case refusal(String)
  }

  /// Judges a value of a key.
  package func verdict(on value: PreferenceValue, of name: String) -> Verdict {
    if name == Self.versionKey || name == OuterLayers.profilesKey { return .fits }
    guard let key = keys[name] else {
      if let renamed = keys.values.first(where: { $0.formerNames.contains(name) }) {
        return .refusal("\(name) is called \(renamed.name) now")
      }
      // Of one letter, any other one would be a misprint.
      if name.utf8.count > 1, let nearest = Suggestion.nearest(to: name, among: keys.keys.sorted())
      {
        return .refusal("there is no key \(name); did you mean \(nearest)?")
      }
      return .warning("the schema\(path.map { " \($0)" } ?? "") has no key \(name)")
    }
    if let problem = key.problem(of: value) { return .refusal(problem) }
    return key.deprecation.map { .warning("\(name) is deprecated: \($0)") } ?? .fits
  }
}

extension PreferenceSchema.Key {
  /// The types that a key may have.
  static let types = [
    "array", "boolean", "data", "date", "dictionary", "float", "integer", "string",
  ]

  /// Why a value does not fit, and what would; `nil` if it does.
  package func problem(of value: PreferenceValue) -> String? {
    if let type, value.kind.rawValue != type, !(type == "float" && value.kind == .integer) {
      return "\(name) is of type \(type), and this is of type \(value.kind.rawValue)"
    }
    return limitProblem(of: value)
  }

  /// Why a value of the right type is not allowed, and what would be; `nil` if it is.
  func limitProblem(of value: PreferenceValue) -> String? {
    if !values.isEmpty {
      let choices = values.map { JSONText.text($0) }.joined(separator: ", ")
      if case .array(let elements) = value, type == "array" {
        if !elements.allSatisfy(values.contains) { return "\(name) has elements of \(choices)" }
      } else if !isChoice(value) {
        return "\(name) is one of \(choices)"
      }
    }
    return rangeProblem(of: value)
  }

  /// Whether a value is one of the only ones; 1 is 1.0 for a key of reals.
  private func isChoice(_ value: PreferenceValue) -> Bool {
    if values.contains(value) { return true }
    guard type == "float", let number = value.number else { return false }
    return values.contains { $0.number == number }
  }

  /// Why one of the only values can never be set; `nil` if each can.
  package var problemOfChoices: String? {
    guard let type, type != "array" else { return nil }
    for value in values {
      if value.kind.rawValue != type, !(type == "float" && value.kind == .integer) {
        return "the value \(JSONText.text(value)) of \(name) is of type \(value.kind.rawValue), "
          + "and \(name) of type \(type)"
      }
      if let problem = rangeProblem(of: value) {
        return "the value \(JSONText.text(value)) of \(name) does not fit: \(problem)"
      }
    }
    return nil
  }

  /// Why a value is outside of the limits, or not of the pattern; `nil` if it fits.
  private func rangeProblem(of value: PreferenceValue) -> String? {
    if let lowest, value.isOrdered(before: lowest) != false {
      return "\(name) is \(atLeast(lowest))"
    }
    if let highest, highest.isOrdered(before: value) != false {
      return "\(name) is \(atMost(highest))"
    }
    if let pattern, case .string(let text) = value, !NamePattern(pattern).matches(text) {
      return "\(name) is a text of the form \(pattern)"
    }
    return nil
  }

  /// Why no value can be between two limits.
  func limitProblem(ofLimits lowest: PreferenceValue, _ highest: PreferenceValue) -> String? {
    guard highest.isOrdered(before: lowest) == true else { return nil }
    return "no value of \(name) can be \(atLeast(lowest)) and \(atMost(highest))"
  }

  private var hasDates: Bool { type == "date" }

  /// The smallest number or earliest date.
  package var lowest: PreferenceValue? { limit(minimum, wholeMinimum) }

  /// Sets the limits as exactly as they are written.
  package mutating func limit(from lowest: PreferenceValue?, to highest: PreferenceValue?) {
    if let lowest { (minimum, wholeMinimum) = (lowest.number, lowest) }
    if let highest { (maximum, wholeMaximum) = (highest.number, highest) }
  }

  /// The largest number or latest date.
  package var highest: PreferenceValue? { limit(maximum, wholeMaximum) }

  /// A limit, exactly if it is known so.
  private func limit(_ number: Double?, _ whole: PreferenceValue?) -> PreferenceValue? {
    if let whole, let number, whole.number == number { return whole }
    return limit(number)
  }

  private func atLeast(_ limit: PreferenceValue) -> String {
    "\(hasDates ? "not before" : "at least") \(shown(limit))"
  }

  private func atMost(_ limit: PreferenceValue) -> String {
    "\(hasDates ? "not after" : "at most") \(shown(limit))"
  }

  private func shown(_ limit: PreferenceValue) -> String {
    switch limit {
    case .date(let date): CalendarTime(date)?.iso8601 ?? "\(date)"
    case .integer(let number): String(number)
    case .unsignedInteger(let number): String(number)
    default: limit.number.map { "\($0)" } ?? ""
    }
  }

  /// A limit as a value: a date, or a number as whole as it is.
  package func limit(_ limit: Double?) -> PreferenceValue? {
    guard let limit else { return nil }
    if hasDates { return .date(Date(timeIntervalSinceReferenceDate: limit)) }
    return Int64(exactly: limit).map { .integer($0) } ?? .real(limit)
  }

  /// The limits, in words.
  package var limits: [String] {
    var words: [String] = []
    if !values.isEmpty {
      words.append("one of \(values.map { JSONText.text($0) }.joined(separator: ", "))")
    }
    if let lowest { words.append(atLeast(lowest)) }
    if let highest { words.append(atMost(highest)) }
    if let pattern { words.append("of the form \(pattern)") }
    return words
  }
}

extension PreferenceValue {
  /// What a range compares: the number that it is, or the seconds of a date since 2001.
  var measure: Double? {
    if case .date(let date) = self { return date.timeIntervalSinceReferenceDate }
    return number
  }

  /// Whether a number or date is smaller than another one, exactly; `nil` if nobody can say, since
  /// one of them is none (which is no problem of limits), or not a number.
  fileprivate func isOrdered(before other: PreferenceValue) -> Bool? {
    if let first = whole, let second = other.whole { return first < second }
    if let first = whole, let second = other.number, second.isFinite, abs(second) < 0x1p100 {
      return first < Int128(second.rounded(.up))
    }
    if let first = number, let second = other.whole, first.isFinite, abs(first) < 0x1p100 {
      return Int128(first.rounded(.down)) < second
    }
    guard let first = measure, let second = other.measure else { return false }
    return first.isNaN || second.isNaN ? nil : first < second
  }

  private var whole: Int128? {
    switch self {
    case .integer(let number): Int128(number)
    case .unsignedInteger(let number): Int128(number)
    default: nil
    }
  }

  /// The number that it is; `nil` if it is none.
  var number: Double? {
    switch self {
    case .integer(let whole): Double(whole)
    case .unsignedInteger(let whole): Double(whole)
    case .real(let real): real
    case .float(let real): Double(real)
    default: nil
    }
  }
}
