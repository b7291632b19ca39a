import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

// Classes that refer to each other by every rule.

@Model
final class Board {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Lane.board) var lanes: [Lane] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Lane {
  var name: String
  var board: Board?
  @Relationship(deleteRule: .nullify, inverse: \Card.lane) var cards: [Card] = []

  init(_ name: String, _ board: Board? = nil) {
    self.name = name
    self.board = board
  }
}

@Model
final class Card {
  var name: String
  var lane: Lane?
  @Relationship(inverse: \Label.cards) var labels: [Label] = []
  @Relationship(deleteRule: .cascade, inverse: \Memo.card) var memo: Memo?

  init(_ name: String, _ lane: Lane? = nil) {
    self.name = name
    self.lane = lane
  }
}

@Model
final class Label {
  var name: String
  var cards: [Card] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Memo {
  var name: String
  var card: Card?

  init(_ name: String, _ card: Card? = nil) {
    self.name = name
    self.card = card
  }
}

@Model
final class Owner {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \House.owner) var houses: [House] = []

  init(_ name: String) { self.name = name }
}

@Model
final class House {
  var name: String
  var owner: Owner?
  var street: Street?

  init(_ name: String, _ owner: Owner? = nil) {
    self.name = name
    self.owner = owner
  }
}

@Model
final class Street {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \House.street) var houses: [House] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Contract {
  var name: String
  var house: House

  init(_ name: String, _ house: House) {
    self.name = name
    self.house = house
  }
}

@Model
final class Chapter {
  var name: String
  var parent: Chapter?
  @Relationship(deleteRule: .cascade, inverse: \Chapter.parent) var parts: [Chapter] = []
  /// Without an inverse.
  var quotes: [Label] = []

  init(_ name: String, _ parent: Chapter? = nil) {
    self.name = name
    self.parent = parent
  }
}

/// Two machines with such a store.
struct TwoGraphs {
  static let models: [any PersistentModel.Type] = [
    Board.self, Lane.self, Card.self, Label.self, Memo.self, Owner.self, House.self, Street.self,
    Contract.self, Chapter.self, City.self, Sight.self, Vote.self, Event.self, Party.self,
    Session.self, BoardSession.self, Patron.self, Guest.self, Toast.self, Room.self,
  ]

  let folder: TemporaryHome
  let laptop: DataMachine
  let desktop: DataMachine

  // What `fill` makes is there before anything else, on both.
  init(adds: Bool = true, role: SyncRole = .writer, _ fill: (ModelContext) -> Void) throws {
    folder = try TemporaryHome(inMemory: true)
    laptop = try DataMachine("laptop", in: folder.path, models: Self.models)
    desktop = try DataMachine("desktop", joining: laptop, in: folder.path, role: role)
    try laptop.change(fill)
    _ = try desktop.container()
    guard adds else { return }
    try laptop.add()
    try desktop.add()
  }

  /// Both hear of each other; which of them speaks first.
  func meet(desktopFirst: Bool = false) throws {
    let (first, second) = desktopFirst ? (desktop, laptop) : (laptop, desktop)
    for machine in [first, second, first, second] { try machine.sync() }
  }

  /// Both have the same, and nothing is wrong with it.
  func expectEqual(_ place: SourceLocation = #_sourceLocation) throws {
    #expect(try laptop.canonicalGraph() == desktop.canonicalGraph(), sourceLocation: place)
    for machine in [laptop, desktop] {
      try machine.check()
      let problems = try machine.container().check()
      #expect(problems.isEmpty, "\(machine.label): \(problems)", sourceLocation: place)
      let report = try machine.sync()
      #expect(report.channel.sent == 0, sourceLocation: place)
    }
  }
}

extension DataMachine {
  /// The only object of a class with a name.
  static func one<Model: PersistentModel>(
    _ type: Model.Type, _ name: String, in context: ModelContext
  ) throws -> Model {
    let found = try context.fetch(FetchDescriptor<Model>()).first { self.name(of: $0) == name }
    return try #require(found)
  }

  static func name(of model: any PersistentModel) -> String {
    switch model {
    case let model as Board: model.name
    case let model as Lane: model.name
    case let model as Card: model.name
    case let model as Label: model.name
    case let model as Memo: model.name
    case let model as Owner: model.name
    case let model as House: model.name
    case let model as Street: model.name
    case let model as Contract: model.name
    case let model as Chapter: model.name
    case let model as City: model.note
    case let model as Sight: model.name
    case let model as Vote: model.note
    case let model as Event: model.note
    case let model as Patron: model.name
    case let model as Guest: model.name
    case let model as Toast: model.name
    case let model as Room: model.name
    case let model as Special.Visitor: model.name
    default: ""
    }
  }

  /// The names of all objects of a class.
  func names<Model: PersistentModel>(_ type: Model.Type) throws -> [String] {
    let context = ModelContext(try container())
    return try context.fetch(FetchDescriptor<Model>()).map { Self.name(of: $0) }.sorted()
  }

  /// What somebody reads of the object of a name.
  func read<Model: PersistentModel, Result>(
    _ type: Model.Type, _ name: String, _ body: (Model) throws -> Result
  ) throws -> Result {
    let context = ModelContext(try container())
    return try body(Self.one(type, name, in: context))
  }

  /// Changes the object of a name.
  func edit<Model: PersistentModel>(
    _ type: Model.Type, _ name: String, _ body: (Model, ModelContext) throws -> Void
  ) throws {
    try change { context in try body(Self.one(type, name, in: context), context) }
  }

  func delete<Model: PersistentModel>(_ type: Model.Type, _ name: String) throws {
    try edit(type, name) { $1.delete($0) }
  }

  /// All rows and links with identities in the place of keys: what machines that have met have alike.
  func canonicalGraph() throws -> [String] {
    let connection = try SQLiteConnection(path: path, mode: .readOnly)
    defer { connection.close() }
    try connection.trustSchema()
    let tables = try connection.strings(
      "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'appdata%' "
        + "AND name NOT LIKE 'sqlite%' ORDER BY name")
    var lines: [String] = []
    // The part of a row leads to that of the superclass, whose root has the identities.
    func root(_ table: String) throws -> String {
      let parent = try connection.string(
        "SELECT \"table\" FROM pragma_foreign_key_list(?) WHERE \"from\"='_id'", [.text(table)])
      return try parent.map(root) ?? table
    }
    for table in tables {
      var columns: [String] = []
      var targets: [String: String] = [:]
      try connection.forEachRow(
        "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)", [.text(table)]
      ) {
        targets[$0.string(at: 0)] = try root($0.string(at: 1))
      }
      targets["_id"] = try root(table)
      for column in try connection.strings(
        "SELECT name FROM pragma_table_info(?) ORDER BY name", [.text(table)])
      {
        let target = targets[column]
        columns.append(
          target.map {
            "ifnull((SELECT hex(identity) FROM appdata_sync_objects WHERE class='\($0)' "
              + "AND row=t.\"\(column)\"), '-')"
          } ?? "quote(t.\"\(column)\")")
      }
      lines += try connection.strings(
        "SELECT '\(table)|'||\(columns.joined(separator: "||'|'||")) FROM \"\(table)\" t")
    }
    return lines.sorted()
  }
}

/// A board with lanes, cards and labels, and a chapter with parts and quotes.
enum GraphContents {
  static func board(_ context: ModelContext) {
    let board = Board("B")
    context.insert(board)
    for name in ["todo", "done"] { context.insert(Lane(name, board)) }
    board.lanes = board.lanes.sorted { $0.name > $1.name }
    let lane = board.lanes[0]
    for name in ["a", "b", "c"] { lane.cards.append(Card(name)) }
    let labels = ["red", "blue"].map { Label($0) }
    for label in labels { context.insert(label) }
    lane.cards[0].labels = labels
    lane.cards[1].labels = [labels[1]]
    lane.cards[0].memo = Memo("m")
    let chapter = Chapter("one")
    context.insert(chapter)
    chapter.parts = [Chapter("one.one"), Chapter("one.two")]
    chapter.quotes = [labels[1], labels[0]]
  }

  static func cards(_ machine: DataMachine, _ lane: String) throws -> [String] {
    try machine.read(Lane.self, lane) { $0.cards.map(\.name) }
  }

  static func labels(_ machine: DataMachine, _ card: String) throws -> [String] {
    try machine.read(Card.self, card) { $0.labels.map(\.name) }
  }
}
