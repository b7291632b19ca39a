import Foundation
import TestSupport
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// Machines that change rows, synchronize, are ended and put back, by a seed.
struct SimulatedRows {
  private var random: SeededGenerator
  private let folder: TemporaryHome
  private var machines: [DataMachine] = []
  private let merging: StoreMeeting.Merge?
  private var count = 0
  /// What was typed: each value but once, so that it can be found again.
  private var typed: [Int: Typed] = [:]
  /// Values that somebody replaced, or deleted with their object, who had them before him.
  private var replaced: Set<Int> = []

  private struct Typed {
    let machine: Int
    let what: String
  }

  init(seed: UInt64, machines number: Int = 3, merging: StoreMeeting.Merge? = nil) throws {
    random = SeededGenerator(seed: seed)
    folder = try TemporaryHome(inMemory: true)
    self.merging = merging
    let first = try DataMachine("m0", in: folder.path)
    try first.change { $0.insert(Trip("first", days: 0)) }
    machines = [first]
    try first.add()
    for index in 1..<number {
      // Clocks are minutes apart.
      let time = DataMachine.Time()
      time.advance(Int64(index) * 120_000)
      let machine = try DataMachine("m\(index)", joining: first, in: folder.path, time: time)
      _ = try machine.container()
      try machine.add()
      machines.append(machine)
    }
  }

  /// Does `steps` things and then has all of them meet.
  ///
  /// - Returns: What is wrong; nothing if all is well.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let index = Int.random(in: machines.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: try edit(index)
      case 4: try insert(index)
      case 5: try delete(index)
      case 6: try kill(index)
      default: try machines[index].sync(merging: merging)
      }
      // Clocks differ, and are wrong.
      machines[index].time.advance(Int64.random(in: 0..<5_000, using: &random))
    }
    for _ in 0..<3 { for machine in machines { try machine.sync(merging: merging) } }
    return try findings()
  }

  private func rows(_ index: Int) throws -> [(row: Int64, days: Int, rating: Int)] {
    let connection = try SQLiteConnection(path: machines[index].path, mode: .readOnly)
    defer { connection.close() }
    try connection.trustSchema()
    var rows: [(Int64, Int, Int)] = []
    try connection.forEachRow("SELECT _id, days, rating FROM Trip ORDER BY _id") {
      rows.append(($0.int64(at: 0), Int($0.int64(at: 1)), Int($0.double(at: 2))))
    }
    return rows
  }

  private mutating func type(_ what: String, on machine: Int) -> Int {
    count += 1
    typed[count] = Typed(machine: machine, what: what)
    return count
  }

  private mutating func edit(_ index: Int) throws {
    guard let row = try rows(index).randomElement(using: &random) else { return }
    let isDays = Bool.random(using: &random)
    replaced.insert(isDays ? row.days : row.rating)
    let value = type(isDays ? "days" : "rating", on: index)
    try machines[index].sql(
      "UPDATE Trip SET \(isDays ? "days" : "rating")=\(value) WHERE _id=\(row.row)")
  }

  private mutating func insert(_ index: Int) throws {
    let (days, rating) = (type("days", on: index), type("rating", on: index))
    try machines[index].sql(
      "INSERT INTO Trip(name, days, rating, start, price, price_order, tags) "
        + "VALUES ('t', \(days), \(rating), 0, '1', '\(DecimalOrder.key("1") ?? "")', '[]')")
  }

  private mutating func delete(_ index: Int) throws {
    guard let row = try rows(index).randomElement(using: &random) else { return }
    replaced.formUnion([row.days, row.rating])
    try machines[index].sql("DELETE FROM Trip WHERE _id=\(row.row)")
  }

  /// Ends a run somewhere.
  private mutating func kill(_ index: Int) throws {
    try machines[index].space.synchronize()
    let plan = FaultPlan(.kill, at: Int.random(in: 1..<60, using: &random))
    let data = machines[index].data
    _ = SQLiteFaults.withFaults(plan) { try? data.run() }
  }

  // MARK: Afterwards

  private func findings() throws -> [String] {
    var findings: [String] = []
    let first = try machines[0].canonical()
    for machine in machines.dropFirst() where try machine.canonical() != first {
      findings.append("\(machine.label) has other rows than m0")
    }
    let current = Set(try rows(0).flatMap { [$0.days, $0.rating] })
    for (index, machine) in machines.enumerated() {
      let connection = try SQLiteConnection(path: machine.path, mode: .readWrite)
      defer { connection.close() }
      try connection.trustSchema()
      if try !connection.integrityCheck().isEmpty { findings.append("m\(index) is damaged") }
      let lost = Set(
        try machine.data.conflicts(machine.application).compactMap {
          Double($0.lost.text(isPretty: false)).map { Int($0) }
        })
      for (value, typed) in typed
      where !current.contains(value) && !lost.contains(value) && !replaced.contains(value) {
        findings.append("\(typed.what) \(value) of m\(typed.machine) is lost to m\(index)")
      }
    }
    return findings
  }
}
