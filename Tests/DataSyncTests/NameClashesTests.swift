import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultSync

/// A version of an application that renamed a property, and has another one of the old name.
enum Reused {
  @Model
  class Tour {
    var name: String
    @Attribute(originalName: "note") var remark: String?
    var note: String?

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Hike: Tour {
    var height: Int = 0
  }
}

/// What would go under one name is refused by name: values of one property would be those of
/// another one.
struct NameClashesTests {
  private func messages(_ entities: [StoredEntity]) -> [String] {
    StoredSchema(entities: entities).tracked().obstacles.map(\.message)
  }

  private func entity(
    _ name: String, was original: String? = nil, below superentity: String? = nil,
    _ attributes: [StoredAttribute] = []
  ) -> StoredEntity {
    StoredEntity(
      name, originalName: original, superentity: superentity, attributes: attributes)
  }

  /// Whichever of the two comes first.
  @Test func classes() {
    #expect(
      messages([entity("Tour", was: "Walk"), entity("Walk")])
        == ["Tour once had the name that Walk has now"])
    #expect(
      messages([entity("Tour"), entity("Walk", was: "Tour")])
        == ["Walk once had the name that Tour has now"])
    #expect(
      messages([entity("Tour", was: "Trip"), entity("Walk", was: "Trip")])
        == ["Walk once had the name that Tour had, too"])
    #expect(messages([entity("Tour", was: "Trip"), entity("Walk")]).isEmpty)
  }

  @Test func classesOfAFamily() {
    let root = entity("Trip")
    #expect(
      messages([root, entity("Hike", was: "Walk", below: "Trip"), entity("Walk", below: "Trip")])
        == ["Hike once had the name that Walk has now"])
    // One beside the family is another one.
    #expect(messages([root, entity("Hike", was: "Walk", below: "Trip"), entity("Walk")]).isEmpty)
  }

  /// Once, not for each class that inherits them.
  @Test func properties() {
    func attribute(_ name: String, was original: String? = nil) -> StoredAttribute {
      StoredAttribute(name, .string, isOptional: true, originalName: original)
    }
    let reused = [attribute("remark", was: "note"), attribute("note")]
    #expect(
      messages([entity("Trip", reused), entity("Hike", below: "Trip")])
        == ["Trip.remark once had the name that note has now"])
    #expect(
      messages([entity("Trip"), entity("Hike", below: "Trip", reused)])
        == ["Hike.remark once had the name that note has now"])
    #expect(
      messages([entity("Trip", [attribute("a", was: "c"), attribute("b", was: "c")])])
        == ["Trip.b once had the name that a had, too"])
    // Of a class and of its superclass each is its own.
    #expect(
      messages([
        entity("Trip", [attribute("remark", was: "note")]),
        entity("Hike", below: "Trip", [attribute("note")]),
      ]).isEmpty)
  }

  /// Nothing of such a store is added.
  @Test func aStoreIsNotAdded() throws {
    let folder = try TemporaryHome(inMemory: true)
    let laptop = try DataMachine(
      "laptop", in: folder.path, models: [Reused.Tour.self, Reused.Hike.self])
    try laptop.change { $0.insert(Reused.Hike("h")) }
    let error = try #require(throws: SyncError.self) { try laptop.add() }
    #expect(error.code == .notAllowed)
    #expect(error.message.contains("Tour.remark once had the name that note has now"))
    #expect(try laptop.data.stores().isEmpty)
  }
}
