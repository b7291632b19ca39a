import CSQLite
import Foundation
import Observation

// What SwiftData's semantics cost before any library: one object for each row, which can be
// observed and is found again by its key as long as somebody holds it. No slots, no changes, no
// faults, no context.

/// A class with the row's values that can be observed.
final class Watched: Observable {
  let id: Int64
  private let name: String
  private let amount: Double
  private let count: Int
  private let created: Date
  private let isDone: Bool
  private let note: String?
  private let registrar = ObservationRegistrar()

  init(_ row: Statement) {
    id = row.integer(0)
    name = row.text(1) ?? ""
    amount = row.real(2)
    count = Int(row.integer(3))
    created = Date(timeIntervalSinceReferenceDate: row.real(4))
    isDone = row.integer(5) != 0
    note = row.text(6)
  }

  /// Every property, each read noted as `@Observable` does.
  var sum: Int {
    registrar.access(self, keyPath: \.name)
    registrar.access(self, keyPath: \.amount)
    registrar.access(self, keyPath: \.count)
    registrar.access(self, keyPath: \.created)
    registrar.access(self, keyPath: \.isDone)
    registrar.access(self, keyPath: \.note)
    return name.utf8.count + count + (note?.utf8.count ?? 0) + Int(amount)
      + Int(created.timeIntervalSinceReferenceDate) + (isDone ? 1 : 0)
  }
}

/// What finds an object while somebody holds it.
private struct Known {
  weak var object: Watched?
}

/// All rows as such objects, every property read.
func floorOfFetching(_ raw: RawSQLite) -> Int {
  var known: [Int64: Known] = [:]
  var found: [Watched] = []
  let all = raw.prepare("SELECT * FROM item")
  while all.step() {
    let made = Watched(all)
    known[made.id] = Known(object: made)
    found.append(made)
  }
  return found.reduce(0) { $0 + $1.sum }
}

/// The entries of every folder as objects.
func floorOfTraversal(_ raw: RawSQLite) -> Int {
  final class Leaf {
    let id: Int64
    let text: String
    init(_ row: Statement) {
      id = row.integer(0)
      text = row.text(1) ?? ""
    }
  }
  struct KnownLeaf {
    weak var object: Leaf?
  }
  var known: [Int64: KnownLeaf] = [:]
  var held: [[Leaf]] = []
  var sum = 0
  let folders = raw.prepare("SELECT id FROM folder")
  let entries = raw.prepare("SELECT id,text FROM entry WHERE folder=? ORDER BY id")
  while folders.step() {
    entries.bind(1, folders.integer(0))
    var leaves: [Leaf] = []
    while entries.step() {
      let leaf = Leaf(entries)
      known[leaf.id] = KnownLeaf(object: leaf)
      leaves.append(leaf)
    }
    entries.reset()
    for leaf in leaves { sum += leaf.text.utf8.count }
    held.append(leaves)
  }
  return sum + held.count
}
