import VaultPreferences
import VaultSealing
import VaultStorage

/// macOS's own verbs.
extension DefaultsTool {
  func write(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let target = try take(&words)
    let place = try DefaultsPlace.take(&words, before: 1)
    if words.isEmpty, place.path.isEmpty { return try replace(target, place.key) }
    var flags: Set<String> = []
    while let word = words.first, ["--force", "--to-file"].contains(word), words.count > 1 {
      flags.insert(word)
      words.removeFirst()
    }
    let isForced = flags.contains("--force")
    if flags.contains("--to-file") {
      guard place.path.isEmpty, case .set(let value) = try change(words) else {
        throw DefaultsRefusal(
          "--to-file takes a whole value of a key.  Leaving defaults unchanged.")
      }
      return try writeFile(value, place.key, of: target, isForced: isForced)
    }
    let condition = DefaultsCondition.take(&words, before: 1)
    let change = try gvariant(words, place.key, in: target) ?? change(words)
    let schema = isForced ? nil : try schema(of: target)
    let fixed = try schema == nil ? [] : fixedKeys(of: target)
    try edit(target) { domain in
      if let schema { try bring(domain, to: schema, leaving: fixed) }
      let whole = try domain.value(place.key)
      let current = place.value(in: whole)
      try condition.check(current, at: place)
      let value = try place.setting(
        try Self.value(change, over: current, at: place), in: whole)
      if !isForced { try check(value, of: place.key, in: target) }
      try domain.set(asKept(value, of: place.key, in: target), place.key)
    }
  }

  /// Brings a domain to its schema's version before a value of that version is written into it.
  private func bring(
    _ domain: any DefaultsEditing, to schema: PreferenceSchema, leaving fixed: Set<String>
  ) throws {
    let contents = try domain.contents() ?? [:]
    let changes = schema.migration(of: contents, leaving: fixed) ?? [:]
    for (key, value) in changes.sorted(by: { OldStyleWriter.precedes($0.key, $1.key) }) {
      if let value { try domain.set(value, key) } else { _ = try domain.remove(key) }
    }
  }

  /// The change that the words after the key mean; `--json -` and the options ending in `-from`
  /// read it from stdin or a file.
  private func change(_ words: ArraySlice<String>) throws -> DefaultsValue.Change {
    guard words.count == 2, let option = words.first, let path = words.last else {
      return try DefaultsValue.change(words)
    }
    switch option {
    case "--json" where path == "-", "--json-from":
      return .set(try JSONText.parse(try fileBytes(path)))
    case "--data-from": return .set(.data(try fileBytes(path)))
    case "--string-from":
      guard let text = String(validating: try fileBytes(path), as: UTF8.self) else {
        throw DefaultsRefusal(
          "\(path) is not UTF-8; --data-from takes bytes.  Leaving defaults unchanged.")
      }
      return .set(.string(text))
    default: return try DefaultsValue.change(words)
    }
  }

  /// The value that a change makes of the present one.
  private static func value(
    _ change: DefaultsValue.Change, over current: PreferenceValue?, at place: DefaultsPlace
  ) throws -> PreferenceValue {
    switch change {
    case .set(let value): return value
    case .append(let elements, let isUnique):
      var array: [PreferenceValue] = []
      switch current {
      case .array(let present)?: array = present
      case nil: break
      default:
        throw DefaultsRefusal(
          "Value for key \(place.text) is not an array; cannot append.  Leaving defaults unchanged."
        )
      }
      for element in elements where !isUnique || !array.contains(element) {
        array.append(element)
      }
      return .array(array)
    case .merge(let entries):
      try place.checkIsPlain(current)
      var dictionary: [String: PreferenceValue] = [:]
      switch current {
      case .dictionary(let present)?: dictionary = present
      case nil: break
      default:
        throw DefaultsRefusal(
          "Value for key \(place.text) is not a dictionary; cannot append.  "
            + "Leaving defaults unchanged.")
      }
      return .dictionary(dictionary.merging(entries) { _, new in new })
    }
  }

  /// `write D REP`: the domain holds what REP says and nothing else.
  private func replace(_ target: DefaultsTarget, _ representation: String) throws {
    guard case .dictionary(let entries) = try DefaultsValue.representation(representation) else {
      log("Rep argument is not a dictionary\nDefaults have not been changed.")
      throw DefaultsRefusal(nil)
    }
    try check(entries, in: target)
    let schema = try schema(of: target)
    let fixed = try fixedKeys(of: target)
    try edit(target) { domain in
      // An empty dictionary empties a domain, but does not create one.
      if try entries.isEmpty && !domain.exists { return }
      if !entries.isEmpty, let schema { try bring(domain, to: schema, leaving: fixed) }
      try domain.replace(
        by: Dictionary(
          uniqueKeysWithValues: entries.map { ($0, asKept($1, of: $0, in: target)) }))
    }
  }

  func rename(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let target = try take(&words)
    guard words.count == 2, let old = words.popFirst(), let new = words.popFirst() else {
      throw DefaultsUsage()
    }
    try edit(target) { domain in
      guard let value = try domain.value(old) else {
        throw DefaultsRefusal(
          "Key \(old) does not exist in domain \(target.name); leaving defaults unchanged")
      }
      guard !old.isSame(as: new) else { return }
      // First: in a file, the two may be one key in two normalizations.
      _ = try domain.remove(old)
      try check(
        value, of: new, in: target, hint: "Write it under \(new) as it fits, and delete \(old).")
      try domain.set(value, new)
    }
  }

  func delete(_ arguments: ArraySlice<String>, everyHost: Bool) throws {
    var words = arguments
    let target = try take(&words)
    let place = words.isEmpty ? nil : try DefaultsPlace.take(&words, before: 0)
    if let place, Array(words) == ["--to-file"] {
      guard place.path.isEmpty else {
        throw DefaultsRefusal(
          "--to-file takes a whole value of a key.  Leaving defaults unchanged.")
      }
      return try writeFile(nil, place.key, of: target, isForced: true)
    }
    let condition = DefaultsCondition.take(&words, before: 0)
    guard words.isEmpty else { throw DefaultsUsage() }
    var targets = [target]
    if everyHost, case .stored(let domain) = target, let database = try reading() {
      targets = try database.domains().filter { $0.name.isSame(as: domain.name) }
        .map { .stored($0) }
    }
    // Of every host or of none.
    let removed = try edit(targets.filter { try contents(of: $0, contains: place?.key) }) {
      guard let place else { return try $0.removeDomain() }
      return try Self.remove(place, if: condition, from: $0)
    }
    guard removed.contains(true) else {
      throw DefaultsRefusal(
        "\nDomain (\(target.name)) not found.\nDefaults have not been changed.\n"
          + nearest(to: target))
    }
  }

  private static func remove(
    _ place: DefaultsPlace, if condition: DefaultsCondition, from domain: any DefaultsEditing
  ) throws -> Bool {
    guard var whole = try domain.value(place.key), let value = place.value(in: whole) else {
      return false
    }
    try condition.check(value, at: place)
    guard !place.path.isEmpty else { return try domain.remove(place.key) }
    try place.checkIsPlain(whole)
    try whole.remove(at: place.path)
    try domain.set(whole, place.key)
    return true
  }

  /// Returns whether there is anything to remove, so that removing nothing does not create a store.
  private func contents(of target: DefaultsTarget, contains key: String?) throws -> Bool {
    if case .stored(let domain) = target, key == nil {
      return try reading()?.exists(domain) ?? false
    }
    guard let key else { return try contents(of: target) != nil }
    return try value(key, in: target) != nil
  }

  func readType(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = DefaultsOptions.take(&words, flags: ["--json"], values: ["--key-path"])
    let target = try take(&words)
    guard let place = try DefaultsPlace.take(options, &words) else { throw DefaultsUsage() }
    guard let value = place.value(in: try value(place.key, in: target)) else {
      throw absent(target, place.text)
    }
    print(
      options.has("--json")
        ? "{\"type\":\(Quoting.json(value.kind.rawValue))}" : "Type is \(value.kind.rawValue)")
  }

  func absent(_ target: DefaultsTarget, _ key: String?) -> DefaultsRefusal {
    if let key {
      return DefaultsRefusal(
        "\nThe domain/default pair of (\(target.name), \(key)) does not exist\n"
          + nearest(to: target))
    }
    return DefaultsRefusal("\nDomain \(target.name) does not exist\n" + nearest(to: target))
  }

  /// A line with the domain that was meant, where the named one does not exist; else nothing.
  private func nearest(to target: DefaultsTarget) -> String {
    guard case .stored(let domain) = target, let database = try? reading(),
      let domains = try? database.domains(),
      !domains.contains(where: { $0.name.isSame(as: domain.name) }),
      let name = Suggestion.nearest(
        to: domain.name, among: Set(domains.map(\.name)).sorted())
    else { return "" }
    return "Did you mean \(name)?\n"
  }

  func read(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = DefaultsOptions.take(
      &words,
      flags: [
        "--json", "--effective", "--show-origin", "--all-layers", "--ascii", "--data-summary",
        "--protected", "--gvariant",
      ], values: ["--key-path"])
    if options.has("--effective") { return try readEffective(words, options) }
    guard !words.isEmpty else { return try readAll(options) }
    let target = try take(&words)
    if let place = try DefaultsPlace.take(options, &words) {
      guard let value = place.value(in: try value(place.key, in: target)) else {
        throw absent(target, place.text)
      }
      if options.has("--gvariant") { return print(try gvariant(value, place.key, in: target)) }
      return print(value, options)
    }
    guard let entries = try contents(of: target) else { throw absent(target, nil) }
    print(.dictionary(entries), options)
  }

  private func readAll(_ options: DefaultsOptions) throws {
    var all: [String: PreferenceValue] = [:]
    // JSON is for files, which others may get.
    let isForFile = options.has("--json")
    for (name, entries) in try everything(isProtectedMeant: options.has("--protected")) {
      all[DefaultsTarget.displayName(name)] = .dictionary(entries)
    }
    if host == .any, isForFile { try warnOfHostParts("dump --by-host has them") }
    print(.dictionary(all), options)
  }

  /// Says how many domains have values for this host alone, which are not shown.
  func warnOfHostParts(_ remedy: String) throws {
    let parts = try reading()?.domains().filter { $0.host == .current }.count ?? 0
    guard parts > 0 else { return }
    warn(
      "this host's own values of \(parts) domain\(parts == 1 ? "" : "s") are not in it; \(remedy)")
  }

  /// The domains of the requested host with their contents; those that cannot be read are left out
  /// with a warning, and those that are sealed, unless they are meant.
  func everything(
    isProtectedMeant: Bool
  ) throws -> [(String, [String: PreferenceValue])] {
    guard let database = try reading() else { return [] }
    var found: [(String, [String: PreferenceValue])] = []
    for domain in try database.domains()
    where domain.storedHost == hostName && isMeant(domain.name) {
      if !isProtectedMeant, try database.isProtected(domain) {
        warn("the domain \(domain.name) is protected and not in it; --protected adds it")
        continue
      }
      do {
        found.append((domain.name, try database.contents(of: domain) ?? [:]))
      } catch {
        guard error.code == .locked || error.code == .damaged else { throw error }
        warn(error.message)
      }
    }
    return found.sorted { $0.0 < $1.0 }
  }

  var hostName: String { PreferenceDomain("", host: host).storedHost }

  func print(_ value: PreferenceValue, _ options: DefaultsOptions) {
    if options.has("--json") { return print(JSONText.text(value, isPretty: true)) }
    let writer = OldStyleWriter(
      dataForm: options.has("--data-summary") ? .summary : .full, isASCII: options.has("--ascii"))
    print(writer.text(value))
  }

  func domains(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = DefaultsOptions.take(&words, flags: ["--json"])
    let names = try reading()?.domains()
      .filter { domain in
        domain.storedHost == hostName && domain.name != PreferenceDomain.globalName
          && isMeant(domain.name) && !domain.name.begins(with: "/")
      }.map(\.name).sorted(by: OldStyleWriter.precedes)
    if options.has("--json") {
      return print(JSONText.text(.array((names ?? []).map { .string($0) }), isPretty: true))
    }
    print((names ?? []).map(Quoting.visible).joined(separator: ", "))
  }

  func find(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = DefaultsOptions.take(&words, flags: ["--json", "--protected"])
    guard let word = words.popFirst() else { throw DefaultsUsage() }
    let wanted = UnicodeNormalization.nfc(word.lowercased())
    var results: [String: PreferenceValue] = [:]
    for (domain, entries) in try everything(isProtectedMeant: options.has("--protected")) {
      let name = DefaultsTarget.displayName(domain)
      var found = entries
      if !holds(name, wanted) {
        found = entries.filter { key, value in
          holds(key, wanted) || holds(value, wanted)
        }
        if found.isEmpty { continue }
      }
      results[name] = .dictionary(found)
      if !options.has("--json") {
        print(
          "Found \(found.count) keys in domain '\(Quoting.visible(name))': "
            + OldStyleWriter().text(.dictionary(found)))
      }
    }
    if options.has("--json") { return print(.dictionary(results), options) }
    if results.isEmpty {
      log("No domain, key, nor value containing '\(word)'")
    }
  }

  /// Whether a word of ``find(_:)`` occurs in a text, in whatever case and normalization.
  private func holds(_ text: String, _ word: String) -> Bool {
    UnicodeNormalization.nfc(text.lowercased()).contains(bytes: word)
  }

  private func holds(_ value: PreferenceValue, _ word: String) -> Bool {
    switch value {
    case .string(let text): holds(text, word)
    case .array(let elements): elements.contains { holds($0, word) }
    case .dictionary(let entries):
      entries.contains { holds($0.key, word) || holds($0.value, word) }
    default: false
    }
  }
}
