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
      var loaded = try replica.load()
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        try Membership(exchange).checkAdmin(roster, loaded)
        guard role < .owner || roster.isOwner(loaded.state.stream) || roster.hasEarlierRules else {
          throw Membership.onlyAnOwner
        }
        return [
          .invite(
            invitation: code.id, keys: code.keys.publicKeys, role: role, uses: UInt16(uses),
            expires: expires)
        ]
      }
      do {
        try SyncRun(exchange).synchronize(&loaded, also: operations).checkIsDone()
        let content = InvitationContent(
          loaded.history, role: role, expires: expires,
          snapshot: try SnapshotExchange(exchange).shownSnapshot(loaded))
        try engine.putInvitation(
          content.sealed(code.keys.own), id: code.id, in: loaded.state.space)
      } catch {
        try? Keeping(exchange).withdraw(code.id)
        throw error
      }
    }
    return SyncInvitation(
      text: code.text, role: role, expires: Date(timeIntervalSince1970: Double(expires) / 1000),
      uses: uses)
  }

  /// The machines of the space, as far as this one knows, the oldest first; those that were removed
  /// at the end.
  ///
  /// - Returns: The machines.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public func devices() throws -> [SyncDevice] {
    let loaded = try files.reading { try replica.look() }
    let roster = loaded.history.roster()
    // A stream for which another one goes on is that machine, once.
    // Who follows a feed is none of the machines, for himself neither.
    let members = roster.listed.filter {
      loaded.state.feed == nil || $0.stream != loaded.state.stream
    }
    .sorted {
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
          timeIntervalSince1970: Double(
            min(loaded.history.last(member.stream)?.content.time ?? 0, now())) / 1000),
        isRemoved: member.last != nil, isAdmitted: member.isAdmitted,
        invitation: member.invitation.map { Hexadecimal.text($0) },
        invitedBy: member.invitation.flatMap { roster.invitations[$0] }
          .map { roster.shownLabel(of: $0.inviter) },
        admittedBy: member.admittedBy.map { roster.shownLabel(of: $0) },
        cameByRecoveryCode: roster.recoveryCode(of: member) != nil)
    }
  }

  /// Machines that are in and go on from copies of another one's home; the store is not asked.
  ///
  /// - Parameter device: The other one's label, or the beginning of its id.
  /// - Returns: Their labels and roles.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notJoined`, `.tampered`.
  package func copies(of device: String) throws -> [(label: String, role: SyncRole)] {
    let roster = try files.reading { try replica.look() }.history.roster()
    let stream = try Membership(exchange).findInOrOut(device, roster).stream
    return roster.copies(of: stream).map { ($0.label, $0.role) }
  }

  /// Machines that ask to be let in by an invitation whose time is over, by their labels; the store is
  /// not asked.
  ///
  /// - Returns: The labels, for ``admit(_:)``; none on a machine that may let nobody in.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  public func asking() throws -> [String] {
    let loaded = try files.reading { try replica.look() }
    let roster = loaded.history.roster()
    return roster.isAdmin(loaded.state.stream) ? loaded.asking(roster) : []
  }

  /// Removes a machine: it can read nothing that is written from now on, and nothing that it writes
  /// is believed; the recovery codes of its vault open the space no longer.
  ///
  /// Brings the vault and its space together first. What the machine has read it has read: change
  /// those secrets.
  ///
  /// A machine that goes on from a copy of another one's home has that one's keys: it reads on until
  /// that machine, too, has synchronized, which takes other keys then, and an admin's machine after
  /// it. ``SyncRemoval/sharesKeysWith`` names it.
  ///
  /// ```swift
  /// let removal = try laptop.remove("desktop-2")
  /// if let other = removal.sharesKeysWith { print("synchronize \(other), and here again") }
  /// ```
  ///
  /// Who has a copy of a home can go on from it under as many names as he likes, each of which stays
  /// in by itself. `copies` removes them all at once, also those that this call finds in the store;
  /// those that are made later go on for one that is out, and so are out as well. An honest machine
  /// that goes on from that home is out with them: invite it again.
  ///
  /// - Parameters:
  ///   - device: The machine's label, or the beginning of its id; with `copies` it may be out.
  ///   - copies: Whether those that go on from copies of its home are removed, too.
  /// - Returns: What was removed, and what is left to do.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, also if several have the label;
  ///   `.notAllowed` unless this machine is an admin; what ``synchronize(acceptingRollback:)``
  ///   throws.
  @discardableResult
  public func remove(_ device: String, copies: Bool = false) throws -> SyncRemoval {
    try files.locked {
      var loaded = try replica.load()
      var removed: Membership.Removal?
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        guard removed == nil else { return [] }
        let removal = try Membership(exchange).removal(
          of: device, roster, loaded, withCopies: copies)
        removed = removal
        return removal.operations
      }
      try Keeping(exchange).saying { roster in
        removed.flatMap { roster.members[$0.stream] }?.last != nil
      } _: {
        try SyncRun(exchange).synchronizeClosing(&loaded, with: operations)
      }
      guard let removed else { throw Replica.copied }
      return try Membership(exchange).takeOtherKeys(afterRemovalOf: removed, &loaded)
    }
  }

  /// Gives a machine another role.
  ///
  /// Brings the vault and its space together first. What the machine wrote before counts as it did. With
  /// a lower role its invitations and recovery codes are closed: they let in by the right that it had.
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
      var loaded = try replica.load()
      var label = device
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        let own = loaded.state.stream
        try Membership(exchange).checkAdmin(roster, loaded)
        if roster.hasEarlierRules {
          throw SyncError(
            .notAllowed, "this space was made by a version in which roles cannot be changed",
            hint: "remove the machine and invite it again")
        }
        let member = try Membership(exchange).find(device, among: roster.present)
        label = member.label
        guard member.role != role else { return [] }
        if member.stream == own {
          guard role < member.role else { throw Membership.onlyAnOwner }
          // Also alone: a machine that it invites later could not be one either.
          try Membership(exchange).checkOtherOwner(roster, loaded, isLeaving: false)
        } else {
          try Membership(exchange).checkOutranks(member, roster, loaded)
          guard role < .owner || roster.isOwner(own) else { throw Membership.onlyAnOwner }
        }
        // Its codes let in by the right that it had when it made them.
        let line = roster.line(of: member.stream)
        let codes = role > member.role ? [] : roster.codes(ofOnly: member.stream)
        let former = line.dropFirst().filter { (roster.members[$0]?.role ?? role) > role }
        return [.role(member.stream, role)] + former.map { .role($0, role) }
          + RecoveryCodes.withdrawals(of: codes, roster)
      }
      // The codes are closed before what was changed here goes out; the role itself may be one that
      // gives a right.
      try Keeping(exchange).saying { roster in
        roster.present.contains { $0.label == label && $0.role == role }
      } _: {
        try SyncRun(exchange).synchronizeClosing(
          &loaded, with: { try operations(&$0, $1).filter(\.closesCode) }, then: operations)
      }
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
      var loaded = try replica.load()
      var label = device
      let report = try SyncRun(exchange).synchronize(&loaded) { loaded, roster in
        try Membership(exchange).checkAdmin(roster, loaded)
        // One that others used up lets nobody in, whatever anybody says.
        let asking = roster.invitations.values.filter {
          !$0.isRecovery && $0.accepted.count < $0.uses
        }
        .sorted { $0.id.lexicographicallyPrecedes($1.id) }
        .flatMap { invitation in invitation.refused.map { (invitation: invitation, stream: $0) } }
        let found = try Membership.find(
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
  /// and so does the vault's own key. Nobody is put out by it: ``remove(_:copies:)`` does that, and begins
  /// an epoch by itself.
  ///
  /// - Returns: The number of the epoch.
  /// - Throws: ``SyncError`` with code `.notAllowed` unless this machine is an admin; what
  ///   ``synchronize(acceptingRollback:)`` throws.
  @discardableResult
  public func rotate() throws -> Int {
    try files.locked {
      var loaded = try replica.load()
      var isBegun = false
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        guard !isBegun else { return [] }
        try Membership(exchange).checkAdmin(roster, loaded)
        isBegun = true
        return [try Admitting(exchange).newEpoch(roster, loaded)]
      }
      let former = loaded.history.roster().current?.number ?? 0
      try Keeping(exchange).saying {
        $0.current?.number ?? 0 > former
      } _: {
        try SyncRun(exchange).synchronizeClosing(&loaded, with: operations)
      }
      return Int(loaded.history.roster().current?.number ?? 0)
    }
  }

  /// How the vault stands to its space, without asking the store.
  ///
  /// - Returns: The state.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public func status() throws -> SyncStatus { try StatusReading(exchange).status() }

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
    let membership = Membership(Exchange(vault, engine))
    return try membership.files.locked {
      let isTold = try membership.tellOfLeaving(asLastOwner: asLastOwner)
      try vault.blocking.setKey(nil, for: Replica.purpose)
      if try vault.blocking.key(for: StorePassword.purpose) != nil {
        try vault.blocking.setKey(nil, for: StorePassword.purpose)
      }
      try membership.files.remove()
      return isTold
    }
  }
}
