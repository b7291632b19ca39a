package import VaultCredentials
import VaultSealing

/// This machine's part of a space: what it remembers, its keys and the records, in files beside the
/// vault file.
package struct Replica: Sendable {
  static let purpose = "sync-device"

  let vault: UnlockedVault
  let files: SyncFiles
  let now: @Sendable () -> Int64

  init(_ vault: UnlockedVault) {
    self.vault = vault
    now = vault.blocking.clock
    files = SyncFiles(vault: vault.blocking.path)
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
        .notJoined, "the vault belongs to no space", hint: "make one, or join one by an invitation",
        remedy: .join)
    }
    return SyncError(
      .notJoined, "the vault was put back without what this machine knew of its space",
      hint: "join the space again by an invitation; what was here before counts as another machine",
      remedy: .joinAnew)
  }

  /// Reads the state and the machine's keys.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  func loadState() throws -> (state: SyncState, keys: MachineKeys) {
    guard let remembered = try Self.remembered(of: vault) else { throw try Self.notJoined(vault) }
    return remembered
  }

  /// Reads what this machine remembers, and writes nothing: for ``SyncFiles/reading(_:)``.
  ///
  /// - Parameter usesBase: As ``load(_:usesBase:completes:)`` has it.
  /// - Returns: The state, the keys, the records.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`, `.inputOutput`.
  func look(usesBase: Bool = true) throws -> LoadedReplica {
    try load(usesBase: usesBase, completes: false)
  }

  /// Reads what this machine remembers; what a crash left undone is completed or dropped.
  ///
  /// - Parameters:
  ///   - known: What ``loadState()`` gave, if it was read already.
  ///   - usesBase: Whether records that a ``SpaceBase`` covers may be left sealed.
  ///   - completes: Whether what a crash left undone is written, for which the caller holds the lock.
  /// - Returns: The state, the keys, the records.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`, `.inputOutput`.
  func load(
    _ known: (state: SyncState, keys: MachineKeys)? = nil, usesBase: Bool = true,
    completes: Bool = true
  ) throws -> LoadedReplica {
    func loadAll() throws -> LoadedReplica { try load(usesBase: false, completes: completes) }
    var (state, keys) = try known ?? loadState()
    let base = usesBase ? try base(for: state, keys) : nil
    let beginning = try base ?? root(keys)
    let start = beginning?.logLength ?? 0
    guard var log = try files.records(from: start) else { return try loadAll() }
    if let pending = state.pending {
      if try vault.blocking.shared({ $0.mark }) ?? "" == pending.applied.mark {
        let new = pending.records.filter { !log.contains($0) }
        if completes {
          try files.append(new, at: log.reduce(start) { $0 + 4 + UInt64($1.count) })
        }
        log += new
        state.applied = pending.applied
      }
      // Else the vault was not written, and nobody has seen these records.
      state.pending = nil
      if completes { try files.replaceState(state.sealed(keys.own)) }
    }
    var history = Space(
      state.space, epochs: state.epochs, openers: try Self.openers(state, keys), base: beginning)
    history.viewer = state.stream
    let vault = self.vault
    history.progress = { vault.blocking.tell(.opening, $0, of: $1) }
    let own = state.stream
    let forks = try files.forks().settled.filter { $0.record.stream != own }
    if base != nil, forks.contains(where: history.contradicts) { return try loadAll() }
    let covered = history.frontier
    var count = history.all.count
    let counted = forks.filter { !history.contradicts($0) }
    for fork in counted { history.settle(fork) }
    let streams = Self.counted(log, counted)
    for (stream, records) in streams {
      // A crash may have left a root beside a log that has all records.
      let new = records.filter {
        base != nil || SyncRecord.sequence(of: $0) > covered[stream, default: 0]
      }
      history.add(new, of: stream)
      count += new.count
    }
    try history.open(areVerified: true)
    let isApplied = state.applied.frontier.allSatisfy {
      history.frontier[$0.key, default: 0] >= $0.value
    }
    guard history.problems.isEmpty, isApplied, history.all.count == count else {
      // It may be the base alone.
      if base != nil { return try loadAll() }
      if history.problems.isEmpty, isApplied, start == 0, let closed = closed(streams, history, own)
      {
        guard completes else {
          return LoadedReplica(
            state: state, keys: keys, history: history, logStart: start, log: log)
        }
        try files.replaceRecords(with: log.filter { !closed.contains($0) })
        return try loadAll()
      }
      throw SyncError(
        .tampered, "what this machine remembers of its space is damaged",
        hint: "leave the space and join it again; the vault is not affected")
    }
    return LoadedReplica(state: state, keys: keys, history: history, logStart: start, log: log)
  }

  /// The records of others in a log that wait for a key, and those that wait for them; `nil` where
  /// others are damaged, too.
  ///
  /// A run could learn keys from records that it did not keep: until a version kept the keys first, it
  /// left records that could not be opened again. The store has them, and what tells their keys.
  private func closed(
    _ streams: [StreamID: [[UInt8]]], _ history: Space, _ own: StreamID
  ) -> Set<[UInt8]>? {
    let isOfKey = history.waits.values.contains { if case .key = $0 { true } else { false } }
    guard isOfKey, history.waits[own] == nil else { return nil }
    let frontier = history.frontier
    let closed = streams.flatMap { stream, records in
      records.filter { SyncRecord.sequence(of: $0) > frontier[stream, default: 0] }
    }
    return closed.isEmpty ? nil : Set(closed)
  }

  /// The records of a log that count, by their streams.
  static func counted(
    _ log: [[UInt8]], _ forks: [SettledFork]
  ) -> [StreamID: [[UInt8]]] {
    var streams: [StreamID: [[UInt8]]] = [:]
    for record in log {
      guard let stream = SyncRecord.stream(of: record) else { continue }
      streams[stream, default: []].append(record)
    }
    for stream in Set(forks.map(\.record.stream)) {
      streams[stream] = forks.counted(streams[stream] ?? [], of: stream)
    }
    return streams
  }

  /// What may open keys of epochs.
  static func openers(_ state: SyncState, _ keys: MachineKeys) throws -> [SealingKeyPair] {
    guard let seed = state.invitationSeed else { return keys.openers }
    return keys.openers + [try KeyPairs(seed: seed).sealing]
  }

  /// What the first records come to, if that is of use.
  private func base(for state: SyncState, _ keys: MachineKeys) throws -> SpaceBase? {
    guard let bytes = try files.base(), let base = try? SpaceBase(sealed: bytes, key: keys.own),
      // What an earlier program passed over, this one may know: the log has it.
      base.isWhole,
      // A state that was put back alone is from before it.
      base.isWithin(state.applied.frontier)
    else { return nil }
    return base
  }

  /// Writes another base if there is much behind the one that there is, unless some of the records
  /// are of a newer version.
  ///
  /// - Parameters:
  ///   - loaded: What was read.
  ///   - step: The least bytes that are worth it.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func renewBase(_ loaded: LoadedReplica, step: UInt64) throws {
    let (start, end) = (loaded.logStart, loaded.logEnd)
    guard end - start > max(step, step == 0 ? 0 : start / 4) else { return }
    do {
      let base = try SpaceBase(loaded.history, logLength: end)
      guard base.isWhole else { return }
      try files.replaceBase(base.sealed(loaded.keys.own))
    } catch is SpaceBase.Outdated {
      // The next call reads the log instead.
    }
  }

  static let noKey = SyncError(
    .removed, "this machine has no key of the space",
    hint: "leave the space here, and join it again by an invitation", remedy: .joinAgain)

  static let copied = SyncError(
    .copied, "this vault was copied or put back, and both have written since",
    hint: "leave the space here, and join it again by an invitation", remedy: .joinAgain)

  /// What the log begins with on this machine; `nil` if that is the first record.
  func root(_ keys: MachineKeys) throws -> SpaceBase? {
    guard let bytes = try files.root() else { return nil }
    do {
      return try SpaceBase(sealed: bytes, key: keys.own)
    } catch {
      throw SyncError(
        .tampered, "what this machine remembers of its space is damaged",
        hint: "leave the space and join it again; the vault is not affected")
    }
  }

  /// The home that the vault is in.
  func homeIdentity() throws -> HomeIdentity {
    let path = vault.blocking.path
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    return try HomeIdentity(machine: vault.blocking.machineID(), folder: folder)
  }

  /// Keeps records that were written here.
  ///
  /// - Parameters:
  ///   - writer: What wrote them.
  ///   - loaded: Gets them.
  ///   - isApplied: False if the vault lacks something of what they know.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func keep(_ writer: RecordWriter, _ loaded: inout LoadedReplica, isApplied: Bool = true) throws {
    guard !writer.written.isEmpty else { return }
    try files.append(writer.written, at: loaded.logEnd)
    loaded.log += writer.written
    // The vault has all that these records know, and they say nothing of items.
    if isApplied {
      loaded.state.applied.frontier[loaded.state.stream] =
        loaded.history.frontier[loaded.state.stream]
    }
    loaded.state.epochs = loaded.history.epochs
    // Until these are in the store something is left to do, also if this run ends before.
    var state = loaded.state
    state.rest = nil
    try files.replaceState(state.sealed(loaded.keys.own))
  }

  /// Checks that this machine is in the space.
  ///
  /// - Throws: ``SyncError`` with code `.removed`.
  func checkMembership(_ roster: Roster, _ loaded: inout LoadedReplica) throws {
    if let member = roster.members[loaded.state.stream] {
      guard member.last != nil else { return }
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
      throw SyncError(
        .removed, "this machine was removed from the space; its vault stays as it is",
        hint: "to come back, leave the space here and ask for an invitation", remedy: .joinAgain)
    }
    throw SyncError(
      .removed,
      "this machine is not in the space: its invitation was used by another one, or had ended "
        + "before an admin's machine saw that it joined",
      hint: "leave the space here and ask for another invitation; have the other machine removed "
        + "if nobody knows it", remedy: .joinAgain)
  }
}
