import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultStorage
import VaultSync

/// A version of an application without subclasses.
enum Plain {
  @Model
  class Tour {
    @Attribute(.unique) var name: String
    var note: String
    @Relationship(inverse: \Visitor.tour) var visitors: [Visitor] = []

    init(_ name: String, _ note: String) {
      self.name = name
      self.note = note
    }
  }

  @Model
  final class Visitor {
    var name: String
    var tour: Tour?

    init(_ name: String) { self.name = name }
  }

  static let models: [any PersistentModel.Type] = [Tour.self, Visitor.self]
}

/// One with a subclass.
enum Special {
  @Model
  class Tour {
    @Attribute(.unique) var name: String
    var note: String
    @Relationship(inverse: \Visitor.tour) var visitors: [Visitor] = []

    init(_ name: String, _ note: String) {
      self.name = name
      self.note = note
    }
  }

  @Model
  final class Hike: Tour {
    var height: Int

    init(_ name: String, _ note: String, _ height: Int) {
      self.height = height
      super.init(name, note)
    }
  }

  @Model
  final class Visitor {
    var name: String
    var tour: Tour?

    init(_ name: String) { self.name = name }
  }

  static let models: [any PersistentModel.Type] = [Tour.self, Hike.self, Visitor.self]
}

/// One in which a property of the subclass is one of the superclass.
enum Moved {
  @Model
  class Tour {
    @Attribute(.unique) var name: String
    var note: String
    var height: Int = 0
    @Relationship(inverse: \Visitor.tour) var visitors: [Visitor] = []

    init(_ name: String, _ note: String) {
      self.name = name
      self.note = note
    }
  }

  @Model
  final class Hike: Tour {
    var shoes: String = "old"
  }

  @Model
  final class Visitor {
    var name: String
    var tour: Tour?

    init(_ name: String) { self.name = name }
  }

  static let models: [any PersistentModel.Type] = [Tour.self, Hike.self, Visitor.self]
}

/// Versions of an application with other classes of a family.
struct FamilyVersionTests {
  let folder: TemporaryHome
  let laptop: DataMachine
  let desktop: DataMachine

  init() throws {
    folder = try TemporaryHome(inMemory: true)
    laptop = try DataMachine("laptop", in: folder.path, models: Plain.models)
    desktop = try DataMachine("desktop", joining: laptop, in: folder.path)
    try laptop.change { context in
      let tour = Plain.Tour("t", "n0")
      context.insert(tour)
      tour.visitors = [Plain.Visitor("v0")]
    }
    _ = try desktop.container()
    try laptop.add()
    try desktop.add()
  }

  private func change(
    _ machine: DataMachine, _ models: [any PersistentModel.Type],
    _ body: (ModelContext) throws -> Void
  ) throws {
    let container = try ModelContainer(
      for: Schema(models),
      configurations: [ModelConfiguration(url: URL(fileURLWithPath: machine.path))])
    let context = ModelContext(container)
    context.autosaveEnabled = false
    try body(context)
    try context.save()
  }

  private func plain(_ machine: DataMachine) throws -> [String] {
    var tours: [String] = []
    try change(machine, Plain.models) { context in
      tours = try context.fetch(FetchDescriptor<Plain.Tour>()).map {
        "\($0.name) \($0.note) \($0.visitors.map(\.name).sorted())"
      }
    }
    return tours.sorted()
  }

  private func special(_ machine: DataMachine) throws -> [String] {
    var tours: [String] = []
    try change(machine, Special.models) { context in
      tours = try context.fetch(FetchDescriptor<Special.Tour>()).map {
        "\($0.name) \($0.note) \(($0 as? Special.Hike).map { "\($0.height)" } ?? "-") "
          + "\($0.visitors.map(\.name).sorted())"
      }
    }
    return tours.sorted()
  }

  private func meet() throws {
    for machine in [laptop, desktop, laptop, desktop] { try machine.sync() }
  }

  private func expectEqual(_ place: SourceLocation = #_sourceLocation) throws {
    #expect(try laptop.canonicalGraph() == desktop.canonicalGraph(), sourceLocation: place)
    for machine in [laptop, desktop] {
      try machine.check()
      #expect(try machine.sync().channel.sent == 0, sourceLocation: place)
    }
  }

  private func parked(_ machine: DataMachine) throws -> Int64? {
    try SQLiteConnection(path: machine.path, mode: .readOnly)
      .int64("SELECT count(*) FROM appdata_sync_parked")
  }

  @Test func aClassThatIsNotKnownWaits() throws {
    try change(laptop, Special.models) { context in
      let hike = Special.Hike("h", "n1", 900)
      context.insert(hike)
      hike.visitors = [Special.Visitor("v1")]
      let gone = Special.Hike("gone", "n2", 1)
      context.insert(gone)
    }
    try laptop.sync()
    #expect(try desktop.sync().waiting > 0)
    // No hike is shown as a tour.
    #expect(try plain(desktop) == ["t n0 [\"v0\"]"])
    try change(laptop, Special.models) { context in
      for hike in try context.fetch(FetchDescriptor<Special.Hike>()) {
        if hike.name == "gone" { context.delete(hike) } else { hike.height = 1_000 }
      }
    }
    // What leads to it waits, and is changed meanwhile.
    try change(desktop, Plain.models) { context in
      for visitor in try context.fetch(FetchDescriptor<Plain.Visitor>()) where visitor.name == "v1"
      {
        visitor.name = "v2"
      }
    }
    try meet()
    #expect(try special(desktop) == ["t n0 - [\"v0\"]"])
    try meet()
    #expect(try special(desktop) == ["h n1 1000 [\"v2\"]", "t n0 - [\"v0\"]"])
    #expect(try special(laptop) == special(desktop))
    try expectEqual()
    #expect(try parked(desktop) == 0)
    #expect(try desktop.conflicts().isEmpty)
  }

  /// The migration removes its rows; the other machine keeps them, and they come back.
  @Test func aClassThatIsGoneComesBack() throws {
    try change(laptop, Special.models) { context in context.insert(Special.Hike("h", "n1", 900)) }
    _ = try special(desktop)
    try meet()
    #expect(try special(desktop) == ["h n1 900 []", "t n0 - [\"v0\"]"])
    #expect(try plain(desktop) == ["t n0 [\"v0\"]"])
    let report = try desktop.sync()
    #expect(report.deleted == 0)
    try meet()
    #expect(try special(laptop) == ["h n1 900 []", "t n0 - [\"v0\"]"])
    try change(laptop, Special.models) { context in
      for hike in try context.fetch(FetchDescriptor<Special.Hike>()) { hike.height = 950 }
    }
    try meet()
    #expect(try special(desktop) == ["t n0 - [\"v0\"]"])
    try meet()
    #expect(try special(desktop) == ["h n1 950 []", "t n0 - [\"v0\"]"])
    try expectEqual()
  }

  /// A tour becomes a hike of its name, which the older version cannot show.
  @Test func anObjectBecomesOneOfAClassThatIsNotKnown() throws {
    try change(laptop, Special.models) { context in context.insert(Special.Hike("x", "n1", 900)) }
    try change(desktop, Plain.models) { context in
      let tour = Plain.Tour("x", "n2")
      context.insert(tour)
      tour.visitors = [Plain.Visitor("v1")]
    }
    try meet()
    #expect(try special(laptop) == ["t n0 - [\"v0\"]", "x n2 900 [\"v1\"]"])
    #expect(try plain(desktop) == ["t n0 [\"v0\"]"])
    #expect(try desktop.conflicts().contains { $0.contains("\"n2\"") })
    #expect(try special(desktop) == ["t n0 - [\"v0\"]"])
    try meet()
    #expect(try special(desktop) == special(laptop))
    try expectEqual()
    #expect(try desktop.conflicts() == ["Hike.note \"n1\" \"n2\" laptop"])
  }

  /// What one version says of the property of a class waits for it; nothing is emptied elsewhere.
  @Test func aPropertyMovesToTheSuperclass() throws {
    try change(laptop, Special.models) { context in context.insert(Special.Hike("h", "n1", 900)) }
    _ = try special(desktop)
    try meet()
    try change(laptop, Moved.models) { context in
      for tour in try context.fetch(FetchDescriptor<Moved.Tour>()) { tour.note += "!" }
    }
    try meet()
    #expect(try special(desktop) == ["h n1! 900 []", "t n0! - [\"v0\"]"])
    try change(desktop, Special.models) { context in
      for hike in try context.fetch(FetchDescriptor<Special.Hike>()) { hike.height = 950 }
    }
    try meet()
    try change(laptop, Moved.models) { context in
      for tour in try context.fetch(FetchDescriptor<Moved.Tour>()) { tour.height = 5 }
    }
    try meet()
    #expect(try special(desktop) == ["h n1! 950 []", "t n0! - [\"v0\"]"])
    try change(desktop, Moved.models) { _ in }
    try meet()
    for machine in [laptop, desktop] {
      try change(machine, Moved.models) { context in
        let heights = try context.fetch(FetchDescriptor<Moved.Tour>()).map { $0.height }
        #expect(heights == [5, 5])
      }
    }
    try expectEqual()
  }
}
