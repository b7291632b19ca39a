import Glibc
package import VaultCredentials
package import VaultSealing
import VaultStorage
package import VaultSync
package import VaultSyncEngines
import VaultTerminal

extension VaultSettings {
  /// The engine for a store that was typed, and its name as it is remembered.
  ///
  /// - Parameters:
  ///   - text: A path, a URL, or `host:path`.
  ///   - makesFolder: Whether a folder is made that is not there, but not the one that it is in: a
  ///     stick that is not connected stays missing.
  ///   - takesWorkTree: Whether the folder may be in somebody's work tree of git.
  ///   - passwordSource: Where the store's password comes from, as it was typed; without one, a
  ///     person is asked for a password that the store needs.
  /// - Returns: The engine, the text to remember, and the password to keep.
  /// - Throws: ``CommandError`` with code `.usage`.
  package func engine(
    typed text: String, makesFolder: Bool = false, takesWorkTree: Bool = false,
    passwordSource: String? = nil
  ) throws -> (engine: any SyncEngine, store: String, password: SecretBytes?) {
    do {
      let address = try StoreAddress(
        typed: text, in: UserFile.workingDirectory, allowsWorkTree: takesWorkTree)
      // The first look at the folder says what is wrong with it.
      if makesFolder, address.kind == .folder {
        try? System.makeDirectory(address.text, in: AT_FDCWD, mode: 0o777)
      }
      let password = try storePassword(of: address, source: passwordSource)
      return (try engine(address, password), address.text, password)
    } catch let error as SyncError where error.code == .notAllowed {
      let isInWorkTree = error.message.contains(bytes: "work tree")
      throw CommandError.usage(
        error.message,
        hint: isInWorkTree
          ? "\(error.hint ?? ""); to have it there all the same: --in-work-tree" : error.hint)
    }
  }

  /// The engine for a store; git may ask where there is a person to ask.
  package func engine(
    _ address: StoreAddress, _ password: SecretBytes?
  ) throws -> any SyncEngine {
    try address.engine(
      cache: "\(location().state)/sync",
      asks: !isUnattended && ProcessState.isTerminal(STDIN_FILENO) && StandardError.isTerminal,
      password: password)
  }

  /// The engine for the store of an open vault, with the password that was kept for it.
  private func engine(
    remembered store: String, of vault: UnlockedVault
  ) throws -> any SyncEngine {
    let address = StoreAddress(remembered: store)
    let password =
      address.takesPassword ? try SyncedVault.storePassword(of: vault, for: store) : nil
    return try engine(address, password)
  }

  private func storePassword(
    of address: StoreAddress, source: String?
  ) throws -> SecretBytes? {
    let option = "--store-password"
    if let source {
      guard address.takesPassword else {
        throw CommandError.usage(
          "\(option) is for etcd://, postgresql:// and exec:",
          hint: "git gets its password from its credential helper, rclone has it in its "
            + "configuration, and a folder has none")
      }
      return try SecretSource(source, of: .password).read(for: option, as: .password)
    }
    guard let user = address.asksForPassword, !isUnattended, Prompt.isPossible else { return nil }
    let typed = try Prompt.secret("Password of \(StandardOutput.shown(user)) at the store")
    return typed.flatMap { $0.count > 0 ? $0 : nil }
  }

  /// Runs `body` with the space that the vault belongs to.
  ///
  /// - Parameters:
  ///   - startsSync: Whether a change is brought to the store as any other is, since `body` does
  ///     not do it.
  ///   - body: What is to be done.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `SyncError` with code `.notJoined`.
  package func withSpace<Result>(
    startsSync: Bool = false, _ body: (SyncedVault) throws -> Result
  ) throws -> Result {
    var settings = self
    settings.startsSync = self.startsSync && startsSync
    return try settings.withVault { vault in
      guard let store = try SyncedVault.store(of: vault.unlocked) else {
        throw try notJoined(vault.unlocked)
      }
      var synced = try SyncedVault(
        vault.unlocked, engine: engine(remembered: store, of: vault.unlocked))
      synced.preferences = StoredPreferences(location: try location(), keys: vault)
      return try body(synced)
    }
  }

  /// The error of a vault that belongs to no space; it names those that do, of which one was meant.
  private func notJoined(_ vault: UnlockedVault) throws -> SyncError {
    let error = try Replica.notJoined(vault)
    let path = vault.blocking.path
    let others = ((try? VaultList(self).vaults) ?? []).filter {
      $0.path != path && SyncedVault.isJoined(vaultAt: $0.path)
    }
    guard let first = others.first else { return error }
    let name = ProgramName.current
    let line =
      first.name.map { "\(name) --vault \(Quoting.shell($0)) sync status" }
      ?? "the default one, without --vault"
    let more =
      others.count > 1
      ? ", as \(others.count - 1) more of your vaults \(others.count == 2 ? "does" : "do")" : ""
    return SyncError(
      error.code, error.message,
      hint: "another one does: \(line)\(more); this one, too: \(name) sync join STORE, or a new "
        + "space: \(name) sync init STORE")
  }

  /// Follows the store of the vault's space to another place, and says so.
  ///
  /// - Parameters:
  ///   - engine: The store there.
  ///   - place: Its name as it is remembered.
  ///   - password: What opens it, to be kept.
  /// - Throws: `SyncError` with code `.rolledBack` for a place that lacks something.
  package func followStore(
    to engine: any SyncEngine, at place: String, password: SecretBytes?
  ) throws {
    try tell(
      of: place,
      withSpace {
        try follow($0, from: $0.status().store, to: engine, at: place, password: password)
      })
  }

  /// Follows a store that has the vault's space, if the vault belongs to one that is there.
  ///
  /// - Parameters:
  ///   - engine: The store.
  ///   - place: Its name as it is remembered.
  ///   - spaces: What it has.
  ///   - password: What opens it, to be kept.
  ///   - code: Gives the invitation that a person has for that store, if any.
  /// - Returns: Whether it does; false as well where there is no vault.
  /// - Throws: What opening the vault throws; `SyncError` with code `.alreadyJoined` for an invitation
  ///   into another space; as the other one.
  package func followStore(
    to engine: any SyncEngine, at place: String, among spaces: [SpaceID],
    password: SecretBytes?, code: () throws -> SecretBytes?
  ) throws -> Bool {
    let name = vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
    let file = try location().vaultFile(named: name)
    guard SyncedVault.isJoined(vaultAt: "\(file.directory)/\(file.name)") else { return false }
    let followed: Followed?
    do {
      followed = try withSpace { space in
        let own = try space.status()
        guard spaces.contains(where: { $0.text == own.space }) else { return nil }
        if let code = try code(), try SyncedVault.space(of: code, in: engine).text != own.space {
          throw SyncError(
            .alreadyJoined,
            "the invitation is for another space of that store than the one that the vault belongs to",
            hint: "leave that one first: \(line("leave")); or join with another vault: "
              + "\(ProgramName.current) --vault NAME sync join STORE")
        }
        return try follow(space, from: own.store, to: engine, at: place, password: password)
      }
    } catch let error as SyncError where error.code == .notJoined {
      return false
    }
    guard let followed else { return false }
    try tell(of: place, followed)
    return true
  }

  /// Goes on with a space that this vault began in a store, and that never came there whole.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - engine: The store.
  ///   - place: Its name as it is remembered.
  ///   - password: What opens it, to be kept.
  /// - Returns: What was done, and how it stands; `nil` where the vault began none there.
  /// - Throws: What a run throws.
  package func goOnBeginning(
    _ vault: UnlockedVault, in engine: any SyncEngine, at place: String, password: SecretBytes?
  ) throws -> (SyncReport, SyncStatus)? {
    guard try SyncedVault.store(of: vault) == place else { return nil }
    let space = try SyncedVault(vault, engine: engine)
    let status = try space.status()
    // One that joined there has others beside it, and goes on by its own verb.
    guard status.lastContact == nil, status.devices == 1 else { return nil }
    if let password { try space.keepStorePassword(password) }
    return (try space.synchronize(), try space.status())
  }

  private typealias Followed = (report: SyncReport, isElsewhere: Bool)

  private func follow(
    _ space: SyncedVault, from before: String, to engine: any SyncEngine, at place: String,
    password: SecretBytes?
  ) throws -> Followed {
    let moved = try space.moved(to: engine, at: place, acceptingRollback: acceptsRollback)
    if password != nil || before != place { try moved.keepStorePassword(password) }
    return (try moved.synchronize(acceptingRollback: acceptsRollback), before != place)
  }

  private func tell(of place: String, _ followed: Followed) throws {
    let (report, isElsewhere) = followed
    if writesJSON {
      try StandardOutput.write(report.members)
    } else {
      try report.tell()
      let shown = StandardOutput.shown(StoreAddress(remembered: place).shown)
      StandardError.note(
        isElsewhere
          ? "the vault syncs with \(shown) from now on"
          : "the vault belongs to the space in \(shown) already: it was brought up to date",
        hint: isElsewhere
          ? "on each other machine, too: \(ProgramName.current) sync move STORE" : nil)
    }
    if !acceptsRollback, let problem = report.problems.first { throw problem }
  }

  /// Brings a preference domain together with the space from now on, and says so.
  package func addDomain(_ domain: String) throws {
    let (isNew, report) = try withSpace { space in
      try checkIsDomain(domain, in: space)
      return (try space.addDomain(domain), try space.synchronize())
    }
    let shown = StandardOutput.shown(domain)
    if writesJSON {
      try StandardOutput.write([("domain", .string(domain))] + report.members)
    } else {
      try report.tell()
      StandardError.note(
        isNew ? "\(shown) is synchronized from now on" : "\(shown) was synchronized before",
        hint: isNew ? "on each other machine that is to have it: \(line("add", domain))" : nil)
    }
    if let problem = report.problems.first { throw problem }
  }

  /// Refuses a word that is no domain, here or in the space: most often it was meant to be a person
  /// or a machine.
  ///
  /// A name as programs have them may be added before anything is stored under it, unless it is
  /// almost that of one that is there.
  private func checkIsDomain(_ domain: String, in space: SyncedVault) throws {
    guard !domain.isEmpty, try space.preferences?.contents(of: domain) == nil else { return }
    var known: [String] = []
    func isKnown() throws -> Bool {
      let status = try space.status()
      known = status.domains + status.otherDomains
      return known.contains { $0.isSame(as: domain) }
    }
    if try isKnown() { return }
    func allNames() throws -> [String] {
      Set(known + (try StoredPreferences.names(in: location()))).sorted()
    }
    func nearest() throws -> String? { Suggestion.nearest(to: domain, among: try allNames()) }
    guard try !domain.utf8.contains(UInt8(ascii: ".")) || nearest() != nil else { return }
    // What others have added since is known after a run.
    _ = try space.synchronize()
    if try isKnown() { return }
    let (names, meant) = (try allNames(), try nearest())
    let shown = names.prefix(8).map { StandardOutput.shown($0) }.joined(separator: ", ")
    let more = names.count > 8 ? " and \(names.count - 8) more" : ""
    let there =
      meant.map { "did you mean: \(line("add", $0))" }
      ?? (names.isEmpty ? "none is there yet" : "those that there are: \(shown)\(more)")
    throw CommandError.usage(
      "no preference domain is called \(StandardOutput.shown(domain))",
      hint: "\(there); a new one: \(ProgramName.current) defaults write "
        + "\(Quoting.typed(domain)) KEY VALUE; a machine or person: \(ProgramName.current) sync invite"
    )
  }

  /// Leaves a preference domain out from now on, and says so.
  package func dropDomain(_ domain: String) throws {
    let wasThere = try withSpace { try $0.dropDomain(domain) }
    if writesJSON {
      return try StandardOutput.write([("domain", .string(domain)), ("dropped", .bool(wasThere))])
    }
    let shown = StandardOutput.shown(domain)
    StandardError.note(
      wasThere
        ? "\(shown) stays as it is, and is synchronized no longer"
        : "\(shown) was not synchronized",
      hint: wasThere ? nil : "which are: \(ProgramName.current) sync status")
  }

  private func line(_ verb: String) -> String { "\(ProgramName.current) sync \(verb)" }

  private func line(_ verb: String, _ domain: String) -> String {
    "\(ProgramName.current) sync \(verb) \(Quoting.typed(domain))"
  }

  /// Takes the vault out of its space, and says so.
  ///
  /// - Parameter force: Leaves also if nobody else is an owner.
  /// - Throws: `SyncError` with code `.lastOwner`.
  package func leaveSpace(force: Bool) throws {
    let (isTold, owners, unsent, follows) = try withVault { vault in
      guard SyncedVault.isJoined(vaultAt: vault.path) else {
        throw try notJoined(vault.unlocked)
      }
      let follows = SyncedVault.followsFeed(vaultAt: vault.path)
      // What this machine remembers may be what is wrong.
      let store = try? SyncedVault.store(of: vault.unlocked)
      let engine = try self.engine(remembered: store ?? "/", of: vault.unlocked)
      let status = try? SyncedVault(vault.unlocked, engine: engine).status()
      if let space = try? SyncedVault(vault.unlocked, engine: engine) { forgetData(of: space) }
      let isTold = try SyncedVault.leave(vault.unlocked, in: engine, asLastOwner: force)
      let unsent =
        isTold ? 0 : status.map { $0.unsent + $0.changedItems + $0.changedPreferences } ?? 0
      // Nobody of the space knows of who follows a feed.
      let owners = follows ? [] : (status?.owners ?? []).filter { $0 != status?.label }
      return (isTold, owners, unsent, follows)
    }
    if writesJSON {
      return try StandardOutput.write([("told", .bool(isTold)), ("owners", .strings(owners))])
    }
    let names = owners.map(StandardOutput.shown).joined(separator: ", ")
    StandardError.note(
      (follows
        ? "left: the vault follows no feed any longer"
        : "left: the vault goes to no store any longer")
        + (owners.isEmpty ? "" : "; owners, who can invite it again as any admin can: \(names)"),
      hint: isTold
        ? nil : "the others could not be told: have this machine removed by one of them")
    if unsent > 0 {
      StandardError.warning(
        "\(Plural.of(unsent, "change")) of this machine never came to the others",
        hint: "what is in the vault stays there; join again with it to bring it to them")
    }
  }

  /// Brings changes to the store without a person: no questions, and one run for many changes.
  ///
  /// - Parameter desktop: Makes the desktop's settings of this user.
  /// - Returns: What was done; `nil` where another run will do it.
  /// - Throws: What ``SpaceRun`` throws.
  package func synchronizeUnattended(
    beside desktop: (VaultSettings) -> any DesktopSettings
  ) throws -> SpaceRun? {
    var settings = self
    settings.isUnattended = true
    let path = try settings.locked(asksNobody: true).path
    return try SyncFiles.alone(vaultAt: path, pause: { usleep(Self.pause) }) {
      try settings.withSpace { space in
        try SpaceRun(space, beside: desktop(settings), acceptingRollback: acceptsRollback)
      }
    }
  }

  /// Switches automatic runs on or off.
  ///
  /// - Parameter word: `on` or `off`; `nil` to look.
  /// - Returns: Whether they are on.
  /// - Throws: ``CommandError`` for another word; `SyncError` with code `.notJoined`.
  package func automaticSync(_ word: String?) throws -> Bool {
    guard word == nil || word == "on" || word == "off" else {
      throw CommandError.usage("say on or off", hint: "\(ProgramName.current) sync auto on")
    }
    var settings = self
    settings.startsSync = false
    return try settings.withVault { vault in
      if let word { try SyncedVault.setAutomatic(word == "on", for: vault.unlocked) }
      guard try SyncedVault.store(of: vault.unlocked) != nil else {
        throw try notJoined(vault.unlocked)
      }
      return SyncedVault.isAutomatic(vaultAt: vault.path)
    }
  }

  /// A second, in which further changes may come.
  private static let pause: UInt32 = 1_000_000

  /// Runs `body`, and has a run of this program bring to the store what that changed, if it is to.
  ///
  /// Nothing is waited for. A vault that belongs to no space costs a look for one file.
  func startingSync<Result>(
    after open: UnlockedVault, _ body: () throws -> Result
  ) throws -> Result {
    let path = open.blocking.path
    let isReader = SyncedVault.isReader(vaultAt: path)
    let starts = startsSync && SyncedVault.isAutomatic(vaultAt: path)
    guard isReader || starts else { return try body() }
    let before = try? System.status(of: path, in: AT_FDCWD)
    let result = try body()
    guard (try? System.status(of: path, in: AT_FDCWD)) != before else { return result }
    // A machine that has just left reads no space any more.
    if isReader, startsSync, SyncedVault.isReader(vaultAt: path) {
      let follows = SyncedVault.followsFeed(vaultAt: path)
      StandardError.note(
        follows
          ? "this vault follows a feed: the change stays here"
          : "this machine only reads its space: the change stays here",
        hint: "to give it back: \(ProgramName.current) sync now --discard-local"
          + (follows ? "" : "; an owner or admin can make it a writer"))
    }
    if starts { ChildProgram.startAgain(words + ["sync", "now", "--unattended"]) }
    return result
  }

  /// Closes, in the space, a recovery code that the vault has no longer, and says so; where that
  /// cannot be done now, says that it still opens the space.
  package func closeRecoveryCode() throws {
    do {
      let report = try withSpace { try $0.synchronize(acceptingRollback: acceptsRollback) }
      guard !report.isBlocked else {
        throw report.problems.first ?? SyncError(.unavailable, "the store took nothing")
      }
      // Who came by it until now is in.
      report.tellComers()
      StandardError.note("the code opens the space no longer")
    } catch let error as SyncError {
      StandardError.warning(
        "the code still opens the space until the next run: \(Sanitizer.visible(error.message))",
        hint: "as soon as the store can be reached: \(ProgramName.current) sync now")
    }
  }

  /// What a line of `defaults` does after it has changed a domain that is to be brought to the
  /// store by itself.
  ///
  /// Nothing is waited for. Where that is switched off, a change costs a look for one file.
  package var synchronizingPreferences: (domains: () -> Set<String>, changed: () -> Void) {
    (
      domains: {
        let name = vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
        guard startsSync, let place = try? location().vaultFile(named: name) else { return [] }
        return SyncedVault.automaticDomains(vaultAt: "\(place.directory)/\(place.name)")
      },
      changed: { ChildProgram.startAgain(words + ["sync", "now", "--unattended"]) }
    )
  }

  /// The options that keep this program from something, for another run of it.
  package var precautions: [String] {
    (usesSession ? [] : ["--no-session"]) + (usesKeyring ? [] : ["--no-keyring"])
      + (requiresEncryptedSession ? ["--require-encrypted-session"] : [])
  }

  /// The options by which another run of this program finds the same vault, and may open it.
  private var words: [String] {
    var words: [String] = []
    if let home { words += ["--home", home] }
    if let vaultName { words += ["--vault", vaultName] }
    if let keyFile, keyFile != SecretInput.standardInput { words += ["--key-file", keyFile] }
    return words + precautions
  }
}

/// What a machine knows of its space without the store.
package enum SpaceKnown {
  /// Tells a person whose home was put back or copied who lets others in where no recovery code does:
  /// what could be lost with the machine was nearly lost.
  ///
  /// - Parameter space: The space.
  /// - Throws: What reading the vault throws.
  package static func tellWaysBack(of space: SyncedVault) throws {
    let status = try space.status()
    guard status.devices > 1, status.recoveryCodes == 0 else { return }
    guard status.owners == [status.label] else {
      let owners = status.owners.map { StandardOutput.shown($0) }.joined(separator: ", ")
      return StandardError.note(
        "no recovery code opens the space, only its owners let others in: \(owners)",
        hint: "a recovery code would, too: \(ProgramName.current) key add --recovery")
    }
    StandardError.note(
      "this machine is the space's only owner, and no recovery code opens the space",
      hint: "make another machine an owner: \(ProgramName.current) sync role MACHINE owner; "
        + "or a recovery code: \(ProgramName.current) key add --recovery")
  }

  /// Whether recovery codes of a vault may open its space: it is an admin's or owner's.
  package static func hasRecoveryCodes(of vault: UnlockedVault.Blocking) -> Bool {
    guard SyncedVault.isJoined(vaultAt: vault.path),
      let status = try? SyncedVault(vault.unlocked, engine: FolderEngine(path: "/")).status()
    else { return false }
    return status.role.map { $0 >= .admin } ?? false
  }

  /// What is wrong with the owners of a vault's space, as far as this machine knows; `nil` where
  /// nothing is, or there is no space.
  package static func ownership(of vault: UnlockedVault.Blocking) -> Audit.Ownership? {
    try? SyncedVault(vault.unlocked, engine: FolderEngine(path: "/")).status().ownership
  }
}

/// The preference domains that a machine keeps the same with others.
package enum SyncedDomains {
  /// Those of a vault, for completion.
  package static func added(to vault: UnlockedVault.Blocking) -> [String] {
    (try? SyncedVault.domains(of: vault.unlocked)) ?? []
  }
}

extension SyncedVault {
  /// What a machine could read of a vault, as far as this machine knows: the store is not asked.
  package static func itemIDs(
    exposedTo device: String, in vault: UnlockedVault.Blocking
  ) throws -> Set<String> {
    try SyncedVault(vault.unlocked, engine: FolderEngine(path: "/")).itemIDs(exposedTo: device)
  }
}
