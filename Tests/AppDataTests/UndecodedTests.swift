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
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try before().words == ["a", "b"])
    #expect(context.hasChanges)
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
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    // The program knows now, and means it.
    try context.save()
    #expect(!context.hasChanges)
    let (_, again) = try open(After.Thing.self)
    #expect(try again.fetch(FetchDescriptor<After.Thing>()).first?.words == [3])
  }

  @Test func anOptionalOneIsToldToo() throws {
    let (container, context, thing) = try openNext { thing in
      thing.mood = .blue
      thing.text = "no address"
    }
    #expect(thing.mood == nil && thing.text == nil)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("Thing.mood of object 1") == true)
    #expect(error?.message.contains("so do 1 other values") == true)
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
  }
  struct Outer: Codable {
    var inner = Info()
    var rest: [Info] = [Info()]
  }
  enum Color: String, Codable, CaseIterable { case red, green }

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
    var text: Address?
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
