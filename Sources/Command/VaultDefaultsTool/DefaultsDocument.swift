import VaultPreferences
import VaultStorage

/// A file of domains, each with keys and values: what `dump` writes and `apply` reads.
///
/// A section is a domain. Behind its name may stand where it counts: `.@host` for the values of
/// this host alone (as after `-currentHost`), `.@host:NAME` for those of the host of that name,
/// `.@host-id:ID` for those of another host, wherever the file is applied, `.@os:NAME` and
/// `.@user:NAME`. The section `@leave-out` has patterns of keys that `dump` does not
/// write and `apply --prune` does not remove, by patterns of domains.
struct DefaultsDocument {
  /// The domain, and where its section counts.
  struct Name: Hashable {
    let domain: String
    /// Whether the values are those of one host alone.
    var isByHost = false
    /// The host whose values they are, if it is none by name.
    var hostID: String?
    /// The conditions, such as `os:linux`, in their order.
    var conditions: [String] = []

    /// The name as the file has it.
    var text: String {
      let parts = conditions.map { ".@\($0)" }.joined()
      let isNamed = conditions.contains { $0.begins(with: "host:") }
      let host = hostID.map { ".@host-id:\($0)" } ?? (isByHost && !isNamed ? ".@host" : "")
      return domain + host + parts
    }

    /// Reads the name of a section.
    init(_ text: String) throws {
      let pieces = text.ranges(ofBytes: ".@")
      guard let first = pieces.first else {
        domain = text
        return
      }
      domain = String(text[..<first.lowerBound])
      for (index, piece) in pieces.enumerated() {
        let end = index + 1 < pieces.count ? pieces[index + 1].lowerBound : text.endIndex
        let condition = String(text[piece.upperBound..<end])
        if condition == "host" {
          isByHost = true
          continue
        }
        guard let (kind, name) = condition.halves(at: ":"), !name.isEmpty,
          ["host", "host-id", "os", "user"].contains(kind)
        else {
          throw DefaultsRefusal(
            "\(text): '@\(condition)' is none of @host, @host:NAME, @host-id:ID, @os:NAME and @user:NAME\n"
              + "Defaults have not been changed.")
        }
        if kind == "host-id" {
          hostID = String(name)
          continue
        }
        if kind == "host" { isByHost = true }
        conditions.append(condition)
      }
    }

    /// Whether both are one place; case does not matter in conditions.
    func isSame(as other: Name) -> Bool {
      domain.isSame(as: other.domain) && isByHost == other.isByHost && hostID == other.hostID
        && conditions.map { $0.lowercased() } == other.conditions.map { $0.lowercased() }
    }

    init(
      domain: String, isByHost: Bool, conditions: [String] = [], hostID: String? = nil
    ) {
      self.domain = domain
      self.hostID = hostID
      self.isByHost = isByHost
      self.conditions = conditions
    }

    /// Whether all conditions are met.
    func counts(on machine: DefaultsMachine) -> Bool {
      conditions.allSatisfy { condition in
        guard let (kind, name) = condition.halves(at: ":") else { return false }
        let pattern = NamePattern(String(name).lowercased())
        let found =
          switch kind {
          case "host": machine.hosts
          case "os": machine.systems
          default: machine.users
          }
        return found.contains { pattern.matches($0.lowercased()) }
      }
    }
  }

  /// A section with its keys; one without a value is to be removed.
  struct Section {
    let name: Name
    var entries: [String: PreferenceValue?]
  }

  /// The section of the patterns.
  static let leaveOut = "@leave-out"

  /// Whether the section of a domain of that name would be read as something else.
  static func isReserved(_ domain: String) -> Bool {
    domain.begins(with: "@") || domain.contains(bytes: ".@")
  }

  /// Sorted by their names.
  var sections: [Section]
  var patterns = DefaultsPatterns()

  init(sections: [Section] = []) { self.sections = sections }

  // MARK: Reading

  /// Whether a word of `diff` is a file, and not the name of a snapshot.
  static func isFile(_ word: String) -> Bool {
    word.utf8.contains(0x2f) || word == "-"
      || [".toml", ".json", ".plist"].contains { word.ends(with: $0) }
  }

  /// The sections that count on a machine, the weakest first: the more conditions one has, the more
  /// it is meant.
  func counting(on machine: DefaultsMachine) -> [Int] {
    sections.indices.filter { sections[$0].name.counts(on: machine) }
      .sorted { first, second in
        (sections[first].name.conditions.count, first)
          < (sections[second].name.conditions.count, second)
      }
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: JSON, where `null` removes a key, TOML, or a property list of any form.
  ///   - path: The file's name, whose ending tells the form.
  ///   - format: The form, if the name does not tell it: `json`, `toml` or `plist`.
  ///   - domain: The domain whose keys the file has; `nil` if it has domains, or if the file's name
  ///     tells it.
  ///   - isDomain: Whether a domain of this name is known, for a file that could have either.
  /// - Throws: ``DefaultsRefusal``; ``DefaultsUsage`` for another form.
  init(
    _ bytes: [UInt8], named path: String, format: String?, domain: String? = nil,
    isDomain: (String) throws -> Bool
  ) throws {
    let format = format ?? Self.format(of: bytes, named: path)
    guard ["json", "toml", "plist"].contains(format) else { throw DefaultsUsage() }
    do {
      var parts = try Self.domains(bytes, format, path, domain)
      if domain == nil, let named = Self.domainOfFile(path), !parts.isEmpty,
        try !Self.haveDomains(parts, named, path, isDomain)
      {
        parts = [named: try Self.keys(bytes, format).mapValues { $0 }]
      }
      for name in parts.keys.sorted(by: OldStyleWriter.precedes)
      where name.begins(with: "@") && !name.isSame(as: Self.leaveOut) {
        throw DefaultsRefusal(
          "\(path): '\(name)' is neither \(Self.leaveOut) nor a domain, whose name does not begin with @\n"
            + "Defaults have not been changed.")
      }
      sections = try parts.filter { $0.key != Self.leaveOut }
        .map { Section(name: try Name($0.key), entries: $0.value) }
        .sorted { OldStyleWriter.precedes($0.name.text, $1.name.text) }
      patterns = try DefaultsPatterns(parts[Self.leaveOut] ?? [:])
    } catch let error as PreferenceError {
      throw DefaultsRefusal("\(path): \(error.message)\nDefaults have not been changed.")
    }
  }

  /// The form in which a file is written where none is asked for: that of its name, else its present
  /// one, else TOML.
  static func formatToWrite(_ path: String, over earlier: [UInt8]?) -> String {
    if path.ends(with: ".plist") { return "plist" }
    let isNamed = path.ends(with: ".json") || path.ends(with: ".toml")
    guard isNamed || earlier != nil else { return "toml" }
    return format(of: earlier ?? [], named: path)
  }

  static func format(of bytes: [UInt8], named path: String) -> String {
    if path.ends(with: ".json") { return "json" }
    if path.ends(with: ".toml") { return "toml" }
    // An old-style dictionary has no colon behind its first key, and is no TOML either.
    if (try? JSONText.parse(bytes)) != nil { return "json" }
    return !bytes.isEmpty && (try? TOMLText.parse(bytes)) != nil ? "toml" : "plist"
  }

  private static func domains(
    _ bytes: [UInt8], _ format: String, _ path: String, _ domain: String?
  ) throws -> [String: [String: PreferenceValue?]] {
    let named = domain ?? domainOfFile(path)
    if domain == nil {
      do {
        switch format {
        case "json": return try JSONText.parseDomains(bytes)
        case "toml": return try TOMLText.parseDomains(bytes).mapValues { $0.mapValues { $0 } }
        default:
          if let parts = try domains(try PropertyList.parse(bytes), path, isRequired: named == nil)
          {
            return parts
          }
        }
      } catch let error as PreferenceError {
        // What `export` writes has one domain's keys, and no more.
        guard let named, let entries = try? keys(bytes, format), isFlat(entries) else {
          throw error
        }
        return [named: entries.mapValues { $0 }]
      }
    }
    guard let named else { throw DefaultsUsage() }
    return [named: try keys(bytes, format).mapValues { $0 }]
  }

  /// Whether the parts of a file are domains, where its name could be the one whose keys they are:
  /// an export may have nothing but dictionaries.
  ///
  /// - Throws: ``DefaultsRefusal`` if neither is sure.
  private static func haveDomains(
    _ parts: [String: [String: PreferenceValue?]], _ named: String, _ path: String,
    _ isDomain: (String) throws -> Bool
  ) throws -> Bool {
    let name = try Name(named).domain
    let areSections = parts.keys.contains { part in
      part == leaveOut || part.contains(bytes: ".@") || part.isSame(as: name)
    }
    // What `keys` made of the export's keys already, or a document in a file of its domain's name.
    if areSections { return true }
    let known = try parts.keys.filter { try isDomain($0) }
    if try isDomain(name) {
      if known.isEmpty { return false }
    } else if parts.keys.allSatisfy({
      known.contains($0) || $0.utf8.contains(0x2e) || $0 == PreferenceDomain.globalName
    }) {
      return true
    }
    let first = parts.keys.sorted(by: OldStyleWriter.precedes)[0]
    throw DefaultsRefusal(
      "\(path) has keys of the domain \(name), or domains such as \(first): --domain \(name) takes "
        + "them for its keys, and from stdin (apply -) they are domains.\n"
        + "Defaults have not been changed.")
  }

  /// The keys and values of a file that has no domains.
  private static func keys(
    _ bytes: [UInt8], _ format: String
  ) throws -> [String: PreferenceValue] {
    let value =
      switch format {
      case "json": try JSONText.parse(bytes)
      case "toml": try TOMLText.parse(bytes)
      default: try PropertyList.parse(bytes)
      }
    guard case .dictionary(let entries) = value else {
      throw PreferenceError(.syntax, "this is not a dictionary of keys")
    }
    return entries
  }

  private static func isFlat(_ entries: [String: PreferenceValue]) -> Bool {
    entries.values.contains { if case .dictionary = $0 { false } else { true } }
  }

  /// `com.example.editor` of `com.example.editor.json`; `nil` for a name without a dot in it.
  private static func domainOfFile(_ path: String) -> String? {
    var name = path.parts(at: "/").last.map { String($0) } ?? path
    for ending in [".toml", ".json", ".plist"] where name.ends(with: ending) {
      name = String(name.dropLast(ending.utf8.count))
    }
    return name.utf8.dropFirst().contains(0x2e) || name == PreferenceDomain.globalName ? name : nil
  }

  /// The domains of a property list; `nil` if it has a domain's keys and need not have domains.
  private static func domains(
    _ value: PreferenceValue, _ path: String, isRequired: Bool
  ) throws -> [String: [String: PreferenceValue?]]? {
    guard case .dictionary(let parts) = value else {
      throw DefaultsRefusal(
        "\(path) is not a dictionary of domains\nDefaults have not been changed.")
    }
    if !isRequired, isFlat(parts) { return nil }
    var read: [String: [String: PreferenceValue?]] = [:]
    for (name, part) in parts {
      guard case .dictionary(let entries) = part else {
        throw DefaultsRefusal(
          "\(path): \(name) is not a dictionary of keys\nDefaults have not been changed.")
      }
      read[name] = entries
    }
    return read
  }

  // MARK: Writing

  /// The document's bytes.
  ///
  /// - Parameters:
  ///   - format: `json`, `toml` or `plist`.
  ///   - comments: Those of the file that is written again.
  /// - Returns: The bytes; a line for each value that the form cannot hold.
  /// - Throws: ``DefaultsRefusal`` if it cannot be written.
  func bytes(
    as format: String, keeping comments: inout TOMLComments?
  ) throws -> (bytes: [UInt8], losses: [String]) {
    var parts: [(name: String, entries: [String: PreferenceValue])] = []
    // Only JSON has a form for a key that is to be removed.
    var removals: [String: Set<String>] = [:]
    if !patterns.isEmpty { parts.append((Self.leaveOut, patterns.entries)) }
    var names: [String: Bool] = [:]
    for name in sections.map(\.name.text) {
      guard names.otherSpelling(of: name) == nil else {
        throw DefaultsRefusal(
          "\([String: Bool].twice(name))\nNothing was written. Name the domains that are meant: a file "
            + "cannot hold both.")
      }
      names[name] = true
    }
    for section in sections {
      let name = section.name.text
      parts.append((name, section.entries.compactMapValues { $0 }))
      removals[name] = Set(section.entries.keys.filter { section.entries[$0] == .some(nil) })
    }
    switch format {
    case "toml":
      var lines: [String] = []
      for (name, entries) in parts {
        if !lines.isEmpty { lines.append("") }
        lines += comments?.take(.init(domain: name, key: nil)) ?? []
        lines.append(TOMLWriter.header(name))
        for key in entries.keys.sorted(by: OldStyleWriter.precedes) {
          lines += comments?.take(.init(domain: name, key: key)) ?? []
          lines.append(TOMLWriter.line(key, entries[key] ?? ""))
        }
      }
      lines += comments?.atEnd ?? []
      return (try TOMLWriter.bytes(lines), [])
    case "json":
      var writer = JSONWriter(isPretty: true)
      writer.object(parts) { writer, part in
        writer.member(part.name) { writer in
          let keys = removals[part.name, default: []].union(part.entries.keys)
          writer.object(keys.sorted(by: OldStyleWriter.precedes)) { writer, key in
            writer.member(key) { $0.literal(part.entries[key].map { JSONText.text($0) } ?? "null") }
          }
        }
      }
      return (Array((writer.text + "\n").utf8), [])
    case "plist":
      let whole = parts.map { ($0.name, PreferenceValue.dictionary($0.entries)) }
      let document = PropertyList.xml(
        .dictionary(Dictionary(whole, uniquingKeysWith: { $1 })))
      return (document.bytes, document.losses)
    default: throw DefaultsUsage()
    }
  }
}

/// Keys that a file leaves to the machine, such as the places of windows: patterns of keys by
/// patterns of domains.
struct DefaultsPatterns {
  private(set) var entries: [String: PreferenceValue] = [:]
  private var patterns: [(domain: NamePattern, key: NamePattern)] = []

  var isEmpty: Bool { entries.isEmpty }

  init() {}

  init(_ parts: [String: PreferenceValue?]) throws(PreferenceError) {
    for (domain, value) in parts {
      guard case .array(let keys)? = value else { throw Self.failure(domain) }
      for key in keys {
        guard case .string(let pattern) = key else { throw Self.failure(domain) }
        add(pattern, in: domain)
      }
      entries[domain] = .array(keys)
    }
  }

  private static func failure(_ domain: String) -> PreferenceError {
    PreferenceError(
      .syntax,
      "\(DefaultsDocument.leaveOut) has an array of patterns of keys for each domain, and "
        + "'\(domain)' has something else")
  }

  /// Adds a word of a line: a pattern of keys, or of domains and keys with a colon between them.
  ///
  /// Domains of the desktop have colons in their names, and so may keys: each of them is tried.
  ///
  /// - Parameters:
  ///   - word: The word.
  ///   - prefix: What the line's domains begin with, which need not be typed.
  mutating func add(word: String, prefix: String?) {
    add(word, in: "*")
    var rest = word[...]
    while let sign = rest.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let key = String(word[word.utf8.index(after: sign)...])
      let domain = String(word[..<sign])
      add(key, in: domain)
      if let prefix { add(key, in: prefix + domain) }
      rest = word[word.utf8.index(after: sign)...]
    }
  }

  private mutating func add(_ key: String, in domain: String) {
    patterns.append((NamePattern(domain), NamePattern(key)))
  }

  mutating func formUnion(_ other: DefaultsPatterns) {
    entries.merge(other.entries) { $1 }
    patterns += other.patterns
  }

  func matches(_ key: String, in domain: String) -> Bool {
    patterns.contains { $0.domain.matches(domain) && $0.key.matches(key) }
  }
}

/// What the conditions of sections are compared with.
package struct DefaultsMachine: Sendable {
  /// The host's names: whole, and up to the first dot.
  let hosts: [String]
  /// `linux`, and of os-release(5) `ID`, `ID_LIKE`, and both with the version: `debian`,
  /// `debian-12`.
  let systems: [String]
  /// The user's name.
  let users: [String]

  package init(hosts: [String], systems: [String], users: [String]) {
    self.hosts = hosts
    self.systems = systems
    self.users = users
  }

  /// This machine and this user.
  package static var current: DefaultsMachine {
    let host = HostIdentity.hostName()
    let short = host.halves(at: ".").map { String($0.before) } ?? host
    var release: [String: String] = [:]
    for path in ["/etc/os-release", "/usr/lib/os-release"] where release.isEmpty {
      let bytes = (try? UserFile.bytes(of: path, limit: 64 << 10)) ?? []
      for line in String(decoding: bytes, as: UTF8.self).parts(at: "\n") {
        guard let (name, value) = line.halves(at: "=") else { continue }
        release[String(name)] = String(
          decoding: value.utf8.filter { $0 != 0x22 && $0 != 0x27 }, as: UTF8.self)
      }
    }
    let id = release["ID"].map { [$0] } ?? []
    let like = (release["ID_LIKE"] ?? "").parts(at: " ").map { String($0) }
    let version = release["VERSION_ID"].map { version in id.map { "\($0)-\(version)" } } ?? []
    return DefaultsMachine(
      hosts: [host, short], systems: ["linux"] + id + like + version,
      users: StoreLocation.userName.map { [$0] } ?? [])
  }

  /// The name that a section of this host has.
  var host: String { hosts.last ?? "" }
}
