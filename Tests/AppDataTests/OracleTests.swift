import TestSupport
import Testing
import VaultAppData

/// The context against a plain model in memory: random insertions, edits, links, deletions, saves,
/// rollbacks and undos.
struct OracleTests {
  @Test(arguments: 0..<24)
  func theContextDoesWhatThePlainModelDoes(_ round: UInt64) throws {
    let seed = round < 12 ? round : UInt64.random(in: 0 ... .max)
    var walk = try OracleWalk(seed: seed)
    do {
      for step in 0..<160 {
        try walk.step()
        if let difference = try walk.difference() {
          Issue.record(
            "seed \(seed), step \(step): \(difference)\n\(walk.log.joined(separator: "\n"))")
          return
        }
      }
    } catch {
      Issue.record("seed \(seed): \(error)\n\(walk.log.joined(separator: "\n"))")
    }
  }
}

@Model
final class Shelf {
  var label: String
  @Relationship(deleteRule: .nullify, inverse: \Item.shelf) var items: [Item] = []
  @Relationship(deleteRule: .cascade, inverse: \Item.box) var boxed: [Item] = []

  init(_ label: String) { self.label = label }
}

@Model
final class Item {
  var label: String
  var count = 0
  var shelf: Shelf?
  var box: Shelf?
  @Relationship(inverse: \Mark.items) var marks: [Mark] = []
  @Relationship(inverse: \Item.previous) var next: Item?
  var previous: Item?

  init(_ label: String) { self.label = label }
}

@Model
final class Mark {
  var label: String
  var items: [Item] = []

  init(_ label: String) { self.label = label }
}

/// The expected graph: objects by label.
private struct Oracle: Equatable {
  struct Item: Equatable {
    var count = 0
    var shelf: String?
    var box: String?
    var marks: Set<String> = []
    var next: String?
    var previous: String?
  }

  var shelves: [String: (items: [String], boxed: [String])] = [:]
  var items: [String: Item] = [:]
  var marks: Set<String> = []

  static func == (left: Oracle, right: Oracle) -> Bool {
    left.items == right.items && left.marks == right.marks
      && left.shelves.mapValues { [$0.items, $0.boxed] }
        == right.shelves.mapValues { [$0.items, $0.boxed] }
  }

  mutating func place(_ item: String, on shelf: String?) {
    if items[item]?.shelf == shelf { return }
    if let old = items[item]?.shelf { shelves[old]?.items.removeAll { $0 == item } }
    items[item]?.shelf = shelf
    if let shelf { shelves[shelf]?.items.append(item) }
  }

  mutating func put(_ item: String, into box: String?) {
    if items[item]?.box == box { return }
    if let old = items[item]?.box { shelves[old]?.boxed.removeAll { $0 == item } }
    items[item]?.box = box
    if let box { shelves[box]?.boxed.append(item) }
  }

  mutating func follow(_ item: String, by next: String?) {
    if items[item]?.next == next { return }
    if let old = items[item]?.next { items[old]?.previous = nil }
    items[item]?.next = next
    if let next {
      if let other = items[next]?.previous { items[other]?.next = nil }
      items[next]?.previous = item
    }
  }

  mutating func delete(item: String) {
    guard let gone = items[item] else { return }
    place(item, on: nil)
    put(item, into: nil)
    follow(item, by: nil)
    if let previous = gone.previous { follow(previous, by: nil) }
    items[item] = nil
  }

  mutating func delete(shelf: String) {
    guard let gone = shelves[shelf] else { return }
    for item in gone.items { place(item, on: nil) }
    for item in gone.boxed { delete(item: item) }
    shelves[shelf] = nil
  }

  mutating func delete(mark: String) {
    marks.remove(mark)
    for item in items.keys { items[item]?.marks.remove(mark) }
  }
}

private struct OracleWalk {
  private let container: ModelContainer
  private let context: ModelContext
  private let undo = UndoManager()
  private var random: SeededGenerator
  private var now = Oracle()
  private var saved = Oracle()
  /// The states that undo returns to, step by step.
  private var past: [Oracle] = []
  private var future: [Oracle] = []
  private var next = 0
  private var reader: ModelContext?
  private(set) var log: [String] = []

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    (container, context) = try memory(Shelf.self)
    context.undoManager = undo
  }

  mutating func step() throws {
    let before = now
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5: try insert()
    case 5..<8: try edit()
    case 8..<13: try link()
    case 13..<15: try delete()
    case 15:
      try save()
      return
    case 16:
      rollback()
      return
    case 17:
      goBack()
      return
    case 18:
      goForth()
      return
    default: try reorder()
    }
    context.processPendingChanges()
    if before != now || undoChanged() {
      past.append(before)
      future = []
    }
    groups = undo.groupCount
  }

  private var groups = 0
  private func undoChanged() -> Bool { undo.groupCount != groups }

  // MARK: Steps

  private mutating func insert() throws {
    next += 1
    let label = "\(next)"
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      log.append("shelf \(label)")
      context.insert(Shelf(label))
      now.shelves[label] = ([], [])
    case 1:
      log.append("mark \(label)")
      context.insert(Mark(label))
      now.marks.insert(label)
    default:
      let item = Item(label)
      now.items[label] = Oracle.Item()
      if let shelf = try any(Shelf.self), Bool.random(using: &random) {
        log.append("item \(label) on \(shelf.label)")
        item.shelf = shelf
        now.place(label, on: shelf.label)
      } else {
        log.append("item \(label)")
      }
      context.insert(item)
    }
  }

  private mutating func edit() throws {
    guard let item = try any(Item.self) else { return }
    item.count = Int.random(in: 1..<1_000, using: &random)
    log.append("count of \(item.label) = \(item.count)")
    now.items[item.label]?.count = item.count
  }

  private mutating func link() throws {
    guard let item = try any(Item.self) else { return }
    let isSet = Int.random(in: 0..<4, using: &random) > 0
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      let shelf = isSet ? try any(Shelf.self) : nil
      log.append("\(item.label).shelf = \(shelf?.label ?? "nil")")
      item.shelf = shelf
      now.place(item.label, on: shelf?.label)
    case 1:
      let shelf = isSet ? try any(Shelf.self) : nil
      log.append("\(item.label).box = \(shelf?.label ?? "nil")")
      item.box = shelf
      now.put(item.label, into: shelf?.label)
    case 2:
      guard let shelf = try any(Shelf.self) else { return }
      guard !shelf.items.contains(item) else { return }
      log.append("\(shelf.label).items += \(item.label)")
      shelf.items.append(item)
      now.place(item.label, on: shelf.label)
    case 3:
      guard let mark = try any(Mark.self) else { return }
      if item.marks.contains(mark) {
        log.append("\(mark.label).items -= \(item.label)")
        mark.items.removeAll { $0 === item }
        now.items[item.label]?.marks.remove(mark.label)
      } else if isSet {
        log.append("\(item.label).marks += \(mark.label)")
        item.marks.append(mark)
        now.items[item.label]?.marks.insert(mark.label)
      } else {
        log.append("\(mark.label).items += \(item.label)")
        mark.items.append(item)
        now.items[item.label]?.marks.insert(mark.label)
      }
    default:
      let next = isSet ? try any(Item.self) : nil
      if next === item { return }
      log.append("\(item.label).next = \(next?.label ?? "nil")")
      item.next = next
      now.follow(item.label, by: next?.label)
    }
  }

  private mutating func reorder() throws {
    guard let shelf = try any(Shelf.self), shelf.items.count > 1 else { return }
    shelf.items.shuffle(using: &random)
    log.append("\(shelf.label).items = \(shelf.items.map(\.label))")
    now.shelves[shelf.label]?.items = shelf.items.map(\.label)
  }

  private mutating func delete() throws {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      guard let shelf = try any(Shelf.self) else { return }
      log.append("delete shelf \(shelf.label)")
      context.delete(shelf)
      now.delete(shelf: shelf.label)
    case 1:
      guard let mark = try any(Mark.self) else { return }
      log.append("delete mark \(mark.label)")
      context.delete(mark)
      now.delete(mark: mark.label)
    default:
      guard let item = try any(Item.self) else { return }
      log.append("delete item \(item.label)")
      context.delete(item)
      now.delete(item: item.label)
    }
  }

  private mutating func save() throws {
    log.append("save")
    try context.save()
    saved = now
    // A context that sees the store only.
    let other = ModelContext(container)
    other.autosaveEnabled = false
    reader = other
    if let difference = try difference(other, saved) {
      Issue.record("after saving: \(difference)\n\(log.joined(separator: "\n"))")
    }
  }

  private mutating func rollback() {
    log.append("rollback")
    context.rollback()
    now = saved
    past = []
    future = []
    groups = undo.groupCount
  }

  private mutating func goBack() {
    guard let last = past.popLast() else { return }
    log.append("undo")
    undo.undo()
    future.append(now)
    now = last
    groups = undo.groupCount
  }

  private mutating func goForth() {
    guard let last = future.popLast() else { return }
    log.append("redo")
    undo.redo()
    past.append(now)
    now = last
    groups = undo.groupCount
  }

  private mutating func any<T: PersistentModel>(_ type: T.Type) throws -> T? {
    try context.fetch(FetchDescriptor<T>()).randomElement(using: &random)
  }

  // MARK: Comparing

  func difference() throws -> String? { try difference(context, now) }

  private func difference(_ context: ModelContext, _ oracle: Oracle) throws -> String? {
    var found = Oracle()
    for shelf in try context.fetch(FetchDescriptor<Shelf>()) {
      found.shelves[shelf.label] = (shelf.items.map(\.label), shelf.boxed.map(\.label))
    }
    for item in try context.fetch(FetchDescriptor<Item>()) {
      found.items[item.label] = Oracle.Item(
        count: item.count, shelf: item.shelf?.label, box: item.box?.label,
        marks: Set(item.marks.map(\.label)), next: item.next?.label,
        previous: item.previous?.label)
      for mark in item.marks where !mark.items.contains(where: { $0 === item }) {
        return "mark \(mark.label) does not lead back to \(item.label)"
      }
    }
    found.marks = Set(try context.fetch(FetchDescriptor<Mark>()).map(\.label))
    if found == oracle { return nil }
    return "found \(found)\nexpected \(oracle)"
  }
}
