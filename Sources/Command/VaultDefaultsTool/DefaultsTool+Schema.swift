package import VaultPreferences
import VaultStorage

/// `describe`, and how `write` uses a domain's schema.
extension DefaultsTool {
  /// How `write` takes a type, by what `read-type` prints.
  private static let typeOptions = [
    "string": "-string", "integer": "-int", "float": "-float", "boolean": "-bool",
    "date": "-date", "data": "-data", "array": "-array", "dictionary": "-dict",
  ]

  /// The schema of a domain; `nil` for a file, and where there is none.
  package func schema(of target: DefaultsTarget) throws -> PreferenceSchema? {
    guard case .stored(let domain) = target else { return nil }
    if let source = source(of: domain.name) {
      return source.schema(of: String(domain.name.dropFirst(type(of: source).prefix.count)))
    }
    // A profile has the schema of its domain.
    let name =
      domain.name.begins(with: "/")
      ? domain.name : domain.name.halves(at: "/").map { String($0.0) } ?? domain.name
    if let known = schemaCache[name] { return known }
    let schema = try ownSchemas[name] ?? PreferenceSchema.of(name, in: schemas)
    schemaCache[name] = .some(schema)
    return schema
  }

  /// Refuses a value that the domain's schema does not allow.
  func check(
    _ value: PreferenceValue, of key: String, in target: DefaultsTarget,
    hint: String = "Behind the key, --force writes it anyway."
  ) throws {
    guard let reason = try refusal(of: value, of: key, in: target) else { return }
    throw DefaultsRefusal("\(reason)\nDefaults have not been changed. \(hint)")
  }

  /// Refuses values that are to take the place of a domain's, and names all that do not fit.
  func check(_ entries: [String: PreferenceValue], in target: DefaultsTarget) throws {
    let reasons = try entries.sorted { OldStyleWriter.precedes($0.key, $1.key) }
      .compactMap { try refusal(of: $0.value, of: $0.key, in: target, isOfKey: false) }
    guard !reasons.isEmpty else { return }
    throw DefaultsRefusal(
      reasons.joined(separator: "\n")
        + "\nDefaults have not been changed. Behind a key, --force writes its value anyway.")
  }

  /// Why the domain's schema does not allow a value, and what would be; `nil` if it may be written,
  /// and then it warns of what is to be said of it.
  private func refusal(
    of value: PreferenceValue, of key: String, in target: DefaultsTarget, isOfKey: Bool = true
  ) throws -> String? {
    let schema = try schema(of: target)
    if let unknownSchema {
      warn("no schema \(unknownSchema) is installed: there may be no program that reads this key")
    }
    switch schema?.verdict(on: value, of: key) ?? .fits {
    case .fits:
      try warnOfSecret(key, in: target)
      return nil
    case .warning(let text):
      warn(text)
      return nil
    case .refusal(let text):
      // In a representation, texts alone have no option.
      guard isOfKey, let type = schema?.keys[key]?.type,
        let option = Self.typeOptions[type], value.kind.rawValue != type,
        !(type == "float" && value.kind == .integer)
      else { return text }
      return "\(text); write it after \(option)"
    }
  }

  private func warnOfSecret(_ key: String, in target: DefaultsTarget) throws {
    guard case .stored(let domain) = target, try schema(of: target)?.keys[key]?.isSensitive == true,
      try reading()?.isProtected(domain) != true
    else { return }
    warn(
      "\(key) is a secret, and \(domain.name) is stored in plain text; "
        + "\(program == "defaults" ? program : "\(program) defaults") protect \(domain.name) seals it"
    )
  }

  /// Warns of values that the domain's schema does not allow: for verbs that write many.
  func warn(of entries: [String: PreferenceValue], in domain: String) throws {
    for problem in try problems(of: entries, in: domain) { warn(problem) }
  }

  /// A line for each value that the domain's schema does not allow.
  func problems(of entries: [String: PreferenceValue], in domain: String) throws -> [String] {
    guard let schema = try schema(of: .stored(PreferenceDomain(domain))) else { return [] }
    return entries.sorted { OldStyleWriter.precedes($0.key, $1.key) }.compactMap { key, value in
      guard case .refusal(let text) = schema.verdict(on: value, of: key) else { return nil }
      return "\(domain): \(text)"
    }
  }

  /// The keys of a domain that the administrator has fixed.
  func fixedKeys(of target: DefaultsTarget) throws -> Set<String> {
    guard case .stored(let domain) = target else { return [] }
    return Set(try managed.entries(for: domain.name).keys)
  }

  /// `migrate DOMAIN`: values of earlier versions and under former names become what the schema has.
  func migrate(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(&words, flags: ["--dry-run", "--json"])
    let target = try take(&words)
    guard words.isEmpty else { throw DefaultsUsage() }
    guard let schema = try schema(of: target), case .stored(let domain) = target else {
      throw noSchema(of: target)
    }
    let before = try contents(of: target) ?? [:]
    if case .integer(let version)? = before[PreferenceSchema.versionKey], version > schema.version {
      throw DefaultsRefusal(
        "\(target.name) is of version \(version), and its schema of \(schema.version).\n"
          + "Defaults have not been changed. The package that wrote it has a later schema.")
    }
    let fixed = try managed.entries(for: domain.name)
    let names = Set(fixed.keys)
    let left = schema.left(of: before, by: names)
    var changes = schema.migration(of: before, leaving: names) ?? [:]
    if !changes.isEmpty, !options.has("--dry-run") {
      try writing().transaction { transaction in
        changes =
          schema.migration(of: try transaction.contents(of: domain) ?? [:], leaving: names) ?? [:]
        try schema.migrate(domain, in: transaction)
      }
    }
    for (key, value) in changes.sorted(by: { OldStyleWriter.precedes($0.key, $1.key) }) {
      let change = PreferenceDifference(domain: domain, key: key, old: before[key], new: value)
      print(options.has("--json") ? ChangeText.json(change) : ChangeText.lines(change))
    }
    for key in left {
      guard let entry = fixed[key] else { continue }
      warn(
        "\(ManagedPreferences.refusal(of: key, in: domain.name, entry)); it was left as it is")
    }
    if changes.isEmpty, !options.has("--json") { print("Nothing to change.") }
    if options.has("--dry-run"), !changes.isEmpty { throw DefaultsDrift() }
  }

  /// `describe --check DOMAIN`: the stored values that do not fit.
  private func check(_ schema: PreferenceSchema, _ target: DefaultsTarget) throws {
    let entries = try contents(of: target) ?? [:]
    var isFit = true
    for (key, value) in entries.sorted(by: { OldStyleWriter.precedes($0.key, $1.key) }) {
      switch schema.verdict(on: value, of: key) {
      case .fits: break
      case .warning(let text): print(Quoting.visible("\(key): \(text)"))
      case .refusal(let text):
        isFit = false
        print(Quoting.visible("\(key): \(text)"))
      }
    }
    if !isFit { throw DefaultsDrift() }
  }

  private func noSchema(of target: DefaultsTarget) -> DefaultsRefusal {
    DefaultsRefusal(
      "There is no schema of \(target.name): no \(target.name).toml in \(schemas.joined(separator: ", "))."
    )
  }

  /// `describe DOMAIN [KEY]`: the keys that a schema has, with the values that a program sees.
  func describe(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(&words, flags: ["--json", "--check"])
    let target = try take(&words)
    let name = words.popFirst()
    guard words.isEmpty else { throw DefaultsUsage() }
    guard let schema = try schema(of: target), case .stored(let domain) = target else {
      throw noSchema(of: target)
    }
    if options.has("--check") {
      guard name == nil else { throw DefaultsUsage() }
      return try check(schema, target)
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
    let outer = try outer(schema, domain.name, database)
    var described: [String: PreferenceValue] = [:]
    if name == nil, !options.has("--json"), let words = schema.description {
      for line in words.parts(at: "\n", keepsEmpty: true) { print(Quoting.visible(String(line))) }
    }
    for key in keys {
      let winner = try PreferenceDatabase.layers(
        of: key.name, in: domain.name, database: database, fixed: fixed, defaults: defaults,
        schema: schema, outer: outer
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
    lines += (key.description ?? "").parts(at: "\n").map { "    \($0)" }
    if !key.limits.isEmpty { lines.append("    \(key.limits.joined(separator: ", "))") }
    if let value = key.defaultValue, !key.isSensitive {
      lines.append("    default: \(JSONText.text(value))")
    }
    if let winner, winner.layer != .schemaDefault {
      lines.append(
        "    now: \(key.isSensitive ? "set" : JSONText.text(winner.value)) (\(winner.layer.rawValue))"
      )
    }
    if let text = key.format { lines.append("    looks like: \(text)") }
    if !key.formerNames.isEmpty {
      lines.append("    before: \(key.formerNames.joined(separator: ", "))")
    }
    if key.isSensitive { lines.append("    a secret, for a protected domain") }
    if let text = key.deprecation { lines.append("    deprecated: \(text)") }
    // The texts are a package's, or from a file of another system.
    return lines.map { Quoting.visible($0) }.joined(separator: "\n")
  }

  /// A limit: a real number for a key of such, as long as that is exact.
  private static func limit(
    _ exact: PreferenceValue?, _ number: Double?, of key: PreferenceSchema.Key
  ) -> PreferenceValue? {
    guard key.type != "integer", case .integer(let whole)? = exact, let number,
      Int64(exactly: number) == whole
    else { return exact }
    return .real(number)
  }

  private static func described(
    _ key: PreferenceSchema.Key, _ winner: LayeredValue?
  ) -> PreferenceValue {
    var entries: [String: PreferenceValue] = [:]
    entries["type"] = key.type.map { .string($0) }
    entries["description"] = key.description.map { .string($0) }
    if !key.isSensitive { entries["default"] = key.defaultValue }
    entries["minimum"] = Self.limit(key.lowest, key.minimum, of: key)
    entries["maximum"] = Self.limit(key.highest, key.maximum, of: key)
    if !key.values.isEmpty { entries["values"] = .array(key.values) }
    entries["format"] = key.format.map { .string($0) }
    entries["signature"] = key.signature.map { .string($0) }
    if !key.formerNames.isEmpty {
      entries["renamedFrom"] = .array(key.formerNames.map { .string($0) })
    }
    if key.isSensitive { entries["sensitive"] = true }
    entries["pattern"] = key.pattern.map { .string($0) }
    entries["deprecated"] = key.deprecation.map { .string($0) }
    if let winner {
      if !key.isSensitive { entries["value"] = winner.value }
      entries["layer"] = .string(winner.layer.rawValue)
    }
    return .dictionary(entries)
  }
}
