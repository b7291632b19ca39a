import VaultCredentials
import VaultSealing

/// Who may change who belongs to a space, and how.
struct Membership: Exchanging {
  let exchange: Exchange

  /// Checks that this machine may say who belongs to the space.
  func checkAdmin(_ roster: Roster, _ loaded: LoadedReplica) throws {
    guard !roster.isAdmin(loaded.state.stream) else { return }
    guard roster.members[loaded.state.stream]?.isAdmitted ?? true else {
      throw SyncError(
        .notAllowed, "no admin's machine has let this machine in yet",
        hint: "bring that machine and the store together first, then do it again")
    }
    throw SyncError(
      .notAllowed, "only an admin can do that", hint: "do it on the machine of an admin")
  }

  static let onlyAnOwner = SyncError(
    .notAllowed, "only an owner can do that", hint: "do it on the machine of an owner")

  /// Checks that this machine comes before another one.
  func checkOutranks(
    _ member: Roster.Member, _ roster: Roster, _ loaded: LoadedReplica
  ) throws {
    guard !roster.outranks(loaded.state.stream, member.stream) else { return }
    throw SyncError(
      .notAllowed,
      "'\(roster.shownLabel(of: member.stream))' is \(member.role == .owner ? "an owner" : "an admin")"
        + " who came before this machine",
      hint: "an owner who came before that one can do it; so can a machine that joins by the "
        + "recovery code of that one's vault: a new one, or this one after it has left")
  }

  /// Machines that are removed together.
  struct Removal {
    /// The one that was named.
    let stream: StreamID
    /// Those that go on from copies of its home and are removed with it, the oldest first.
    var copies: [StreamID] = []
    /// What says so; empty where the records here say it already.
    var operations: [Operation] = []
  }

  /// What removes a machine that is in.
  ///
  /// - Parameters:
  ///   - device: Its label, or the beginning of its id.
  ///   - roster: Who is in.
  ///   - loaded: What is known.
  ///   - copies: Whether those go, too, that go on from copies of its home, also where it is out.
  /// - Returns: What is removed, and what says so.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notAllowed`.
  func removal(
    of device: String, _ roster: Roster, _ loaded: LoadedReplica, withCopies copies: Bool = false
  ) throws -> Removal {
    let own = loaded.state.stream
    let found = Result {
      let former = copies ? Self.whatGoesOn(for: device, roster) : nil
      return try former
        ?? (copies ? findInOrOut(device, roster) : find(device, among: roster.present))
    }
    // A copy of this home may be taken out by whatever role this machine has, and its original.
    let isOwnCopy = (try? found.get()).map { roster.isOfOneLine($0.stream, own) } ?? false
    if !isOwnCopy { try checkAdmin(roster, loaded) }
    // It was removed here, and a run that ended before has not told the store.
    if (try? found.get()) == nil, loaded.state.sent < loaded.history.frontier[own, default: 0],
      let gone = try? find(device, among: roster.listed), gone.isPutOut
    {
      return Removal(stream: gone.stream)
    }
    let member = try found.get()
    guard member.stream != own else {
      throw SyncError(
        .notAllowed, "that is this machine", hint: "to take it out, leave the space")
    }
    if !isOwnCopy { try checkOutranks(member, roster, loaded) }
    // Each by itself: a removal says nothing of those whose first records its writer knew.
    let others =
      copies
      ? roster.descendants(of: member.stream).filter { other in
        !isOwnCopy || roster.isOfOneLine(other.stream, own)
          || roster.isAdmin(own) && roster.outranks(own, other.stream)
      }
      .filter { $0.stream != own } : []
    if !isOwnCopy { for other in others { try checkOutranks(other, roster, loaded) } }
    var removal = Removal(stream: member.stream, copies: others.map(\.stream))
    var streams: Set<StreamID> = []
    var codes: [[UInt8]: Roster.Invitation] = [:]
    for one in [member] + others {
      for stream in Self.streams(toRemove: one.stream, roster)
      where stream != own && streams.insert(stream).inserted {
        removal.operations.append(
          .remove(stream, last: loaded.history.frontier[stream, default: 0]))
      }
      guard roster.isAdmin(own) else { continue }
      for code in Self.codes(knownTo: one, roster) { codes[code.id] = code }
    }
    removal.operations += RecoveryCodes.withdrawals(
      of: codes.values.sorted { $0.id.lexicographicallyPrecedes($1.id) }, roster)
    return removal
  }

  /// The machine that goes on, under another name, for one that was called so: that one is not
  /// listed.
  private static func whatGoesOn(for device: String, _ roster: Roster) -> Roster.Member? {
    let isListed = roster.listed.contains { $0.label == device }
    let former = roster.members.values.filter { $0.label == device && $0.successor != nil }
    guard !isListed, former.count == 1, var last = former.first else { return nil }
    while let next = last.successor.flatMap({ roster.members[$0] }) { last = next }
    return last
  }

  /// Those of a machine's streams that nothing has ended yet.
  private static func streams(toRemove stream: StreamID, _ roster: Roster) -> [StreamID] {
    roster.line(of: stream).filter { roster.members[$0]?.last == nil }
  }

  /// What takes a machine out, with the streams that it wrote before its home was put back: who has
  /// the home has their keys.
  static func removals(
    of stream: StreamID, _ roster: Roster, _ loaded: LoadedReplica
  ) -> [Operation] {
    streams(toRemove: stream, roster)
      .map { .remove($0, last: loaded.history.frontier[$0, default: 0]) }
  }

  /// The codes that a machine may know by which somebody could come in: the one by which it came,
  /// and those that it made.
  private static func codes(
    knownTo member: Roster.Member, _ roster: Roster
  ) -> [Roster.Invitation] {
    roster.codes(ofOnly: member.stream)
      + roster.openCodes { $0.id == member.invitation && $0.inviter != member.stream }
  }

  /// Takes other keys where it was a copy of this home that was removed, and says what a removal has
  /// done.
  ///
  /// - Parameters:
  ///   - removed: The machines that were removed.
  ///   - loaded: What is known.
  /// - Returns: Its names, and who else has to do something.
  /// - Throws: As ``SyncRun/synchronize(_:acceptingRollback:also:)``.
  func takeOtherKeys(
    afterRemovalOf removed: Removal, _ loaded: inout LoadedReplica
  ) throws -> SyncRemoval {
    let stream = removed.stream
    var hasNewKeys = false
    if loaded.history.roster().isKnownToACopyThatIsOut(loaded.state.stream) {
      let report = try SyncRun(exchange).synchronize(&loaded)
      try report.checkIsDone()
      hasNewKeys = report.hasNewKeys
    }
    let roster = loaded.history.roster()
    let label = roster.shownLabel(of: stream)
    let namesakes = roster.listed.filter { $0.label == label }
    let code = roster.members[stream]?.invitation.flatMap { roster.invitations[$0] }
    return SyncRemoval(
      label: label, id: stream.text, isOnlyOneOfItsName: namesakes.count < 2,
      sharesKeysWith: roster.sharesKeys(stream).map { roster.shownLabel(of: $0.stream) },
      copies: roster.copies(of: stream).map(\.label).sorted(),
      removedCopies: removed.copies.map { roster.shownLabel(of: $0) },
      recoveryCodeOf: code.flatMap {
        $0.isRecovery && roster.isPresent($0.inviter) ? roster.shownLabel(of: $0.inviter) : nil
      },
      isRecoveryCodeClosed: code?.isSettled ?? true, hasNewKeys: hasNewKeys)
  }

  /// A machine that is in, or else one that is out.
  ///
  /// - Throws: ``SyncError`` with code `.deviceNotFound`.
  func findInOrOut(_ device: String, _ roster: Roster) throws -> Roster.Member {
    let isIn = roster.present.contains { $0.label == device }
    return try find(device, among: isIn ? roster.present : roster.listed)
  }

  /// The only machine of a name that is in or was: what is said of what one of them wrote must not
  /// hit another one, to which its name was given later.
  ///
  /// - Throws: ``SyncError`` with code `.deviceNotFound`.
  func findOne(_ device: String, _ roster: Roster) throws -> Roster.Member {
    try find(device, among: roster.listed)
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
  static func find(
    _ device: String, among machines: [(stream: StreamID, label: String)], none: String,
    several: (Int) -> String
  ) throws -> Int {
    let named = machines.indices.filter { machines[$0].label == device }
    let found =
      named.isEmpty && device.utf8.count >= 6
      ? machines.indices.filter { machines[$0].stream.text.hasPrefix(device) } : named
    guard let place = found.first else { throw SyncError(.deviceNotFound, none) }
    guard found.count == 1 else {
      let ids = found.prefix(4).map { String(machines[$0].stream.text.prefix(8)) }
      throw SyncError(
        .deviceNotFound, several(found.count),
        hint: "give the beginning of the machine's id: \(ids.joined(separator: ", "))"
          + (found.count > ids.count ? " …" : ""))
    }
    return place
  }

  /// Checks that somebody else is an owner, if this machine is one; who leaves may be alone.
  func checkOtherOwner(
    _ roster: Roster, _ loaded: LoadedReplica, isLeaving: Bool = true
  ) throws {
    let (own, owners) = (loaded.state.stream, roster.owners.map(\.stream))
    // Where nobody is an owner any more, an admin is what is left.
    let leaders =
      owners.isEmpty ? roster.present.map(\.stream).filter(roster.isAdmin) : owners
    guard !isLeaving || roster.present.count > 1, leaders == [own] else { return }
    throw SyncError(
      .lastOwner,
      "this machine is the only \(owners.isEmpty ? "admin" : "owner") of the space: without it "
        + "nobody can invite or remove anybody",
      hint: "make another machine an \(owners.isEmpty ? "admin" : "owner") first",
      remedy: owners.isEmpty ? .makeAdmin : .makeOwner)
  }

  /// Tells the others that this machine leaves.
  ///
  /// A home that was copied or put back takes nobody away: its machine stays in the space.
  ///
  /// - Parameter asLastOwner: Tells it also if nobody else is an owner.
  /// - Returns: Whether they know of it, or need not.
  /// - Throws: ``SyncError`` with code `.lastOwner`.
  func tellOfLeaving(asLastOwner: Bool) throws -> Bool {
    // Nobody knows of a vault that follows a feed.
    guard mirror == nil else { return true }
    do {
      var loaded = try replica.load()
      guard try replica.homeIdentity().wrote(loaded.state) else { return true }
      do {
        // In a record of its own: what comes after the last one that counts is not believed.
        func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
          if !asLastOwner { try checkOtherOwner(roster, loaded) }
          let own = loaded.state.stream
          guard roster.isAdmin(own) else { return [] }
          return RecoveryCodes.withdrawals(of: roster.codes(ofOnly: own), roster)
        }
        _ = try SyncRun(exchange).synchronizeClosing(&loaded, with: operations)
      } catch {
        let isOut = [SyncError.Code.copied, .removed].contains((error as? SyncError)?.code)
        // Without the store, what is known here counts.
        if !asLastOwner, !isOut { try checkOtherOwner(loaded.history.roster(), loaded) }
        throw error
      }
      let report = try SyncRun(exchange).synchronize(&loaded) { loaded, roster in
        Self.removals(of: loaded.state.stream, roster, loaded)
      }
      if report.problems.isEmpty {
        // The vault has all that this stream knows: so a machine that joins again has seen it.
        try vault.blocking.shared { $0.left = loaded.state.stream.text }
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
