import CVaultLinux
import Glibc
import VaultPreferences
import VaultStorage

/// Domains of the desktop: `--dconf`, `--kconfig`, `--portal`, and names with these prefixes.
extension DefaultsTool {
  /// Every prefix of a copy.
  static let desktopPrefixes = [
    DConfSource.prefix, KConfigSource.prefix, PortalSource.prefix,
  ]
  /// Which changes of other machines the desktop has got: their latest numbers, by prefix.
  private static let handedOn = PreferenceDomain("@desktop")

  /// The source of a domain of the store; `nil` for one of our own.
  func source(of name: String) -> (any DesktopSource)? {
    if name.begins(with: DConfSource.prefix) { return dconf }
    if name.begins(with: KConfigSource.prefix) { return kconfig }
    if name.begins(with: PortalSource.prefix) { return portal }
    return nil
  }

  /// Whether a line without a domain is about a domain: with `--dconf` only about those of dconf,
  /// without it only about our own.
  func isMeant(_ name: String) -> Bool {
    if name == Self.handedOn.name { return false }
    guard let desktop else { return !Self.desktopPrefixes.contains { name.begins(with: $0) } }
    return name.begins(with: type(of: desktop).prefix)
  }

  /// The domain that a word means with `--dconf` or `--kconfig`, or by its prefix.
  func desktopTarget(_ word: String) throws -> DefaultsTarget? {
    let named = Self.desktopPrefixes.first { word.begins(with: $0) }
    guard let source = named.flatMap({ self.source(of: $0) }) ?? desktop else { return nil }
    let name = try source.domain(named: named.map { String(word.dropFirst($0.count)) } ?? word)
    let domain = type(of: source).prefix + name
    try catchUp(source, beside: [name])
    return .stored(PreferenceDomain(domain))
  }

  // MARK: Completion, which asks nobody

  /// The domains that may follow `--dconf` or `--kconfig`.
  package func desktopDomains(_ option: String) -> [String] {
    guard let source = source(of: "\(option.dropFirst(2)):") else { return [] }
    let prefix = type(of: source).prefix
    let stored = (try? reading()?.domains()) ?? []
    return stored.filter { $0.name.begins(with: prefix) }
      .map { String($0.name.dropFirst(prefix.count)) } + source.names
  }

  /// The copy's domain that a word behind `--dconf` or `--kconfig` means.
  package func desktopTarget(_ word: String, _ option: String) -> DefaultsTarget? {
    guard let source = source(of: "\(option.dropFirst(2)):"),
      let name = try? source.domain(named: word)
    else { return nil }
    return .stored(PreferenceDomain(type(of: source).prefix + name))
  }

  // MARK: From the desktop

  /// Has the copy take what the desktop has; what differs is one transaction of the journal.
  ///
  /// - Returns: The number of keys that changed.
  @discardableResult
  func catchUp(_ source: any DesktopSource, beside named: Set<String> = []) throws -> Int {
    let prefix = type(of: source).prefix
    guard !caughtUp.contains(prefix) || !named.isSubset(of: caughtUpNames) else { return 0 }
    caughtUp.insert(prefix)
    caughtUpNames.formUnion(named)
    let stored = try reading()?.domains().filter { $0.name.begins(with: prefix) } ?? []
    let known = Set(stored.map { String($0.name.dropFirst(prefix.count)) })
    let current = try source.current(beside: known.union(named))
    func differences(
      _ contents: (PreferenceDomain) throws -> [String: PreferenceValue]?
    ) throws -> [(PreferenceDomain, String, PreferenceValue?)] {
      var found: [(PreferenceDomain, String, PreferenceValue?)] = []
      for name in known.union(current.keys).sorted() {
        let domain = PreferenceDomain(prefix + name)
        let (old, new) = (try contents(domain) ?? [:], current[name] ?? [:])
        // A value of another type that is the same to the desktop, such as one that sync brought.
        for key in Set(old.keys).union(new.keys).sorted()
        where old[key] != new[key] && !source.isSame(old[key], new[key], of: key, in: name) {
          found.append((domain, key, new[key]))
        }
      }
      return found
    }
    let database = try reading()
    let first = try differences { try database?.contents(of: $0) }
    let waiting = try first.filter { try isWaiting($0, source) }
    if !waiting.isEmpty { try handOn(waiting, source) }
    let isLeft = { (domain: PreferenceDomain, key: String) in
      waiting.contains { $0.0 == domain && $0.1 == key }
    }
    guard first.count > waiting.count else { return 0 }
    // Written under the desktop's name: this line did not make the changes.
    guard
      let writer = try PreferenceDatabase.open(
        location(), mode: .write, process: String(prefix.dropLast()), managed: managed)
    else { return 0 }
    defer { writer.close() }
    return try writer.transaction { transaction in
      let changes = try differences { try transaction.contents(of: $0) }
        .filter { !isLeft($0.0, $0.1) }
      for (domain, key, value) in changes {
        if let value {
          try transaction.set(value, key, in: domain)
        } else {
          try transaction.remove(key, in: domain)
        }
      }
      return changes.count
    }
  }

  /// Whether a key differs since another machine has changed it, and the desktop still has what was
  /// there before.
  private func isWaiting(
    _ difference: (PreferenceDomain, String, PreferenceValue?), _ source: any DesktopSource
  ) throws -> Bool {
    let (domain, key, now) = difference
    guard let last = try reading()?.changes(in: domain, key: key, limit: 1).last,
      last.process.contains(bytes: " sync from ")
    else { return false }
    let prefix = type(of: source).prefix
    if case .integer(let done)? = try reading()?.value(prefix, in: Self.handedOn),
      last.sequence <= done
    {
      return false
    }
    let name = String(domain.name.dropFirst(prefix.count))
    return source.isSame(last.old, now, of: key, in: name)
  }

  /// Has the desktop take what other machines changed; where it cannot now, it is said.
  private func handOn(
    _ waiting: [(PreferenceDomain, String, PreferenceValue?)], _ source: any DesktopSource
  ) throws {
    let prefix = type(of: source).prefix
    do {
      try source.push(
        waiting.map { domain, key, _ in
          DesktopChange(
            domain: String(domain.name.dropFirst(prefix.count)), key: key,
            value: try reading()?.value(key, in: domain))
        })
      // What the desktop has after this is newer than they are.
      guard let latest = try reading()?.latestSequence(),
        let writer = try PreferenceDatabase.open(
          location(), mode: .write, process: String(prefix.dropLast()), managed: managed)
      else { return }
      defer { writer.close() }
      try writer.transaction { try $0.set(.integer(latest), prefix, in: Self.handedOn) }
    } catch let error as DefaultsRefusal {
      warn("what another machine changed is not set yet: \(error.message ?? "")")
    }
  }

  // MARK: To the desktop

  /// A value as a domain will have it: what the desktop gives back in the copy of one of its own,
  /// such as a number of 64 bits for one of 32.
  func asKept(
    _ value: PreferenceValue, of key: String, in target: DefaultsTarget
  ) -> PreferenceValue {
    guard case .stored(let domain) = target, let source = source(of: domain.name) else {
      return value
    }
    return source.kept(
      value, of: key, in: String(domain.name.dropFirst(type(of: source).prefix.count)))
  }

  /// Has the desktop take what this line changed in a copy; where it cannot, the line is undone.
  func pushToDesktop() throws {
    let own = ownEntries
    guard let first = own.first, let database = try reading() else { return }
    // Others write meanwhile, too.
    let changes = try database.changes(after: first.lowerBound - 1).filter { change in
      own.contains { $0.contains(change.sequence) }
        && Self.desktopPrefixes.contains { change.domain.name.begins(with: $0) }
    }
    guard !changes.isEmpty else { return }
    var pushed: [DesktopPush] = []
    do {
      for prefix in Self.desktopPrefixes {
        var latest: [String: DesktopChange] = [:]
        for change in changes where change.domain.name.begins(with: prefix) {
          guard let key = change.key else { continue }
          let domain = String(change.domain.name.dropFirst(prefix.count))
          latest["\(domain)\u{0}\(key)"] = DesktopChange(
            domain: domain, key: key, value: try database.value(key, in: change.domain))
        }
        guard !latest.isEmpty, let source = source(of: prefix) else { continue }
        let push = DesktopPush(source, latest.sorted { $0.key < $1.key }.map(\.value))
        pushed.append(push)
        try push.prepare()
        try source.push(push.wanted)
        try verify(push.wanted, source)
      }
    } catch {
      try undoLine(Set(changes.map(\.transaction)), pushed, since: error)
    }
    forgetOwnEntries()
  }

  /// Undoes the line in the store and on the desktop, and throws why.
  private func undoLine(
    _ transactions: Set<Int64>, _ pushed: [DesktopPush], since error: any Error
  ) throws -> Never {
    let isPartlySet = !pushed.filter { !$0.putBack() }.isEmpty
    let isUndone =
      (try? writing().undo(.transactions(transactions.sorted(by: >)), isDryRun: false)) != nil
    guard isPartlySet || !isUndone else { throw error }
    // The copy has what the desktop has, whatever that is.
    for push in pushed {
      caughtUp.remove(type(of: push.source).prefix)
      _ = try? catchUp(push.source, beside: Set(push.wanted.map(\.domain)))
    }
    let end =
      isPartlySet
      ? "A part of the line is set on the desktop all the same; history shows it."
      : "Another program changed a key meanwhile, so not all of the line is undone."
    let said = (error as? DefaultsRefusal)?.message ?? "\(error)"
    let unchanged = "Defaults have not been changed."
    throw DefaultsRefusal(
      said.contains(bytes: unchanged)
        ? said.substituting(unchanged, with: end) : "\(said)\n\(end)")
  }

  /// Has the copies that there are take what the desktop has, before a line about all domains.
  func catchUpCopies() throws {
    guard desktop == nil else { return }
    let names = try reading()?.domains().map(\.name) ?? []
    for prefix in Self.desktopPrefixes where names.contains(where: { $0.begins(with: prefix) }) {
      guard let source = source(of: prefix) else { continue }
      do {
        try catchUp(source)
      } catch let error as DefaultsRefusal {
        warn("the desktop's latest values are not in it: \(error.message ?? "")")
      }
    }
  }

  /// Refuses what the desktop took without a word, and did not keep, such as a locked key.
  private func verify(_ wanted: [DesktopChange], _ source: any DesktopSource) throws {
    let current = try source.current(beside: Set(wanted.map(\.domain)))
    for change in wanted {
      let found = current[change.domain]?[change.key]
      // A reset shows what the administrator gives, if anything.
      guard let value = change.value else { continue }
      guard source.isSame(found, value, of: change.key, in: change.domain) else {
        throw DefaultsRefusal(
          "The desktop did not take \(change.key) of \(change.domain).\n"
            + "The administrator may have locked it. Defaults have not been changed.")
      }
    }
  }

  // MARK: The recorder

  /// `record dconf|kconfig [FILE…]`: keeps the journal of the desktop's settings until it is stopped.
  func record(_ arguments: ArraySlice<String>) throws {
    var words = arguments
    let options = try DefaultsOptions.takeAll(&words, flags: ["--once"], values: ["--count"])
    var left = try options.value("--count").map { text in
      guard let count = Int(text), count > 0 else { throw DefaultsUsage() }
      return count
    }
    let name = words.popFirst() ?? ""
    guard let source = source(of: "\(name):") else { throw DefaultsUsage() }
    let named = Set(try words.map { try source.domain(named: $0) })
    let copies =
      try reading()?.domains().map(\.name)
      .filter { $0.begins(with: type(of: source).prefix) } ?? []
    let files = source.files(
      of: named.union(copies.map { String($0.dropFirst(type(of: source).prefix.count)) }))
    guard !files.isEmpty || source is PortalSource && options.has("--once") else {
      if source is PortalSource {
        throw DefaultsRefusal("The portal is looked at, not watched: record --once portal.")
      }
      throw DefaultsRefusal(
        "record kconfig has no file to look at yet; name them: kdeglobals kwinrc")
    }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw DefaultsRefusal("cannot make a pipe")
    }
    let (read, write) = (ends[0], ends[1])
    var watches: [FileSignal.Watch] = []
    defer { for watch in watches { watch.stop() } }
    for file in files {
      do {
        try UserFile.makeFolders(file.folder)
        watches.append(
          try FileSignal.watch(file.name, in: file.folder, isOwn: false, seesLinks: true) {
            // If the pipe is full, a wake-up is pending already.
            var byte: UInt8 = 1
            _ = unsafe Glibc.write(write, &byte, 1)
          })
      } catch let error as System.Failure {
        throw DefaultsRefusal("Could not make \(file.folder): \(error.reason)")
      }
      if !UserFile.exists("\(file.folder)/\(file.name)") {
        warn("there is no \(file.folder)/\(file.name) yet; it is recorded once it is there")
      }
    }
    while true {
      caughtUp.remove(type(of: source).prefix)
      let count = try catchUp(source, beside: named)
      // The next look reads the store again.
      close()
      if count > 0 { print("Recorded \(count) change\(count == 1 ? "" : "s").") }
      if options.has("--once") { return }
      if count > 0, let rest = left {
        if rest == 1 { return }
        left = rest - 1
      }
      var waiting = pollfd(fd: read, events: Int16(POLLIN), revents: 0)
      unsafe poll(&waiting, 1, -1)
      var bytes = [UInt8](repeating: 0, count: 64)
      while unsafe Glibc.read(read, &bytes, 64) > 0 {}
    }
  }
}
