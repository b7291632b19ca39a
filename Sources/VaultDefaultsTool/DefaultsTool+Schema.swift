import VaultPreferences
import VaultStorage

/// `describe`, and how `write` uses a domain's schema.
extension DefaultsTool {
  /// The schema of a domain; `nil` for a file, and where there is none.
  package func schema(of target: DefaultsTarget) throws -> PreferenceSchema? {
    guard case .stored(let domain) = target else { return nil }
    return try PreferenceSchema.of(domain.name, in: schemas)
  }

  /// Refuses a value that the domain's schema does not allow.
  func check(
    _ value: PreferenceValue, of key: String, in target: DefaultsTarget
  ) throws {
    switch try schema(of: target)?.verdict(on: value, of: key) ?? .fits {
    case .fits: break
    case .warning(let text): warn(text)
    case .refusal(let text):
      throw DefaultsRefusal("\(text)\nDefaults have not been changed. --force writes it anyway.")
    }
  }

  /// `describe DOMAIN [KEY]`: the keys that a schema has, with the values that a program sees.
  func describe(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(&words, flags: ["--json"])
    let target = try take(&words)
    let name = words.popFirst()
    guard words.isEmpty else { throw DefaultsUsage() }
    guard let schema = try schema(of: target), case .stored(let domain) = target else {
      throw DefaultsRefusal(
        "There is no schema of \(target.name): no \(target.name).toml in \(schemas.joined(separator: ", "))."
      )
    }
    let keys: [PreferenceSchema.Key]
    if let name {
      guard let key = schema.keys[name] else {
        let nearest = Suggestion.nearest(to: name, among: schema.keys.keys.sorted())
        throw DefaultsRefusal(
          "The schema of \(target.name) has no key \(name)."
            + (nearest.map { " Did you mean \($0)?" } ?? ""))
      }
      keys = [key]
    } else {
      keys = schema.keys.values.sorted { OldStyleWriter.precedes($0.name, $1.name) }
    }
    let database = try reading()
    let fixed = try managed.entries(for: domain.name)
    let defaults = directories.defaults(for: domain.name)
    var described: [String: PreferenceValue] = [:]
    if name == nil, !options.has("--json"), let words = schema.description { print(words) }
    for key in keys {
      let winner = try PreferenceDatabase.layers(
        of: key.name, in: domain.name, database: database, fixed: fixed, defaults: defaults
      ).first
      if options.has("--json") {
        described[key.name] = Self.described(key, winner)
      } else {
        print(Self.lines(key, winner))
      }
    }
    if options.has("--json") { print(JSONText.text(.dictionary(described), isPretty: true)) }
  }

  private static func lines(_ key: PreferenceSchema.Key, _ winner: LayeredValue?) -> String {
    var lines = [key.name + (key.type.map { " (\($0))" } ?? "")]
    if let text = key.description { lines.append("    \(text)") }
    if !key.limits.isEmpty { lines.append("    \(key.limits.joined(separator: ", "))") }
    if let value = key.standard { lines.append("    default: \(JSONText.text(value))") }
    if let winner {
      lines.append("    now: \(JSONText.text(winner.value)) (\(winner.layer.rawValue))")
    }
    if let text = key.deprecation { lines.append("    deprecated: \(text)") }
    return lines.joined(separator: "\n")
  }

  private static func described(
    _ key: PreferenceSchema.Key, _ winner: LayeredValue?
  ) -> PreferenceValue {
    var entries: [String: PreferenceValue] = [:]
    entries["type"] = key.type.map { .string($0) }
    entries["description"] = key.description.map { .string($0) }
    entries["default"] = key.standard
    entries["minimum"] = key.minimum.map { .real($0) }
    entries["maximum"] = key.maximum.map { .real($0) }
    if !key.values.isEmpty { entries["values"] = .array(key.values) }
    entries["pattern"] = key.pattern.map { .string($0) }
    entries["deprecated"] = key.deprecation.map { .string($0) }
    if let winner {
      entries["value"] = winner.value
      entries["layer"] = .string(winner.layer.rawValue)
    }
    return .dictionary(entries)
  }
}
