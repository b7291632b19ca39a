import VaultPreferences
import VaultStorage

/// `apply`: a file of domains with their keys and values, made true in one transaction.
extension DefaultsTool {
  func apply(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--dry-run", "--json"], values: ["--format"])
    guard let path = words.popFirst(), words.isEmpty else { throw DefaultsUsage() }
    let wanted = try DefaultsDocument.read(
      try bytes(of: path), named: path, format: options.value("--format"))
    let isDryRun = options.has("--dry-run")
    let differences: [PreferenceDifference]
    if isDryRun {
      differences = try self.differences(of: wanted) { try self.reading()?.value($0, in: $1) }
    } else if try self.differences(of: wanted, { try self.reading()?.value($0, in: $1) }).isEmpty {
      // Nothing to write: no store is made, and no lock is waited for.
      differences = []
    } else {
      differences = try writing().transaction { transaction in
        let changes = try self.differences(of: wanted) { try transaction.value($0, in: $1) }
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
    for difference in differences {
      print(options.has("--json") ? ChangeText.json(difference) : ChangeText.lines(difference))
    }
    if !options.has("--json") {
      let domains = Set(differences.map(\.domain)).count
      print(
        differences.isEmpty
          ? "Nothing to change."
          : "\(isDryRun ? "Would change" : "Changed") \(differences.count) "
            + "key\(differences.count == 1 ? "" : "s") in \(domains) "
            + "domain\(domains == 1 ? "" : "s").")
    }
    if isDryRun, !differences.isEmpty { throw DefaultsRefusal(nil) }
  }

  private func bytes(of path: String) throws -> [UInt8] {
    do {
      return path == "-" ? try streams.input() : try PropertyListFile.bytes(of: path)
    } catch {
      let reason = (error as? System.Failure).map { ": \($0.reason)" } ?? ""
      throw DefaultsRefusal("Could not read \(path)\(reason)\nDefaults have not been changed.")
    }
  }

  /// What differs from the values of a document, in its order.
  private func differences(
    of document: [DefaultsDocument.Domain],
    _ current: (String, PreferenceDomain) throws -> PreferenceValue?
  ) throws -> [PreferenceDifference] {
    var differences: [PreferenceDifference] = []
    for part in document {
      var words = [part.name][...]
      guard case .stored(let domain) = try take(&words) else {
        throw DefaultsRefusal(
          "\(part.name) is a file; apply changes domains.\nDefaults have not been changed.")
      }
      let fixed = try managed.entries(for: domain.name)
      for (key, value) in part.entries {
        // What the administrator has fixed to this value needs no change, and could have none.
        if let entry = fixed[key], entry.value == value { continue }
        let old = try current(key, domain)
        guard old != value else { continue }
        differences.append(PreferenceDifference(domain: domain, key: key, old: old, new: value))
      }
    }
    return differences
  }
}

/// A file of domains, each with keys and values.
enum DefaultsDocument {
  /// A domain with its entries, sorted; a key without a value is to be removed.
  struct Domain {
    let name: String
    let entries: [(key: String, value: PreferenceValue?)]
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: JSON, where `null` removes a key, TOML, or a property list of any form.
  ///   - path: The file's name, whose ending tells the form.
  ///   - format: The form, if the name does not tell it: `json`, `toml` or `plist`.
  /// - Returns: The domains, sorted.
  /// - Throws: ``DefaultsRefusal``; ``DefaultsUsage`` for another form.
  static func read(
    _ bytes: [UInt8], named path: String, format: String?
  ) throws -> [Domain] {
    do {
      switch format ?? self.format(of: bytes, named: path) {
      case "json": return domains(try JSONText.parseDomains(bytes))
      case "toml":
        return domains(try TOMLText.parseDomains(bytes).mapValues { $0.mapValues { $0 } })
      case "plist": return try domains(PropertyList.parse(bytes), path)
      default: throw DefaultsUsage()
      }
    } catch let error as PreferenceError {
      throw DefaultsRefusal("\(path): \(error.message)\nDefaults have not been changed.")
    }
  }

  private static func format(of bytes: [UInt8], named path: String) -> String {
    if path.ends(with: ".json") { return "json" }
    if path.ends(with: ".toml") { return "toml" }
    return isJSON(bytes) ? "json" : "plist"
  }

  /// Whether a text from a pipe is JSON: an old-style dictionary has no colon behind its first key.
  private static func isJSON(_ bytes: [UInt8]) -> Bool { (try? JSONText.parse(bytes)) != nil }

  private static func domains(_ value: PreferenceValue, _ path: String) throws -> [Domain] {
    guard case .dictionary(let parts) = value else {
      throw DefaultsRefusal(
        "\(path) is not a dictionary of domains\nDefaults have not been changed.")
    }
    var read: [String: [String: PreferenceValue?]] = [:]
    for (name, part) in parts {
      guard case .dictionary(let entries) = part else {
        throw DefaultsRefusal(
          "\(path): \(name) is not a dictionary of keys\nDefaults have not been changed.")
      }
      read[name] = entries
    }
    return domains(read)
  }

  private static func domains(_ parts: [String: [String: PreferenceValue?]]) -> [Domain] {
    parts.keys.sorted(by: OldStyleWriter.precedes).map { name in
      let entries = parts[name] ?? [:]
      return Domain(
        name: name,
        entries: entries.keys.sorted(by: OldStyleWriter.precedes).map { ($0, entries[$0] ?? nil) })
    }
  }
}
