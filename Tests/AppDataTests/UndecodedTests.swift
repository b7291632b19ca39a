import Glibc
import TestSupport
import Testing
import VaultAppData

/// Stored values that are none of the type that a property has now.
struct UndecodedTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ type: any PersistentModel.Type) throws -> (ModelContainer, ModelContext) {
    let container = try ModelContainer(
      for: Schema([type]),
      configurations: [ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/a.store"))])
    return (container, ModelContext(container))
  }

  /// Saves one object of the version before, and opens the store as the next one sees it.
  private func openNext(
    _ change: (Before.Thing) -> Void = { _ in }
  ) throws -> (ModelContainer, ModelContext, After.Thing) {
    do {
      let (_, context) = try open(Before.Thing.self)
      let thing = Before.Thing()
      change(thing)
      context.insert(thing)
      try context.save()
    }
    let (container, context) = try open(After.Thing.self)
    let found = try context.fetch(FetchDescriptor<After.Thing>()).first
    return (container, context, try #require(found))
  }

  private func before() throws -> Before.Thing {
    let (_, context) = try open(Before.Thing.self)
    return try #require(try context.fetch(FetchDescriptor<Before.Thing>()).first)
  }

  /// A member with a default, as its initializer sees it, begins with that default.
  @Test func aMemberThatATypeGainsBeginsWithItsDefault() throws {
    let (container, context, thing) = try openNext { thing in
      thing.info = Before.Info(a: 42, name: "é\u{301} 😀", amount: 0.1, big: .max)
      thing.list = [Before.Info(a: 43), Before.Info(a: 44)]
      thing.byName = ["x": Before.Info(a: 45)]
      thing.byNumber = [7: [Before.Info(a: 46)]]
      thing.nested = Before.Outer(inner: Before.Info(a: 47), rest: [Before.Info(a: 48)])
      thing.perhaps = Before.Info(a: 49)
    }
    #expect(thing.info.a == 42 && thing.info.b == 7 && thing.info.more == ["x"])
    #expect(thing.info.name == "é\u{301} 😀" && thing.info.amount == 0.1 && thing.info.big == .max)
    #expect(thing.list.map(\.a) == [43, 44] && thing.list.map(\.b) == [7, 7])
    #expect(thing.byName["x"]?.a == 45 && thing.byName["x"]?.b == 7)
    #expect(thing.byNumber[7]?.first?.a == 46 && thing.byNumber[7]?.first?.b == 7)
    #expect(thing.nested.inner.a == 47 && thing.nested.inner.b == 7)
    #expect(thing.nested.rest.first?.a == 48 && thing.nested.rest.first?.b == 7)
    #expect(thing.perhaps?.a == 49 && thing.perhaps?.b == 7)
    thing.number = 2
    try context.save()
    #expect(try container.check() == [])
    // What was not set is in the store as it was, and what was set has both.
    thing.list[1].b = 8
    try context.save()
    let old = try before()
    #expect(old.info.a == 42 && old.number == 2 && old.list.map(\.a) == [43, 44])
    let (_, again) = try open(After.Thing.self)
    let found = try #require(try again.fetch(FetchDescriptor<After.Thing>()).first)
    #expect(found.list.map(\.b) == [7, 8])
  }

  @Test func aValueThatDoesNotDecodeIsToldOnceAndStays() throws {
    let (container, context, thing) = try openNext { $0.color = .blue }
    #expect(thing.color == .red)
    thing.number = 2
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.hasPrefix("Thing.color of object 1 does not decode as Color") == true)
    try context.save()
    _ = thing.color
    thing.number = 3
    try context.save()
    let found = try container.check()
    #expect(found == ["Thing.color of object 1 does not decode as Color"])
    #expect(throws: SwiftDataError.modelValidationFailure) { try thing.opened(\.color) }
    #expect(try thing.opened(\.number) == 3)
    let old = try before()
    #expect(old.color == .blue && old.number == 3)
    // Until it is set.
    thing.color = .green
    try context.save()
    #expect(try container.check() == [])
    #expect(try before().color == .green)
  }

  @Test func whatIsSetWithoutBeingReadIsSaved() throws {
    let (_, context, thing) = try openNext { $0.color = .blue }
    thing.color = .green
    try context.save()
    #expect(try before().color == .green)
  }

  /// A change of a value that was shown in place of the stored one would write over that.
  @Test func aChangeOfWhatIsShownIsToldBeforeItIsWritten() throws {
    let (_, context, thing) = try openNext { $0.words = ["a", "b"] }
    #expect(thing.words.isEmpty)
    thing.words.append(3)
    for _ in 0..<3 {
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .modelValidationFailure)
      #expect(error?.message.hasPrefix("Thing.words of object 1 was changed where") == true)
      #expect(try before().words == ["a", "b"])
    }
    #expect(context.hasChanges && thing.words == [3])
    context.rollback()
    #expect(thing.words == [])
    context.rollback()
    thing.number = 5
    try context.save()
    let old = try before()
    #expect(old.words == ["a", "b"] && old.number == 5)
  }

  /// A save of the context's own tells nobody who would know what to do: it leaves the value alone.
  @Test @MainActor func aSaveOfTheContextsOwnWritesNothingOverIt() async throws {
    let (container, _, _) = try openNext { $0.words = ["a", "b"] }
    let context = container.mainContext
    let thing = try #require(try context.fetch(FetchDescriptor<After.Thing>()).first)
    thing.words.append(3)
    thing.number = 6
    let end = ContinuousClock.now + .seconds(20)
    while try before().number != 6, ContinuousClock.now < end {
      await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }
    let old = try before()
    #expect(old.words == ["a", "b"] && old.number == 6)
    #expect(context.hasChanges && thing.words == [3])
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(try before().words == ["a", "b"])
    }
    // The program knows now, and sets another value without a look at what is shown.
    thing.words = [4]
    try context.save()
    #expect(!context.hasChanges)
    let (_, again) = try open(After.Thing.self)
    #expect(try again.fetch(FetchDescriptor<After.Thing>()).first?.words == [4])
  }

  /// Every change in place is a read and an assignment.
  @Test func noChangeInPlaceIsWrittenOverWhatDoesNotDecode() throws {
    typealias Change = (After.Thing) -> Void
    let changes: [(String, Change)] = [
      ("kinds", { $0.kinds.append(.red) }), ("kinds", { $0.kinds.insert(.red, at: 0) }),
      ("kinds", { $0.kinds += [.red] }), ("kinds", { $0[keyPath: \.kinds].append(.red) }),
      (
        "kinds",
        { thing in
          var kinds = thing.kinds
          kinds.append(.red)
          thing.kinds = kinds
        }
      ),
      ("counts", { $0.counts[.red, default: 0] += 1 }), ("counts", { $0.counts[.red] = 1 }),
      ("set", { $0.set.insert(.red) }), ("small", { $0.small += 1 }),
      ("box", { $0.box.name = "x" }), ("box", { $0.box.colors.append(.red) }),
      ("words", { swap(&$0.words, &$0.numbers) }),
    ]
    for (name, change) in changes {
      try? FileManager.default.removeItem(atPath: "\(home.path)/a.store")
      let (_, context, thing) = try openNext { thing in
        thing.kinds = [.red, .blue]
        thing.counts = [.red: 1, .blue: 2]
        thing.set = [.blue]
        thing.small = 300
        thing.box.colors = [.blue]
        thing.mood = .blue
        thing.words = ["a"]
      }
      change(thing)
      thing.number = 7
      for _ in 0..<3 {
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error?.message.contains("Thing.\(name) of object 1 was changed") == true, "\(name)")
        change(thing)
      }
      func look() throws -> Before.Thing {
        let old = try before()
        #expect(old.kinds == [.red, .blue] && old.counts == [.red: 1, .blue: 2], "\(name)")
        #expect(old.set == [.blue] && old.small == 300 && old.box.colors == [.blue], "\(name)")
        #expect(old.mood == .blue && old.words == ["a"], "\(name)")
        return old
      }
      #expect(try look().number == 1)
      context.rollback()
      thing.number = 8
      try context.save()
      #expect(try look().number == 8)
    }
  }

  @Test func whatIsAssignedAfterDiscardingCounts() throws {
    let (_, context, thing) = try openNext { $0.kinds = [.red, .blue] }
    thing.kinds.append(.green)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    // Without a look at it since the save threw.
    thing.kinds = [.green]
    try context.save()
    #expect(try before().kinds == [.green])
    // What was set is there, and is changed as any other.
    thing.kinds.append(.red)
    try context.save()
    #expect(try before().kinds == [.green, .red])
  }

  @Test func whatIsAssignedAfterRollingBackCounts() throws {
    let (_, context, thing) = try openNext { $0.kinds = [.red, .blue] }
    thing.kinds.append(.green)
    context.rollback()
    thing.kinds = [.green]
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    #expect(try before().kinds == [.green])
  }

  @Test func anObjectWithSuchAValueIsDeleted() throws {
    let (container, context, thing) = try openNext { $0.kinds = [.blue] }
    thing.kinds.append(.green)
    context.delete(thing)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<After.Thing>()) == 0)
  }

  @Test func undoingSuchAChangeShowsWhatWasShown() throws {
    let (_, context, thing) = try openNext { $0.kinds = [.blue] }
    let undo = UndoManager()
    context.undoManager = undo
    thing.kinds.append(.green)
    undo.undo()
    #expect(thing.kinds == [])
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    undo.redo()
    try context.save()
    #expect(try before().kinds == [.blue])
  }

  /// A structure that gained a member: queries and orders see the default, as objects do.
  @Test func aQueryFindsAMemberThatATypeGained() throws {
    let (_, context, old) = try openNext { thing in
      thing.info = Before.Info(a: 42)
      thing.list = [Before.Info(a: 43)]
      thing.byName = ["x": Before.Info(a: 45)]
      thing.nested = Before.Outer(inner: Before.Info(a: 47), rest: [Before.Info(a: 48)])
      thing.perhaps = Before.Info(a: 49)
    }
    let new = After.Thing()
    new.number = 2
    new.info.b = 3
    new.info.more = []
    new.info.ratio = .nan
    new.list = [After.Info(b: 3)]
    new.nested.inner.b = 3
    new.own.level = 1
    context.insert(new)
    try context.save()
    let all = try context.fetch(FetchDescriptor<After.Thing>(sortBy: [SortDescriptor(\.number)]))
    try #require(all.map(\.info.b) == [7, 3] && all.first === old)
    func check(
      _ predicate: Predicate<After.Thing>, _ line: SourceLocation = #_sourceLocation
    ) throws -> [Int] {
      let memory = try all.filter { try predicate.evaluate($0) }.map(\.number)
      let store = try context.fetch(
        FetchDescriptor<After.Thing>(predicate: predicate, sortBy: [SortDescriptor(\.number)]))
      #expect(store.map(\.number) == memory, sourceLocation: line)
      return memory
    }
    let more = ["x"], seven = [7], part = After.Part(), now = Date.now
    #expect(try check(#Predicate { $0.info.b == 7 }) == [1])
    #expect(try check(#Predicate { $0.info.b != 7 }) == [2])
    #expect(try check(#Predicate { $0.info.b > 3 }) == [1])
    #expect(try check(#Predicate { seven.contains($0.info.b) }) == [1])
    #expect(try check(#Predicate { $0.info.a == 42 }) == [1])
    #expect(try check(#Predicate { $0.info.more.contains("x") }) == [1])
    #expect(try check(#Predicate { $0.info.more.isEmpty }) == [2])
    #expect(try check(#Predicate { $0.info.more == more }) == [1])
    #expect(try check(#Predicate { $0.info.more.count == 1 && $0.info.more[0] == "x" }) == [1])
    #expect(try check(#Predicate { $0.info.ratio == 0.25 }) == [1])
    #expect(try check(#Predicate { $0.info.price > 1.2 }) == [1, 2])
    #expect(try check(#Predicate { $0.info.since < now }) == [1, 2])
    #expect(try check(#Predicate { $0.info.isOn }) == [1, 2])
    #expect(try check(#Predicate { $0.info.part.name == "p" }) == [1, 2])
    #expect(try check(#Predicate { $0.info.part == part }) == [1, 2])
    #expect(try check(#Predicate { $0.info.parts.contains { $0.name == "p" } }) == [1, 2])
    #expect(try check(#Predicate { $0.list.contains { $0.b == 7 } }) == [1])
    #expect(try check(#Predicate { $0.list.contains { $0.more.contains("x") } }) == [1, 2])
    #expect(try check(#Predicate { $0.list.allSatisfy { $0.b == 3 } }) == [2])
    #expect(try check(#Predicate { $0.list.filter { $0.b == 7 }.count == 1 }) == [1])
    #expect(try check(#Predicate { $0.list[0].b == 7 }) == [1])
    #expect(try check(#Predicate { $0.byName["x"]?.b == 7 }) == [1])
    #expect(try check(#Predicate { $0.nested.inner.b == 7 }) == [1])
    #expect(try check(#Predicate { $0.nested.rest.contains { $0.b == 7 } }) == [1, 2])
    #expect(try check(#Predicate { $0.perhaps?.b == 7 }) == [1])
    #expect(try check(#Predicate { $0.perhaps?.b == nil }) == [2])
    #expect(try check(#Predicate { ($0.perhaps?.b ?? 0) == 0 }) == [2])
    #expect(try check(#Predicate { $0.own.level == 9 }) == [1])
    let sorted = try context.fetch(
      FetchDescriptor<After.Thing>(sortBy: [SortDescriptor(\.info.b), SortDescriptor(\.number)]))
    #expect(sorted.map(\.number) == [2, 1])
    let perhaps = try context.fetch(
      FetchDescriptor<After.Thing>(sortBy: [SortDescriptor(\.perhaps?.b, order: .reverse)]))
    #expect(perhaps.map(\.number) == [1, 2])
  }

  /// What was preserved of a deleted object, and no other value in its place.
  @Test func aTombstoneShowsNoOtherValue() throws {
    do {
      let (_, context) = try open(Before.Stub.self)
      context.insert(Before.Stub())
      try context.save()
    }
    func kept() throws -> [String] {
      let (_, context) = try open(After.Stub.self)
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      return history.flatMap(\.changes).flatMap { change in
        guard case .delete(let change as DefaultHistoryDelete<After.Stub>) = change else {
          return [String]()
        }
        #expect(change.tombstone[\.color] == nil)
        return change.tombstone.map { "\($0.value)" }
      }
    }
    let (_, context) = try open(After.Stub.self)
    let stub = try #require(try context.fetch(FetchDescriptor<After.Stub>()).first)
    context.delete(stub)
    try context.save()
    #expect(try kept() == ["7"])
    // The version that knows the value still has it.
    let (_, old) = try open(Before.Stub.self)
    let changes = try old.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
    var colors: [Before.Color?] = []
    for case .delete(let change as DefaultHistoryDelete<Before.Stub>) in changes {
      colors.append(change.tombstone[\.color] as? Before.Color)
    }
    #expect(colors == [.blue])
  }

  @Test func anOptionalOneIsToldToo() throws {
    let (container, context, thing) = try openNext { thing in
      thing.mood = .blue
      thing.text = "no address"
    }
    #expect(thing.mood == nil && thing.text == nil)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("Thing.mood of object 1") == true)
    #expect(error?.message.contains("there is 1 other such value") == true)
    #expect(try container.check().count == 2)
    #expect(try before().mood == .blue)
  }

  /// `vault data check`, which knows no types, says what the program has found.
  private func command() throws -> (status: Int32, lines: [String]) {
    let result = try VaultProcess(home: home.path).run(["data", "check", "\(home.path)/a.store"])
    return (result.status, result.text.split(separator: "\n").map(String.init))
  }

  private static let hasCommand = FileManager.default.isExecutableFile(atPath: VaultProcess.path)

  @Test(.enabled(if: hasCommand, "needs the command"), arguments: ["save", "check"])
  func theCommandTellsWhatTheProgramFound(way: String) throws {
    let color = "Thing.color of object 1 does not decode as Color, as the program has found"
    do {
      let (container, context, thing) = try openNext { thing in
        thing.color = .blue
        thing.words = ["a"]
      }
      #expect(try command() == (0, ["no problems found"]))
      if way == "save" {
        _ = thing.color
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try command() == (65, [color, "1 problem found"]))
      }
      #expect(try container.check().count == 2)
      let words = "Thing.words of object 1 does not decode as Array<Int>, as the program has found"
      #expect(try command() == (65, [color, words, "2 problems found"]))
      // What is set is another value.
      thing.words = []
      try context.save()
      #expect(try command() == (65, [color, "1 problem found"]))
    }
    // A program that decodes it takes the note back when it opens the store.
    _ = try before()
    #expect(try command() == (0, ["no problems found"]))
  }

  @Test(.enabled(if: hasCommand, "needs the command"))
  func aStoreThatIsOnlyReadIsNotWritten() throws {
    _ = try openNext { $0.color = .blue }
    let url = URL(fileURLWithPath: "\(home.path)/a.store")
    let container = try ModelContainer(
      for: After.Thing.self, configurations: ModelConfiguration(url: url, allowsSave: false))
    #expect(try container.check().count == 1)
    #expect(try command() == (0, ["no problems found"]))
  }

  /// There is no value to show: the first case is as much a value as the one that is stored.
  @Test(arguments: ["case", "structure"])
  func withoutAnythingToShowTheProgramEndsWithTheReason(what: String) async throws {
    let path = "\(home.path)/a.store"
    let (_, _, _) = try openNext { $0.color = .blue }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [what = what as String, path = path as String] in
      leaveNoCore()
      let container = try ModelContainer(
        for: Bare.Thing.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
      let thing = try #require(
        try ModelContext(container).fetch(FetchDescriptor<Bare.Thing>()).first)
      #expect(throws: SwiftDataError.modelValidationFailure) { try thing.opened(\.color) }
      if what == "case" { print(thing.color) } else { print(thing.info) }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let name = what == "case" ? "Thing.color" : "Thing.info"
    #expect(text.contains("\(name) of object 1 holds a value that is no"), "\(text)")
    #expect(text.contains("give the property a default value"), "\(text)")
  }
}

/// A program that is to end by a trap leaves no file behind.
func leaveNoCore() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}

private enum Before {
  struct Info: Codable {
    var a = 1
    var name = ""
    var amount = 0.5
    var big: UInt64 = 0
  }
  struct Outer: Codable {
    var inner = Info()
    var rest: [Info] = []
  }
  enum Color: String, Codable { case red, green, blue }
  struct Box: Codable {
    var name = ""
    var colors: [Color] = []
  }
  struct Own: Codable {}

  @Model final class Stub {
    @Attribute(.preserveValueOnDeletion) var number = 7
    @Attribute(.preserveValueOnDeletion) var color = Color.blue
    init() {}
  }

  @Model final class Thing {
    var info = Info()
    var color = Color.red
    var mood: Color?
    var list: [Info] = []
    var byName: [String: Info] = [:]
    var byNumber: [Int: [Info]] = [:]
    var nested = Outer()
    var perhaps: Info?
    var words: [String] = []
    var text: String?
    var kinds: [Color] = []
    var counts: [Color: Int] = [:]
    var set: Set<Color> = []
    var small = 1
    var box = Box()
    var own = Own()
    var number = 1
    init() {}
  }
}

private enum After {
  struct Info: Codable {
    var a = 1
    var name = ""
    var amount = 0.5
    var big: UInt64 = 0
    var b = 7
    var more: [String] = ["x"]
    var ratio = 0.25
    var price: Decimal = 1.25
    var since = Date(timeIntervalSinceReferenceDate: 0)
    var isOn = true
    var part = Part()
    var parts = [Part()]
  }
  struct Part: Codable, Equatable { var name = "p" }
  struct Box: Codable {
    var name = ""
    var colors: [Color] = []
  }
  /// Decodes itself, and knows what a missing member is.
  struct Own: Codable {
    var level = 8
    init() {}
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      level = try values.decodeIfPresent(Int.self, forKey: .level) ?? 9
    }
    enum CodingKeys: String, CodingKey { case level }
  }
  struct Outer: Codable {
    var inner = Info()
    var rest: [Info] = [Info()]
  }
  enum Color: String, Codable, CaseIterable { case red, green }

  @Model final class Stub {
    @Attribute(.preserveValueOnDeletion) var number = 7
    @Attribute(.preserveValueOnDeletion) var color = Color.red
    init() {}
  }

  @Model final class Thing {
    var info = Info()
    var color = Color.red
    var mood: Color?
    var list: [Info] = []
    var byName: [String: Info] = [:]
    var byNumber: [Int: [Info]] = [:]
    var nested = Outer()
    var perhaps: Info?
    var words: [Int] = []
    @Transient var numbers: [Int] = [1]
    var text: Address?
    var kinds: [Color] = []
    var counts: [Color: Int] = [:]
    var set: Set<Color> = []
    var small: UInt8 = 1
    var box = Box()
    var own = Own()
    var number = 1
    init() {}
  }
  /// An address, by its raw value.
  enum Address: String, Codable { case home, work }
}

private enum Bare {
  struct Info: Codable {
    var a = 1
    var c: Date
  }
  enum Color: String, Codable, CaseIterable { case red, green }

  @Model final class Thing {
    var info: Info
    var color: Color
    init() {
      info = Info(a: 1, c: .now)
      color = .red
    }
  }
}
