import VaultPreferences
import VaultStorage

/// `dump`: domains in the form that `apply` reads.
extension DefaultsTool {
  func dump(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(
      &words, flags: ["--by-host", "--every-host", "--protected"],
      values: ["--filter", "--format", "--output"])
    let path = options.value("--output") ?? "-"
    let earlier = path == "-" || !UserFile.exists(path) ? nil : try fileBytes(path)
    let format =
      options.value("--format")
      ?? (path == "-"
        ? "toml"
        : DefaultsDocument.isFile(path) ? DefaultsDocument.format(of: [], named: path) : "toml")
    guard ["toml", "json", "plist"].contains(format) else {
      throw DefaultsRefusal(
        "There is no form '\(format)': toml, json and plist are. Nothing was written.")
    }
    var document = DefaultsDocument()
    if let earlier {
      document = try DefaultsDocument(earlier, named: path, format: nil)
    }
    var left = document.patterns
    for word in options.values("--filter") { left.add(word: word) }
    try fill(&document, with: Array(words), leavingOut: left, options)
    var comments: TOMLComments?
    if let earlier, format == "toml", DefaultsDocument.format(of: earlier, named: path) == "toml" {
      comments = try TOMLComments(earlier)
    }
    let (bytes, losses) = try document.bytes(as: format, keeping: &comments)
    for loss in losses { warn("a property list cannot hold this: \(loss)") }
    if let lost = comments?.lost, !lost.isEmpty {
      warn(
        "comments that stand behind a value, in one, or above what is gone were not kept: line "
          + lost.map { String($0) }.joined(separator: ", "))
    }
    try write(bytes, to: path)
  }

  /// Puts the present values into a document.
  ///
  /// One that is written again keeps its domains and the sections of other machines; a key that a
  /// section with a condition has, and that counts here, is written there.
  private func fill(
    _ document: inout DefaultsDocument, with words: [String],
    leavingOut left: DefaultsPatterns, _ options: DefaultsOptions
  ) throws {
    let machine = machine()
    let known = document.sections
    var places: [PreferenceDomain] = []
    if words.isEmpty, !known.isEmpty {
      for section in known where section.name.counts(on: machine) {
        places.append(
          PreferenceDomain(
            section.name.domain,
            host: section.name.hostID.map { .named($0) }
              ?? (section.name.isByHost ? .current : host)))
      }
    } else {
      places = try domainsToDump(
        words, isByHost: options.has("--by-host") || options.has("--every-host"),
        everyHost: options.has("--every-host"))
    }
    document.sections.removeAll { section in
      section.name.counts(on: machine)
        && section.name.conditions.allSatisfy { $0.begins(with: "host:") }
        && (words.isEmpty || words.contains(section.name.domain))
    }
    for domain in Set(places) {
      guard var entries = try entries(of: domain, isProtectedMeant: options.has("--protected"))
      else {
        continue
      }
      guard !domain.name.contains(bytes: ".@") else {
        warn(
          "the name of the domain \(domain.name) has '.@', which means something in a file; it was left out"
        )
        continue
      }
      entries = entries.filter { !left.matches($0.key, in: domain.name) }
      // What a section with a condition has is written there.
      for index in document.sections.indices
      where document.sections[index].name.domain == domain.name
        && document.sections[index].name.hostID == Self.hostID(of: domain, host)
        && document.sections[index].name.isByHost == (domain.host == .current)
        && document.sections[index].name.counts(on: machine)
      {
        for key in document.sections[index].entries.keys {
          if let value = entries.removeValue(forKey: key) {
            document.sections[index].entries[key] = .some(value)
          }
        }
      }
      let isByHost = domain.host == .current && host == .any
      let name =
        known.first {
          $0.name.domain == domain.name && $0.name.isByHost == isByHost
            && $0.name.hostID == Self.hostID(of: domain, host)
            && $0.name.counts(on: machine)
            && $0.name.conditions.allSatisfy { $0.begins(with: "host:") }
        }?.name
        ?? DefaultsDocument.Name(
          domain: domain.name, isByHost: isByHost,
          conditions: isByHost ? ["host:\(machine.host)"] : [],
          hostID: Self.hostID(of: domain, host))
      document.sections.append(
        DefaultsDocument.Section(name: name, entries: entries.mapValues { $0 }))
    }
    document.sections.sort { OldStyleWriter.precedes($0.name.text, $1.name.text) }
  }

  /// The host that a section is of, where it is neither this one nor the line's.
  private static func hostID(
    of domain: PreferenceDomain, _ host: PreferenceDomain.Host
  ) -> String? {
    if case .named(let id) = domain.host, domain.host != host { return id }
    return nil
  }

  /// The domains that words name, or all.
  private func domainsToDump(
    _ words: [String], isByHost: Bool, everyHost: Bool
  ) throws -> [PreferenceDomain] {
    let stored = try reading()?.domains() ?? []
    var chosen: [PreferenceDomain] = []
    if words.isEmpty {
      chosen = stored.filter { $0.storedHost == hostName && isMeant($0.name) }
    } else {
      var rest = words[...]
      while !rest.isEmpty {
        let target = try take(&rest)
        guard case .stored(let domain) = target else {
          throw DefaultsRefusal("\(target.name) is a file; dump writes domains.")
        }
        guard stored.contains(where: { $0.name == domain.name }) else { throw absent(target, nil) }
        if stored.contains(domain) { chosen.append(domain) }
      }
    }
    let names = words.isEmpty ? Set(stored.map(\.name)) : Set(chosen.map(\.name)).union(words)
    let parts = stored.filter { $0.host == .current && names.contains($0.name) }
    guard host == .any, !parts.isEmpty || everyHost else { return chosen }
    let others = stored.filter { domain in
      if case .named = domain.host {
        names.contains(domain.name) && isMeant(domain.name)
      } else {
        false
      }
    }
    if everyHost { return chosen + parts + others }
    if isByHost {
      if !others.isEmpty {
        warn(
          "values of other hosts, of \(others.count) domain\(others.count == 1 ? "" : "s"), are not "
            + "in it; --every-host adds them")
      }
      return chosen + parts
    }
    warn(
      "this host's own values of \(parts.count) domain\(parts.count == 1 ? "" : "s") are not in it; "
        + "--by-host adds them")
    return chosen
  }

  /// A domain's keys and values; `nil`, with a warning, if it cannot be read or is sealed.
  private func entries(
    of domain: PreferenceDomain, isProtectedMeant: Bool
  ) throws -> [String: PreferenceValue]? {
    guard let database = try reading() else { return [:] }
    if !isProtectedMeant, try database.isProtected(domain) {
      warn("the domain \(domain.name) is protected and not in it; --protected adds it")
      return nil
    }
    do {
      return try database.contents(of: domain) ?? [:]
    } catch {
      guard error.code == .locked || error.code == .damaged else { throw error }
      warn(error.message)
      return nil
    }
  }
}
