import TestSupport
import Testing
import VaultAppData

/// Values whose own `encode(to:)` changes the context that saves them.
struct EncodingSaveTests {
  private func saved(_ container: ModelContainer) throws -> [Int] {
    try ModelContext(container).fetch(
      FetchDescriptor<EncodingOwner>(sortBy: [SortDescriptor(\.number)])
    ).map(\.number)
  }

  @Test func whatItChangesAndInsertsIsSaved() throws {
    let (container, context) = try memory(EncodingOwner.self)
    let (first, second) = (EncodingOwner(1), EncodingOwner(10))
    context.insert(second)
    context.insert(first)
    try context.save()
    first.value = Hooked { [unowned first, unowned second] in
      first.number += 1
      second.number += 1
    }
    second.value = Hooked { [unowned context] in context.insert(EncodingOwner(100)) }
    try context.save()
    #expect([first.number, second.number] == [2, 11] && !context.hasChanges)
    #expect(try saved(container) == [2, 11, 100])
    try context.save()
    #expect(try saved(container) == [2, 11, 100])
  }

  @Test func soIsThatOfANewObjectInATransaction() throws {
    let (container, context) = try memory(EncodingOwner.self)
    try context.transaction {
      let owner = EncodingOwner(1)
      context.insert(owner)
      owner.value = Hooked { [unowned owner] in owner.number = 5 }
    }
    #expect(try saved(container) == [5] && !context.hasChanges)
  }

  private static func open(_ place: CustomStoreTests.Place) throws -> ModelContext {
    CustomStoreTests.context(
      try ModelContainer(
        for: Schema([EncodingOwner.self]), configurations: [place.configuration()]))
  }

  /// A program's own store encodes by itself: what changes then is saved by the next save.
  @Test(arguments: [CustomStoreTests.Kind.json, .wrapped])
  func inAStoreOfTheProgramsItStaysPending(_ kind: CustomStoreTests.Kind) throws {
    let place = try CustomStoreTests.Place(kind)
    let context = try Self.open(place)
    let (first, second, third) = (EncodingOwner(1), EncodingOwner(10), EncodingOwner(20))
    for owner in [first, second, third] { context.insert(owner) }
    try context.save()
    let once = Once()
    first.value = Hooked { [unowned context] in
      if once.isFirst() {
        first.number += 1
        second.number += 1
        context.delete(third)
        context.insert(EncodingOwner(100))
      }
    }
    try context.save()
    if context.hasChanges { try context.save() }
    #expect(!context.hasChanges && !once.isFirst())
    let saved = try Self.open(place).fetch(
      FetchDescriptor<EncodingOwner>(sortBy: [SortDescriptor(\.number)]))
    #expect(saved.map(\.number) == [2, 11, 100])
  }

  /// What a store is told of as new, and is deleted while it saves, is deleted by the next save.
  @Test(arguments: [CustomStoreTests.Kind.json, .wrapped])
  func whatIsDeletedWhileTheStoreTakesItGoes(_ kind: CustomStoreTests.Kind) throws {
    let place = try CustomStoreTests.Place(kind)
    let context = try Self.open(place)
    let (first, second) = (EncodingOwner(1), EncodingOwner(10))
    for owner in [first, second] { context.insert(owner) }
    let once = Once()
    first.value = Hooked { [unowned context] in
      if once.isFirst() {
        context.delete(second)
        let brief = EncodingOwner(100)
        context.insert(brief)
        context.delete(brief)
      }
    }
    try context.save()
    if context.hasChanges { try context.save() }
    #expect(!context.hasChanges && !once.isFirst() && second.isDeleted)
    func saved(_ context: ModelContext) throws -> [Int] {
      try context.fetch(FetchDescriptor<EncodingOwner>()).map(\.number)
    }
    #expect(try saved(context) == [1])
    #expect(try saved(Self.open(place)) == [1])
  }

  @Test func anEndlessOneIsRefused() throws {
    let (container, context) = try memory(EncodingOwner.self)
    let owner = EncodingOwner(1)
    context.insert(owner)
    Hooked.again(owner)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.contains("without an end") == true)
    owner.value = Hooked {}
    try context.save()
    #expect(try saved(container) == [1])
  }

  @Test func itMustNotSave() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      leaveNoCore()
      let (_, context) = try memory(EncodingOwner.self)
      let owner = EncodingOwner(1)
      context.insert(owner)
      owner.value = Hooked { [unowned context] in try? context.save() }
      try context.save()
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains("save() is called by encode(to:)"), "\(errors.prefix(400))")
  }
}

@Model final class EncodingOwner {
  var number: Int
  var value = Hooked {}
  init(_ number: Int) { self.number = number }
}

/// Is asked by a hook whether it was called before.
private final class Once {
  private var wasCalled = false
  func isFirst() -> Bool {
    defer { wasCalled = true }
    return !wasCalled
  }
}

/// Calls a closure when it is encoded.
struct Hooked: Codable {
  private let hook: () -> Void

  init(_ hook: @escaping () -> Void) { self.hook = hook }

  init(from decoder: any Decoder) throws { self.init {} }

  func encode(to encoder: any Encoder) throws {
    hook()
    var container = encoder.singleValueContainer()
    try container.encode("x")
  }

  /// Gives an object a new value whenever the last one is encoded.
  static func again(_ owner: EncodingOwner) {
    owner.value = Hooked { [unowned owner] in again(owner) }
  }
}
