import Foundation
import SwiftData
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultStorage

/// A cascade deletes rows that lead nowhere else as rows, without an object for each.
///
/// To everybody it is to be as if each had been an object: to the store, its history and its files,
/// to the program, to other contexts.
struct CascadeTests {
  @Test(arguments: 0..<16)
  func rowsGoAsObjectsWouldGo(_ round: UInt64) throws {
    let seed =
      round == 15 ? 16_181_079_014_868_928_038 : round < 8 ? round : UInt64.random(in: 0 ... .max)
    let home = try TemporaryHome()
    let walks = try [false, true].map { isByObject in
      var walk = try CascadeWalk(seed: seed, home, isByObject: isByObject)
      try walk.run()
      return walk
    }
    for (rows, objects) in zip(walks[0].seen, walks[1].seen) where rows != objects {
      let steps = walks[0].steps.joined(separator: "\n")
      let (left, right) = (rows.split(separator: "\""), objects.split(separator: "\""))
      let only =
        "\(left.filter { !right.contains($0) }) instead of \(right.filter { !left.contains($0) })"
      Issue.record("seed \(seed): \(only)\nby rows:    \(rows)\nby objects: \(objects)\n\(steps)")
      break
    }
    #expect(walks[0].seen.count == walks[1].seen.count)
    #expect(walks[0].deletedAlone > 0 && walks[1].deletedAlone == 0)
  }

  private struct Filled {
    let home: TemporaryHome
    let container: ModelContainer
  }

  private func filled() throws -> Filled {
    let home = try TemporaryHome()
    let container = try CascadeWalk.container("\(home.path)/a.store")
    let context = ModelContext(container)
    let crate = Crate("crate")
    context.insert(crate)
    for number in 0..<1_000 {
      let piece = Piece("piece \(number)")
      context.insert(piece)
      piece.crate = crate
    }
    try context.save()
    return Filled(home: home, container: container)
  }

  @Test func noRowIsMadeAnObject() throws {
    let filled = try filled()
    defer { withExtendedLifetime(filled) {} }
    let container = filled.container
    let context = ModelContext(container)
    let crate = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    context.delete(crate)
    #expect(context.registeredCount == 1)
    #expect(context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Piece>()) == 0)
    #expect(crate.pieces.isEmpty)
    #expect(context.registeredCount == 1)
    // They are there for whoever looks.
    #expect(context.deletedModelsArray.count == 1_001)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Piece>()) == 1_000)
    #expect(crate.pieces.count == 1_000)
    context.delete(crate)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Piece>()) == 0)
    #expect(try container.check() == [])
  }

  /// Neighbors go by their ends; whoever stands between them, or in another order, changes nothing.
  @Test(arguments: ["aaaabbbb", "bbaaaabb", "abababab", "aabbaab", "abbbbbba", "baaaaaab", "ab"])
  func childrenLieInAnyOrder(_ owners: String) throws {
    for change in ["", "reversed", "one moved", "one read", "one added"] {
      let home = try TemporaryHome()
      let container = try CascadeWalk.container("\(home.path)/a.store")
      let context = ModelContext(container)
      let crates = ["a": Crate("a"), "b": Crate("b")]
      for crate in crates.values { context.insert(crate) }
      var expected: Set<String> = []
      for (number, owner) in owners.enumerated() {
        let crate = try #require(crates["\(owner)"])
        let slip = Slip("\(owner)\(number)", crate)
        context.insert(slip)
        if owner == "b" { expected.insert(slip.label) }
        // One save for each: their keys follow one another as they were made.
        try context.save()
      }
      if change == "reversed" { crates["a"]?.slips.reverse() }
      try context.save()

      let other = ModelContext(container)
      let all = try other.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.label)]))
      var held: [Slip] = []
      switch change {
      case "one moved":
        let slip = try #require(all[0].slips.randomElement())
        slip.crate = all[1]
        expected.insert(slip.label)
      case "one read": held = [try #require(all[0].slips.randomElement())]
      case "one added":
        let slip = Slip("late", all[0])
        other.insert(slip)
        held = [slip]
      default: break
      }
      let key = all[0].persistentModelID
      other.delete(all[0])
      #expect(try Set(other.fetch(FetchDescriptor<Slip>()).map(\.label)) == expected)
      let gone = owners.count { $0 == "a" } - (change == "one moved" ? 1 : 0)
      #expect(
        other.deletedModelsArray.count { $0.persistentModelID != key } == gone, "\(change)")
      try other.save()
      let left = try ModelContext(container).fetch(FetchDescriptor<Slip>())
      #expect(Set(left.map(\.label)) == expected, "\(change)")
      #expect(try container.check() == [])
      withExtendedLifetime(held) {}
    }
  }

  /// What the program read once and no longer uses keeps no row from going.
  @Test func arraysThatWereReadAreNoHindrance() throws {
    let filled = try filled()
    defer { withExtendedLifetime(filled) {} }
    let container = filled.container
    let context = ModelContext(container)
    let crate = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    #expect(crate.pieces.map(\.count).reduce(0, +) == 0)
    #expect(context.registeredCount == 1_001)
    context.delete(crate)
    #expect(context.registeredCount == 1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Piece>()) == 0)
  }

  /// Another process deletes or adds a row between the deletion and the save.
  ///
  /// A rule is said of whatever leads to the object when it goes, as `ON DELETE CASCADE` is, not of
  /// what the program happened to see of it: so the row that came late goes too. Core Data's tables
  /// declare no foreign keys, so there it would stay with a key that leads nowhere; here the file
  /// refuses that, and only `nullify` would empty the key. To refuse the save, as was done once, is
  /// to refuse it for good: the program does not see what it would have to delete, and the next row
  /// of another process may come before the next save. What goes is told: the history and `didSave`
  /// name the row.
  @Test func othersMayComeBetween() throws {
    let first = try filled()
    defer { withExtendedLifetime(first) {} }
    let container = first.container
    let context = ModelContext(container)
    let crate = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    context.delete(crate)
    let sqlite = try SQLiteConnection(path: "\(first.home.path)/a.store", mode: .readWrite)
    try sqlite.execute("DELETE FROM Piece WHERE label='piece 7'")
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Piece>()) == 0)

    let second = try filled()
    let late = ModelContext(second.container)
    let owner = try #require(try late.fetch(FetchDescriptor<Crate>()).first)
    late.delete(owner)
    let writer = try SQLiteConnection(path: "\(second.home.path)/a.store", mode: .readWrite)
    try writer.execute(
      "INSERT INTO Piece(_id, label, count, crate_id) SELECT 5000, 'late', 0, _id FROM Crate")
    let told = Box<[PersistentIdentifier]>([])
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: late, queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.deletedIdentifiers.rawValue
      told.value += note.userInfo?[key] as? [PersistentIdentifier] ?? []
    }
    try late.save()
    NotificationCenter.default.removeObserver(token)
    let last = try #require(
      try late.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let deleted = last.changes.compactMap { change in
      if case .delete(let delete) = change { delete.changedPersistentIdentifier } else { nil }
    }
    // A thousand pieces and the late one, and the crate.
    #expect(deleted.count == 1_002 && Set(deleted) == Set(told.value))
    #expect(try ModelContext(second.container).fetchCount(FetchDescriptor<Piece>()) == 0)
    #expect(try second.container.check() == [])
  }

  /// A transaction that fails leaves everything as it was.
  @Test func aTransactionMayBeDropped() throws {
    struct Stop: Error {}
    let filled = try filled()
    defer { withExtendedLifetime(filled) {} }
    let container = filled.container
    let context = ModelContext(container)
    #expect(throws: Stop.self) {
      try context.transaction {
        for crate in try context.fetch(FetchDescriptor<Crate>()) { context.delete(crate) }
        #expect(try context.fetchCount(FetchDescriptor<Piece>()) == 0)
        throw Stop()
      }
    }
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Piece>()) == 1_000)
    try context.transaction {
      for crate in try context.fetch(FetchDescriptor<Crate>()) { context.delete(crate) }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Piece>()) == 0)
  }
}

/// The same random steps over the same random graph, by rows or by objects.
private struct CascadeWalk {
  private(set) var seen: [String] = []
  private(set) var steps: [String] = []
  private(set) var deletedAlone = 0
  private let container: ModelContainer
  private let path: String
  private let context: ModelContext
  private let other: ModelContext
  private var random: SeededGenerator
  private let notices = Notices()
  /// Objects that the program holds.
  private var held: [any PersistentModel] = []
  private var watched: [Piece] = []

  private final class Notices: @unchecked Sendable {
    var texts: [String] = []
    var token: (any NSObjectProtocol)?
    deinit { token.map(NotificationCenter.default.removeObserver) }
  }

  static func container(_ path: String) throws -> ModelContainer {
    try ModelContainer(
      for: Crate.self, Piece.self, Workshop.self, Paint.self, Sign.self, Screw.self, Seal.self,
      Slip.self, Lid.self, Creature.self, Bird.self, Pin.self, Tether.self, Selection.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  }

  init(seed: UInt64, _ home: TemporaryHome, isByObject: Bool) throws {
    random = SeededGenerator(seed: seed)
    let folder = "\(home.path)/\(isByObject ? "objects" : "rows")"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = "\(folder)/a.store"
    container = try Self.container(path)
    context = ModelContext(container)
    other = ModelContext(container)
    try fill()
    context.isDeletingByObject = isByObject
    watch()
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
  private mutating func pick<Element>(_ all: [Element]) -> Element? {
    all.randomElement(using: &random)
  }

  private mutating func fill() throws {
    let context = ModelContext(container)
    let crates = (0..<6).map { Crate("crate \($0)") }
    let makers = (0..<3).map { Workshop("maker \($0)") }
    let paints = (0..<2).map { Paint("paint \($0)") }
    let signs = (0..<3).map { Sign("sign \($0)") }
    let selection = Selection("selection")
    for model in crates { context.insert(model) }
    for model in makers { context.insert(model) }
    for model in paints { context.insert(model) }
    for model in signs { context.insert(model) }
    context.insert(selection)
    // How much a graph has of each kind, from nothing to everything.
    let (links, odd) = (
      [0, 5, 40].randomElement(using: &random) ?? 0, [0, 2, 15].randomElement(using: &random) ?? 0
    )
    for (number, crate) in crates.enumerated() where number > 0 && chance(60) {
      crate.outer = crates[Int.random(in: 0..<number, using: &random)]
    }
    var pieces: [Piece] = []
    for number in 0..<60 {
      let piece = Piece("piece \(number)")
      context.insert(piece)
      if chance(85) { piece.crate = pick(crates) }
      if chance(odd) { piece.spareOf = pick(crates) }
      if chance(links) { piece.maker = pick(makers) }
      if chance(links) { piece.paint = pick(paints) }
      if chance(odd) { piece.signs = signs.filter { _ in chance(50) } }
      if chance(odd) { piece.image = Data(repeating: UInt8(number), count: 300_000) }
      if chance(odd), let before = pick(pieces) { piece.before = before }
      if chance(odd) {
        for place in 0..<3 {
          let screw = Screw("screw \(number) \(place)", size: place)
          context.insert(screw)
          screw.piece = piece
        }
      }
      if chance(odd / 3) {
        let seal = Seal("seal \(number)")
        context.insert(seal)
        seal.piece = piece
      }
      if chance(odd) {
        let pin = Pin("pin \(number)")
        context.insert(pin)
        pin.piece = piece
      }
      if chance(odd) { selection.pieces.append(piece) }
      pieces.append(piece)
    }
    for number in 0..<12 {
      let crate = try #require(pick(crates))
      let slip = Slip("slip \(number)", crate)
      context.insert(slip)
      if chance(odd / 3) { context.insert(Tether("tether \(number)", slip)) }
      let creature = chance(50) ? Creature("creature \(number)") : Bird("bird \(number)")
      context.insert(creature)
      creature.cage = pick(crates)
    }
    for crate in crates where chance(30) {
      let lid = Lid("lid of \(crate.label)")
      context.insert(lid)
      crate.lid = lid
    }
    try context.save()
  }

  private func watch() {
    let container = container
    notices.token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { [unowned notices] notification in
      let keys: [ModelContext.NotificationKey] = [
        .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
      ]
      notices.texts.append(
        keys.map { key in
          let list = notification.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
          let set = notification.userInfo?[key] as? Set<PersistentIdentifier> ?? []
          let named = list.filter { key != .updatedIdentifiers || !Self.hasArrays($0.entityName) }
          let names = named.map { "\($0.entityName) \($0.id.hashValue)" }.sorted()
          return "\(key) \(names) \(set == Set(list)) \(named.count)"
        }.joined(separator: "; "))
      _ = container
    }
  }

  private mutating func note(_ step: String, _ what: Any) {
    steps.append(step)
    seen.append("\(step): \(what)")
  }

  private func all<Model: PersistentModel>(_ type: Model.Type, _ label: KeyPath<Model, String>)
    throws -> [Model]
  {
    try context.fetch(FetchDescriptor<Model>()).sorted { $0[keyPath: label] < $1[keyPath: label] }
  }

  mutating func run() throws {
    for model in try other.fetch(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.label)]))
    where chance(20) {
      _ = model.count
      watched.append(model)
    }
    for _ in 0..<30 { try step() }
    try finish()
  }

  /// What a step does that finds no crate: so there is one for the next.
  private mutating func addCrate() throws {
    let crate = Crate("crate of \(steps.count)")
    context.insert(crate)
    crate.pieces = try all(Piece.self, \.label).filter { $0.crate == nil }
    note("no crate: \(crate.label)", crate.pieces.map(\.label))
  }

  /// What a step does that finds no piece.
  private mutating func addPiece() {
    let piece = Piece("piece of \(steps.count)")
    context.insert(piece)
    note("no piece: \(piece.label)", "\(context.hasChanges)")
  }

  private mutating func step() throws {
    switch Int.random(in: 0..<17, using: &random) {
    case 0..<3:
      guard let crate = pick(try all(Crate.self, \.label)) else { return try addCrate() }
      if chance(30) { note("read \(crate.label)", crate.pieces.map(\.label).sorted()) }
      if chance(20) { held += crate.pieces.filter { _ in chance(30) } as [any PersistentModel] }
      let label = crate.label
      context.delete(crate)
      deletedAlone = max(deletedAlone, context.deletedAloneCount)
      note("delete \(label)", crate.pieces.map(\.label).sorted())
    case 3:
      note("count", try context.fetchCount(FetchDescriptor<Piece>()))
    case 4:
      let text = String(Int.random(in: 0..<6, using: &random))
      let found = try context.fetch(
        FetchDescriptor<Piece>(
          predicate: #Predicate { $0.label.contains(text) }, sortBy: [SortDescriptor(\.label)]))
      if chance(50) { held += found }
      note(
        "pieces with \(text)",
        found.map { "\($0.label) \($0.crate?.label ?? "-") \($0.maker?.label ?? "-")" })
    case 5:
      var descriptor = FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.label)])
      descriptor.includePendingChanges = false
      let found = try context.fetch(descriptor)
      note(
        "as stored",
        found.map {
          "\($0.label) \($0.isDeleted) \($0.crate?.label ?? "-") \($0.maker?.label ?? "-") "
            + "\($0.image?.count ?? 0) \($0.signs.map(\.label).sorted())"
        })
    case 6:
      let maker = try #require(pick(try all(Workshop.self, \.label)))
      note("made by \(maker.label)", maker.pieces.map(\.label).sorted())
      if chance(50) { held.append(maker) }
    case 7:
      for selection in try all(Selection.self, \.label) {
        note("selected", selection.pieces.map(\.label).sorted())
        held.append(selection)
      }
    case 8:
      for pin in try all(Pin.self, \.label) {
        if chance(50) { held.append(pin) }
        note("pin", "\(pin.label) \(pin.piece?.label ?? "-")")
      }
    case 9:
      guard let piece = pick(try all(Piece.self, \.label)) else { return addPiece() }
      piece.count += 1
      if chance(50), let crate = pick(try all(Crate.self, \.label)) { piece.crate = crate }
      note("change \(piece.label)", "\(piece.count) \(piece.crate?.label ?? "-")")
    case 10:
      let sign = try #require(pick(try all(Sign.self, \.label)))
      guard let piece = pick(try all(Piece.self, \.label)) else { return addPiece() }
      if chance(50) { sign.pieces.append(piece) } else { piece.signs.removeAll { $0 === sign } }
      note("sign \(piece.label)", sign.pieces.map(\.label).sorted())
    case 11:
      guard let crate = pick(try all(Crate.self, \.label)) else { return try addCrate() }
      let piece = Piece("new \(steps.count)")
      context.insert(piece)
      piece.crate = crate
      let screw = Screw("screw of new \(steps.count)", size: 1)
      if chance(30) {
        context.insert(screw)
        screw.piece = pick(try all(Piece.self, \.label))
      }
      note("new in \(crate.label)", piece.crate?.label ?? "-")
    case 12:
      // The label of a row that may be about to go.
      let number = Int.random(in: 0..<60, using: &random)
      let piece = Piece("piece \(number)")
      context.insert(piece)
      note("again piece \(number)", piece.label)
    case 13:
      note("deleted", Self.labels(context.deletedModelsArray))
      note(
        "changed",
        Self.labels(context.changedModelsArray.filter { !Self.hasArrays("\(type(of: $0))") }))
    case 14:
      held = []
      context.rollback()
      note("rollback", "\(context.hasChanges)")
    case 15:
      let pins = try all(Pin.self, \.label)
      let piece = pick(held.compactMap { $0 as? Piece })
      if let pin = pick(pins) { pin.piece = piece }
      note("pin again", pins.map { "\($0.label) \($0.piece?.label ?? "-")" })
    default: try save()
    }
  }

  /// Whether an object of a class has arrays: it is changed by what is taken out of those that were
  /// read, and which were read with those of others is not said.
  private static func hasArrays(_ name: String) -> Bool {
    ["Crate", "Piece", "Workshop", "Sign", "Selection"].contains(name)
  }

  private static func labels(_ models: [any PersistentModel]) -> [String] {
    models.map { "\(type(of: $0)) \($0.persistentModelID.id.hashValue)" }.sorted()
  }

  private mutating func save() throws {
    var result = "saved"
    do {
      try context.save()
    } catch {
      let text = "\(error)"
      // Which of several objects is named first is not said.
      result = text.prefix { !$0.isNumber }.description
      context.rollback()
    }
    note("save", result)
    note("told", notices.texts)
    notices.texts = []
    note("held", held.map { "\(type(of: $0)) \($0.isDeleted) \($0.modelContext == nil)" })
    note(
      "elsewhere",
      watched.map {
        "\($0.label) \($0.count) \($0.isDeleted) \($0.crate?.label ?? "-") \($0.modelContext == nil)"
      })
    note("store", try stored())
  }

  private mutating func finish() throws {
    for crate in try all(Crate.self, \.label) where chance(70) { context.delete(crate) }
    try save()
    for crate in try all(Crate.self, \.label) { context.delete(crate) }
    try save()
    note("check", try container.check().map { "\($0)" })
  }

  /// All tables, the history and the files.
  private func stored() throws -> [String] {
    let sqlite = try SQLiteConnection(path: path, mode: .readOnly)
    var texts: [String] = []
    let tables = try sqlite.strings(
      "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'appdata%' "
        + "AND name NOT LIKE 'sqlite%' ORDER BY name")
    for table in tables {
      let columns = try sqlite.strings(
        "SELECT name FROM pragma_table_info(?) ORDER BY cid", [.text(table)])
      let row = columns.map { "coalesce(\"\($0)\", '-')" }.joined(separator: " || ' ' || ")
      // The names of files are made by chance.
      let text = row.replacing("coalesce(\"image\", '-')", with: "(image IS NULL)")
      texts += try sqlite.strings("SELECT '\(table) ' || \(text) FROM \"\(table)\" ORDER BY 1")
    }
    texts += try sqlite.strings(
      """
      WITH RECURSIVE each(t, entity, kind, properties, tombstone, row, last) AS (
        SELECT transaction_id, entity, kind, 
          (SELECT coalesce(group_concat(value), '') FROM json_each(properties) WHERE value NOT IN
            ('pieces', 'spares', 'inner', 'slips', 'creatures', 'signs', 'screws', 'seals', 'lid', 'after')), coalesce(tombstone, ''), first_row,
          first_row + count - 1 FROM appdata_changes
        UNION ALL SELECT t, entity, kind, properties, tombstone, row + 1, last FROM each WHERE row < last)
      SELECT t || ' ' || kind || ' ' || entity || ' ' || row || ' ' || properties || ' ' || tombstone
        FROM each WHERE kind != 'update' OR properties != '' ORDER BY 1
      """)
    let files =
      FileManager.default.subpaths(atPath: (path as NSString).deletingLastPathComponent) ?? []
    texts.append("\(files.filter { $0.contains("_EXTERNAL_DATA/") }.count) files")
    return texts
  }
}
