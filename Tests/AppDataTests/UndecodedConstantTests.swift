import TestSupport
import Testing
import VaultAppData

/// Properties declared with `let` whose stored values are none of the types that they have now.
///
/// They are part of the object's memory: without a value there is no object.
struct UndecodedConstantTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ type: any PersistentModel.Type) throws -> (ModelContainer, ModelContext) {
    let container = try ModelContainer(
      for: Schema([type]),
      configurations: [ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/a.store"))])
    return (container, ModelContext(container))
  }

  private func saveOld() throws {
    let (_, context) = try open(Old.Ticket.self)
    context.insert(Old.Ticket())
    try context.save()
  }

  @Test func theObjectIsMadeAndTheNextSaveSaysWhatItLacks() throws {
    try saveOld()
    let (container, context) = try open(New.Ticket.self)
    let ticket = try #require(try context.fetch(FetchDescriptor<New.Ticket>()).first)
    #expect(ticket.number == 7 && ticket.name == "a")
    #expect(ticket.mood == nil && ticket.colors == [] && ticket.words == [])
    #expect(throws: SwiftDataError.modelValidationFailure) { try ticket.opened(\.kind) }
    #expect(throws: SwiftDataError.modelValidationFailure) { try ticket.opened(\.level) }
    #expect(throws: SwiftDataError.modelValidationFailure) { try ticket.opened(\.part) }
    ticket.name = "b"
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.message.contains("Ticket.kind of object 1 does not decode as Kind") == true)
    #expect(error?.message.contains("there are 6 other such values") == true)
    try context.save()
    ticket.name = "c"
    try context.save()
    #expect(
      try container.check().filter { $0.contains("of object 1 does not decode as") }.count == 7)
    // What is stored stays.
    let (_, again) = try open(Old.Ticket.self)
    let old = try #require(try again.fetch(FetchDescriptor<Old.Ticket>()).first)
    #expect(old.name == "c" && old.kind == .third && old.level == .third && old.mood == .third)
    #expect(old.colors == [.third] && old.words == ["x"] && old.part.text == "t" && old.size == 300)
  }

  @Test func anObjectThatIsReachedByARelationshipIsMade() throws {
    do {
      let (_, context) = try open(Old.Ticket.self)
      let ticket = Old.Ticket()
      ticket.next = Old.Ticket()
      context.insert(ticket)
      try context.save()
    }
    let (_, context) = try open(New.Ticket.self)
    let first = try #require(
      try context.fetch(FetchDescriptor<New.Ticket>()).first { $0.next != nil })
    let next = try #require(first.next)
    #expect(next.number == 7 && next.previous.first === first)
    context.delete(next)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<New.Ticket>()) == 1)
  }

  /// A structure that refuses everything else than what it knows, with a reference in it.
  @Test func whereThereIsNoValueAtAllTheFetchThrows() throws {
    try saveOld()
    let (_, context) = try open(Strict.Ticket.self)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.fetch(FetchDescriptor<Strict.Ticket>())
    }
    #expect(
      error?.message.hasPrefix("Ticket.part of object 1 does not decode as Part, which has no")
        == true)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.enumerate(FetchDescriptor<Strict.Ticket>()) { _ in }
    }
    #expect(try context.fetchCount(FetchDescriptor<Strict.Ticket>()) == 1)
    try context.delete(model: Strict.Ticket.self)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Strict.Ticket>()).isEmpty)
  }

  @Test func whatCannotBeMadeIsLeftOutOfRelationshipsAndStaysLinked() throws {
    do {
      let (_, context) = try open(Early.Folder.self)
      let folder = Early.Folder()
      context.insert(folder)
      folder.papers = [Early.Paper("part 1"), Early.Paper("2"), Early.Paper("part 3")]
      folder.top = folder.papers[1]
      try context.save()
    }
    let (container, context) = try open(Late.Folder.self)
    let folder = try #require(try context.fetch(FetchDescriptor<Late.Folder>()).first)
    #expect(folder.papers.map(\.part.text).sorted() == ["part 1", "part 3"])
    #expect(folder.top == nil)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.message.contains("Paper.part of object 2 does not decode as Part") == true)
    folder.papers.removeAll { $0.part.text == "part 1" }
    folder.papers.append(Late.Paper("part 4"))
    folder.name = "b"
    try context.save()
    folder.papers = folder.papers.reversed()
    try context.save()
    #expect(try container.check().contains { $0.contains("of object 2 does not decode as Part") })
    let (_, again) = try open(Early.Folder.self)
    let old = try #require(try again.fetch(FetchDescriptor<Early.Folder>()).first)
    #expect(old.papers.map(\.part.text).sorted() == ["2", "part 3", "part 4"])
    #expect(old.top?.part.text == "2" && old.name == "b")
  }

  @Test func anObjectWithoutARowIsMade() throws {
    let (_, context) = try memory(New.Ticket.self)
    let ticket = New.Ticket()
    context.insert(ticket)
    try context.save()
    let id = ticket.persistentModelID
    context.delete(ticket)
    try context.save()
    let others = ModelContext(context.container)
    #expect((others.model(for: id) as? New.Ticket)?.modelContext == nil)
  }
}

private enum Old {
  enum Kind: String, Codable { case first, second, third }
  struct Part: Codable { var text = "t" }

  @Model final class Ticket {
    let number: Int
    let kind: Kind
    let level: Kind
    let mood: Kind?
    let colors: [Kind]
    let words: [String]
    let part: Part
    let size: Int
    var name = "a"
    var next: Ticket?
    @Relationship(inverse: \Ticket.next) var previous: [Ticket] = []
    init() {
      number = 7
      kind = .third
      level = .third
      mood = .third
      colors = [.third]
      words = ["x"]
      part = Part()
      size = 300
    }
  }
}

private enum New {
  enum Kind: String, Codable { case first, second }
  enum Level: String, Codable, CaseIterable { case first, second }
  struct Part: Codable {
    var date: Date
    var kind: Level
  }

  @Model final class Ticket {
    let number: Int
    let kind: Kind
    let level: Level
    let mood: Kind?
    let colors: [Kind]
    let words: [Int]
    let part: Part
    let size: UInt8
    var name = "a"
    var next: Ticket?
    @Relationship(inverse: \Ticket.next) var previous: [Ticket] = []
    init() {
      number = 7
      kind = .first
      level = .first
      mood = nil
      colors = []
      words = []
      part = Part(date: .now, kind: .first)
      size = 1
    }
  }
}

private enum Strict {
  struct Part: Codable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      guard text.hasPrefix("part") else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no part"))
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  @Model final class Ticket {
    let number: Int
    let part: Part
    var name = "a"
    init() {
      number = 7
      part = Part("part")
    }
  }
}

private enum Early {
  /// As the later one, and takes every text.
  struct Part: Codable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  @Model final class Folder {
    var name = "a"
    var papers: [Paper] = []
    var top: Paper?
    init() {}
  }
  @Model final class Paper {
    let part: Part
    @Relationship(inverse: \Folder.papers) var folder: Folder?
    @Relationship(inverse: \Folder.top) var tops: [Folder] = []
    init(_ part: String) { self.part = Part(part) }
  }
}

private enum Late {
  @Model final class Folder {
    var name = "a"
    var papers: [Paper] = []
    var top: Paper?
    init() {}
  }
  @Model final class Paper {
    let part: Strict.Part
    @Relationship(inverse: \Folder.papers) var folder: Folder?
    @Relationship(inverse: \Folder.top) var tops: [Folder] = []
    init(_ part: String) { self.part = Strict.Part(part) }
  }
}
