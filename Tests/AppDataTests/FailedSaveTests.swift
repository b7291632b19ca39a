import Testing
import VaultAppData

/// A save that fails leaves everything pending as it was.
struct FailedSaveTests {
  /// A new object that is refused has not been merged into one of the rows whose values it has.
  @Test func aRefusedUniqueValueLeavesTheOtherObjectsAlone() throws {
    let (container, context) = try memory(Locker.self)
    let first = Locker("a", 1, 100), second = Locker("b", 2, 200)
    first.keys = [LockerKey(1)]
    context.insert(first)
    context.insert(second)
    try context.save()
    let new = Locker("a", 2, 300)
    new.keys = [LockerKey(9)]
    context.insert(new)
    let identifier = new.persistentModelID
    var messages: [String] = []
    for _ in 0..<2 {
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      messages.append(error?.message ?? "")
      #expect(first.name == "a" && first.number == 1 && first.value == 100)
      #expect(first.keys.map(\.number) == [1] && new.keys.map(\.number) == [9])
      #expect(new.name == "a" && new.number == 2 && new.value == 300)
      #expect(new.keys.first?.locker === new && new !== first)
      #expect(new.persistentModelID == identifier && new.modelContext === context)
      #expect(context.changedModelsArray.isEmpty && context.insertedModelsArray.count == 2)
    }
    #expect(messages[0] == messages[1] && messages[0].contains("two objects"))
    // What is fetched is what is pending.
    #expect(try context.fetchCount(FetchDescriptor<Locker>()) == 3)
    for key in new.keys { context.delete(key) }
    context.delete(new)
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a", "b"] && found.map(\.value) == [100, 200])
    #expect(found.map { $0.keys.map(\.number) } == [[1], []])
  }

  /// Merged, and refused for another object.
  @Test func aMergeIsTakenBackWithTheSave() throws {
    let (container, context) = try memory(Locker.self)
    let first = Locker("a", 1, 100)
    context.insert(first)
    let taken = Locker("c", 3, 3)
    context.insert(taken)
    try context.save()
    let new = Locker("a", 5, 300)
    new.keys = [LockerKey(9)]
    context.insert(new)
    let other = Locker("d", 4, 4)
    context.insert(other)
    other.spare = LockerKey(4)
    other.spare?.locker = new
    // Nothing that is changed may take a value that another row keeps.
    taken.name = "a"
    first.value = 101
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(first.number == 1 && first.value == 101 && first.keys.isEmpty)
    #expect(new.number == 5 && new.keys.map(\.number) == [9, 4] && taken.name == "a")
    taken.name = "c"
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a", "c", "d"] && found.map(\.value) == [300, 3, 4])
    #expect(found[0].keys.map(\.number) == [9, 4])
    #expect(new.persistentModelID == first.persistentModelID)
  }

  /// In a transaction too, which drops what its block did.
  @Test func aMergeIsTakenBackWithTheTransaction() throws {
    let (_, context) = try memory(Locker.self)
    let first = Locker("a", 1, 100)
    context.insert(first)
    context.insert(Locker("b", 2, 200))
    try context.save()
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.transaction { context.insert(Locker("a", 2, 300)) }
    }
    #expect(first.name == "a" && first.number == 1 && first.value == 100)
    #expect(!context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Locker>()).map(\.value) == [100, 200])
  }

  /// What is read in the save's own transaction is not what is in the store when that has failed.
  @Test(arguments: [false, true])
  func anArrayThatTheSaveReadsIsReadAgain(isPending: Bool) throws {
    struct Stop: Error {}
    let (_, context) = try memory(Locker.self)
    let lockers = ["a", "b"].enumerated().map { Locker($1, $0, $0) }
    lockers.forEach(context.insert)
    let marks = [LockerMark(1), LockerMark(3)]
    lockers[1].marks = marks
    try context.save()
    // Objects without changes are read again.
    #expect(throws: Stop.self) { try context.transaction { throw Stop() } }
    if isPending { lockers[1].value = 9 }
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.transaction {
        // Its place is that of a row, whose arrays are read for that, and those of its neighbors.
        context.insert(Locker("b", 50, 5))
        context.delete(marks[1])
        lockers[0].name = "b"
      }
    }
    #expect(lockers[1].marks.map(\.number) == [1, 3] && marks[1].lockers == [lockers[1]])
    #expect(lockers[1].value == (isPending ? 9 : 1) && lockers[1].number == 1)
    #expect(context.hasChanges == isPending)
  }

  /// A row whose place a new object takes leaves what it led to before.
  @Test func aRowThatLeadsElsewhereAfterAMergeIsInOneArray() throws {
    let (_, context) = try memory(NamedKey.self)
    let first = KeyRing(), second = KeyRing(), key = NamedKey("x")
    first.keys = [key]
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(first.keys.count == 1)
    second.keys.append(NamedKey("x"))
    try context.save()
    #expect(first.keys.isEmpty && second.keys == [key] && key.ring === second)
  }

  /// Arrays get their places in the save, which has to give them again.
  @Test(arguments: [true, false])
  func anOrderIsSavedAfterASaveThatFailed(isJoin: Bool) throws {
    let (container, context) = try memory(Locker.self)
    let locker = Locker("a", 1, 1)
    context.insert(locker)
    locker.keys = (0..<4).map { LockerKey($0) }
    locker.marks = (0..<2).map { LockerMark($0) }
    let other = Locker("b", 2, 2)
    context.insert(other)
    try context.save()
    if isJoin {
      locker.marks.insert(LockerMark(7), at: 1)
      locker.marks.reverse()
    } else {
      locker.keys.reverse()
    }
    other.name = "a"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    other.name = "b"
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Locker>(sortBy: [SortDescriptor(\.name)]))
    #expect(found[0].keys.map(\.number) == (isJoin ? [0, 1, 2, 3] : [3, 2, 1, 0]))
    #expect(found[0].marks.map(\.number) == (isJoin ? [1, 7, 0] : [0, 1]))
  }

  /// A link without an inverse is cleared by a deletion when that is saved, and not before.
  @Test func aLinkToADeletedObjectComesBackWithIt() throws {
    let (_, context) = try memory(Locker.self)
    let locker = Locker("a", 1, 1), key = LockerKey(1)
    context.insert(locker)
    locker.spare = key
    let other = Locker("b", 2, 2)
    context.insert(other)
    try context.save()
    context.delete(key)
    other.name = "a"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(locker.spare === key)
  }
}

@Model private final class Locker {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var number: Int
  var value: Int
  @Relationship(inverse: \LockerKey.locker) var keys: [LockerKey] = []
  @Relationship(inverse: \LockerMark.lockers) var marks: [LockerMark] = []
  var spare: LockerKey?

  init(_ name: String, _ number: Int, _ value: Int) {
    self.name = name
    self.number = number
    self.value = value
  }
}

@Model private final class KeyRing {
  @Relationship(inverse: \NamedKey.ring) var keys: [NamedKey] = []
  init() {}
}

@Model private final class NamedKey {
  @Attribute(.unique) var name: String
  var ring: KeyRing?
  init(_ name: String) { self.name = name }
}

@Model private final class LockerKey {
  var number: Int
  var locker: Locker?
  init(_ number: Int) { self.number = number }
}

@Model private final class LockerMark {
  var number: Int
  var lockers: [Locker] = []
  init(_ number: Int) { self.number = number }
}
