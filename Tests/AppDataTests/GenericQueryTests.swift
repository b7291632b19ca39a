import Testing
import VaultAppData

/// Functions over every model that has something: their key paths lead through a protocol.
struct GenericQueryTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    (container, context) = try memory(Rack.self)
    let rack = Rack(name: "B", size: 3)
    rack.upper = Rack(name: "A", size: 1)
    rack.upper?.isOpen = true
    context.insert(rack)
    try context.save()
  }

  private func found<T: PersistentModel & Racked>(
    _ type: T.Type, _ predicate: Predicate<T>, _ sort: [SortDescriptor<T>] = []
  ) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: sort)).map(\.name)
  }

  private func sizes<T: PersistentModel & Racked>(_ type: T.Type) throws {
    let least = 2
    #expect(try found(T.self, #Predicate { $0.size >= least }) == ["B"])
    #expect(try found(T.self, #Predicate { $0.name == "A" }) == ["A"])
    #expect(try found(T.self, #Predicate { $0.isOpen }) == ["A"])
    #expect(try found(T.self, #Predicate { !$0.isHidden && !$0.isOpen }) == ["B"])
    #expect(try found(T.self, #Predicate { $0.note == nil }) == ["B", "A"])
    #expect(try found(T.self, #Predicate { $0.kind == Rack.Kind.tall }) == ["B", "A"])
    #expect(try found(T.self, #Predicate { $0.upper?.name == "A" }) == ["B"])
    #expect(try found(T.self, #Predicate { $0.upper == nil }) == ["A"])
    #expect(
      try found(T.self, #Predicate { $0.size > 0 }, [SortDescriptor(\.name)]) == ["A", "B"])
    #expect(
      try found(T.self, #Predicate { $0.size > 0 }, [SortDescriptor(\T.size, order: .reverse)])
        == ["B", "A"])
    var descriptor = FetchDescriptor<T>()
    descriptor.propertiesToFetch = [\.size]
    #expect(try context.fetch(descriptor).count == 2)
  }

  @Test func propertiesOfAProtocolAreFound() throws { try sizes(Rack.self) }

  private func identified<T: PersistentModel>(_ type: T.Type, _ id: PersistentIdentifier) throws
    -> [T]
  {
    try context.fetch(FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == id }))
      + context.fetch(FetchDescriptor<T>(predicate: #Predicate { $0.id == id }))
  }

  @Test func identifiersOfEveryModelAreFound() throws {
    let rack = try #require(try context.fetch(FetchDescriptor<Rack>()).first)
    #expect(try identified(Rack.self, rack.id) == [rack, rack])
  }

  private func message<T: PersistentModel & Racked>(
    _ type: T.Type, _ predicate: Predicate<T>
  ) -> String {
    do {
      _ = try context.fetch(FetchDescriptor(predicate: predicate))
      return ""
    } catch { return "\(error)" }
  }

  private func computed<T: PersistentModel & Racked>(_ type: T.Type) {
    for predicate: Predicate<T> in [
      #Predicate { $0.title == "A" }, #Predicate { $0.first == "A" }, #Predicate { $0.isBig },
      #Predicate { $0.twice == 2 },
    ] {
      #expect(message(T.self, predicate).hasPrefix("unsupportedPredicate: KeyPath"))
    }
  }

  @Test func whatIsComputedIsRefused() throws { computed(Rack.self) }

  private func read<T: PersistentModel & Racked>(_ model: T) -> (String, Int) {
    (model.getValue(forKey: \.name), model.getValue(forKey: \.size))
  }

  @Test func valuesAreReadByTheProtocolsKeyPath() throws {
    #expect(read(Rack(name: "C", size: 5)) == ("C", 5))
  }
}

private protocol Racked {
  var name: String { get }
  var size: Int { get }
  var isOpen: Bool { get }
  var isHidden: Bool { get }
  var note: String? { get }
  var kind: Rack.Kind { get }
  var upper: Rack? { get }
  var title: String { get }
  var first: String { get }
  var isBig: Bool { get }
  var twice: Int { get }
}

@Model
final class Rack: Racked {
  enum Kind: Int, Codable, CaseIterable { case low, tall }

  var name: String
  var size: Int
  var other = 0
  var isOpen = false
  var isHidden = false
  var isSealed = false
  var note: String?
  var kind = Kind.tall
  var upper: Rack?

  var title: String { name.uppercased() }
  // Would trap for a name that is empty.
  var first: String { String(name[name.startIndex]) }
  var isBig: Bool { size > 10 || isOpen }
  var twice: Int { size * 2 }

  init(name: String, size: Int) {
    self.name = name
    self.size = size
  }
}
