import FoundationEssentials
public import VaultCredentials
public import VaultSealing

/// A vault that belongs to a space: what is in it is on every machine of the space.
///
/// Everything is sealed and signed before it leaves the machine; the store learns sizes and times,
/// and is believed in nothing. Calls wait on the calling thread, those that need the store as long
/// as it takes. Reading and changing the vault never waits for a store: only
/// ``synchronize(acceptingRollback:)`` brings changes there and takes those of others.
///
/// ```swift
/// let engine = FolderEngine(path: "/media/stick/vault")
/// let laptop = try SyncedVault.create(vault, in: engine, at: "/media/stick/vault", label: "laptop")
/// try laptop.synchronize()
/// let code = try laptop.invite()
/// // and on the other machine:
/// let desktop = try SyncedVault.join(
///   other, in: engine, at: "/media/stick/vault", invitation: code.text, label: "desktop")
/// try desktop.synchronize()
/// ```
///
/// Documentation/design/sync-format.md has every byte.
public struct SyncedVault: Sendable {
  static let purpose = "sync-device"

  let vault: UnlockedVault
  var engine: any SyncEngine
  let files: SyncFiles
  let now: @Sendable () -> Int64
  /// The preferences of this machine, of which ``addDomain(_:)`` names those that are brought
  /// together, too; without them, only the vault is.
  public var preferences: (any SyncedPreferences)?
  /// The least bytes of records, behind those that the base covers, that are worth another base.
  package var baseStep: UInt64 = 64 << 10
  /// The least bytes of records, behind those of the newest snapshot, that are worth another one.
  package var snapshotStep: UInt64 = 1 << 20
  /// How many records lie in a smaller pack, in a store that puts records together; at least 2.
  package var packStep: UInt64 = RecordPack.step
  /// The fewest records that go from the store at once.
  package var retirementStep: UInt64 = RecordPack.step
  /// Whether a run looks only at items that somebody has changed, where it knows which these are.
  package var looksAtChangesAlone = true
  /// How a state of the space comes into the vault; only tests have another merge.
  package var merging: Merge = { vault, state, base in
    let removals = try base == nil ? state.removals(toldTo: vault) : state.removals
    return try vault.merge(state.items, removals: removals, base: base)
  }

  /// How preferences and those of the space come together; only tests have another merge.
  package var mergingPreferences: PreferencesMerge = { try PreferenceMerge($0, changed: $1) }

  /// Merges a preference domain; asks when its keys were changed here if that matters.
  package typealias PreferencesMerge =
    @Sendable (
      _ sides: PreferenceMerge.Sides, _ changed: () throws -> [String: Int64]
    ) throws -> PreferenceMerge

  /// Merges a state of the space into the items of the vault, which stood at `base` before.
  package typealias Merge =
    @Sendable (
      _ vault: inout SharedVault, _ state: FoldedSpace, _ base: [SharedItem]?
    ) throws -> MergeReport

  /// Opens the space that a vault belongs to.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - engine: The store: what ``store(of:)`` names.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public init(_ vault: UnlockedVault, engine: any SyncEngine) throws {
    self.init(vault, engine, now: vault.syncClock)
    // The records are read by what needs them: a run with nothing new does not.
    _ = try files.locked { try loadState() }
  }

  init(
    _ vault: UnlockedVault, _ engine: any SyncEngine, now: @escaping @Sendable () -> Int64
  ) {
    self.vault = vault
    self.engine = PartedEngine(engine)
    self.now = now
    files = SyncFiles(vault: vault.blocking.path)
  }

  /// Where the store of a vault's space is, as it was given when the space was made or joined.
  ///
  /// - Parameter vault: The vault.
  /// - Returns: The text; `nil` if the vault belongs to no space.
  /// - Throws: ``SyncError`` with code `.tampered`, or what reading the vault throws.
  public static func store(of vault: UnlockedVault) throws -> String? {
    try remembered(of: vault)?.state.store
  }

  /// What a vault's machine remembers of its space, and its keys; `nil` if the vault belongs to
  /// none.
  static func remembered(of vault: UnlockedVault) throws -> (state: SyncState, keys: MachineKeys)? {
    guard let bytes = try SyncFiles(vault: vault.blocking.path).state(),
      let seed = try vault.blocking.key(for: purpose)
    else { return nil }
    let keys = try KeyPairs(seed: seed)
    let state = try SyncState(sealed: bytes, key: keys.own)
    return (state, try MachineKeys(keys, further: state.seeds))
  }

  /// Why a vault belongs to no space.
  ///
  /// A backup has the key of its machine, and not what the machine knew of the space: whoever went
  /// on from there could write a number again that others have seen.
  package static func notJoined(_ vault: UnlockedVault) throws -> SyncError {
    guard try vault.blocking.key(for: purpose) != nil,
      try SyncFiles(vault: vault.blocking.path).state() == nil
    else {
      return SyncError(
        .notJoined, "the vault belongs to no space", hint: "make one, or join one by an invitation")
    }
    return SyncError(
      .notJoined, "the vault was put back without what this machine knew of its space",
      hint: "join the space again by an invitation; what was here before counts as another machine")
  }

  // MARK: - Beginning

  /// Makes a space of a vault.
  ///
  /// The store is not written to before the next ``synchronize(acceptingRollback:)``. With it, the
  /// recovery codes of the vault open the space, too, and so does each that is made later.
  ///
  /// - Parameters:
  ///   - vault: The vault, all of whose items are in the space from now on.
  ///   - engine: The store, which must answer.
  ///   - store: Where the store is, to be kept for ``store(of:)``; no passwords.
  ///   - label: What this machine is called in the space: letters, digits, dots, hyphens.
  /// - Returns: The vault in its space.
  /// - Throws: ``SyncError`` with code `.alreadyJoined`, `.unavailable`; `.notAllowed` for a label
  ///   that cannot be used.
  public static func create(
    _ vault: UnlockedVault, in engine: any SyncEngine, at store: String, label: String
  ) throws -> SyncedVault {
    let synced = SyncedVault(vault, engine, now: vault.syncClock)
    try checkLabel(label)
    try synced.files.locked {
      try synced.checkIsFree()
      _ = try engine.spaces()
      let seed = try SecretBytes.random(count: 32)
      let keys = try KeyPairs(seed: seed)
      let nonce = RandomBytes.bytes(count: 16)
      let space = try SpaceID(creator: keys.publicKeys, nonce: nonce)
      let stream = try StreamID(of: keys.publicKeys, in: space)
      let epoch = try EpochKey(number: 1, key: SecretBytes.random(count: 32))
      let content = RecordContent(
        time: synced.now(), seen: [],
        operations: [
          .create(
            keys: keys.publicKeys, nonce: nonce, label: label, rules: RosterRules.version),
          .epoch(epoch, of: space, for: [(stream.bytes, keys.sealing.publicKey)]),
        ])
      let record = try SyncRecord(
        content, space: space, stream: stream, sequence: 1,
        previous: [UInt8](repeating: 0, count: 32), epoch: epoch, signer: keys.signing)
      var state = SyncState(
        space: space, stream: stream, machine: try synced.homeIdentity().bytes, label: label,
        store: store, invitationSeed: nil, epochs: [epoch])
      state.mended = synced.now()
      state.applied = SyncState.Applied(
        frontier: [stream: 1], mark: try vault.blocking.shared { $0.mark } ?? "")
      try vault.blocking.setKey(seed, for: purpose)
      try synced.files.remove()
      try synced.files.append([record.bytes], at: 0)
      try synced.files.replaceState(state.sealed(keys.own))
    }
    return synced
  }

  /// Joins the space that an invitation is for.
  ///
  /// Items come with the next ``synchronize(acceptingRollback:)``, which merges them with those of
  /// the vault.
  ///
  /// - Parameters:
  ///   - vault: The vault; it may have items.
  ///   - engine: The store.
  ///   - store: Where the store is, to be kept for ``store(of:)``; no passwords.
  ///   - invitation: The code that ``invite(role:uses:seconds:)`` gave; or the recovery code of an
  ///     admin's vault, by which the machine becomes an admin.
  ///   - label: What this machine is called in the space.
  /// - Returns: The vault in its space.
  /// - Throws: ``SyncError`` with code `.invitation` for a wrong, old or used one,
  ///   `.alreadyJoined`, `.withheld` and `.forked` for a store that does not show what the admin
  ///   saw, `.unavailable`.
  public static func join(
    _ vault: UnlockedVault, in engine: any SyncEngine, at store: String,
    invitation: SecretBytes, label: String
  ) throws -> SyncedVault {
    let synced = SyncedVault(vault, engine, now: vault.syncClock)
    try checkLabel(label)
    try synced.files.locked {
      try synced.checkIsFree()
      let code = try InvitationCode(typed: invitation)
      let content = try synced.invitation(code)
      let seed = try SecretBytes.random(count: 32)
      let keys = try KeyPairs(seed: seed)
      let stream = try StreamID(of: keys.publicKeys, in: content.space)
      let root = try content.snapshot.map { try synced.root($0, of: content) }
      var history = SpaceHistory(
        content.space, epochs: content.epochs, openers: [keys.sealing, code.keys.sealing],
        base: root)
      history.viewer = stream
      history.progress = { vault.blocking.tell(.opening, $0, of: $1) }
      let fetched = try synced.fetchAll(into: &history)
      try synced.check(content, code, history)
      let label = history.roster().freeLabel(label)
      var state = SyncState(
        space: content.space, stream: stream, machine: try synced.homeIdentity().bytes,
        label: label, store: store, invitationSeed: code.seed, epochs: history.epochs)
      state.mended = synced.now()
      state.applied.frontier = root?.frontier ?? [:]
      // No vault has such a mark: what it has is merged without an ancestor.
      state.applied.mark = "-"
      let claim = Operation.claim(
        keys: keys.publicKeys, invitation: code.id, label: label,
        signature: code.keys.signing.signature(
          of: Roster.claimed(by: stream, in: content.space)))
      var writer = RecordWriter(keys: keys, stream: stream, time: synced.now())
      try writer.write([claim], to: &history)
      try vault.blocking.setKey(seed, for: purpose)
      try synced.files.remove()
      if let root { try synced.files.replaceRoot(root.sealed(keys.own)) }
      try synced.files.append(fetched + writer.written, at: 0)
      try synced.files.replaceState(state.sealed(keys.own))
    }
    return synced
  }

  /// Whether a machine may be called so: 1 to 64 letters, digits, dots, hyphens and underscores.
  static func isLabel(_ label: String) -> Bool {
    (1...64).contains(label.utf8.count)
      && label.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || ".-_".unicodeScalars.contains($0)
      }
  }

  private static func checkLabel(_ label: String) throws {
    guard isLabel(label) else {
      throw SyncError(
        .notAllowed, "a machine's name has 1 to 64 letters, digits, dots and hyphens",
        hint: "choose another name for this machine")
    }
  }

  /// Checks that a store has an invitation for a code, before anything is made for it.
  ///
  /// - Parameters:
  ///   - invitation: The code that was typed.
  ///   - engine: The store.
  /// - Throws: ``SyncError`` with code `.invitation` for a wrong or used one, `.tampered`,
  ///   `.unavailable`.
  public static func check(_ invitation: SecretBytes, in engine: any SyncEngine) throws {
    let content = try content(of: InvitationCode(typed: invitation), in: engine)
    guard content.expires == .max || Double(content.expires) / 1000 >= Date().timeIntervalSince1970
    else { throw expired }
  }

  private func checkIsFree() throws {
    guard try files.state() != nil, try vault.blocking.key(for: Self.purpose) != nil else {
      return
    }
    throw SyncError(
      .alreadyJoined, "the vault belongs to a space already", hint: "leave that one first")
  }

  private func invitation(_ code: InvitationCode) throws -> InvitationContent {
    let content = try Self.content(of: code, in: engine)
    guard content.expires >= now() else { throw Self.expired }
    return content
  }

  private static func content(
    of code: InvitationCode, in engine: any SyncEngine
  ) throws -> InvitationContent {
    for space in try engine.spaces() {
      guard let bytes = try engine.invitation(code.id, in: space) else { continue }
      let content = try InvitationContent(sealed: bytes, code: code)
      guard content.space == space else { break }
      return content
    }
    throw SyncError(
      .invitation, "the store has no such invitation",
      hint: engine.isEventual
        ? "check the code and the place; a file syncer may need a moment more"
        : "check the code and the place")
  }

  private static let expired = SyncError(
    .invitation, "the invitation has expired", hint: "ask for another one")

  /// Checks that the store shows what the admin saw, and that the invitation can be used.
  private func check(
    _ content: InvitationContent, _ code: InvitationCode, _ history: SpaceHistory
  ) throws {
    let roster = history.roster()
    // What a member has signed wrongly costs its own stream; what is altered is the store's.
    let altered = history.stops.first { stop in
      !stop.isSigned && roster.members[stop.stream].map { $0.last == nil } ?? false
    }
    if let altered { throw altered.problem }
    for sighting in content.seen + [content.snapshot].compactMap(\.self) {
      guard let record = history.record(sighting.stream, sighting.sequence) else {
        throw SyncError(
          .withheld, "the store does not show all that was there when you were invited",
          hint: engine.isEventual
            ? "try again when the file syncer is done" : "the store may have been put back")
      }
      guard record.hash.starts(with: sighting.hash) else {
        throw SyncError(
          .forked, "the store shows other records than those that were there when you were invited")
      }
    }
    guard let invitation = roster.invitations[code.id], invitation.keys == code.keys.publicKeys
    else {
      throw SyncError(.invitation, "the invitation was taken back", hint: "ask for another one")
    }
    guard invitation.expires >= now() else { throw Self.expired }
    if invitation.isRecovery, invitation.isSettled {
      throw SyncError(
        .invitation, "that recovery code was replaced by another one, or withdrawn",
        hint: "use the new one, or ask for an invitation")
    }
    let waiting = roster.asking(invitation).count
    guard !invitation.isSettled, invitation.accepted.count + waiting < invitation.uses else {
      throw SyncError(
        .invitation, "the invitation was used already",
        hint: "ask for another one; if it was not you who used it, have that machine removed")
    }
  }

  /// Fetches all records of all streams that the history does not begin with; returns those that
  /// were opened, in order.
  private func fetchAll(into history: inout SpaceHistory) throws -> [[UInt8]] {
    let (known, count) = (history.frontier, history.all.count)
    var fetched: [StreamID: [[UInt8]]] = [:]
    let heads = try engine.heads(in: history.space)
    var progress = FetchingProgress(heads, known: known, vault)
    // Of streams that begin, the first record says whether there is more to ask for.
    var begun: Set<StreamID> = []
    for head in heads where known[head.stream, default: 0] < head.sequence {
      let have = known[head.stream, default: 0]
      if have == 0 { begun.insert(head.stream) }
      let end = have == 0 ? 1 : head.sequence
      let records = try engine.all(
        StreamHead(stream: head.stream, sequence: end, hash: head.hash), in: history.space,
        after: have, &progress)
      fetched[head.stream] = records
      history.add(records, of: head.stream, mayBeHalf: engine.isEventual)
    }
    try history.open(areVerified: false)
    while case let ready = begun.filter({ history.streams[$0] != nil }), !ready.isEmpty {
      begun.subtract(ready)
      for head in heads where ready.contains(head.stream) {
        let records = try engine.all(head, in: history.space, after: 1, &progress)
        fetched[head.stream, default: []] += records
        history.add(records, of: head.stream, mayBeHalf: engine.isEventual)
      }
      try history.open(areVerified: false)
    }
    return history.all.dropFirst(count).compactMap {
      fetched[$0.stream]?[Int($0.sequence - known[$0.stream, default: 0]) - 1]
    }
  }

  // MARK: - State

  /// What this machine remembers, and its keys.
  struct Loaded {
    var state: SyncState
    var keys: MachineKeys
    var history: SpaceHistory
    /// The bytes of the log before ``log``: what the history's base covers.
    let logStart: UInt64
    /// The records in the log, in order, from there.
    var log: [[UInt8]]

    /// The bytes of the log.
    var logEnd: UInt64 { log.reduce(logStart) { $0 + 4 + UInt64($1.count) } }
  }

  /// Reads the state and the machine's keys.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  func loadState() throws -> (state: SyncState, keys: MachineKeys) {
    guard let remembered = try Self.remembered(of: vault) else { throw try Self.notJoined(vault) }
    return remembered
  }

  /// Reads what this machine remembers; what a crash left undone is completed or dropped.
  ///
  /// - Parameters:
  ///   - known: What ``loadState()`` gave, if it was read already.
  ///   - usesBase: Whether records that a ``SpaceBase`` covers may be left sealed.
  /// - Returns: The state, the keys, the records.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`, `.inputOutput`.
  func load(
    _ known: (state: SyncState, keys: MachineKeys)? = nil, usesBase: Bool = true
  ) throws -> Loaded {
    var (state, keys) = try known ?? loadState()
    let base = usesBase ? try base(for: state, keys) : nil
    let beginning = try base ?? root(keys)
    let start = beginning?.logLength ?? 0
    guard var log = try files.records(from: start) else { return try load(usesBase: false) }
    if let pending = state.pending {
      if try vault.blocking.shared({ $0.mark }) ?? "" == pending.applied.mark {
        let new = pending.records.filter { !log.contains($0) }
        try files.append(new, at: log.reduce(start) { $0 + 4 + UInt64($1.count) })
        log += new
        state.applied = pending.applied
      }
      // Else the vault was not written, and nobody has seen these records.
      state.pending = nil
      try files.replaceState(state.sealed(keys.own))
    }
    var history = SpaceHistory(
      state.space, epochs: state.epochs, openers: try Self.openers(state, keys), base: beginning)
    history.viewer = state.stream
    let vault = self.vault
    history.progress = { vault.blocking.tell(.opening, $0, of: $1) }
    let covered = history.frontier
    var count = history.all.count
    for record in log {
      guard let stream = SyncRecord.stream(of: record) else { continue }
      // A crash may have left a root beside a log that has all records.
      if base == nil, SyncRecord.sequence(of: record) <= covered[stream, default: 0] { continue }
      history.add([record], of: stream)
      count += 1
    }
    try history.open(areVerified: true)
    guard history.problems.isEmpty, history.all.count == count,
      state.applied.frontier.allSatisfy({ history.frontier[$0.key, default: 0] >= $0.value })
    else {
      // It may be the base alone.
      if base != nil { return try load(usesBase: false) }
      throw SyncError(
        .tampered, "what this machine remembers of its space is damaged",
        hint: "leave the space and join it again; the vault is not affected")
    }
    return Loaded(state: state, keys: keys, history: history, logStart: start, log: log)
  }

  /// What may open keys of epochs.
  static func openers(_ state: SyncState, _ keys: MachineKeys) throws -> [SealingKeyPair] {
    guard let seed = state.invitationSeed else { return keys.openers }
    return keys.openers + [try KeyPairs(seed: seed).sealing]
  }

  /// What the first records come to, if that is of use.
  private func base(for state: SyncState, _ keys: MachineKeys) throws -> SpaceBase? {
    guard let bytes = try files.base(), let base = try? SpaceBase(sealed: bytes, key: keys.own),
      // A state that was put back alone is from before it.
      base.isWithin(state.applied.frontier)
    else { return nil }
    return base
  }

  /// Writes another base if there is much behind the one that there is.
  func renewBase(_ loaded: Loaded) throws {
    let (start, end) = (loaded.logStart, loaded.logEnd)
    guard end - start > max(baseStep, baseStep == 0 ? 0 : start / 4) else { return }
    do {
      let base = try SpaceBase(loaded.history, logLength: end)
      try files.replaceBase(base.sealed(loaded.keys.own))
    } catch is SpaceBase.Outdated {
      // The next call reads the log instead.
    }
  }

  static let copied = SyncError(
    .copied, "this vault was copied or put back, and both have written since",
    hint: "leave the space here, and join it again by an invitation")
}
