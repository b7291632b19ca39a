import Testing
import VaultAppData

/// What another context has linked to an object after it was deleted here, and before that was
/// saved.
struct LinkedElsewhereTests {
  enum Moment: CaseIterable {
    /// By the save of the context that has deleted the object.
    case save
    /// By a transaction that begins after the link was saved.
    case transaction
    /// By a save after the deletion was rolled back and made again.
    case again
    /// The same with undo in the place of a rollback.
    case undone
  }

  /// Deletes a quay, lets another context link something to it, and saves the deletion.
  private func save(
    _ moment: Moment, _ boats: Int = 0, _ link: (Quay, ModelContext) throws -> Void
  ) throws -> ModelContainer {
    let (container, context) = try memory(
      Quay.self, Boat.self, Sail.self, Buoy.self, Pilot.self, Light.self, Toll.self)
    if moment == .undone { context.undoManager = UndoManager() }
    let quay = Quay()
    context.insert(quay)
    quay.boats = (0..<boats).map { Boat($0) }
    try context.save()
    context.delete(quay)
    let other = ModelContext(container)
    try link(try #require(try other.fetch(FetchDescriptor<Quay>()).first), other)
    try other.save()
    switch moment {
    case .save: try context.save()
    case .transaction: try context.transaction {}
    case .again:
      context.rollback()
      context.delete(quay)
      try context.save()
    case .undone:
      context.processPendingChanges()
      context.undoManager?.undo()
      #expect(!quay.isDeleted)
      context.delete(quay)
      try context.save()
    }
    #expect(!context.hasChanges)
    #expect(try container.check() == [])
    return container
  }

  private func counts(_ container: ModelContainer) throws -> [Int] {
    let context = ModelContext(container)
    return try [
      context.fetchCount(FetchDescriptor<Quay>()), context.fetchCount(FetchDescriptor<Boat>()),
      context.fetchCount(FetchDescriptor<Sail>()), context.fetchCount(FetchDescriptor<Buoy>()),
      context.fetchCount(FetchDescriptor<Light>()),
    ]
  }

  @Test(arguments: Moment.allCases)
  func aRuleThatDeletesIsFollowedDownToTheLast(moment: Moment) throws {
    let container = try save(moment, 3) { quay, _ in
      let boat = Boat(9)
      boat.sails = [Sail(), Sail()]
      quay.boats.append(boat)
      // One that is to be deleted as a row that leads nowhere else.
      quay.boats[0].sails = [Sail()]
    }
    #expect(try counts(container) == [0, 0, 0, 0, 0])
  }

  @Test(arguments: Moment.allCases)
  func aRuleThatClearsClears(moment: Moment) throws {
    let container = try save(moment) { quay, other in
      quay.buoys.append(Buoy())
      quay.light = Light()
    }
    #expect(try counts(container) == [0, 0, 0, 1, 1])
    let look = ModelContext(container)
    #expect(try look.fetch(FetchDescriptor<Buoy>()).first?.quay == nil)
    #expect(try look.fetch(FetchDescriptor<Light>()).first?.quay == nil)
  }

  @Test(arguments: Moment.allCases)
  func aRuleThatDeniesSaysSo(moment: Moment) throws {
    let error = #expect(throws: SwiftDataError.self) {
      _ = try save(moment) { quay, _ in quay.pilots.append(Pilot()) }
    }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.hasPrefix("Quay.pilots of object 1 leads to 1 models") == true)
  }

  @Test(arguments: Moment.allCases)
  func whatRequiresTheObjectIsNamed(moment: Moment) throws {
    let error = #expect(throws: SwiftDataError.self) {
      _ = try save(moment) { quay, other in other.insert(Toll(quay)) }
    }
    #expect(error == .modelValidationFailure)
    #expect(error?.message.hasPrefix("Toll.quay of object 1 is required") == true)
  }

  /// A save that fails for another reason leaves what was found pending, as everything else.
  @Test func aSaveThatFailsAfterwardsMayBeTriedAgain() throws {
    let (container, context) = try memory(
      Quay.self, Boat.self, Sail.self, Buoy.self, Pilot.self, Light.self, Toll.self)
    let quay = Quay()
    context.insert(quay)
    try context.save()
    context.delete(quay)
    let other = ModelContext(container)
    let there = try #require(try other.fetch(FetchDescriptor<Quay>()).first)
    there.boats = [Boat(1)]
    there.pilots = [Pilot()]
    try other.save()
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try other.delete(model: Pilot.self)
    try context.save()
    #expect(try counts(container) == [0, 0, 0, 0, 0])
    #expect(try container.check() == [])
  }
}

@Model
private final class Quay {
  @Relationship(deleteRule: .cascade, inverse: \Boat.quay) var boats: [Boat] = []
  @Relationship(deleteRule: .nullify, inverse: \Buoy.quay) var buoys: [Buoy] = []
  @Relationship(deleteRule: .deny, inverse: \Pilot.quay) var pilots: [Pilot] = []
  @Relationship(inverse: \Light.quay) var light: Light?
  @Relationship(inverse: \Toll.quay) var tolls: [Toll] = []

  init() {}
}

@Model
private final class Boat {
  var number: Int
  var quay: Quay?
  @Relationship(deleteRule: .cascade, inverse: \Sail.boat) var sails: [Sail] = []

  init(_ number: Int) { self.number = number }
}

@Model
private final class Sail {
  var boat: Boat?
  init() {}
}

@Model
private final class Buoy {
  var quay: Quay?
  init() {}
}

@Model
private final class Pilot {
  var quay: Quay?
  init() {}
}

@Model
private final class Light {
  var quay: Quay?
  init() {}
}

@Model
private final class Toll {
  var quay: Quay
  init(_ quay: Quay) { self.quay = quay }
}
