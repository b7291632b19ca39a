import CVaultLinux
import Glibc
import VaultPreferences
import VaultStorage
import VaultTerminal

/// Domains of the desktop: `--dconf`, `--kconfig`, `--portal`, and names with these prefixes.
extension DefaultsTool {
  /// Every prefix of a copy.
  static let desktopPrefixes = [
    DConfSource.prefix, KConfigSource.prefix, PortalSource.prefix,
  ]
  /// What has no place in the journal: which changes of other machines the desktop has got, by
  /// prefix, and which of its parts have been looked at.
  static let handedOn = PreferenceDomain("@desktop")

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
    guard host == .any else { throw Self.noHosts }
    let domain = type(of: source).prefix + name
    try catchUp(source, beside: [name])
    return .stored(PreferenceDomain(domain))
  }

  /// A domain that a path below `Library/Preferences` named: one of the desktop's is brought up to
  /// date, as if it had been named itself.
  func current(_ target: DefaultsTarget) throws -> DefaultsTarget {
    guard case .stored(let domain) = target, source(of: domain.name) != nil else { return target }
    guard domain.host == .any else { throw Self.noHosts }
    return try desktopTarget(domain.name) ?? target
  }

  // MARK: The folder that a copy is of

  /// What the folder of a copy is called, with the prefix behind it, among the program's own keys.
  private static let folder = "folder:"

  /// Why the desktop's settings are not compared with the copy: it is of another folder, which is
  /// still there, such as after another `XDG_CONFIG_HOME`.
  func refusalOfOtherFolder(than source: any DesktopSource) throws -> DefaultsRefusal? {
    guard let folder = source.folderOfSettings,
      case .string(let noted)? = try reading()?.value(
        Self.folder + type(of: source).prefix, in: Self.handedOn)
    else { return nil }
    let copied = noted.begins(with: "~/") ? (home() ?? "") + noted.dropFirst() : noted
    guard copied != folder, let old = try? System.targetStatus(of: copied, in: AT_FDCWD) else {
      return nil
    }
    let new = try? System.targetStatus(of: folder, in: AT_FDCWD)
    if let new, old.isSameFile(as: new) { return nil }
    return DefaultsRefusal(
      "Could not read the settings in \(folder): the copy of them is of \(copied)\n"
        + "Another folder of settings needs a store of its own, which VAULT_HOME=FOLDER names.")
  }

  /// Whether the folder of the desktop's settings is not the noted one.
  func isFolderNew(
    _ source: any DesktopSource, among marks: [String: PreferenceValue]
  ) -> Bool {
    guard let name = nameOfFolder(source) else { return false }
    return marks[Self.folder + type(of: source).prefix] != .string(name)
  }

  /// Notes the folder that the copy is of.
  func noteFolder(
    of source: any DesktopSource, _ transaction: PreferenceTransaction
  ) throws {
    guard let name = nameOfFolder(source) else { return }
    try transaction.note(
      .string(name), Self.folder + type(of: source).prefix, in: Self.handedOn)
  }

  /// The folder as it is noted: below the home whatever that is called.
  private func nameOfFolder(_ source: any DesktopSource) -> String? {
    guard let folder = source.folderOfSettings else { return nil }
    guard let home = home(), folder.begins(with: "\(home)/") else { return folder }
    return "~" + String(decoding: Array(folder.utf8.dropFirst(home.utf8.count)), as: UTF8.self)
  }

  static let noHosts = DefaultsRefusal(
    "The desktop's settings have no parts for single hosts.\nDefaults have not been changed.")

  /// Whether a domain is a copy of something that can only be read.
  func isReadOnly(_ domain: PreferenceDomain) -> Bool {
    source(of: domain.name).map { type(of: $0).isReadOnly } ?? false
  }

  /// Whether the desktop's administrator has fixed a key.
  func isFixedOnDesktop(_ key: String, in domain: PreferenceDomain) throws -> Bool {
    guard let source = source(of: domain.name) else { return false }
    let name = String(domain.name.dropFirst(type(of: source).prefix.count))
    return try source.lock(of: key, in: name) != nil
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
      own.contains { $0.contains(change.sequence) } && change.domain.host == .any
        && Self.desktopPrefixes.contains { change.domain.name.begins(with: $0) }
    }
    guard !changes.isEmpty else { return }
    var pushed: [DesktopPush] = []
    let signals = SignalPipe()
    signals?.catchSignals([SIGINT, SIGTERM, SIGHUP])
    defer {
      // What came when all was set, or while it was put back, takes effect when all is said.
      interruption = interruption ?? signals?.takeSignals().first
      signals?.release()
    }
    do {
      for prefix in Self.desktopPrefixes {
        var latest: [String: DesktopChange] = [:]
        for change in changes where change.domain.name.begins(with: prefix) {
          guard let key = change.key, change.kind == .set || change.kind == .remove else {
            continue
          }
          let domain = String(change.domain.name.dropFirst(prefix.count))
          latest["\(domain)\u{0}\(key)"] = DesktopChange(
            domain: domain, key: key, value: change.new)
        }
        guard !latest.isEmpty, let source = source(of: prefix) else { continue }
        try checkIsKnown(latest.values.map(\.domain), to: source)
        let push = DesktopPush(source, latest.sorted { $0.key < $1.key }.map(\.value))
        pushed.append(push)
        try push.prepare()
        try push.set { try checkInterruption(signals) }
        try verify(push.wanted, source)
        try markSeen(Set(push.wanted.map(\.domain)), source)
      }
    } catch {
      try undoLine(Set(changes.map(\.transaction)), pushed, since: error)
    }
    forgetOwnEntries()
  }

  /// Refuses to set something where the desktop's settings are gone or cannot be read: what is set
  /// would be all that is there, and the rest would be taken for reset.
  private func checkIsKnown(_ domains: [String], to source: any DesktopSource) throws {
    let prefix = type(of: source).prefix
    let parts = Set(domains.map { source.part(of: $0) }).sorted()
    let refusals = [unreadWholly[prefix]] + parts.map { unread[prefix + $0] }
    guard let refusal = refusals.compactMap({ $0 }).first else { return }
    throw DefaultsRefusal("\(refusal.message ?? prefix)\nDefaults have not been changed.")
  }

  /// Stops what sets something key by key once a signal asks for it.
  private func checkInterruption(_ signals: SignalPipe?) throws {
    guard let signal = signals?.takeSignals().first else { return }
    interruption = signal
    warn("the line is interrupted; what it has set already is put back")
    throw DefaultsRefusal("The line was interrupted.\nDefaults have not been changed.")
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
      } catch let error as PreferenceError where error.code == .locked {
        warn("the desktop's latest values are not in it: \(error.message)")
      }
    }
  }

  /// Brings copies and the desktop together, for who is about to read or has just changed the copies.
  ///
  /// - Parameter names: Domains; those that are not the desktop's are passed over.
  /// - Returns: Why the desktop cannot be read; `nil` if it can.
  /// - Throws: `PreferenceError` for the store.
  package func bringTogether(_ names: [String]) throws -> String? {
    defer { close() }
    do {
      for name in names where source(of: name).map({ !type(of: $0).isReadOnly }) ?? false {
        _ = try desktopTarget(name)
      }
      return nil
    } catch let error as DefaultsRefusal {
      return error.reason
    }
  }

  /// Refuses what the desktop took without a word, and did not keep, such as a locked key.
  private func verify(_ wanted: [DesktopChange], _ source: any DesktopSource) throws {
    let current = try source.current(beside: Set(wanted.map(\.domain)))
    for change in wanted {
      guard !source.hasTaken(change, current[change.domain]?[change.key]) else { continue }
      let lock = try source.lock(of: change.key, in: change.domain)
      throw DefaultsRefusal(
        "The desktop did not take \(Quoting.visible(change.key)) of "
          + "\(Quoting.visible(change.domain))\(lock.map { "; it is locked in \($0)" } ?? ".")\n"
          + "Defaults have not been changed.")
    }
  }
}
