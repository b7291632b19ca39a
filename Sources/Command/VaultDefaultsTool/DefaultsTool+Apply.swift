import VaultPreferences
import VaultStorage

/// `apply` and `diff FILE`: files of domains with their keys and values, made true in one
/// transaction, or compared.
extension DefaultsTool {
  func apply(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--dry-run", "--json", "--prune", "--merge"],
      values: ["--format", "--domain"])
    let wanted = try wanted(by: Array(words), options)
    let isDryRun = options.has("--dry-run")
    let present = try changes(to: wanted, from: reading().map { .database($0) })
    // Where nothing is to be written, no store is made, and no lock is waited for.
    let differences = isDryRun || present.isEmpty ? present : try make(wanted)
    // What the desktop refuses is not changed, and must not be said.
    if !isDryRun { try pushToDesktop() }
    for difference in differences {
      print(options.has("--json") ? ChangeText.json(difference) : ChangeText.lines(difference))
    }
    if isDryRun { try refuse(differences) }
    if !options.has("--json") {
      let domains = Set(differences.map(\.domain)).count
      print(
        differences.isEmpty
          ? "Nothing to change."
          : "\(isDryRun ? "Would change" : "Changed") \(differences.count) "
            + "key\(differences.count == 1 ? "" : "s") in \(domains) "
            + "domain\(domains == 1 ? "" : "s").")
    }
    if isDryRun, !differences.isEmpty { throw DefaultsDrift() }
  }

  /// Makes values true, in one transaction.
  ///
  /// - Returns: What was changed.
  private func make(_ wanted: WantedValues) throws -> [PreferenceDifference] {
    try writing().transaction { transaction in
      let changes = try self.changes(to: wanted, from: .transaction(transaction))
      for change in changes {
        if let value = change.new {
          try transaction.set(value, change.key, in: change.domain)
        } else {
          try transaction.remove(change.key, in: change.domain)
        }
      }
      return changes
    }
  }

  /// Refuses what `apply` would refuse.
  private func refuse(_ differences: [PreferenceDifference]) throws {
    let obstacles = try differences.compactMap { try obstacle(to: $0) }
    guard !obstacles.isEmpty else { return }
    throw DefaultsRefusal(
      obstacles.joined(separator: "\n")
        + "\nNothing would be changed: apply is refused as long as the files say so.")
  }

  /// What is to be changed; not what the desktop's administrator has locked to the same value.
  private func changes(
    to wanted: WantedValues, from stored: Stored?
  ) throws -> [PreferenceDifference] {
    try wanted.differences(from: stored).filter { difference in
      guard let value = difference.new, let source = source(of: difference.domain.name) else {
        return true
      }
      let name = String(difference.domain.name.dropFirst(type(of: source).prefix.count))
      guard try source.lock(of: difference.key, in: name) != nil,
        let now = try source.layers(of: difference.key, in: name)?.first?.value
      else { return true }
      return !source.isSame(now, value, of: difference.key, in: name)
    }
  }

  /// Why `apply` would refuse a change, such as a key that an administrator has fixed otherwise than
  /// files want it; `nil` if it would not.
  private func obstacle(to difference: PreferenceDifference) throws -> String? {
    let (domain, key) = (difference.domain.name, difference.key)
    do {
      try difference.new?.checkDepth(of: key)
    } catch {
      return "\(domain): \(error.message)"
    }
    guard let source = source(of: domain) else {
      return try managed.entries(for: domain)[key]
        .map { ManagedPreferences.refusal(of: key, in: domain, $0) }
    }
    let name = String(domain.dropFirst(type(of: source).prefix.count))
    return try source.lock(of: key, in: name).map { "\(domain) \(key) is locked in \($0)" }
  }

  /// `diff FILE`: what the file says, and what is now.
  func diff(filesAt paths: [String], _ options: DefaultsOptions) throws {
    let wanted = try wanted(by: paths, options)
    let differences = try changes(to: wanted, from: reading().map { .database($0) })
    for difference in differences {
      let since = PreferenceDifference(
        domain: difference.domain, key: difference.key, old: difference.new, new: difference.old)
      print(options.has("--json") ? ChangeText.json(since) : ChangeText.lines(since))
    }
    for difference in differences {
      if let obstacle = try obstacle(to: difference) { warn("\(obstacle): apply would be refused") }
    }
    if !differences.isEmpty { throw DefaultsDrift() }
  }

  /// What files want to be true; of a key that several have, the last counts.
  private func wanted(by paths: [String], _ options: DefaultsOptions) throws -> WantedValues {
    guard !paths.isEmpty else { throw DefaultsUsage() }
    let machine = machine()
    var wanted = WantedValues(isExact: options.has("--prune"), isMerging: options.has("--merge"))
    for path in try paths.flatMap(Self.files) {
      let document = try DefaultsDocument(
        try fileBytes(path), named: path, format: options.value("--format"),
        domain: options.value("--domain"), isDomain: isKnown)
      wanted.patterns.formUnion(document.patterns)
      for index in document.counting(on: machine) {
        let section = document.sections[index]
        let domain = try domain(of: section.name, path)
        let entries = try add(section, to: &wanted, in: domain)
        try warn(of: entries.compactMapValues { $0 }, in: domain.name)
      }
    }
    return wanted
  }

  /// Adds a section that counts.
  ///
  /// - Returns: Its keys and values, as its domain keeps them.
  @discardableResult
  func add(
    _ section: DefaultsDocument.Section, to wanted: inout WantedValues,
    in domain: PreferenceDomain
  ) throws -> [String: PreferenceValue?] {
    var entries = section.entries
    for (key, value) in entries {
      if let value { entries[key] = asKept(value, of: key, in: .stored(domain)) }
    }
    wanted.add(entries, to: domain, fixed: try managed.entries(for: domain.name).mapValues(\.value))
    return entries
  }

  /// Whether a domain has values for some host, or a schema.
  func isKnown(_ name: String) throws -> Bool {
    let name = name == "Apple Global Domain" ? PreferenceDomain.globalName : name
    if try reading()?.domains().contains(where: { $0.name.isSame(as: name) }) == true {
      return true
    }
    return try schema(of: .stored(PreferenceDomain(name))) != nil
  }

  /// The domain of a section.
  func domain(
    of name: DefaultsDocument.Name, _ path: String
  ) throws -> PreferenceDomain {
    var words = [name.domain][...]
    guard case .stored(let domain) = try take(&words) else {
      throw DefaultsRefusal(
        "\(name.domain) is a file; apply changes domains.\nDefaults have not been changed.")
    }
    if source(of: domain.name) != nil {
      // The desktop has one value for all hosts: a section for a host is one that counts there.
      if let id = name.hostID, id != HostIdentity.current { throw Self.noHosts }
      return domain
    }
    if let id = name.hostID {
      return PreferenceDomain(domain.name, host: id == HostIdentity.current ? .current : .named(id))
    }
    return name.isByHost ? PreferenceDomain(domain.name, host: .current) : domain
  }

  /// A file, or all files of a folder that have domains, sorted.
  private static func files(_ path: String) throws -> [String] {
    guard path != "-", UserFile.isFolder(path) else { return [path] }
    let names: [String]
    do {
      names = try UserFile.names(in: path)
    } catch {
      throw DefaultsRefusal(
        "Could not read \(path): \(error.reason)\nDefaults have not been changed.")
    }
    let files = names.filter { name in
      !name.begins(with: ".") && [".toml", ".json", ".plist"].contains { name.ends(with: $0) }
    }
    guard !files.isEmpty else {
      throw DefaultsRefusal(
        "\(path) has no file that ends in .toml, .json or .plist\nDefaults have not been changed.")
    }
    return try files.map { try PropertyListFile.regular("\(path)/\($0)") }
  }
}

/// Where present values are read.
enum Stored {
  case database(PreferenceDatabase)
  case transaction(PreferenceTransaction)

  fileprivate func value(_ key: String, in domain: PreferenceDomain) throws -> PreferenceValue? {
    switch self {
    case .database(let database): try database.value(key, in: domain)
    case .transaction(let transaction): try transaction.value(key, in: domain)
    }
  }

  fileprivate func keys(of domain: PreferenceDomain) throws -> [ExactText] {
    let entries =
      switch self {
      case .database(let database): try database.entries(of: domain)
      case .transaction(let transaction): try transaction.entries(of: domain)
      }
    return Array((entries ?? [:]).keys)
  }
}

/// The values that files want to be true.
struct WantedValues {
  /// Whether keys that no file has are removed from the domains that they have; the version of a
  /// schema stays as long as a domain has other keys.
  let isExact: Bool
  /// Whether dictionaries inside of values keep the keys that no file has.
  let isMerging: Bool
  /// The keys that are left to the machine.
  var patterns = DefaultsPatterns()
  private var domains: [PreferenceDomain: [ExactText: PreferenceValue?]] = [:]
  private var fixed: [PreferenceDomain: [String: PreferenceValue]] = [:]

  init(isExact: Bool, isMerging: Bool) {
    self.isExact = isExact
    self.isMerging = isMerging
  }

  /// Adds a section; what the administrator has fixed to the same value needs no change, and could
  /// have none.
  mutating func add(
    _ entries: [String: PreferenceValue?], to domain: PreferenceDomain,
    fixed: [String: PreferenceValue]
  ) {
    for (key, value) in entries { domains[domain, default: [:]][ExactText(key)] = .some(value) }
    if entries.isEmpty { domains[domain] = domains[domain] ?? [:] }
    self.fixed[domain] = fixed
  }

  /// What differs from what is stored, sorted.
  func differences(from stored: Stored?) throws -> [PreferenceDifference] {
    var differences: [PreferenceDifference] = []
    for (domain, entries) in domains.sorted(by: { Self.precedes($0.key, $1.key) }) {
      let fixed = fixed[domain] ?? [:]
      var keys = Set(entries.keys)
      if isExact {
        keys.formUnion(
          try stored?.keys(of: domain).filter {
            fixed[$0.text] == nil && !patterns.matches($0.text, in: domain.name)
              && ($0.text != PreferenceSchema.versionKey || entries.isEmpty)
          } ?? [])
      }
      for exact in keys.sorted(by: { OldStyleWriter.precedes($0.text, $1.text) }) {
        let key = exact.text
        var value = entries[exact] ?? nil
        if let value, fixed[key] == value { continue }
        let old = try stored?.value(key, in: domain)
        if isMerging, let new = value, let old {
          if case .dictionary = new, DesktopTag.of(new) == nil, let tag = DesktopTag.of(old) {
            throw DefaultsRefusal(
              "\(domain.name) \(key): the value is a text of the desktop's, after \(tag), which nothing "
                + "merges with\nDefaults have not been changed.")
          }
          value = Self.merged(new, over: old)
        }
        if let old, let value, Self.isSame(old, value) { continue }
        guard old != value else { continue }
        differences.append(PreferenceDifference(domain: domain, key: key, old: old, new: value))
      }
    }
    return differences
  }

  /// By name, and by host.
  static func precedes(_ first: PreferenceDomain, _ second: PreferenceDomain) -> Bool {
    if first.name != second.name { return OldStyleWriter.precedes(first.name, second.name) }
    return first.storedHost < second.storedHost
  }

  /// Whether a file says what is stored: most forms have numbers of 64 bits alone, and 1.1 in one is
  /// what `write -float 1.1` has stored in 32.
  private static func isSame(_ old: PreferenceValue, _ new: PreferenceValue) -> Bool {
    switch (old, new) {
    case (.float(let narrow), .real(let wide)), (.real(let wide), .float(let narrow)):
      return wide == Double(narrow) || wide == Double("\(narrow)")
    case (.array(let olds), .array(let news)):
      return olds.count == news.count && zip(olds, news).allSatisfy { isSame($0, $1) }
    case (.dictionary(let olds), .dictionary(let news)):
      return olds.count == news.count
        && olds.allSatisfy { key, old in news[key].map { isSame(old, $0) } ?? false }
    default: return old == new
    }
  }

  /// A value with the keys that only the present one has, at every depth.
  private static func merged(
    _ value: PreferenceValue, over old: PreferenceValue
  ) -> PreferenceValue {
    guard case .dictionary(let entries) = value, case .dictionary(let present) = old,
      DesktopTag.of(value) == nil
    else { return value }
    return .dictionary(present.merging(entries) { merged($1, over: $0) })
  }
}
