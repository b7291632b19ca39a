import TestSupport
import Testing
import VaultAppData
import VaultSealing

/// Attributes that stand inside of `#if` (SE-0367) say what they say elsewhere.
struct ConditionalAttributeTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  @Test func theAttributesOfAPropertyAreTaken() throws {
    let entity = try #require(Schema([Conditional.self]).entitiesByName["Conditional"])
    let attributes = Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.name, $0) })
    #expect(attributes["secret"]?.options == [.encrypt])
    #expect(attributes["code"]?.isUnique == true && attributes["other"]?.isUnique == false)
    #expect(attributes["cache"] == nil && attributes["kept"] != nil)
    #expect(entity.relationships.map(\.deleteRule) == [.cascade])
  }

  @Test func nothingOfASealedOneIsInTheFile() throws {
    let url = URL(fileURLWithPath: "\(home.path)/a.store")
    let key = SealingKey(try SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    let container = try ModelContainer(
      for: Schema([Conditional.self]),
      configurations: [ModelConfiguration(url: url, sealingKey: key)])
    let context = ModelContext(container)
    context.insert(Conditional())
    try context.save()
    for name in try FileManager.default.contentsOfDirectory(atPath: home.path) {
      let file = URL(fileURLWithPath: "\(home.path)/\(name)")
      guard let bytes = try? Data(contentsOf: file) else { continue }
      #expect(bytes.range(of: Data("open sesame".utf8)) == nil, "\(name)")
    }
    let found = try ModelContext(container).fetch(FetchDescriptor<Conditional>())
    #expect(found.map(\.secret) == ["open sesame"])
  }

  @Test @MainActor func theActorOfAClassIsTaken() throws {
    let (_, context) = try memory(ConditionalActor.self)
    context.insert(ConditionalActor())
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<ConditionalActor>()) == 1)
  }

  @Test func aNameWithQuotationMarksIsKept() throws {
    let url = URL(fileURLWithPath: "\(home.path)/q.store")
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Quoting.self, configurations: ModelConfiguration(url: url)))
    }
    let context = try open()
    let object = Quoting()
    object.`a"b` = 22
    context.insert(object)
    try context.save()
    let found = try open().fetch(
      FetchDescriptor<Quoting>(
        predicate: #Predicate { $0.`a"b` == 22 }, sortBy: [SortDescriptor(\.`a"b`)]))
    #expect(found.map(\.`a"b`) == [22])
    #expect(Schema([Quoting.self]).entities[0].attributes.map(\.name) == ["a\"b"])
  }
}

@Model final class Conditional {
  #if os(Linux)
  @Attribute(.encrypt)
  #endif
  var secret = "open sesame"
  #if !os(Windows)
  #if os(Linux)
  @Attribute(.unique)
  #endif
  #endif
  var code = 1
  #if os(Windows)
  @Attribute(.unique)
  #endif
  var other = 1
  #if os(Linux)
  @Transient
  #endif
  var cache = 1
  #if os(Windows)
  @Transient
  #endif
  var kept = 1
  #if os(Linux)
  @Relationship(deleteRule: .cascade)
  #endif
  var parts: [Conditional] = []
  init() {}
}

#if os(Linux)
@MainActor
#endif
@Model final class ConditionalActor {
  var number = 1
  init() {}
}

@Model final class Quoting {
  var `a"b` = 1
  init() {}
}
