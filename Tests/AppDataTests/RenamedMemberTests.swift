import TestSupport
import Testing
import VaultAppData

/// A stored structure that lacks a member and has another one that its type does not know.
struct RenamedMemberTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    try context(of: [type], in: home)
  }

  @Test func theStoredValueIsNotWrittenOver() throws {
    do {
      let context = try open(MemberBefore.Thing.self)
      let thing = MemberBefore.Thing()
      thing.info.name = "mine"
      thing.keyed.name = "mine"
      thing.list = [MemberBefore.Info(name: "mine")]
      context.insert(thing)
      try context.save()
    }
    do {
      let context = try open(MemberAfter.Thing.self)
      let thing = try #require(try context.fetch(FetchDescriptor<MemberAfter.Thing>()).first)
      #expect(thing.info.title == "none" && thing.keyed.name == "none")
      thing.info.age = 5
      thing.keyed.age = 5
      thing.list.append(MemberAfter.Info())
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error?.message.contains("does not decode") == true)
      #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(try context.container.check().count == 3)
    }
    let context = try open(MemberBefore.Thing.self)
    let thing = try #require(try context.fetch(FetchDescriptor<MemberBefore.Thing>()).first)
    #expect(thing.info.name == "mine" && thing.keyed.name == "mine")
    #expect(thing.list.map(\.name) == ["mine"])
  }

  /// One that was only gained, beside members that are `nil`, still begins with its default.
  @Test func aMemberThatIsGainedAloneIsFilledIn() throws {
    do {
      let context = try open(MemberBefore.Other.self)
      let other = MemberBefore.Other()
      other.part.kept = 7
      other.parts = [MemberBefore.Part(kept: 8), MemberBefore.Part()]
      context.insert(other)
      try context.save()
    }
    let context = try open(MemberAfter.Other.self)
    let other = try #require(try context.fetch(FetchDescriptor<MemberAfter.Other>()).first)
    #expect(other.part.kept == 7 && other.part.more == 3 && other.part.gone == nil)
    #expect(Set(other.parts.map(\.kept)) == [8, nil] && other.parts.allSatisfy { $0.more == 3 })
    other.part.more = 4
    try context.save()
    #expect(try context.container.check() == [])
  }
}

private enum MemberBefore {
  struct Info: Codable, Hashable {
    var name = "none"
    var age = 1
  }
  struct Part: Codable, Hashable {
    var kept: Int?
    var gone: Int?
  }
  @Model final class Thing {
    var info = Info()
    var keyed = Info()
    var list: [Info] = []
    init() {}
  }
  @Model final class Other {
    var part = Part()
    var parts: Set<Part> = []
    init() {}
  }
}

private enum MemberAfter {
  struct Info: Codable, Hashable {
    var title = "none"
    var age = 1
  }
  struct Keyed: Codable, Hashable {
    var name = "none"
    var age = 1
    enum CodingKeys: String, CodingKey {
      case name = "label"
      case age
    }
  }
  struct Part: Codable, Hashable {
    var kept: Int?
    var gone: Int?
    var more = 3
  }
  @Model final class Thing {
    var info = Info()
    var keyed = Keyed()
    var list: [Info] = []
    init() {}
  }
  @Model final class Other {
    var part = Part()
    var parts: Set<Part> = []
    init() {}
  }
}
