extension PreferenceSchema {
  /// How the values of one version become those of the next.
  ///
  /// The steps are done in this order: rename, convert, change, remove. A key that is not there is
  /// left alone, so a migration that is done again does nothing.
  public struct Migration: Sendable, Equatable {
    /// The version that the values are of afterwards.
    public var version: Int
    /// Keys, and the names that they get.
    ///
    /// Where the new name has a value, the old one goes.
    public var renames: [String: String] = [:]
    /// Keys, and the types that they get, such as `integer`, where nothing is lost.
    public var conversions: [String: String] = [:]
    /// Keys, and pairs of a value and the one that it becomes.
    public var changes: [String: [(old: PreferenceValue, new: PreferenceValue)]] = [:]
    /// Keys that go.
    public var removals: [String] = []

    /// Makes a migration that does nothing yet.
    ///
    /// - Parameter version: The version that the values are of afterwards, from 2.
    public init(to version: Int) { self.version = version }

    /// Returns whether two migrations do the same.
    public static func == (left: Migration, right: Migration) -> Bool { left.lines == right.lines }
  }

  /// Adds the version that a domain's values are of to those that replace them, unless they say one.
  ///
  /// Without it they would be taken for those of version 1, and migrated by the next write.
  ///
  /// - Parameters:
  ///   - entries: The new keys and values; none empty the domain.
  ///   - present: Those that the domain has.
  /// - Returns: What takes the place of all keys and values.
  package static func keepingVersion(
    _ entries: [String: PreferenceValue], of present: [String: PreferenceValue]
  ) -> [String: PreferenceValue] {
    guard !entries.isEmpty else { return entries }
    var entries = entries
    // An old-style property list has texts for numbers.
    if case .string(let text)? = entries[versionKey], let number = Int64(text) {
      entries[versionKey] = .integer(number)
    }
    entries[versionKey] = entries[versionKey] ?? present[versionKey]
    return entries
  }

  /// What a domain has to become; `nil` if it is of this version, or of a later one.
  ///
  /// What a migration would do with a key that the administrator has fixed is left out, and with it
  /// what would move to its name or away from it: the user's value of either stays.
  ///
  /// - Parameters:
  ///   - contents: The keys and values of the domain.
  ///   - fixed: The keys that the administrator has fixed.
  /// - Returns: The keys that change, with their new values, `nil` for those that go.
  package func migration(
    of contents: [String: PreferenceValue], leaving fixed: Set<String> = []
  ) -> [String: PreferenceValue?]? {
    // Without a version that moves on, it would be done again and again.
    guard !contents.isEmpty, version == 1 || !fixed.contains(Self.versionKey) else { return nil }
    var stored = 1
    if case .integer(let number)? = contents[Self.versionKey] { stored = Int(clamping: number) }
    guard stored <= version else { return nil }
    var new = contents
    for migration in migrations where migration.version > stored {
      migration.apply(to: &new, leaving: fixed)
    }
    // All are taken out before one is put in.
    var old: [(name: String, value: PreferenceValue)] = []
    for key in keys.values.sorted(by: { $0.name < $1.name }) where !fixed.contains(key.name) {
      for name in key.formerNames where !fixed.contains(name) {
        if let value = new.removeValue(forKey: name) { old.append((key.name, value)) }
      }
    }
    for (name, value) in old where new[name] == nil { new[name] = value }
    if version > 1 { new[Self.versionKey] = .integer(Int64(version)) }
    let changed = Set(contents.keys).union(new.keys).filter { contents[$0] != new[$0] }
    guard !changed.isEmpty else { return nil }
    return Dictionary(uniqueKeysWithValues: changed.map { ($0, new[$0]) })
  }

  /// The keys that a migration leaves as they are, since the administrator has fixed them.
  package func left(
    of contents: [String: PreferenceValue], by fixed: Set<String>
  ) -> [String] {
    guard !fixed.isEmpty, let whole = migration(of: contents) else { return [] }
    let done = migration(of: contents, leaving: fixed) ?? [:]
    return fixed.filter { key in
      guard let wanted = whole[key] else { return false }
      return done[key] != .some(wanted)
    }.sorted()
  }

  /// Brings a domain to this version; what the administrator has fixed stays as it is.
  ///
  /// - Parameters:
  ///   - domain: The domain.
  ///   - transaction: The transaction in which it is done.
  /// - Returns: The number of keys that changed.
  /// - Throws: ``PreferenceError``.
  @discardableResult
  package func migrate(
    _ domain: PreferenceDomain, in transaction: PreferenceTransaction
  ) throws -> Int {
    let fixed = Set(try transaction.database.fixedKeys(of: domain).keys)
    guard
      let changes = migration(of: try transaction.contents(of: domain) ?? [:], leaving: fixed)
    else { return 0 }
    for (key, value) in changes.sorted(by: { OldStyleWriter.precedes($0.key, $1.key) }) {
      if let value {
        try transaction.set(value, key, in: domain)
      } else {
        try transaction.remove(key, in: domain)
      }
    }
    return changes.count
  }
}

extension PreferenceSchema.Migration {
  init(_ value: PreferenceValue) throws(PreferenceError) {
    let parts = try SchemaPart(value, "a migration").table()
    guard let number = parts["version"] else {
      throw PreferenceError(.syntax, "a migration has no version")
    }
    self.init(to: try SchemaPart(number, "version of a migration").version())
    for (word, value) in parts where word != "version" {
      let part = SchemaPart(value, "\(word) of migration \(version)")
      switch word {
      case "remove": removals = try part.texts()
      case "rename":
        for (old, new) in try part.table() {
          renames[old] = try SchemaPart(new, "rename of \(old)").text()
        }
      case "convert":
        for (key, type) in try part.table() {
          let type = try SchemaPart(type, "convert of \(key)").text()
          guard Self.convertible.contains(type) else {
            throw PreferenceError(
              .syntax, "convert of \(key) is none of \(Self.convertible.joined(separator: ", "))")
          }
          conversions[key] = type
        }
      case "change":
        for (key, pairs) in try part.table() {
          for pair in try SchemaPart(pairs, "change of \(key)").array() {
            let pair = try SchemaPart(pair, "change of \(key)").array()
            guard pair.count == 2 else {
              throw PreferenceError(.syntax, "change of \(key) has pairs of an old and a new value")
            }
            changes[key, default: []].append((pair[0], pair[1]))
          }
        }
      default:
        throw PreferenceError(.syntax, "'\(word)' of migration \(version) means nothing")
      }
    }
  }

  var lines: [String] {
    var lines = [TOMLWriter.line("version", .integer(Int64(version)))]
    func add(_ word: String, _ entries: [String: PreferenceValue]) {
      if !entries.isEmpty { lines.append(TOMLWriter.line(word, .dictionary(entries))) }
    }
    add("rename", renames.mapValues { .string($0) })
    add("convert", conversions.mapValues { .string($0) })
    add("change", changes.mapValues { .array($0.map { .array([$0.old, $0.new]) }) })
    if !removals.isEmpty {
      lines.append(TOMLWriter.line("remove", .array(removals.map { .string($0) })))
    }
    return lines
  }

  private static let convertible = ["boolean", "float", "integer", "string"]

  fileprivate func apply(
    to entries: inout [String: PreferenceValue], leaving fixed: Set<String>
  ) {
    // All are taken out before one is put in: the new name of one may be the old one of another.
    let renames = renames.filter { !fixed.contains($0.key) && !fixed.contains($0.value) }
    let moved = renames.sorted { $0.key < $1.key }.compactMap { old, new in
      entries.removeValue(forKey: old).map { (new, $0) }
    }
    for (name, value) in moved where entries[name] == nil { entries[name] = value }
    for (key, type) in conversions where !fixed.contains(key) {
      if let value = entries[key], let converted = Self.converted(value, to: type) {
        entries[key] = converted
      }
    }
    for (key, pairs) in changes where !fixed.contains(key) {
      if let value = entries[key], let pair = pairs.first(where: { $0.old == value }) {
        entries[key] = pair.new
      }
    }
    for key in removals where !fixed.contains(key) { entries[key] = nil }
  }

  /// A value as another type; `nil` where something would be lost.
  private static func converted(_ value: PreferenceValue, to type: String) -> PreferenceValue? {
    let text: String? = if case .string(let text) = value { text } else { nil }
    switch type {
    case "string": return Coercion.string(value).map { .string($0) }
    case "integer":
      if let text { return Int64(text).map { .integer($0) } }
      return Int64(preferenceValue: value).map { .integer($0) }
    case "float":
      if let text { return Double(exactText: text).map { .real($0) } }
      return Double(preferenceValue: value).map { .real($0) }
    default:
      switch text?.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0": return false
      case nil: return Bool(preferenceValue: value).map { .boolean($0) }
      default: return nil
      }
    }
  }
}
