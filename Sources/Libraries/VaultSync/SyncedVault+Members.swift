import FoundationEssentials
public import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Invites a machine.
  ///
  /// Brings the vault and its space together first. The code is nowhere but in the result; this
  /// machine need not be on when the other one joins.
  ///
  /// - Parameters:
  ///   - role: What the machine may do.
  ///   - uses: How many machines may join by the code, 1 to 1,000.
  ///   - seconds: For how long, at most 30 days.
  /// - Returns: The code.
  /// - Throws: ``SyncError`` with code `.notAllowed` unless this machine is an admin, `.invitation`
  ///   for numbers out of range; what ``synchronize(acceptingRollback:)`` throws.
  public func invite(
    role: SyncRole = .writer, uses: Int = 1, seconds: Int = 3600
  ) throws -> SyncInvitation {
    guard (1...1000).contains(uses), (1...30 * 86_400).contains(seconds) else {
      throw SyncError(
        .invitation, "an invitation is for 1 to 1,000 machines, and for 30 days at most")
    }
    let code = try InvitationCode.random()
    let expires = now() + Int64(seconds) * 1000
    try files.locked {
      var loaded = try load()
      let report = try synchronize(&loaded) { loaded, roster in
        try checkAdmin(roster, loaded)
        guard role < .owner || roster.isOwner(loaded.state.stream) || roster.hasEarlierRules else {
          throw Self.onlyAnOwner
        }
        return [
          .invite(
            invitation: code.id, keys: code.keys.publicKeys, role: role, uses: UInt16(uses),
            expires: expires)
        ]
      }
      try report.checkIsDone()
      let content = InvitationContent(
        loaded.history, role: role, expires: expires, snapshot: try shownSnapshot(loaded))
      try engine.putInvitation(
        content.sealed(code.keys.own), id: code.id, in: loaded.state.space)
    }
    return SyncInvitation(
      text: code.text, role: role, expires: Date(timeIntervalSince1970: Double(expires) / 1000),
      uses: uses)
  }

  func checkAdmin(_ roster: Roster, _ loaded: Loaded) throws {
    guard !roster.isAdmin(loaded.state.stream) else { return }
    guard roster.members[loaded.state.stream]?.isAdmitted ?? true else {
      throw SyncError(
        .notAllowed, "no admin's machine has let this machine in yet",
        hint: "bring that machine and the store together first, then do it again")
    }
    throw SyncError(
      .notAllowed, "only an admin can do that", hint: "do it on the machine of an admin")
  }

  private static let onlyAnOwner = SyncError(
    .notAllowed, "only an owner can do that", hint: "do it on the machine of an owner")

  /// Checks that this machine comes before another one.
  private func checkOutranks(
    _ member: Roster.Member, _ roster: Roster, _ loaded: Loaded
  ) throws {
    guard !roster.outranks(loaded.state.stream, member.stream) else { return }
    throw SyncError(
      .notAllowed,
      "'\(roster.shownLabel(of: member.stream))' is \(member.role == .owner ? "an owner" : "an admin")"
        + " who came before this machine",
      hint: "an owner who came before that one can do it; so can a machine that joins by the "
        + "recovery code of that one's vault: a new one, or this one after it has left")
  }

  /// The machines of the space, as far as this one knows, the oldest first; those that were removed
  /// at the end.
  ///
  /// - Returns: The machines.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public func devices() throws -> [SyncDevice] {
    let loaded = try files.locked { try load() }
    let roster = loaded.history.roster()
    // A stream for which another one goes on is that machine, once.
    let members = roster.members.values.filter { $0.successor == nil }.sorted {
      ($0.last == nil ? 0 : 1, $0.joined, $0.stream) < (
        $1.last == nil ? 0 : 1, $1.joined, $1.stream
      )
    }
    return members.map { member in
      SyncDevice(
        id: member.stream.text, label: member.label, role: member.role,
        isThisMachine: member.stream == loaded.state.stream,
        joined: Date(timeIntervalSince1970: Double(member.joined) / 1000),
        lastHeard: Date(
          timeIntervalSince1970: Double(loaded.history.last(member.stream)?.content.time ?? 0)
            / 1000),
        isRemoved: member.last != nil, isAdmitted: member.isAdmitted,
        invitation: member.invitation.map { Hexadecimal.text($0) },
        invitedBy: member.invitation.flatMap { roster.invitations[$0] }
          .map { roster.shownLabel(of: $0.inviter) },
        admittedBy: member.admittedBy.map { roster.shownLabel(of: $0) })
    }
  }

  /// Removes a machine: it can read nothing that is written from now on, and nothing that it writes
  /// is believed; the recovery codes of its vault open the space no longer.
  ///
  /// Brings the vault and its space together first. What the machine has read it has read: change
  /// those secrets.
  ///
  /// - Parameter device: The machine's label, or the beginning of its id.
  /// - Returns: The machine's label.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, also if several have the label;
  ///   `.notAllowed` unless this machine is an admin; what ``synchronize(acceptingRollback:)``
  ///   throws.
  @discardableResult
  public func remove(_ device: String) throws -> String {
    try files.locked {
      var loaded = try load()
      var label = device
      let report = try synchronize(&loaded) { loaded, roster in
        let removal = try removal(of: device, roster, loaded)
        label = removal.label
        return removal.operations
      }
      try report.checkIsDone()
      return label
    }
  }

  /// What removes a machine that is in.
  ///
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notAllowed`.
  func removal(
    of device: String, _ roster: Roster, _ loaded: Loaded
  ) throws -> (label: String, operations: [Operation]) {
    let own = loaded.state.stream
    let found = Result { try find(device, among: roster.present) }
    // A copy of this home may be taken out by whatever role this machine has.
    let isOwnCopy = (try? found.get()).map { roster.goesOn($0.stream, for: own) } ?? false
    if !isOwnCopy { try checkAdmin(roster, loaded) }
    let member = try found.get()
    guard member.stream != own else {
      throw SyncError(
        .notAllowed, "that is this machine", hint: "to take it out, leave the space")
    }
    if !isOwnCopy { try checkOutranks(member, roster, loaded) }
    let codes = roster.isAdmin(own) ? Self.codes(knownTo: member, roster) : []
    return (
      member.label,
      Self.removals(of: member.stream, roster, loaded) + Self.withdrawals(of: codes, roster)
    )
  }

  /// What takes a machine out, with the streams that it wrote before its home was put back: who has
  /// the home has their keys.
  private static func removals(
    of stream: StreamID, _ roster: Roster, _ loaded: Loaded
  ) -> [Operation] {
    roster.line(of: stream).filter { roster.members[$0]?.last == nil }
      .map { .remove($0, last: loaded.history.frontier[$0, default: 0]) }
  }

  /// The codes that a machine may know by which somebody could come in: the one by which it came,
  /// and those that it made.
  private static func codes(
    knownTo member: Roster.Member, _ roster: Roster
  ) -> [Roster.Invitation] {
    roster.codes(ofOnly: member.stream)
      + roster.openCodes {
        $0.id == member.invitation && !$0.isRecovery && $0.inviter != member.stream
      }
  }

  /// Gives a machine another role.
  ///
  /// Brings the vault and its space together first. What the machine wrote before counts as it did.
  ///
  /// - Parameters:
  ///   - role: What it may do from now on.
  ///   - device: The machine's label, or the beginning of its id; this one may give away a role, and
  ///     not take one.
  /// - Returns: The machine's label.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`; `.notAllowed` unless this machine is an
  ///   admin who came before the other one, and an owner to make an owner, also where the space
  ///   would lose its last owner; what ``synchronize(acceptingRollback:)`` throws.
  @discardableResult
  public func setRole(_ role: SyncRole, of device: String) throws -> String {
    try files.locked {
      var loaded = try load()
      var label = device
      let report = try synchronize(&loaded) { loaded, roster in
        let own = loaded.state.stream
        try checkAdmin(roster, loaded)
        if roster.hasEarlierRules {
          throw SyncError(
            .notAllowed, "this space was made by a version in which roles cannot be changed",
            hint: "remove the machine and invite it again")
        }
        let member = try find(device, among: roster.present)
        label = member.label
        guard member.role != role else { return [] }
        if member.stream == own {
          guard role < member.role else { throw Self.onlyAnOwner }
          // Also alone: a machine that it invites later could not be one either.
          try checkOtherOwner(roster, loaded, isLeaving: false)
        } else {
          try checkOutranks(member, roster, loaded)
          guard role < .owner || roster.isOwner(own) else { throw Self.onlyAnOwner }
        }
        // Who may let nobody in any more has no code that does.
        let line = roster.line(of: member.stream)
        let codes = role >= .admin ? [] : roster.codes(ofOnly: member.stream)
        let former = line.dropFirst().filter { (roster.members[$0]?.role ?? role) > role }
        return [.role(member.stream, role)] + former.map { .role($0, role) }
          + Self.withdrawals(of: codes, roster)
      }
      try report.checkIsDone()
      return label
    }
  }

  /// Lets a machine in that asks by an invitation whose time was over before an admin saw it.
  ///
  /// Brings the vault and its space together first.
  ///
  /// - Parameter device: The machine's label, or the beginning of its id.
  /// - Returns: The machine's label.
  /// - Throws: ``SyncError`` with code `.deviceNotFound` if none of that name asks; `.notAllowed`
  ///   unless this machine is an admin; what ``synchronize(acceptingRollback:)`` throws.
  @discardableResult
  public func admit(_ device: String) throws -> String {
    try files.locked {
      var loaded = try load()
      var label = device
      let report = try synchronize(&loaded) { loaded, roster in
        try checkAdmin(roster, loaded)
        // One that others used up lets nobody in, whatever anybody says.
        let asking = roster.invitations.values.filter {
          !$0.isRecovery && $0.accepted.count < $0.uses
        }
        .sorted { $0.id.lexicographicallyPrecedes($1.id) }
        .flatMap { invitation in invitation.refused.map { (invitation: invitation, stream: $0) } }
        let found = try Self.find(
          device, among: asking.map { ($0.stream, loaded.history.label(of: $0.stream) ?? "") },
          none: "no machine of that name asks to be let in"
        ) { "\($0) machines of that name ask to be let in" }
        let (invitation, stream) = asking[found]
        label = loaded.history.label(of: stream) ?? device
        return [.admit(invitation: invitation.id, accepted: [stream])]
      }
      try report.checkIsDone()
      return label
    }
  }

  /// Begins an epoch: what is written from now on is sealed with a new key, which all machines that
  /// are in get, and those that can still come by an invitation.
  ///
  /// Brings the vault and its space together first. Records that are in the store stay as they are,
  /// and so does the vault's own key. Nobody is put out by it: ``remove(_:)`` does that, and begins
  /// an epoch by itself.
  ///
  /// - Returns: The number of the epoch.
  /// - Throws: ``SyncError`` with code `.notAllowed` unless this machine is an admin; what
  ///   ``synchronize(acceptingRollback:)`` throws.
  @discardableResult
  public func rotate() throws -> Int {
    try files.locked {
      var loaded = try load()
      let report = try synchronize(&loaded) { loaded, roster in
        try checkAdmin(roster, loaded)
        return [try newEpoch(roster, loaded)]
      }
      try report.checkIsDone()
      return Int(loaded.history.roster().current?.number ?? 0)
    }
  }

  func find(_ device: String, among members: [Roster.Member]) throws -> Roster.Member {
    members[
      try Self.find(
        device, among: members.map { ($0.stream, $0.label) },
        none: "the space has no machine of that name"
      ) { "the space has \($0) machines of that name" }]
  }

  /// Finds the one machine that a person means: by its label, or by the beginning of its id.
  ///
  /// - Parameters:
  ///   - device: What was typed.
  ///   - machines: Streams with their labels.
  ///   - none: What it means that there is none.
  ///   - several: What it means that so many are called so.
  /// - Returns: Its place among the machines.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`.
  private static func find(
    _ device: String, among machines: [(stream: StreamID, label: String)], none: String,
    several: (Int) -> String
  ) throws -> Int {
    let named = machines.indices.filter { machines[$0].label == device }
    let found =
      named.isEmpty && device.utf8.count >= 6
      ? machines.indices.filter { machines[$0].stream.text.hasPrefix(device) } : named
    guard let place = found.first else { throw SyncError(.deviceNotFound, none) }
    guard found.count == 1 else {
      throw SyncError(
        .deviceNotFound, several(found.count), hint: "give the beginning of the machine's id")
    }
    return place
  }

  /// How the vault stands to its space, without asking the store.
  ///
  /// - Returns: The state.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public func status() throws -> SyncStatus {
    let (loaded, preferences, changes) = try files.locked {
      do {
        let loaded = try load()
        return (loaded, Optional(try folded(loaded)), try untold(loaded))
      } catch is SpaceBase.Outdated {
        let loaded = try load(usesBase: false)
        do {
          return (loaded, try folded(loaded), try untold(loaded))
        } catch is SpaceBase.Outdated {
          // Without the first records it is not known before the next run, which fetches them.
          return (loaded, nil, (0, 0))
        }
      }
    }
    let roster = loaded.history.roster()
    let domains = loaded.state.preferences.domains
    let others = (preferences?.domains ?? [:]).filter {
      domains[$0.key] == nil && !$0.value.values.isEmpty
    }
    let own = roster.members[loaded.state.stream]
    let records = loaded.history.streams[loaded.state.stream]?.count ?? 0
    return SyncStatus(
      store: loaded.state.store, space: loaded.state.space.text,
      label: own?.label ?? loaded.state.label,
      role: own.flatMap { $0.last == nil ? $0.role : nil }, devices: roster.present.count,
      owners: roster.owners.map { roster.shownLabel(of: $0.stream) },
      recoveryCodes: roster.recoveryCodes().count,
      unsent: max(0, records - Int(loaded.state.sent)), changedItems: changes.items,
      changedPreferences: changes.preferences, domains: domains.keys.sorted(),
      otherDomains: others.keys.sorted(),
      forks: try files.forks().entries.compactMap {
        $0.fork(in: loaded.state.space, label: loaded.history.label)
      },
      lastContact: loaded.state.lastContact == 0
        ? nil : Date(timeIntervalSince1970: Double(loaded.state.lastContact) / 1000))
  }

  private func folded(_ loaded: Loaded) throws(SpaceBase.Outdated) -> FoldedPreferences {
    try loaded.history.preferences(upTo: loaded.history.known)
  }

  /// How much was changed here that is in no record yet.
  private func untold(_ loaded: Loaded) throws -> (items: Int, preferences: Int) {
    let (applied, preferences) = (loaded.state.applied, try untoldPreferences(loaded))
    let roster = loaded.history.roster()
    // Of a reader it is what stays here.
    guard let member = roster.members[loaded.state.stream], member.last == nil,
      try member.role == .reader
        || vault.blocking.fileMark().bytes != (applied.file ?? loaded.state.rest?.vault)
    else { return (0, preferences) }
    let state = try loaded.history.folded(upTo: applied.frontier)
    let items = try vault.blocking.shared { shared in
      let (local, unreadable) = try shared.items()
      return state.changes(
        to: local, unreadable: unreadable, removed: shared.certainRemovals, now: shared.now
      ).count
    }
    return (items, preferences)
  }

  /// Leaves the space: the vault stays as it is, and belongs to no space.
  ///
  /// A vault that was copied or put back, and has not synchronized since, was not in the space by
  /// itself: the machine that it was copied from stays in.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - engine: The store.
  ///   - asLastOwner: Leaves also if nobody else is an owner: then nobody can let anybody in or remove
  ///     anybody any more.
  /// - Returns: Whether the others know of it, or need not; if not, an admin should remove this
  ///   machine.
  /// - Throws: ``SyncError`` with code `.lastOwner`, `.inputOutput`; what writing the vault throws.
  @discardableResult
  public static func leave(
    _ vault: UnlockedVault, in engine: any SyncEngine, asLastOwner: Bool = false
  ) throws -> Bool {
    let files = SyncFiles(vault: vault.blocking.path)
    return try files.locked {
      let synced = SyncedVault(vault, engine, now: vault.syncClock)
      let isTold = try synced.tellOfLeaving(asLastOwner: asLastOwner)
      try vault.blocking.setKey(nil, for: purpose)
      if try vault.blocking.key(for: credentialPurpose) != nil {
        try vault.blocking.setKey(nil, for: credentialPurpose)
      }
      try files.remove()
      return isTold
    }
  }

  /// Checks that somebody else is an owner, if this machine is one; who leaves may be alone.
  private func checkOtherOwner(
    _ roster: Roster, _ loaded: Loaded, isLeaving: Bool = true
  ) throws {
    let (own, owners) = (loaded.state.stream, roster.owners.map(\.stream))
    guard !isLeaving || roster.present.count > 1, owners.contains(own), owners.count == 1 else {
      return
    }
    throw SyncError(
      .lastOwner,
      "this machine is the only owner of the space: without it nobody can invite or remove anybody",
      hint: "make another machine an owner first")
  }

  /// Tells the others that this machine leaves.
  ///
  /// A home that was copied or put back takes nobody away: its machine stays in the space.
  ///
  /// - Parameter asLastOwner: Tells it also if nobody else is an owner.
  /// - Returns: Whether they know of it, or need not.
  /// - Throws: ``SyncError`` with code `.lastOwner`.
  private func tellOfLeaving(asLastOwner: Bool) throws -> Bool {
    do {
      var loaded = try load()
      guard try homeIdentity().wrote(loaded.state) else { return true }
      do {
        // In a record of its own: what comes after the last one that counts is not believed.
        _ = try synchronize(&loaded) { loaded, roster in
          if !asLastOwner { try checkOtherOwner(roster, loaded) }
          let own = loaded.state.stream
          guard roster.isAdmin(own) else { return [] }
          return Self.withdrawals(of: roster.codes(ofOnly: own), roster)
        }
      } catch {
        let isOut = [SyncError.Code.copied, .removed].contains((error as? SyncError)?.code)
        // Without the store, what is known here counts.
        if !asLastOwner, !isOut { try checkOtherOwner(loaded.history.roster(), loaded) }
        throw error
      }
      let report = try synchronize(&loaded) { loaded, roster in
        Self.removals(of: loaded.state.stream, roster, loaded)
      }
      return report.problems.isEmpty
    } catch let error as SyncError {
      if error.code == .lastOwner { throw error }
      return error.code == .copied || error.code == .removed
    } catch {
      return false
    }
  }
}

extension SyncReport {
  /// Throws what kept the records of this run from the store.
  func checkIsDone() throws {
    if isBlocked, let problem = problems.first(where: { $0.code == .rolledBack }) { throw problem }
  }
}

extension UnlockedVault {
  /// The clock of the vault.
  var syncClock: @Sendable () -> Int64 { blocking.clock }
}

extension Roster {
  /// The newest key that everybody has who is in, and every recovery code.
  var keyOfEveryone: EpochKey? {
    let lacking = Set(missingKeys.map(\.epoch.id) + missingRecoveryKeys.map(\.epoch.id))
    return epochs.map(\.key).filter { !lacking.contains($0.id) }
      .max { ($0.number, $1.id.description) < ($1.number, $0.id.description) }
  }
}
