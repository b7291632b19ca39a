import Foundation
import TestSupport
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// Machines with objects that refer to each other by every rule, which a person changes by the
/// application, and which synchronize, or are ended while they do, by a seed.
struct SimulatedGraph {
  private var random: SeededGenerator
  private let folder: TemporaryHome
  private var machines: [DataMachine] = []
  /// One that only reads, and shows what the others do.
  private let reader: DataMachine
  private let merging: StoreMeeting.Merge?
  private let choosing: ObjectKind.Choice?
  /// Whether objects of classes that inherit from each other are among them.
  private let hasFamilies: Bool
  private var count = 0
  /// Each name is typed but once, so that it can be found again.
  private var typed: [String: String] = [:]
  /// Names that somebody replaced, or deleted with their object, who had them before him.
  private var replaced: Set<String> = []
  /// Names that were typed into a store that was put back: what was deleted meanwhile only that
  /// machine can keep.
  private var late: [String: String] = [:]

  init(
    seed: UInt64, machines number: Int = 3, merging: StoreMeeting.Merge? = nil,
    choosing: ObjectKind.Choice? = nil, hasFamilies: Bool = true
  ) throws {
    random = SeededGenerator(seed: seed)
    folder = try TemporaryHome(inMemory: true)
    self.merging = merging
    self.choosing = choosing
    self.hasFamilies = hasFamilies
    let first = try DataMachine("m0", in: folder.path, models: TwoGraphs.models)
    // A store hears something with its first meeting, which is one as it is added.
    try first.change { $0.insert(Label("first")) }
    machines = [first]
    try first.add()
    for index in 1..<number {
      let time = DataMachine.Time()
      time.advance(Int64(index) * 120_000)
      let machine = try DataMachine("m\(index)", joining: first, in: folder.path, time: time)
      _ = try machine.container()
      try machine.add()
      machines.append(machine)
    }
    reader = try DataMachine("reader", joining: first, in: folder.path, role: .reader)
    _ = try reader.container()
    try reader.add()
  }

  /// Does `steps` things and then has all of them meet.
  ///
  /// - Returns: What is wrong; nothing if all is well.
  mutating func run(steps: Int) throws -> [String] {
    for _ in 0..<steps {
      let index = Int.random(in: machines.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5: try save(index)
      case 5: try another(index)
      case 6: try kill(index)
      case 7: try reader.sync(merging: merging, choosing: choosing)
      default: try machines[index].sync(merging: merging, choosing: choosing)
      }
      machines[index].time.advance(Int64.random(in: 0..<5_000, using: &random))
    }
    for _ in 0..<4 {
      for machine in machines {
        try machine.sync(merging: merging, choosing: choosing)
      }
    }
    try reader.sync(merging: merging, choosing: choosing)
    return try findings()
  }

  // MARK: What a person does

  private mutating func save(_ index: Int) throws {
    let machine = machines[index]
    let context = ModelContext(try machine.container())
    context.autosaveEnabled = false
    let before = try Self.names(context)
    var new: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) { try change(context, &new) }
    do {
      try context.save()
    } catch is SwiftDataError {
      // A rule of the schema refuses it.
      return
    }
    let after = try Self.names(ModelContext(try machine.container()))
    replaced.formUnion(before.subtracting(after))
    for name in new { typed[name] = machine.label }
    replaced.formUnion(Set(new).subtracting(after))
  }

  private static func all<Model: PersistentModel>(
    _ type: Model.Type, _ context: ModelContext
  ) throws -> [Model] {
    try context.fetch(FetchDescriptor<Model>()).sorted {
      DataMachine.name(of: $0) < DataMachine.name(of: $1)
    }
  }

  private static func names(_ context: ModelContext) throws -> Set<String> {
    var names: Set<String> = []
    func add<Model: PersistentModel>(_ type: Model.Type) throws {
      for model in try all(type, context) { names.formUnion(DataMachine.words(of: model)) }
    }
    for type in TwoGraphs.models { try add(type) }
    return names
  }

  private mutating func any<Model: PersistentModel>(
    _ type: Model.Type, _ context: ModelContext
  ) throws -> Model? {
    try Self.all(type, context).randomElement(using: &random)
  }

  private mutating func name(_ new: inout [String]) -> String {
    count += 1
    new.append("n\(count)")
    return "n\(count)"
  }

  private mutating func change(_ context: ModelContext, _ new: inout [String]) throws {
    switch Int.random(in: 0..<(hasFamilies ? 43 : 29), using: &random) {
    case 29...41: try changeFamily(context, &new)
    case 0: context.insert(Board(name(&new)))
    case 1, 2: context.insert(Lane(name(&new), try any(Board.self, context)))
    case 3, 4: context.insert(Card(name(&new), try any(Lane.self, context)))
    case 5: context.insert(Label(name(&new)))
    case 6: context.insert(Memo(name(&new), try any(Card.self, context)))
    case 7: context.insert(Owner(name(&new)))
    case 8:
      let house = House(name(&new), try any(Owner.self, context))
      context.insert(house)
      house.street = try any(Street.self, context)
    case 9: context.insert(Street(name(&new)))
    case 10:
      guard let house = try any(House.self, context) else { return }
      context.insert(Contract(name(&new), house))
    case 11: context.insert(Chapter(name(&new), try any(Chapter.self, context)))
    case 12: try any(Chapter.self, context)?.parent = try any(Chapter.self, context)
    case 13: try any(Card.self, context)?.lane = try any(Lane.self, context)
    case 14: try any(House.self, context)?.owner = try any(Owner.self, context)
    case 15: try any(Memo.self, context)?.card = try any(Card.self, context)
    case 16, 17:
      guard let card = try any(Card.self, context), let label = try any(Label.self, context) else {
        return
      }
      if let place = card.labels.firstIndex(where: { $0 === label }) {
        card.labels.remove(at: place)
      } else {
        card.labels.insert(label, at: Int.random(in: 0...card.labels.count, using: &random))
      }
    case 18:
      guard let chapter = try any(Chapter.self, context), let label = try any(Label.self, context)
      else { return }
      if let place = chapter.quotes.firstIndex(where: { $0 === label }) {
        chapter.quotes.remove(at: place)
      } else {
        chapter.quotes.append(label)
      }
    case 19:
      guard let lane = try any(Lane.self, context) else { return }
      lane.cards = lane.cards.shuffled(using: &random)
    case 20: try any(Card.self, context)?.name = name(&new)
    case 21: try any(House.self, context)?.name = name(&new)
    case 22, 23:
      let city = City("c\(Int.random(in: 0..<4, using: &random))", name(&new))
      context.insert(city)
      if Bool.random(using: &random), let label = try any(Label.self, context) {
        city.labels = [label]
      }
    case 24:
      try any(City.self, context)?.name = "c\(Int.random(in: 0..<4, using: &random))"
    case 25:
      let cities = try Self.all(City.self, context)
      guard cities.count > 1 else { return }
      (cities[0].name, cities[1].name) = (cities[1].name, cities[0].name)
    case 26: context.insert(Sight(name(&new), try any(City.self, context)))
    case 27:
      guard let city = try any(City.self, context) else { return }
      context.insert(Vote(name(&new), city, Int.random(in: 0..<2, using: &random)))
    default: try delete(context)
    }
  }

  private mutating func changeFamily(_ context: ModelContext, _ new: inout [String]) throws {
    let unique = "e\(Int.random(in: 0..<4, using: &random))"
    switch Int.random(in: 0..<13, using: &random) {
    case 0: context.insert(Event(unique, name(&new)))
    case 1, 2: context.insert(Party(unique, name(&new), name(&new)))
    case 3: context.insert(Session(unique, name(&new), name(&new)))
    case 4:
      let session = BoardSession(unique, name(&new), name(&new), name(&new))
      context.insert(session)
      if Bool.random(using: &random) { session.code = "k\(Int.random(in: 0..<2, using: &random))" }
    case 5: context.insert(Patron(name(&new)))
    case 6: context.insert(Guest(name(&new), try any(Event.self, context)))
    case 7:
      guard let party = try any(Party.self, context) else { return }
      context.insert(Toast(name(&new), party))
    case 8:
      guard let session = try any(Session.self, context) else { return }
      session.rooms.append(try any(Room.self, context) ?? Room(name(&new)))
    case 9:
      try any(Event.self, context)?.patron = try any(Patron.self, context)
      try any(Patron.self, context)?.favorite = try any(Party.self, context)
    case 10:
      guard let event = try any(Event.self, context), let label = try any(Label.self, context)
      else { return }
      if let place = event.tags.firstIndex(where: { $0 === label }) {
        event.tags.remove(at: place)
      } else {
        event.tags.append(label)
      }
    case 11:
      if let party = try any(Party.self, context) { party.music = name(&new) }
    default: try any(Event.self, context)?.name = unique
    }
  }

  private mutating func delete(_ context: ModelContext) throws {
    func delete(_ model: (any PersistentModel)?) { if let model { context.delete(model) } }
    switch Int.random(in: 0..<17, using: &random) {
    case 12, 13: delete(try any(Event.self, context))
    case 14: delete(try any(Patron.self, context))
    case 15: delete(try any(Guest.self, context))
    case 16: delete(try any(Room.self, context))
    case 10: delete(try any(City.self, context))
    case 11: delete(try any(Vote.self, context))
    case 0: delete(try any(Board.self, context))
    case 1: delete(try any(Lane.self, context))
    case 2: delete(try any(Card.self, context))
    case 3: delete(try any(Label.self, context))
    case 4: delete(try any(Memo.self, context))
    case 5: delete(try any(Owner.self, context))
    case 6: delete(try any(House.self, context))
    case 7: delete(try any(Street.self, context))
    case 8: delete(try any(Contract.self, context))
    default: delete(try any(Chapter.self, context))
    }
  }

  /// What happens seldom: a value that lost is taken, another program deletes, a store is put back.
  private mutating func another(_ index: Int) throws {
    let machine = machines[index]
    let before = try Self.names(ModelContext(try machine.container()))
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1:
      let found = try machine.data.conflicts(machine.application)
      guard let one = found.randomElement(using: &random) else { return }
      do {
        _ = try machine.data.restore(one.number, of: machine.application)
      } catch let error as SyncError where error.code == .notAllowed {
        // There is no place for it any more.
      }
    case 2:
      let table =
        ["Board", "Lane", "Card", "Owner", "House", "Chapter", "Label", "City", "Event", "Party"]
        .randomElement(using: &random) ?? "Card"
      // What is left of its row is none, though the application shows it until the next run.
      if table == "Party" { replaced.formUnion(try machine.lastParty()) }
      try machine.sql(
        "PRAGMA foreign_keys=OFF; DELETE FROM \(table) WHERE _id=(SELECT max(_id) FROM \(table))")
    default:
      // What it lacks it hears again; all was told that was typed.
      try machine.sync(merging: merging, choosing: choosing)
      let old = try StoredFiles(of: machine)
      for _ in 0..<2 { try save(index) }
      try machine.sync(merging: merging, choosing: choosing)
      let seen = try Self.names(ModelContext(try machine.container()))
      try old.putBack()
      let known = Set(typed.keys)
      try save(index)
      for name in typed.keys where !known.contains(name) { late[name] = machine.label }
      try machine.sync(merging: merging, choosing: choosing)
      // What was typed into the old store in its place did not know of it, and is told by who does.
      for name in seen.subtracting(try Self.names(ModelContext(try machine.container()))) {
        late[name] = machine.label
      }
      return
    }
    let after = try Self.names(ModelContext(try machine.container()))
    replaced.formUnion(before.subtracting(after))
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
    let first = try machines[0].canonicalGraph()
    for machine in machines.dropFirst() + [reader] {
      let other = try machine.canonicalGraph()
      guard other != first else { continue }
      let lines = Set(first).symmetricDifference(other).sorted().prefix(4)
      findings.append("\(machine.label) has other rows than m0: \(lines.joined(separator: "; "))")
    }
    let current = try Self.names(ModelContext(try machines[0].container()))
    for machine in machines + [reader] {
      for problem in try machine.container().check() {
        findings.append("\(machine.label): \(problem)")
      }
      let connection = try SQLiteConnection(path: machine.path, mode: .readWrite)
      defer { connection.close() }
      try connection.trustSchema()
      if try !connection.foreignKeyCheck().isEmpty { findings.append("\(machine.label) dangles") }
      if try !connection.integrityCheck().isEmpty { findings.append("\(machine.label) is damaged") }
      let lost = Set(
        try machine.data.conflicts(machine.application).map {
          $0.lost.text(isPretty: false).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
        })
      for (name, by) in typed
      where !current.contains(name) && !lost.contains(name) && !replaced.contains(name) {
        if let only = late[name], only != machine.label { continue }
        findings.append("\(name) of \(by) is lost to \(machine.label)")
      }
      if try machine.sync(merging: merging, choosing: choosing).channel.sent > 0 {
        findings.append("\(machine.label) has something to say")
      }
    }
    return findings
  }
}

/// A store's files at one moment.
struct StoredFiles {
  private let machine: DataMachine
  private var files: [String: Data] = [:]

  init(of machine: DataMachine) throws {
    self.machine = machine
    // What is in the log comes into the file first.
    let connection = try SQLiteConnection(path: machine.path, mode: .readWrite)
    _ = try connection.checkpoint(.truncate)
    connection.close()
    for name in try Self.names(machine) {
      files[name] = FileManager.default.contents(atPath: "\(machine.home.path)/\(name)")
    }
  }

  private static func names(_ machine: DataMachine) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: machine.home.path).filter {
      $0.hasPrefix("default.store") && !$0.hasSuffix(".sync")
    }
  }

  func putBack() throws {
    for name in try Self.names(machine) {
      try FileManager.default.removeItem(atPath: "\(machine.home.path)/\(name)")
    }
    for (name, bytes) in files {
      let isMade = FileManager.default.createFile(
        atPath: "\(machine.home.path)/\(name)", contents: bytes,
        attributes: [.posixPermissions: 0o600])
      guard isMade else { throw CocoaError(.fileWriteUnknown) }
    }
  }
}
