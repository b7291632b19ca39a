import VaultPreferences
import VaultStorage

/// Has the copies take what the desktop has.
extension DefaultsTool {
  /// A key that the desktop has another value of than the copy.
  private struct News {
    let domain: PreferenceDomain
    let key: String
    let value: PreferenceValue?

    /// The domain with the key: no name has a zero byte.
    var place: String { "\(domain.name)\u{0}\(key)" }
  }

  /// What the marks of parts that were looked at begin with, among the program's own keys.
  private static let seen = "seen:"
  /// What the name of a writer has in the journal that brought what another machine changed.
  private static let bySync = " sync from "

  /// Has the copy take what the desktop has; what differs is one transaction of the journal.
  ///
  /// What a part of the desktop had when it was first looked at, and what only the desktop can
  /// change, is in the journal, too, and is not undone.
  ///
  /// - Returns: The number of keys that changed.
  @discardableResult
  func catchUp(
    _ source: any DesktopSource, beside named: Set<String> = [], isSilent: Bool = false
  ) throws -> Int {
    let prefix = type(of: source).prefix
    guard !caughtUp.contains(prefix) || !named.isSubset(of: caughtUpNames) else { return 0 }
    caughtUp.insert(prefix)
    caughtUpNames.formUnion(named)
    let found = try look(source, beside: named)
    let database = try reading()
    let first = try news(found, source) { try database?.contents(of: $0) }
    guard !first.isEmpty else {
      noteEmptyParts(found, of: source, beside: named)
      return 0
    }
    // A home that is read-only, or full: what is read is what the desktop has.
    func show(_ reason: String) throws -> Int {
      let name = String(prefix.dropLast())
      let isFirst = try reading() == nil
      let copy = try openInMemory(as: isFirst ? "\(name) (as found)" : name)
      let present = try news(found, source) { try copy.contents(of: $0) }
      try copy.transaction(isFirstLook: isFirst) { try Self.write(present, $0) }
      read(from: copy)
      reasonOfOldCopy = reason
      if !isSilent { warn("the copy of the desktop's settings is not up to date: \(reason)") }
      return 0
    }
    do {
      guard let writer = try openWriter(as: String(prefix.dropLast())) else {
        return try show("there is no store")
      }
      defer { writer.close() }
      // Another line may be between the copy and the desktop: what it has changed in the copy is
      // not what the desktop has taken back.
      return try whileNobodySets {
        try take(try look(source, beside: named), from: source, beside: named, writer)
      }
    } catch {
      // A transaction throws what the store says, others what that means to preferences.
      guard !(error is DefaultsRefusal) else { throw error }
      let problem = PreferenceError(wrapping: error)
      guard problem.code == .storage else { throw error }
      return try show(problem.message)
    }
  }

  /// The domains that the copy has, without the prefix.
  private func known(to source: any DesktopSource) throws -> Set<String> {
    let prefix = type(of: source).prefix
    let stored = try reading()?.domains().filter { $0.host == .any && $0.name.begins(with: prefix) }
    return Set((stored ?? []).map { String($0.name.dropFirst(prefix.count)) })
  }

  /// Looks at the desktop, and keeps why parts of it could not be read.
  func look(
    _ source: any DesktopSource, beside named: Set<String>
  ) throws -> DesktopLook {
    // Also at a file that was not there when it was looked at.
    let places = try known(to: source).union(named).union(marks(of: source))
    var found = try source.look(at: places)
    let isNew = try isOnlyFromOthers(source)
    let missing = try isNew || known(to: source).isEmpty ? nil : found.missing
    if isNew { found.absent = [:] }
    if let refusal = try missing ?? refusalOfOtherFolder(than: source) {
      for part in source.parts(beside: places) { found.unread[part] = refusal }
      found.values = [:]
      unreadWholly[type(of: source).prefix] = refusal
      warn("\(refusal.reason); what is known of it is as it was")
    }
    try holdAbsent(&found, of: source)
    unreadWholly[type(of: source).prefix] =
      found.unread[""] ?? unreadWholly[type(of: source).prefix]
    for (part, refusal) in found.unread { unread[type(of: source).prefix + part] = refusal }
    for part in Set(named.map { source.part(of: $0) }).sorted() {
      // The recorder waits for a file that is gone for a moment.
      if isRecording, found.absent[part] != nil { continue }
      if let refusal = found.unread[part] { throw refusal }
    }
    for problem in source.takeProblems() { warn(problem) }
    return found
  }

  /// Whether all that the copy has came from other machines, and this desktop has never got it: one
  /// without any settings is then a new one, and not one that has lost them.
  private func isOnlyFromOthers(_ source: any DesktopSource) throws -> Bool {
    let prefix = type(of: source).prefix
    guard let database = try reading() else { return false }
    var done: Int64 = 0
    if case .integer(let number)? = try database.value(prefix, in: Self.handedOn) { done = number }
    let brought = Set(
      try database.latestChanges(after: done, inDomainsWith: prefix, ifBy: Self.bySync)
        .compactMap { change in change.key.map { "\(change.domain.name)\u{0}\($0)" } })
    return try known(to: source).allSatisfy { name in
      let domain = PreferenceDomain(prefix + name)
      return try (database.contents(of: domain) ?? [:]).keys.allSatisfy {
        brought.contains("\(domain.name)\u{0}\($0)")
      }
    }
  }

  /// The parts of which the store says that they have been looked at.
  private func marks(of source: any DesktopSource) throws -> Set<String> {
    let prefix = Self.seen + type(of: source).prefix
    let marks = try reading()?.contents(of: Self.handedOn) ?? [:]
    return Set(
      marks.keys.filter { $0.begins(with: prefix) }.map { String($0.dropFirst(prefix.count)) })
  }

  /// Refuses a verb that would be about nothing: of KConfig, the copy has the files that a line has named.
  func checkFilesAreKnown(for words: ArraySlice<String>) throws {
    let verbs: Set = ["diff", "domains", "dump", "history", "snapshot", "undo"]
    guard let verb = words.first?.lowercased(), verbs.contains(verb),
      // A line that names a group has its file looked at; `dump` says itself what it leaves as it is.
      !words.dropFirst().contains(where: {
        $0.utf8.contains(UInt8(ascii: ":")) || $0.isSame(as: "--output")
      }),
      try known(to: kconfig).isEmpty && marks(of: kconfig).isEmpty
    else { return }
    throw DefaultsRefusal(
      "No file of KConfig has been looked at yet, so there is nothing to look back to.\n"
        + "Name those that matter: \(program == "defaults" ? program : "\(program) defaults") record --once kconfig kdeglobals kwinrc"
    )
  }

  /// Says of parts that have nothing yet that they were looked at: what is set there from now on is a
  /// change, and can be undone.
  private func noteEmptyParts(
    _ found: DesktopLook, of source: any DesktopSource, beside named: Set<String>
  ) {
    guard !isWithoutHome, !type(of: source).isReadOnly else { return }
    let prefix = type(of: source).prefix
    // Where it cannot be said now, such as in a home that is read-only, the next line says it.
    do {
      let known = try known(to: source)
      let parts = try source.parts(beside: known.union(named))
        .subtracting(found.unread.keys).subtracting(marks(of: source))
        .subtracting(known.map { source.part(of: $0) })
      let own = try reading()?.contents(of: Self.handedOn) ?? [:]
      let isNew = isFolderNew(source, among: own) && found.unread.isEmpty
      guard !parts.isEmpty || (isNew && !known.isEmpty),
        let writer = try openWriter(as: String(prefix.dropLast()))
      else {
        return
      }
      defer { writer.close() }
      try writer.transaction { transaction in
        for part in parts {
          try transaction.note(.boolean(true), Self.seen + prefix + part, in: Self.handedOn)
        }
        if isNew { try noteFolder(of: source, transaction) }
      }
    } catch {}
  }

  /// What the desktop has otherwise than the copy.
  private func news(
    _ look: DesktopLook, _ source: any DesktopSource,
    _ contents: (PreferenceDomain) throws -> [String: PreferenceValue]?
  ) throws -> [News] {
    let prefix = type(of: source).prefix
    var found: [News] = []
    for name in try known(to: source).union(look.values.keys).sorted()
    where look.unread[source.part(of: name)] == nil {
      let domain = PreferenceDomain(prefix + name)
      let (old, new) = (try contents(domain) ?? [:], look.values[name] ?? [:])
      // A value of another type that is the same to the desktop, such as one that sync brought.
      for key in Set(old.keys).union(new.keys).sorted()
      where old[key] != new[key] && !source.isSame(old[key], new[key], of: key, in: name) {
        found.append(News(domain: domain, key: key, value: new[key]))
      }
    }
    return found
  }

  /// Writes what the desktop has into the copy.
  private func take(
    _ look: DesktopLook, from source: any DesktopSource,
    beside named: Set<String>, _ writer: PreferenceDatabase
  ) throws -> Int {
    let prefix = type(of: source).prefix
    let known = try known(to: source)
    let all = try news(look, source) { try writer.contents(of: $0) }
    let waiting = try waiting(all, source, writer)
    if !waiting.isEmpty { try handOn(waiting, source, writer) }
    let held = Set(waiting.map(\.place))
    let present = all.filter { !held.contains($0.place) }
    let parts = source.parts(beside: known.union(named).union(look.values.keys))
      .subtracting(look.unread.keys)
    let marks = try writer.contents(of: Self.handedOn) ?? [:]
    let copied = Set(known.map { source.part(of: $0) })
    let unseen = parts.filter { marks[Self.seen + prefix + $0] == nil && !copied.contains($0) }
    func part(_ one: News) -> String {
      source.part(of: String(one.domain.name.dropFirst(prefix.count)))
    }
    let isObserved = type(of: source).isReadOnly
    let first = present.filter { isObserved || unseen.contains(part($0)) }
    let changes = present.filter { !isObserved && !unseen.contains(part($0)) }
    if !first.isEmpty {
      // Written under the desktop's name: this line did not make the changes.
      guard let observer = try openWriter(as: "\(prefix.dropLast()) (as found)") else { return 0 }
      defer { observer.close() }
      try observer.transaction(isFirstLook: true) { try Self.write(first, $0) }
    }
    try writer.transaction { transaction in
      try Self.write(changes, transaction)
      for part in parts where marks[Self.seen + prefix + part] == nil {
        try transaction.note(.boolean(true), Self.seen + prefix + part, in: Self.handedOn)
      }
      if isFolderNew(source, among: marks) { try noteFolder(of: source, transaction) }
    }
    return present.count
  }

  private static func write(_ news: [News], _ transaction: PreferenceTransaction) throws {
    for one in news {
      if let value = one.value {
        try transaction.set(value, one.key, in: one.domain)
      } else {
        try transaction.remove(one.key, in: one.domain)
      }
    }
  }

  /// Says of domains that were set on the desktop that their parts have been looked at.
  func markSeen(_ domains: Set<String>, _ source: any DesktopSource) throws {
    let marks = Set(
      domains.map { "\(Self.seen)\(type(of: source).prefix)\(source.part(of: $0))" })
    let present = try reading()?.contents(of: Self.handedOn) ?? [:]
    let new = marks.filter { present[$0] == nil }
    guard !new.isEmpty else { return }
    try writing().transaction { transaction in
      for mark in new { try transaction.note(.boolean(true), mark, in: Self.handedOn) }
    }
  }

  /// Whether a snapshot would have a domain if there had been one: of our own it has all, and of
  /// the desktop's what had been looked at when it was taken.
  func isCovered(_ domain: PreferenceDomain, by snapshot: PreferenceSnapshot) -> Bool {
    guard let source = source(of: domain.name) else { return true }
    let prefix = type(of: source).prefix
    let part = source.part(of: String(domain.name.dropFirst(prefix.count)))
    if snapshot.domains[Self.handedOn]?[ExactText(Self.seen + prefix + part)] != nil { return true }
    return snapshot.domains.keys.contains { other in
      other.name.begins(with: prefix)
        && source.part(of: String(other.name.dropFirst(prefix.count))) == part
    }
  }

  /// The part of the desktop that a domain belongs to, as it is named to a person.
  func part(of domain: PreferenceDomain) -> String {
    guard let source = source(of: domain.name) else { return domain.name }
    let prefix = type(of: source).prefix
    let part = source.part(of: String(domain.name.dropFirst(prefix.count)))
    return part.isEmpty ? String(prefix.dropLast()) : prefix + part
  }

  // MARK: What other machines changed

  /// What differs since another machine has changed it, and the desktop still has what was there
  /// before.
  private func waiting(
    _ news: [News], _ source: any DesktopSource, _ writer: PreferenceDatabase
  ) throws -> [News] {
    guard !news.isEmpty else { return [] }
    let prefix = type(of: source).prefix
    var done: Int64 = 0
    if case .integer(let number)? = try writer.value(prefix, in: Self.handedOn) { done = number }
    // One look for all keys: there may be thousands.
    var latest: [String: PreferenceChange] = [:]
    for change in try writer.latestChanges(
      after: done, inDomainsWith: prefix, ifBy: Self.bySync)
    {
      guard let key = change.key, change.domain.host == .any else { continue }
      latest[News(domain: change.domain, key: key, value: nil).place] = change
    }
    return news.filter { one in
      guard let change = latest[one.place] else { return false }
      let name = String(one.domain.name.dropFirst(prefix.count))
      return source.isSame(change.old, one.value, of: one.key, in: name)
    }
  }

  /// Has the desktop take what other machines changed; where it cannot now, it is said.
  private func handOn(
    _ waiting: [News], _ source: any DesktopSource, _ writer: PreferenceDatabase
  ) throws {
    let prefix = type(of: source).prefix
    do {
      try source.push(
        waiting.map { one in
          DesktopChange(
            domain: String(one.domain.name.dropFirst(prefix.count)), key: one.key,
            value: try writer.value(one.key, in: one.domain))
        })
      // What the desktop has after this is newer than they are.
      let latest = try writer.latestSequence()
      try writer.transaction { try $0.note(.integer(latest), prefix, in: Self.handedOn) }
    } catch let error as DefaultsRefusal {
      warn("what another machine changed is not set yet: \(error.message ?? "")")
    }
  }
}
