import VaultCommandCore
import VaultCredentials
import VaultDefaultsTool
import VaultPreferences
import VaultSealing
import VaultStorage

/// Words of `vault defaults` for completion: verbs, domains, keys, types and options.
///
/// The argument parser does not know them, since ``DefaultsTool`` parses its own lines. The keys of
/// a protected domain are offered while a session is open.
struct PreferenceNames {
  let location: () throws -> StoreLocation
  let keys: () throws -> (any DataKeyProvider)?

  /// The verbs, in the order of the help.
  package static let verbs = [
    "read", "read-type", "write", "delete", "delete-all", "rename", "domains", "find", "export",
    "import", "apply", "dump", "describe", "migrate", "profile",
    "record", "edit", "watch", "history", "undo",
    "snapshot", "diff",
    "protect",
    "unprotect", "recover", "help",
  ]
  /// The verbs that take a domain, and those that take a key of it.
  private static let takingDomain: Set<String> = [
    "read", "read-type", "write", "delete", "remove", "delete-all", "rename", "export", "import",
    "edit", "watch", "history", "protect", "unprotect", "dump", "describe", "migrate", "profile",
  ]
  private static let takingKey: Set<String> = [
    "read", "read-type", "write", "delete", "remove", "delete-all", "rename", "watch", "history",
    "describe",
  ]
  /// The verbs that are of use for a domain of which nothing is stored.
  private static let takingSchema: Set<String> = ["write", "describe"]
  private static let types = [
    "-string", "-data", "-int", "-integer", "-float", "-bool", "-boolean", "-date", "-array",
    "-array-add", "-dict", "-dict-add",
  ]
  private static let options: [String: [String]] = [
    "read": [
      "--json", "--effective", "--show-origin", "--all-layers", "--ascii", "--data-summary",
      "--key-path", "--protected", "--gvariant",
    ],
    "read-type": ["--json", "--key-path"], "delete": ["--key-path", "--if-equals", "--to-file"],
    "domains": ["--json"], "find": ["--json", "--protected"],
    "diff": ["--json", "--prune", "--merge", "--format"],
    "export": ["--format", "--strict"], "import": ["--format", "--dry-run", "--output"],
    "apply": ["--dry-run", "--json", "--format", "--prune", "--merge", "--domain"],
    "describe": ["--json", "--check"], "migrate": ["--dry-run", "--json"],
    "profile": ["--none", "--json"], "record": ["--once", "--count"],
    "dump": ["--format", "--by-host", "--every-host", "--protected", "--filter", "--output"],
    "watch": ["--json", "--since", "--count"], "history": ["--json", "--limit", "--since"],
    "undo": ["--since", "--transaction", "--dry-run", "--force"],
    "write": [
      "--json", "--key-path", "--if-equals", "--if-absent", "--force", "--to-file",
      "--gvariant", "--json-from",
      "--string-from",
      "--data-from",
    ],
    "snapshot": ["--list", "--remove", "--restore", "--replace", "--input", "--output"],
  ]

  /// The completions after `words`, the words behind `defaults`.
  func names(typed: String, words: [String]) -> [String] {
    var rest = words[...]
    var host = PreferenceDomain.Host.any
    var desktop: String?
    switch rest.first {
    case "-currentHost":
      rest = rest.dropFirst()
      host = .current
    case "-host":
      guard rest.count > 1 else { return [] }
      host = .named(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
    case "--dconf", "--kconfig", "--portal":
      desktop = rest.first
      rest = rest.dropFirst()
    default: break
    }
    guard let verb = rest.popFirst()?.lowercased() else {
      let first = ["-currentHost", "-host", "--dconf", "--kconfig", "--portal"]
      return (words.isEmpty ? first : []) + Self.verbs
    }
    if rest.last == "--format" {
      return ["plist", "xml", "json", "toml"]
        + (verb == "import"
          ? ["ini", "kconfig", "dconf", "gschema", "profile-manifest"] : ["script"])
    }
    let known = Self.options[verb] ?? []
    let isOption = typed.hasPrefix("-")
    rest = rest.filter { !known.contains($0) }[...]
    guard Self.takingDomain.contains(verb) else { return isOption ? known : [] }
    guard !rest.isEmpty else {
      var there = domains(desktop)
      let own = ProgramPreferences.domain
      if desktop == nil, Self.takingSchema.contains(verb), !there.contains(own) {
        there.append(own)
      }
      return (isOption ? known + ["-g", "-globalDomain", "-app"] : []) + there
    }
    guard let target = target(&rest, host, desktop) else { return [] }
    if rest.isEmpty { return (isOption ? known : []) + keys(of: target, verb) }
    if verb == "write", let key = rest.first, rest.count <= 2 {
      guard let type = rest.dropFirst().first else {
        return values(of: key, target) + types(of: key, target)
          + (typed.hasPrefix("--") ? known : [])
      }
      return isOption ? known : values(of: key, target, after: type)
    }
    return isOption ? known : []
  }

  private func target(
    _ words: inout ArraySlice<String>, _ host: PreferenceDomain.Host, _ desktop: String?
  ) -> DefaultsTarget? {
    guard let desktop else {
      return try? DefaultsTarget.take(&words, host: host, home: nil)
    }
    guard let word = words.popFirst() else { return nil }
    let tool = tool { _ in }
    defer { tool.close() }
    return tool.desktopTarget(word, desktop)
  }

  /// The domains of the store, or of the desktop.
  func domains(_ desktop: String? = nil) -> [String] {
    if let desktop {
      let tool = tool { _ in }
      defer { tool.close() }
      return tool.desktopDomains(desktop)
    }
    var output: [UInt8] = []
    guard tool({ output += $0 }).run(["domains"]) == .done else { return [] }
    return String(decoding: output, as: UTF8.self).substituting(", ", with: "\n")
      .parts(at: "\n").map(String.init)
  }

  private func keys(of target: DefaultsTarget, _ verb: String) -> [String] {
    guard Self.takingKey.contains(verb) else { return [] }
    let tool = tool { _ in }
    defer { tool.close() }
    let stored = ((try? tool.contents(of: target)) ?? [:]).keys
    let known = (try? tool.schema(of: target))?.keys.keys
    return Set(stored).union(known.map { Set($0) } ?? []).sorted()
  }

  private func described(_ key: String, _ target: DefaultsTarget) -> PreferenceSchema.Key? {
    let tool = tool { _ in }
    defer { tool.close() }
    return (try? tool.schema(of: target))?.keys[key]
  }

  /// The values of a key that the domain's schema names, as `write` takes them.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - target: Where it is.
  ///   - type: The word before, which says the type; without one, the value is a text.
  /// - Returns: The values.
  private func values(
    of key: String, _ target: DefaultsTarget, after type: String = "-string"
  ) -> [String] {
    if type.hasPrefix("-bool") { return ["true", "false"] }
    return (described(key, target)?.values ?? []).compactMap { value in
      switch (value, type) {
      case (.string(let text), "-string"): text
      case (.integer(let number), "-int"), (.integer(let number), "-integer"),
        (.integer(let number), "-float"):
        "\(number)"
      case (.real(let number), "-float"): "\(number)"
      default: nil
      }
    }
  }

  /// The words for a value's type: those of the key, if the schema says which it has.
  private func types(of key: String, _ target: DefaultsTarget) -> [String] {
    let own: [String: [String]] = [
      "string": ["-string"], "data": ["-data"], "integer": ["-int"], "float": ["-float"],
      "boolean": ["-bool"], "date": ["-date"], "array": ["-array", "-array-add"],
      "dictionary": ["-dict", "-dict-add"],
    ]
    return described(key, target)?.type.flatMap { own[$0] } ?? Self.types
  }

  private func tool(_ output: @escaping ([UInt8]) -> Void) -> DefaultsTool {
    DefaultsTool(
      location: location,
      streams: DefaultsTool.Streams(output: output, error: { _ in }, input: { [] }), keys: keys,
      ownSchemas: ProgramPreferences.schemas)
  }
}
