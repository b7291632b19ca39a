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
    let earlier = path == "-" ? nil : try PropertyListFile.earlier(at: path)
    let format = options.value("--format") ?? DefaultsDocument.formatToWrite(path, over: earlier)
    guard ["toml", "json", "plist"].contains(format) else {
      throw DefaultsRefusal(
        "There is no form '\(format)': toml, json and plist are. Nothing was written.")
    }
    for form in ["toml", "json", "plist"] where path.ends(with: ".\(form)") && form != format {
      throw DefaultsRefusal(
        "\(path) would be read as \(form), and --format says \(format). Nothing was written.")
    }
    if earlier != nil { try checkIsNotEmptied(path) }
    var document = DefaultsDocument()
    if let earlier {
      document = try DefaultsDocument(earlier, named: path, format: nil, isDomain: isKnown)
    }
    var left = document.patterns
    var filters: [String: DefaultsPatterns] = [:]
    for word in options.values("--filter") {
      let prefix = desktop.map { type(of: $0).prefix }
      left.add(word: word, prefix: prefix)
      filters[word, default: DefaultsPatterns()].add(word: word, prefix: prefix)
    }
    try fill(
      &document, from: path, with: Array(words), leavingOut: left, without: &filters, options)
    for word in filters.keys.sorted() {
      warn("--filter \(Quoting.visible(word)) leaves nothing out: no key is called so")
    }
    var comments: TOMLComments?
    if let earlier, format == "toml", DefaultsDocument.format(of: earlier, named: path) == "toml" {
      comments = try TOMLComments(earlier)
    }
    let (bytes, losses) = try document.bytes(as: format, keeping: &comments)
    for loss in losses { warn("a property list cannot hold this: \(loss)") }
    if let lost = comments?.lost, !lost.isEmpty {
      warn(
        "comments that stand behind a value, in one, or above what is gone were not kept: "
          + (lost.count == 1 ? "line " : "lines ") + lost.map { String($0) }.joined(separator: ", ")
      )
    }
    try write(bytes, to: path)
  }

  /// Puts the present values into a document.
  ///
  /// One that is written again keeps its domains and its sections. What the sections that count here
  /// say already stays where it is; see ``update(_:_:of:with:leavingOut:)`` for what differs.
  private func fill(
    _ document: inout DefaultsDocument, from path: String, with words: [String],
    leavingOut left: DefaultsPatterns, without filters: inout [String: DefaultsPatterns],
    _ options: DefaultsOptions
  ) throws {
    try checkIsRead()
    var counting: [PreferenceDomain: [Int]] = [:]
    for index in document.counting(on: machine()) {
      counting[try domain(of: document.sections[index].name, path), default: []].append(index)
    }
    var places = Set(counting.keys)
    if !words.isEmpty || document.sections.isEmpty {
      let chosen = try domainsToDump(
        words, isByHost: options.has("--by-host") || options.has("--every-host"),
        everyHost: options.has("--every-host"))
      let names = Set(chosen.map(\.name))
      places = places.filter { names.contains($0.name) }.union(chosen)
    } else {
      places.formUnion(try partsToDump(of: places, options))
    }
    for domain in places.sorted(by: WantedValues.precedes) {
      try checkIsRead(domain.name)
      let sections = counting[domain] ?? []
      guard
        let entries = try entries(
          of: domain, isProtectedMeant: options.has("--protected"), isInFile: !sections.isEmpty)
      else { continue }
      guard !DefaultsDocument.isReserved(domain.name) else {
        warn(
          "the domain \(domain.name) was left out: such a name means something else in a file")
        continue
      }
      for (word, patterns) in filters
      where entries.keys.contains(where: { patterns.matches($0, in: domain.name) }) {
        filters[word] = nil
      }
      try update(&document, sections, of: domain, with: entries, leavingOut: left)
    }
    document.sections.sort { OldStyleWriter.precedes($0.name.text, $1.name.text) }
  }

  /// Makes the sections of a domain that count here, the weakest first, say what is stored.
  ///
  /// What is left out goes. A value that changed goes to the strongest section that has its key, one
  /// that is gone goes from all of them, and a key that none has goes to the domain's own section.
  private func update(
    _ document: inout DefaultsDocument, _ sections: [Int], of domain: PreferenceDomain,
    with entries: [String: PreferenceValue], leavingOut left: DefaultsPatterns
  ) throws {
    var wanted = WantedValues(isExact: false, isMerging: false)
    var given: Set<ExactText> = []
    for index in sections {
      let section = document.sections[index]
      for key in section.entries.keys where left.matches(key, in: domain.name) {
        document.sections[index].entries.removeValue(forKey: key)
      }
      given.formUnion(section.entries.keys.map { ExactText($0) })
      try add(document.sections[index], to: &wanted, in: domain)
    }
    for difference in try wanted.differences(from: reading().map { Stored.database($0) }) {
      let key = difference.key
      if let value = difference.old,
        let strongest = sections.last(where: {
          document.sections[$0].entries.keys.contains(key)
        })
      {
        document.sections[strongest].entries[key] = .some(value)
      } else {
        for index in sections { document.sections[index].entries.removeValue(forKey: key) }
      }
    }
    let new = entries.filter {
      !given.contains(ExactText($0.key)) && !left.matches($0.key, in: domain.name)
    }
    guard !new.isEmpty || sections.isEmpty else { return }
    let name = ownName(of: domain)
    if let index = sections.last(where: { document.sections[$0].name.isSame(as: name) }) {
      for (key, value) in new { document.sections[index].entries[key] = .some(value) }
    } else {
      document.sections.append(
        DefaultsDocument.Section(name: name, entries: new.mapValues { $0 }))
    }
  }

  /// The name of the section that has a domain's values and nothing of other hosts.
  private func ownName(of domain: PreferenceDomain) -> DefaultsDocument.Name {
    let isByHost = domain.host == .current && host == .any
    return DefaultsDocument.Name(
      domain: domain.name, isByHost: isByHost,
      conditions: isByHost ? ["host:\(machine().host)"] : [],
      hostID: Self.hostID(of: domain, host))
  }

  /// The host that a section is of, where it is neither this one nor the line's.
  private static func hostID(
    of domain: PreferenceDomain, _ host: PreferenceDomain.Host
  ) -> String? {
    if case .named(let id) = domain.host, domain.host != host { return id }
    return nil
  }

  /// The parts for hosts that a file lacks of its own domains, as far as they are asked for; of the
  /// others it warns.
  private func partsToDump(
    of places: Set<PreferenceDomain>, _ options: DefaultsOptions
  ) throws -> [PreferenceDomain] {
    guard host == .any else { return [] }
    let names = Set(places.map { ExactText($0.name) })
    let parts = try reading()?.domains().filter { domain in
      domain.host != .any && names.contains(ExactText(domain.name)) && !places.contains(domain)
    }
    let own = (parts ?? []).filter { $0.host == .current }
    if options.has("--every-host") { return parts ?? [] }
    if options.has("--by-host") { return own }
    if !own.isEmpty { warnOfOwn(own.count) }
    return []
  }

  private func warnOfOwn(_ count: Int) {
    warn(
      "this host's own values of \(count) domain\(count == 1 ? "" : "s") are not in it; "
        + "--by-host adds them")
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
        guard stored.contains(where: { $0.name.isSame(as: domain.name) }) else {
          throw absent(target, nil)
        }
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
    warnOfOwn(parts.count)
    return chosen
  }

  /// The keys and values that a file can hold; of the others it warns.
  func told(_ exact: ExactEntries, of domain: PreferenceDomain) -> [String: PreferenceValue] {
    let (entries, hidden) = exact.folded
    for key in hidden {
      warn(
        "the key \(Quoting.visible(key)) of \(Quoting.visible(domain.name)) is not in it: another one "
          + "is canonically equivalent, and no file can hold both")
    }
    return entries
  }

  /// A domain's keys and values; `nil`, with a warning, if it cannot be read or is sealed.
  private func entries(
    of domain: PreferenceDomain, isProtectedMeant: Bool, isInFile: Bool
  ) throws -> [String: PreferenceValue]? {
    guard let database = try reading() else { return [:] }
    if !isProtectedMeant, try database.isProtected(domain) {
      warn(
        isInFile
          ? "the domain \(domain.name) is protected; what the file has of it was left as it was, and "
            + "--protected brings it up to date"
          : "the domain \(domain.name) is protected and not in it; --protected adds it")
      return nil
    }
    do {
      return try told(database.entries(of: domain) ?? [:], of: domain)
    } catch {
      guard error.code == .locked || error.code == .damaged else { throw error }
      warn(error.message)
      return nil
    }
  }
}
