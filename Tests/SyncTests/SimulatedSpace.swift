import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// Machines of a space that change, synchronize, part, crash and are copied, as a seed has it.
///
/// It knows what was typed: afterwards every machine must have the same, and all of that.
struct SimulatedSpace {
  /// Numbers that a seed gives.
  struct Dice {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A number from 0.
    mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

    /// True once in so many times.
    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }
  }

  /// A home as it was, to be put back, or to be copied.
  private struct Kept {
    let number: Int
    let files: HomeFiles
    /// What had been typed and had not reached the store.
    let unsent: Set<String>
    let preferences: SimulatedPreferences.Kept?
  }

  /// How many changes, calls and mishaps a schedule has.
  static let steps = 13
  /// Versions of an item that are typed: ten earlier ones are kept.
  private static let typedVersions = 7
  private static let year = 365 * 86_400_000

  private var dice: Dice
  /// Numbers of its own, so that the schedules of the seeds stay what they are.
  private var snapshotDice: Dice
  var machines: [SyncMachine] = []
  var synced: [SyncedVault] = []
  private var stores: [MachineStore] = []
  /// Whether each machine has a folder of its own, which a file syncer carries.
  let isCarried: Bool
  /// Whether the records lie in real folders, in packs, rather than in memory.
  private let isInFolders: Bool
  private let change: (inout SyncedVault) -> Void
  private var kept: Kept?
  /// Machines that have joined with a vault that had the items: they merge without an ancestor, and
  /// may ask their person about two values of which the others have one.
  private var rejoined: Set<Int> = []
  private var typed = Set(PreparedSpace.items)
  private var typedCount = 0
  private var unsent: [Set<String>] = []
  private var versions: [String: Int] = [:]
  /// `nil` for schedules of items alone.
  var preferences: SimulatedPreferences?
  /// What they do is decided apart, so that the schedules of the items do not depend on it.
  private var preferenceDice: Dice

  /// Who may do what; `nil` for schedules in which nobody changes that.
  var roles: SimulatedRoles?

  /// Who leaves and joins again is decided apart, too; `nil` where nobody does.
  private var leaveDice: Dice?

  /// Who changes notes and the like is decided apart, too; `nil` where nobody does.
  private var noteDice: Dice?

  /// Prepares a schedule.
  ///
  /// - Parameters:
  ///   - seed: What decides everything.
  ///   - hasPreferences: Whether the machines have preferences, too.
  ///   - hasNotes: Whether notes, attributes and expiries are changed often, each to a value of its
  ///     own.
  ///   - hasFolders: Whether the seed may put the records into folders, in packs.
  ///   - hasRoles: Whether the seed may give machines roles, and remove them.
  ///   - mayLeave: Whether machines whose roles change may leave, and join again.
  ///   - change: What is done to each machine's part in the space before it begins.
  /// - Throws: What opening the vaults throws.
  init(
    seed: UInt64, hasPreferences: Bool = true, hasNotes: Bool = true, hasFolders: Bool = true,
    hasRoles: Bool = true, mayLeave: Bool = false,
    _ change: @escaping (inout SyncedVault) -> Void = { _ in }
  ) throws {
    dice = Dice(seed: seed)
    preferenceDice = Dice(seed: ~seed)
    if hasPreferences { preferences = SimulatedPreferences() }
    if hasNotes { noteDice = Dice(seed: seed &* 0x9E37_79B9_7F4A_7C15) }
    snapshotDice = Dice(seed: 0 &- seed)
    self.change = change
    // Two or three machines are as good as many for most of what can go wrong, and cheaper.
    let count = dice.isOne(in: 8) ? 4 + dice.below(5) : 2 + dice.below(2)
    isCarried = dice.isOne(in: 2)
    var storeDice = Dice(seed: seed &* 0xD6E8_FEB8_6659_FD93)
    isInFolders = hasFolders && storeDice.isOne(in: 4)
    if hasRoles { roles = SimulatedRoles(seed: seed) }
    if roles != nil, mayLeave { leaveDice = Dice(seed: seed &* 0xBF58_476D_1CE4_E5B9) }
    let space = try PreparedSpace.of(count)
    let shared = try Self.store(isInFolders, isEventual: false)
    try shared.begin(with: space.contents)
    for (number, machine) in space.machines.enumerated() {
      let home = try TemporaryHome(inMemory: true)
      try machine.files.put(into: home)
      // Every other clock is wrong, by up to a year.
      let error = dice.isOne(in: 2) ? dice.below(2 * Self.year) - Self.year : 0
      let store = isCarried ? try newStore() : shared
      if isCarried { try store.begin(with: space.contents) }
      let opened = try SyncMachine(
        "m\(number)", SyncMachine.TestTime(PreparedSpace.start + 86_400_000 + Int64(error)),
        at: home, opens: machine.key)
      try opened.takeOverState()
      try add(opened, MachineStore(store))
    }
  }

  /// A store that nobody has written to.
  private static func store(_ isFolder: Bool, isEventual: Bool) throws -> any SimulatedStore {
    isFolder ? try SimulatedFolder() : MemoryEngine(isEventual: isEventual)
  }

  private func newStore() throws -> any SimulatedStore {
    try Self.store(isInFolders, isEventual: true)
  }

  private mutating func add(_ machine: SyncMachine, _ store: MachineStore) throws {
    machines.append(machine)
    roles?.add(nil)
    stores.append(store)
    unsent.append([])
    preferences?.add()
    let number = machines.count - 1
    synced.append(try opened(number))
    for domain in SimulatedPreferences.domains where preferenceDice.below(4) > 0 {
      try addDomain(domain, on: number)
    }
  }

  private mutating func opened(_ number: Int) throws -> SyncedVault {
    prepared(try SyncedVault(machines[number].vault, engine: stores[number]), number)
  }

  private mutating func prepared(_ vault: SyncedVault, _ number: Int) -> SyncedVault {
    var vault = vault
    vault.preferences = preferences?.machines[number].store
    // What the first records come to is kept after each call, or hardly ever.
    if dice.isOne(in: 3) { vault.exchange.tuning.baseStep = 0 }
    // Some write a snapshot whenever there is something behind the last one.
    if snapshotDice.isOne(in: 3) { vault.exchange.tuning.snapshotStep = 0 }
    // What everybody has goes from the store at once.
    vault.exchange.tuning.retirementStep = 1
    vault.exchange.tuning.packStep = 2
    change(&vault)
    return vault
  }

  // MARK: - A schedule

  /// Runs the schedule.
  ///
  /// - Returns: What is wrong; nothing if all is well.
  /// - Throws: What nobody expects of a machine.
  mutating func run() throws -> [String] {
    for _ in 0..<Self.steps {
      try step()
      try changePreferences()
      try changeNote()
      try changeRoles()
      try leaveAndJoin()
    }
    let roster = try settled() + settleRoles()
    return try roster + findings() + (preferences?.findings() ?? []) + looks()
  }

  private mutating func step() throws {
    let number = dice.below(machines.count)
    let name = "item\(dice.below(3))"
    machines[number].time.advance(Int64(dice.below(5000)))
    switch dice.below(26) {
    case 0..<8: try type(name, on: number)
    case 8:
      try edit(number) { edit in
        var changes = ItemChanges()
        changes.note = "note of \(number)"
        changes.expires = .some(Date(timeIntervalSince1970: 1_900_000_000 + Double(number)))
        changes.tags = ["t\(number)"]
        changes.attributes = ["service": "s\(number)"]
        _ = try edit.update(ItemName(name), changes)
      }
    case 9: try type(name, field: "user", on: number)
    case 10: try edit(number) { try $0.remove(ItemName(name)) }
    case 11: try edit(number) { _ = try $0.restore(ItemName(name)) }
    case 12:
      let other = "item\(3 + dice.below(3))"
      try edit(number) { _ = try $0.rename(ItemName(name), to: ItemName(other)) }
    case 13: try purge(name, on: number)
    case 14, 15: try crash(number) { synced, _ in try synced.synchronize() }
    case 16 where versions[name, default: 0] < Self.typedVersions:
      versions[name, default: 0] += 1
      try crash(number) { _, machine in try machine.set(name, "half") }
    case 17, 18: try part(number)
    case 19: try copy(number)
    case 20 where !isAway(0): try rotate(0)
    default: try synchronize(number)
    }
  }

  /// Somebody describes an item, with a value that nobody else has.
  private mutating func changeNote() throws {
    guard noteDice?.isOne(in: 2) == true, let number = noteDice?.below(machines.count),
      let name = noteDice?.below(3), let what = noteDice?.below(3),
      let value = noteDice?.below(1000)
    else { return }
    try edit(number) { edit in
      var changes = ItemChanges()
      switch what {
      case 0: changes.note = "note \(value)"
      case 1: changes.attributes = ["service": "service \(value)"]
      default:
        changes.expires = .some(Date(timeIntervalSince1970: 1_900_000_000 + Double(value)))
      }
      _ = try edit.update(ItemName("item\(name)"), changes)
    }
  }

  /// A run that looks at every item finds nothing that one missed that looked at what was changed: it
  /// changes nothing, and what it sends changes nothing elsewhere.
  private mutating func looks() throws -> [String] {
    var findings: [String] = []
    var sent = 0
    for number in present {
      synced[number].exchange.tuning.looksAtChangesAlone = false
      // Something that has to do with no item, so that it does not rest.
      let report = try synced[number].synchronize(acceptingRollback: true)
      sent += report.sent
      if !report.changes.isUnchanged {
        findings.append("m\(number) had missed something: \(report.changes)")
      }
    }
    // A snapshot may be due, or the word that one is right.
    for number in present where sent > 0 {
      if isCarried { try carry(to: number) }
      let report = try synced[number].synchronize(acceptingRollback: true)
      if !report.changes.isUnchanged {
        findings.append("m\(number) was not told something: \(report.changes)")
      }
    }
    return findings
  }

  func isAway(_ number: Int) -> Bool { stores[number].isAway }

  private mutating func type(_ name: String, field: String? = nil, on number: Int) throws {
    guard versions[name, default: 0] < Self.typedVersions else { return }
    versions[name, default: 0] += 1
    typedCount += 1
    // Now and then two people type the same.
    let value = dice.isOne(in: 8) ? "same" : "v\(typedCount)"
    let isTyped = try edit(number) { edit in
      // A field is of an item that is there.
      if field != nil { _ = try edit.secret(of: ItemName(name)) }
      _ = try edit.set(ItemName(name), to: Secret(value), field: field)
    }
    guard isTyped else { return }
    typed.insert(value)
    unsent[number].insert(value)
    roles?.typed(value, on: number)
  }

  /// Changes a vault; what is not there cannot be changed.
  @discardableResult
  private func edit(
    _ number: Int, _ change: (inout VaultEdit) throws -> Void
  ) throws -> Bool {
    do {
      try machines[number].vault.blocking.edit(change)
      return true
    } catch let error as CredentialError
      where [.itemNotFound, .itemExists, .versionNotFound].contains(error.code)
    {
      return false
    }
  }

  /// What somebody removes for good, and has seen, may be gone.
  private mutating func purge(_ name: String, on number: Int) throws {
    let items = try machines[number].vault.blocking.shared { try $0.items().items.values }
    let gone = items.filter { $0.name == name && $0.trashed == 0 }.flatMap(Self.values)
    if try edit(number, { try $0.purge(ItemName(name)) }) { typed.subtract(gone) }
  }

  /// Kills a process at some call of the system; the next one begins anew.
  private mutating func crash(
    _ number: Int, _ body: (SyncedVault, SyncMachine) throws -> Void
  ) throws {
    let plan = FaultPlan(.kill, at: 1 + dice.below(24))
    let (synced, machine) = (synced[number], machines[number])
    _ = try? System.withFaults(plan) { try body(synced, machine) }
    try reopen(number)
  }

  private mutating func reopen(_ number: Int) throws {
    let machine = machines[number]
    machines[number] = try SyncMachine(at: machine.home, like: machine)
    synced[number] = try opened(number)
    try preferences?.has(synced[number].status().domains, on: number)
  }

  /// The store is away from a machine, or there again; or a file syncer comes by.
  private mutating func part(_ number: Int) throws {
    guard isCarried else { return stores[number].isAway.toggle() }
    let other = stores[dice.below(machines.count)].store
    let isHalfWay = dice.isOne(in: 3)
    try stores[number].store.take(from: other, isHalfWay: isHalfWay, &dice)
  }

  /// A home is kept; later it is put back, or is another machine's.
  private mutating func copy(_ number: Int) throws {
    guard let kept else {
      return kept = Kept(
        number: number, files: try HomeFiles(of: machines[number].home), unsent: unsent[number],
        preferences: preferences?.kept(number))
    }
    self.kept = nil
    if dice.isOne(in: 2), machines.count < 8 {
      // On another machine it goes on by itself; or it leaves what it has copied, and joins.
      let home = try TemporaryHome(inMemory: true)
      try kept.files.put(into: home, isCopied: true)
      let copied = try SyncMachine(at: home, like: machines[kept.number])
      let machine = SyncMachine(copied, called: "m\(machines.count)")
      let store = isCarried ? try newStore() : stores[0].store
      machines.append(machine)
      stores.append(MachineStore(store))
      unsent.append([])
      preferences?.add(kept.preferences)
      roles?.add(kept.number)
      let mayJoin = try isAdmin(0)
      let goesOn = dice.isOne(in: 2) || !mayJoin
      synced.append(try goesOn ? opened(machines.count - 1) : joined(machines.count - 1))
      if goesOn, let former = kept.preferences {
        preferences?.goesOn(with: former, on: machines.count - 1)
      }
    } else {
      typed.subtract(unsent[kept.number].subtracting(kept.unsent))
      unsent[kept.number] = kept.unsent
      if let former = kept.preferences { preferences?.putBack(former, on: kept.number) }
      // A disk that is put back as it was, or another one to which a backup is written.
      try kept.files.put(into: machines[kept.number].home, keepsFolders: dice.isOne(in: 2))
      try reopen(kept.number)
    }
  }

  /// Now and then a machine leaves, and joins again, and others hear of both at once.
  private mutating func leaveAndJoin() throws {
    guard leaveDice?.isOne(in: 8) == true, let number = leaveDice?.below(machines.count),
      number > 0,
      roles?.out.contains(number) != true, try isAdmin(0)
    else { return }
    do {
      synced[number] = try joined(number)
    } catch let error as SyncError where error.code == .lastOwner {
      return
    }
  }

  private mutating func joined(_ number: Int) throws -> SyncedVault {
    rejoined.insert(number)
    let (machine, store, admin) = (machines[number], stores[number], machines[0])
    try SyncedVault.leave(machine.vault, in: store)
    let wasAway = (stores[0].isAway, store.isAway)
    (stores[0].isAway, store.isAway) = (false, false)
    defer { (stores[0].isAway, store.isAway) = wasAway }
    let code = try synced[0].invite(seconds: 30 * 86_400)
    if isCarried { try store.store.take(from: stores[0].store, isHalfWay: false, &dice) }
    // A clock that is ahead would say that the code has expired: it is set right. One that is
    // behind stays so: to be set a year ahead empties the trash.
    let ahead = machine.time.next() - admin.time.next()
    machine.time.advance(min(0, -ahead))
    let joined = try SyncedVault.join(
      machine.vault, in: store, at: "memory", invitation: code.text, label: machine.label)
    try joined.synchronize()
    preferences?.has([], on: number)
    return prepared(joined, number)
  }

  // MARK: - Preferences

  private mutating func changePreferences() throws {
    guard preferences != nil else { return }
    let number = preferenceDice.below(machines.count)
    let domains = SimulatedPreferences.domains
    let domain = domains[preferenceDice.below(domains.count)]
    let place = SimulatedPreferences.Place(domain: domain, key: "key\(preferenceDice.below(3))")
    switch preferenceDice.below(16) {
    case 0..<4: change(place, on: number)
    case 4: change(place, on: number, isRemoved: true)
    case 5:
      // Nobody knows of the others.
      for number in machines.indices {
        change(place, on: number, isRemoved: preferenceDice.isOne(in: 4))
      }
    case 6, 7: try addDomain(domain, on: number)
    case 8:
      try synced[number].dropDomain(domain)
      preferences?.dropped(domain, on: number)
    case 9:
      try crash(number) { synced, _ in
        try synced.addDomain(domain)
        try synced.synchronize()
      }
    case 10: try crash(number) { synced, _ in try synced.dropDomain(domain) }
    case 11, 12:
      change(place, on: number)
      try crash(number) { synced, _ in try synced.synchronize() }
    case 13 where preferenceDice.isOne(in: 3): preferences?.lose(number)
    default: try synchronize(number)
    }
  }

  private mutating func change(
    _ place: SimulatedPreferences.Place, on number: Int, isRemoved: Bool = false
  ) {
    preferences?.change(
      place, on: number, at: machines[number].time.next(), isRemoved: isRemoved)
  }

  private mutating func addDomain(_ domain: String, on number: Int) throws {
    guard preferences != nil else { return }
    try synced[number].addDomain(domain)
    preferences?.added(domain, on: number)
  }

  // MARK: - Synchronizing

  @discardableResult
  private mutating func synchronize(_ number: Int) throws -> SyncReport? {
    do {
      let report = try synced[number].synchronize()
      // Without an ancestor, it may ask its person about two values of which the others have one.
      if report.changes.relation == .apart { rejoined.insert(number) }
      roles?.hears(
        number, !report.waiting.isEmpty || report.problems.contains { $0.code == .withheld })
      if report.problems.isEmpty {
        unsent[number] = []
        preferences?.told(number)
      }
      return report
    } catch let error as SyncError where error.code == .unavailable && isAway(number) {
      return nil
    } catch let error as SyncError where error.code == .removed && roles != nil {
      roles?.out.insert(number)
      return nil
    } catch let error as SyncError where error.code == .rolledBack && isCarried {
      // A copy's folder does not have yet what its original wrote: the file syncer brings it.
      return nil
    }
  }

  /// Synchronizes until nobody has anything new; what is wrong then.
  private mutating func settled() throws -> [String] {
    for store in stores { store.isAway = false }
    for _ in 0..<12 {
      var isNew = false
      // What a store shows no longer to a home from before, somebody may tell it yet.
      var withheld: [String] = []
      for number in machines.indices {
        if isCarried { try carry(to: number) }
        if roles?.out.contains(number) == true { continue }
        guard let report = try synchronize(number) else {
          isNew = true
          continue
        }
        if let problem = report.problems.first {
          guard problem.code == .withheld else { return ["m\(number): \(problem)"] }
          withheld.append("m\(number): \(problem)")
        }
        isNew = isNew || report.sent + report.received > 0 || !report.changes.isUnchanged
        isNew = isNew || !report.domains.isEmpty
      }
      // Of one that was removed nobody need tell anything.
      if !isNew { return roles == nil ? withheld : [] }
    }
    return ["it has no end"]
  }

  private mutating func carry(to number: Int) throws {
    for other in stores where other !== stores[number] {
      try stores[number].store.take(from: other.store, isHalfWay: false, &dice)
    }
  }

  // MARK: - Afterwards

  private func findings() throws -> [String] {
    guard let reference = present.first else { return [] }
    var findings: [String] = []
    for number in present {
      let (items, unreadable) = try machines[number].vault.blocking.shared { try $0.items() }
      let lost = typed.subtracting(items.values.flatMap(Self.values))
        .filter { roles?.mayBeLost($0) != true }
      if !lost.isEmpty { findings.append("m\(number) has lost \(lost.sorted())") }
      if !unreadable.isEmpty { findings.append("m\(number) cannot read everything") }
      // What a reader changed is an earlier version with him, or lies in his trash.
      let isReader = try isReader(number) || isReader(reference)
      let compared = Compared(
        hasMark: rejoined.isDisjoint(with: [number, reference]), hasPast: !isReader)
      let state = try state(of: number, compared)
      let first = try self.state(of: reference, compared)
      if state != first {
        findings.append("m\(number) has \(state), and m\(reference) has \(first)")
      }
    }
    return findings
  }

  /// What of the items is compared.
  private struct Compared {
    /// Whether there are two values to decide about.
    let hasMark: Bool
    /// Earlier versions, and what is in the trash.
    let hasPast: Bool
  }

  private func state(of number: Int, _ compared: Compared) throws -> [String] {
    try machines[number].vault.blocking.shared { try $0.items() }.items.values
      .filter { compared.hasPast || $0.trashed == 0 }
      .map { Self.description(of: $0, compared) }.sorted()
  }

  /// All values that an item has or had.
  static func values(of item: SharedItem) -> [String] {
    ([item.head] + item.earlier).flatMap { version in
      ([version.main] + version.fields.values).map(text)
    }
  }

  /// All that every machine must have of an item.
  private static func description(of item: SharedItem, _ compared: Compared) -> String {
    let hasMark = compared.hasMark
    let fields = item.head.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }
    let attributes = item.attributes.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
    let words =
      [item.name, text(item.head.main)] + fields + attributes + item.tags.sorted() + [item.note]
    let marks = [
      item.trashed == 0 ? "" : "in the trash", hasMark && item.isMarked ? "two values" : "",
    ]
    let history = item.earlier.map { version in
      ([text(version.main)] + version.fields.sorted { $0.key < $1.key }.map { text($0.value) })
        .joined(separator: ",")
    }
    let lost = item.lost.filter { hasMark && $0.machine != nil }.map { lost in
      "\(lost.property) \(lost.attribute) \(lost.value) of \(lost.machine ?? "")"
    }
    return (words + marks + (compared.hasPast ? history : []) + lost).joined(separator: "|")
  }

  private static func text(_ secret: SecretBytes) -> String { Secret(secret).text ?? "?" }
}
