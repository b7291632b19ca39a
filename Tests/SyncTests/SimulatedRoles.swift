import VaultCredentials
import VaultSync

/// Who of simulated machines may do what, as far as somebody has said so, and what may be lost by
/// it: what a machine wrote before its end counts, if whoever ended it had seen it.
struct SimulatedRoles {
  var dice: SimulatedSpace.Dice
  /// The machine whose home each one has begun with: what ends the rights of one may end those of
  /// all of them.
  private var lines: [Int] = []
  /// The lines on which each value was typed.
  private var typers: [String: Set<Int>] = [:]
  /// Of each line whose rights somebody has ended, what he had seen; of several what all had seen.
  private var counted: [Int: Set<String>] = [:]
  /// Machines that have found that they are out.
  var out: Set<Int> = []
  /// Machines that lack records of others.
  ///
  /// One that was removed is not waited for: the records that it has not seen may be gone.
  private(set) var waiting: Set<Int> = []

  /// `nil` for a seed whose machines keep their roles.
  init?(seed: UInt64) {
    dice = SimulatedSpace.Dice(seed: seed &* 0xA076_1D64_78BD_642F)
    guard dice.isOne(in: 3) else { return nil }
  }

  /// Adds a machine.
  ///
  /// - Parameter origin: The machine whose home it begins with; `nil` for a home of its own.
  mutating func add(_ origin: Int?) { lines.append(origin.map { lines[$0] } ?? lines.count) }

  /// Somebody has typed a value.
  mutating func typed(_ value: String, on number: Int) {
    typers[value, default: []].insert(lines[number])
  }

  /// Somebody has ended the right of a machine to change items.
  ///
  /// - Parameters:
  ///   - number: The machine.
  ///   - seen: All values that he had.
  mutating func ended(_ number: Int, seen: Set<String>) {
    let line = lines[number]
    counted[line] = counted[line]?.intersection(seen) ?? seen
  }

  /// Whether a machine lacks records of others.
  mutating func hears(_ number: Int, _ isWaiting: Bool) {
    if isWaiting { waiting.insert(number) } else { waiting.remove(number) }
  }

  /// Whether somebody has ended rights of a machine.
  func isEnded(_ number: Int) -> Bool { counted[lines[number]] != nil }

  /// Whether a value may be in no vault: only machines typed it whose end lies before.
  func mayBeLost(_ value: String) -> Bool {
    typers[value, default: []].allSatisfy { counted[$0].map { !$0.contains(value) } ?? false }
      && typers[value] != nil
  }
}

extension SimulatedSpace {
  /// Whether a machine may let others in.
  func isAdmin(_ number: Int) throws -> Bool {
    guard let roles else { return true }
    guard !roles.out.contains(number) else { return false }
    return try synced[number].status().role ?? .reader >= .admin
  }

  /// Somebody who may do so gives a machine a role, or removes it; often nobody knows of another one
  /// who does.
  mutating func changeRoles() throws {
    guard var dice = roles?.dice, dice.isOne(in: 3) else { return }
    let (number, other, what) = (
      dice.below(machines.count), dice.below(machines.count), dice.below(5)
    )
    roles?.dice = dice
    guard roles?.out.contains(number) == false, roles?.out.contains(other) == false else { return }
    do {
      let id = try synced[other].devices().first { $0.isThisMachine }?.id
      guard let id else { return }
      let role: SyncRole? = what < 4 ? [.owner, .admin, .writer, .reader][what] : nil
      if let role {
        try synced[number].setRole(role, of: id)
      } else if number != other {
        try synced[number].remove(id)
      }
      guard role ?? .reader == .reader else { return }
      let seen = try values(on: number)
      roles?.ended(other, seen: seen)
    } catch let error as SyncError {
      try expectRefusal(error, on: number)
    }
  }

  /// Somebody begins an epoch, if he may.
  mutating func rotate(_ number: Int) throws {
    do {
      _ = try synced[number].rotate()
    } catch let error as SyncError where roles != nil {
      try expectRefusal(error, on: number)
    }
  }

  /// What a machine may answer to somebody who changes who belongs to the space.
  private mutating func expectRefusal(_ error: SyncError, on number: Int) throws {
    switch error.code {
    case .notAllowed, .lastOwner, .deviceNotFound: break
    case .unavailable where isAway(number): break
    case .rolledBack where isCarried: break
    case .removed: roles?.out.insert(number)
    default: throw error
    }
  }

  /// Everything that a machine's items have or had.
  private func values(on number: Int) throws -> Set<String> {
    let items = try machines[number].vault.blocking.shared { try $0.items().items.values }
    return Set(items.flatMap(Self.values))
  }

  /// The machines that are in, of which the first is compared with the others.
  var present: [Int] { machines.indices.filter { roles?.out.contains($0) != true } }

  /// Whether a machine's items are not told to the others.
  func isReader(_ number: Int) throws -> Bool {
    try roles != nil && synced[number].status().role == .reader
  }

  /// What readers have changed goes; what is wrong with who is in.
  mutating func settleRoles() throws -> [String] {
    guard roles != nil else { return [] }
    for number in present where roles?.waiting.contains(number) == true {
      let id = try synced[number].devices().first { $0.isThisMachine }?.id
      let isRemoved = try present.contains { other in
        try synced[other].devices().contains { $0.id == id && $0.isRemoved }
      }
      if isRemoved { roles?.out.insert(number) }
    }
    guard let roles else { return [] }
    for number in machines.indices where roles.isEnded(number) {
      let isMember = try present.contains(number) && !isReader(number)
      preferences?.isEnded(number, isMember: isMember)
    }
    guard let first = present.first else { return ["nobody is in"] }
    var findings: [String] = []
    let roster = try roster(first)
    for number in present {
      if try isReader(number) { try synced[number].discardLocalChanges() }
      let other = try self.roster(number)
      if other != roster { findings.append("m\(number) has \(other) in, and m\(first) \(roster)") }
    }
    findings += roles.waiting.intersection(present).map { "m\($0) waits for ever" }
    let status = try synced[first].status()
    if status.owners.isEmpty { findings.append("nobody is an owner") }
    return findings
  }

  /// Who is in, by a machine's own reckoning.
  private func roster(_ number: Int) throws -> [String] {
    try synced[number].devices().map {
      "\($0.id.prefix(6)) \($0.role)\($0.isRemoved ? " out" : "")\($0.isAdmitted ? "" : " waits")"
    }.sorted()
  }
}
