import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultStorage
import VaultSync

/// A later version of the application.
enum Later {
  @Model
  final class Trip {
    var name: String
    var days: Int
    @Attribute(originalName: "note") var remark: String?
    var rating: Double
    var start: Date
    var price: Decimal
    var photo: Data?
    @Attribute(.externalStorage) var film: Data?
    var tags: [String]
    var mood: String = "good"

    init(_ name: String) {
      self.name = name
      days = 1
      rating = 0.5
      start = .now
      price = 1
      tags = []
    }
  }
}

/// One that has got relationships.
enum Grown {
  @Model
  final class Trip {
    var name: String
    var days: Int
    var note: String?
    var rating: Double
    var start: Date
    var price: Decimal
    var photo: Data?
    @Attribute(.externalStorage) var film: Data?
    var tags: [String]
    @Relationship(inverse: \Person.led) var leader: Person?
    /// Without an inverse.
    var guests: [Person] = []

    init(_ name: String) {
      self.name = name
      days = 1
      rating = 0.5
      start = .now
      price = 1
      tags = []
    }
  }

  @Model
  final class Person {
    var name: String
    var led: [Trip] = []

    init(_ name: String) { self.name = name }
  }
}

/// A version in which a value is unique, and one in which it is not.
enum Strict {
  @Model
  final class Note {
    @Attribute(.unique) var key: String
    var text: String

    init(_ key: String, _ text: String) {
      self.key = key
      self.text = text
    }
  }
}

enum Loose {
  @Model
  final class Note {
    var key: String
    var text: String

    init(_ key: String, _ text: String) {
      self.key = key
      self.text = text
    }
  }
}

/// Two versions of an application on two machines.
struct VersionTests {
  private func change(_ machine: DataMachine, _ body: (Later.Trip) -> Void) throws {
    let container = try ModelContainer(
      for: Later.Trip.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: machine.path)))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for trip in try context.fetch(FetchDescriptor<Later.Trip>()) { body(trip) }
    try context.save()
  }

  private func moods(_ machine: DataMachine) throws -> [String] {
    var moods: [String] = []
    try change(machine) { moods.append("\($0.name) \($0.mood) \($0.remark ?? "-")") }
    return moods.sorted()
  }

  @Test func whatAnOlderVersionDoesNotKnowWaitsForIt() throws {
    let stores = try TwoStores()
    try change(stores.laptop) {
      $0.mood = "bad"
      $0.remark = "rain"
    }
    try stores.laptop.sync()
    let report = try stores.desktop.sync()
    #expect(report.waiting > 0)
    // A renamed property is the same one.
    #expect(try stores.desktop.trips()[0].hasPrefix("Oslo 1 rain"))
    // The older one writes it meanwhile, and does not touch the other.
    try stores.desktop.edit("Oslo") { $0.note = "sun" }
    try stores.meet()
    #expect(try moods(stores.laptop) == ["Oslo bad sun"])
    #expect(try moods(stores.desktop) == ["Oslo good sun"])
    try stores.meet()
    #expect(try moods(stores.desktop) == ["Oslo bad sun"])
    #expect(try moods(stores.laptop) == ["Oslo bad sun"])
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(try stores.laptop.conflicts().isEmpty)
    let left = try SQLiteConnection(path: stores.desktop.path, mode: .readOnly)
      .int64("SELECT count(*) FROM appdata_sync_parked")
    #expect(left == 0)
  }

  /// What the version computes on both machines is one value, and older than anybody's.
  @Test func bothMachinesMigrate() throws {
    let stores = try TwoStores(trips: ["Oslo", "Rome"])
    #expect(try moods(stores.laptop) == ["Oslo good -", "Rome good -"])
    #expect(try moods(stores.desktop) == ["Oslo good -", "Rome good -"])
    try stores.meet()
    try change(stores.desktop) { if $0.name == "Rome" { $0.mood = "bad" } }
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.conflicts().isEmpty)
    }
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    try change(stores.laptop) { $0.mood = "\($0.mood)!" }
    try stores.meet()
    #expect(try moods(stores.laptop) == moods(stores.desktop))
    #expect(try moods(stores.desktop)[0] == "Oslo good! -")
  }

  private func grown<Result>(
    _ machine: DataMachine, _ body: (ModelContext) throws -> Result
  ) throws -> Result {
    let container = try ModelContainer(
      for: Grown.Trip.self, Grown.Person.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: machine.path)))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    defer { withExtendedLifetime(container) {} }
    let result = try body(context)
    try context.save()
    return result
  }

  private func people(_ machine: DataMachine) throws -> [String] {
    try grown(machine) { context in
      try context.fetch(FetchDescriptor<Grown.Trip>()).map { trip in
        "\(trip.name) \(trip.note ?? "-") \(trip.leader?.name ?? "-") \(trip.guests.map(\.name))"
      }.sorted()
    }
  }

  /// What an older version has no relationship for, no class and no links, waits for it.
  @Test func relationshipsWaitForAVersionThatHasThem() throws {
    let stores = try TwoStores()
    try grown(stores.laptop) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<Grown.Trip>()).first)
      trip.leader = Grown.Person("Ann")
      trip.guests = [Grown.Person("Bob"), Grown.Person("Cem")]
    }
    try stores.laptop.sync()
    #expect(try stores.desktop.sync().waiting > 0)
    try stores.desktop.edit("Oslo") { $0.note = "old" }
    try stores.desktop.sync()
    try stores.laptop.sync()
    // One guest less before the other machine has the version.
    try grown(stores.laptop) { context in
      let trip = try #require(try context.fetch(FetchDescriptor<Grown.Trip>()).first)
      trip.guests.removeFirst()
    }
    try stores.laptop.sync()
    try stores.desktop.sync()
    #expect(try people(stores.desktop) == ["Oslo old - []"])
    try stores.desktop.sync()
    try stores.laptop.sync()
    for machine in [stores.laptop, stores.desktop] {
      let people = try people(machine)
      #expect(people == ["Oslo old Ann [\"Cem\"]"])
      try machine.check()
    }
    #expect(try stores.laptop.canonicalGraph() == stores.desktop.canonicalGraph())
    #expect(try stores.desktop.sync().channel.sent == 0)
  }

  /// Rows that may have one value here are one elsewhere, and then here, too.
  @Test func aVersionInWhichAValueIsUnique() throws {
    let folder = try TemporaryHome(inMemory: true)
    let laptop = try DataMachine("laptop", in: folder.path, models: [Strict.Note.self])
    let desktop = try DataMachine("desktop", joining: laptop, in: folder.path)
    func loose() throws -> ModelContext {
      let context = ModelContext(
        try ModelContainer(
          for: Loose.Note.self,
          configurations: ModelConfiguration(url: URL(fileURLWithPath: desktop.path))))
      context.autosaveEnabled = false
      return context
    }
    try laptop.change { $0.insert(Strict.Note("other", "o")) }
    _ = try loose()
    try laptop.add()
    try desktop.add()
    let context = try loose()
    for text in ["d1", "d2", "d3"] { context.insert(Loose.Note("k", text)) }
    try context.save()
    try laptop.change { $0.insert(Strict.Note("k", "l")) }
    for machine in [desktop, laptop, desktop, laptop] { try machine.sync() }
    let found = try loose().fetch(FetchDescriptor<Loose.Note>())
    #expect(found.map(\.key).sorted() == ["k", "other"])
    #expect(try laptop.canonical("Note") == desktop.canonical("Note"))
    let texts = try found.map(\.text) + laptop.conflicts()
    for text in ["d1", "d2", "d3", "l"] { #expect(texts.contains { $0.contains(text) }, "\(text)") }
    for machine in [laptop, desktop] {
      try machine.check()
      #expect(try machine.sync().channel.sent == 0)
    }
  }
}
