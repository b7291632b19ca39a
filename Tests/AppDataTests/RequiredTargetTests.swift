import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultStorage

/// A relationship that is required, and has no inverse, always leads somewhere.
struct RequiredTargetTests {
  private let home: TemporaryHome
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    home = try TemporaryHome()
    container = try ModelContainer(
      for: Shepherd.self, Sheep.self, Farm.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/a.store")))
    context = ModelContext(container)
  }

  private func pets() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Sheep>()).map { $0.keeper.name }.sorted()
  }

  /// The rule leaves the rows as they are, which cannot be.
  @Test func noActionLeavesNoRequiredRelationshipEmpty() throws {
    let (container, context) = try memory(Pack.self)
    let pack = Pack()
    let dog = Dog(pack)
    context.insert(dog)
    try context.save()
    context.delete(pack)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.hasPrefix("Dog.pack of object 1 is required") == true)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try ModelContext(container).delete(model: Pack.self)
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Pack>()) == 1)
    context.delete(dog)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Pack>()) == 0)
  }

  /// A new target that is deleted before it was saved was nobody else's to delete.
  @Test func aNewTargetThatIsDeletedIsShownAndRefused() throws {
    let keeper = Shepherd("Ada")
    let pet = Sheep(keeper)
    context.insert(pet)
    try context.save()
    let new = Shepherd("Bob")
    context.insert(new)
    pet.keeper = new
    context.delete(new)
    #expect(pet.keeper === new)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message == "Sheep.keeper of object 1 is required and leads to nothing")
    #expect(pet.keeper === new)
    context.rollback()
    #expect(pet.keeper === keeper)
  }

  /// What may be empty is, whatever the merge policy says of rows that others delete.
  @Test func aNewTargetThatIsDeletedLeavesAnOptionalOneEmpty() throws {
    let (container, context) = try memory(Perch.self, Fowl.self)
    context.mergePolicy = .error
    let perch = Perch()
    context.insert(perch)
    try context.save()
    let new = Fowl()
    context.insert(new)
    perch.first = new
    perch.all = [new]
    context.delete(new)
    #expect(perch.first == nil && perch.all.isEmpty)
    try context.save()
    #expect(perch.first == nil && perch.all.isEmpty)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Fowl>()) == 0)
    #expect(try container.check() == [])
  }

  /// Each way to delete the keeper.
  @Test(arguments: ["delete", "cascade", "batch", "all", "transaction"])
  func itsTargetIsNotDeleted(way: String) throws {
    let house = Farm()
    let keeper = Shepherd("Ada")
    house.keepers = [keeper]
    context.insert(house)
    context.insert(Sheep(keeper))
    try context.save()
    let error = #expect(throws: SwiftDataError.self, "\(way)") {
      switch way {
      case "delete": context.delete(keeper)
      case "cascade": context.delete(house)
      case "batch":
        let named = #Predicate<Shepherd> { $0.name == "Ada" }
        try context.delete(model: Shepherd.self, where: named)
      case "all": try context.delete(model: Shepherd.self)
      default: return try context.transaction { context.delete(keeper) }
      }
      try context.save()
    }
    #expect(error == .modelValidationFailure)
    #expect(
      error?.message == "Sheep.keeper of object 1 is required, and leads to Shepherd 1, which is "
        + "to be deleted", "\(error?.message ?? "")")
    context.rollback()
    #expect(try pets() == ["Ada"])
    #expect(try container.check() == [])
  }

  @Test func itGoesWithItsTargetOrToAnother() throws {
    let (ada, eco) = (Shepherd("Ada"), Shepherd("Eco"))
    let (first, second) = (Sheep(ada), Sheep(ada))
    for model in [first, second] { context.insert(model) }
    context.insert(eco)
    try context.save()
    context.delete(ada)
    context.delete(first)
    second.keeper = eco
    try context.save()
    #expect(try pets() == ["Eco"])
    // What is new and leads there brings it back.
    context.delete(eco)
    context.insert(Sheep(eco))
    try context.save()
    #expect(try pets() == ["Eco", "Eco"])
  }

  /// Another context deletes what an object that is not saved yet leads to.
  @Test func anotherContextDoesNotTakeItAway() throws {
    let ada = Shepherd("Ada")
    context.insert(ada)
    try context.save()
    let other = ModelContext(container)
    let same = try #require(try other.fetch(FetchDescriptor<Shepherd>()).first)
    other.insert(Sheep(same))
    context.delete(ada)
    try context.save()
    let error = #expect(throws: SwiftDataError.self) { try other.save() }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.contains("constraint failed") == false, "\(error?.message ?? "")")
    #expect(try pets() == [])
  }

  /// Any other program: the file says so itself.
  @Test(arguments: ["UPDATE Sheep SET keeper_id=NULL", "DELETE FROM Shepherd"])
  func theFileRefusesItToo(statement: String) throws {
    context.insert(Sheep(Shepherd("Ada")))
    try context.save()
    let file = try SQLiteConnection(path: "\(home.path)/a.store", mode: .readWrite)
    defer { file.close() }
    try file.executeScript("PRAGMA foreign_keys=ON")
    #expect(throws: StorageError.self) { try file.transaction { try file.execute(statement) } }
    #expect(try pets() == ["Ada"])
  }

  /// A required relationship that takes over the links of an array, or that is new in a migration
  /// with code of its own, has a place for them.
  @Test func aMigrationMayMakeOneRequired() throws {
    let path = URL(fileURLWithPath: "\(home.path)/b.store")
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: First.self), configurations: ModelConfiguration(url: path)))
      let keeper = First.Shepherd()
      let pet = First.Sheep()
      pet.keepers = [keeper]
      context.insert(pet)
      context.insert(First.Sheep())
      try context.save()
      // A row without one is refused, and the store stays as it was.
      #expect(throws: SwiftDataError.self) {
        try ModelContainer(
          for: Schema(versionedSchema: Second.self), configurations: ModelConfiguration(url: path))
      }
      for pet in try context.fetch(FetchDescriptor<First.Sheep>()) { pet.keepers = [keeper] }
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: Second.self), configurations: ModelConfiguration(url: path))
    let found = try ModelContext(container).fetch(FetchDescriptor<Second.Sheep>())
    #expect(found.map { $0.keepers.name } == ["Ada", "Ada"])
    #expect(try container.check() == [])
  }
}

@Model private final class Pack {
  @Relationship(deleteRule: .noAction, inverse: \Dog.pack) var dogs: [Dog] = []
  init() {}
}

@Model private final class Dog {
  var pack: Pack
  init(_ pack: Pack) { self.pack = pack }
}

@Model private final class Shepherd {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model private final class Sheep {
  var keeper: Shepherd
  init(_ keeper: Shepherd) { self.keeper = keeper }
}

@Model private final class Farm {
  @Relationship(deleteRule: .cascade) var keepers: [Shepherd] = []
  init() {}
}

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Shepherd.self, Sheep.self] }

  @Model final class Shepherd {
    var name = "Ada"
    init() {}
  }

  @Model final class Sheep {
    var keepers: [Shepherd] = []
    init() {}
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Shepherd.self, Sheep.self] }

  @Model final class Shepherd {
    var name = "Ada"
    init() {}
  }

  @Model final class Sheep {
    var keepers: Shepherd
    init(_ keeper: Shepherd) { keepers = keeper }
  }
}

/// Something that may lead to others, which do not lead back.
@Model private final class Perch {
  var first: Fowl?
  var all: [Fowl] = []
  init() {}
}

@Model private final class Fowl {
  init() {}
}
