import TestSupport
import Testing
import VaultAppData

@Model
final class Parcel {
  var name: String
  var weight: Int
  var arrived: Date?

  init(_ name: String, _ weight: Int) {
    self.name = name
    self.weight = weight
  }
}

/// A view model, as a program has it.
@MainActor @Observable
private final class ParcelList {
  @ObservationIgnored @Query(sort: \.weight) var parcels: [Parcel]
  @ObservationIgnored
  @Query(
    filter: #Predicate<Parcel> { $0.weight > 10 }, sort: \.weight, order: .reverse)
  var heavy: [Parcel]
  @ObservationIgnored @Query var all: [Parcel]
  @ObservationIgnored @Query(sort: \Parcel.arrived) var arrivals: [Parcel]
  @ObservationIgnored @Query(sort: [SortDescriptor(\Parcel.name)]) var names: [Parcel]
  @ObservationIgnored @Query(FetchDescriptor<Note>()) var strangers: [Note]
  @ObservationIgnored
  @Query(
    FetchDescriptor<Parcel>(predicate: #Predicate { $0.name == "b" })) var one: [Parcel]
}

/// A property that is kept up to date, without a user interface.
@MainActor
struct QueryTests {
  private let list = ParcelList()
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    (container, context) = try memory(Parcel.self)
    for (name, weight) in [("a", 20), ("b", 5), ("c", 15)] {
      context.insert(Parcel(name, weight))
    }
    try context.save()
  }

  @Test func everyFormFindsItsObjects() {
    #expect(list.parcels.isEmpty && list.$parcels.modelContext == nil)
    for query in [list.$parcels, list.$heavy, list.$all, list.$arrivals, list.$names, list.$one] {
      query.modelContext = context
      #expect(query.fetchError == nil)
    }
    #expect(list.parcels.map(\.name) == ["b", "c", "a"])
    #expect(list.heavy.map(\.name) == ["a", "c"])
    #expect(Set(list.all.map(\.name)) == ["a", "b", "c"])
    #expect(list.arrivals.count == 3)
    #expect(list.names.map(\.name) == ["a", "b", "c"])
    #expect(list.one.map(\.weight) == [5])
    // Of the context that was set.
    #expect(list.parcels.first?.modelContext == context)
  }

  @Test func whatIsPendingAndWhatOthersSaveIsSeenAtOnce() throws {
    list.$parcels.modelContext = context
    #expect(list.parcels.count == 3)
    let new = Parcel("d", 1)
    context.insert(new)
    #expect(list.parcels.first === new)
    context.rollback()
    #expect(list.parcels.map(\.name) == ["b", "c", "a"])
    let other = ModelContext(container)
    other.autosaveEnabled = false
    other.insert(Parcel("e", 17))
    try other.save()
    #expect(list.parcels.map(\.name) == ["b", "c", "e", "a"])
  }

  @Test func aContextAndAChangeAreObserved() async throws {
    /// Waits until the names change after something was done.
    func change(after body: () throws -> Void) async rethrows {
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = list.parcels.map(\.name)
      } onChange: {
        continuation.yield()
      }
      try body()
      for await _ in changes { break }
    }
    await change { list.$parcels.modelContext = context }
    #expect(list.parcels.count == 3)
    try await change {
      let other = ModelContext(container)
      other.autosaveEnabled = false
      other.insert(Parcel("f", 3))
      try other.save()
    }
    #expect(list.parcels.map(\.name) == ["f", "b", "c", "a"])
    await change { list.$parcels.fetchDescriptor.fetchLimit = 1 }
    #expect(list.parcels.map(\.name) == ["f"])
    await change { list.$parcels.modelContext = nil }
    #expect(list.parcels.isEmpty)
  }

  @Test func theDescriptionMayChange() {
    list.$parcels.fetchDescriptor.predicate = #Predicate { $0.weight < 10 }
    list.$parcels.modelContext = context
    #expect(list.parcels.map(\.name) == ["b"])
    list.$parcels.fetchDescriptor.predicate = #Predicate { $0.weight >= 10 }
    list.$parcels.fetchDescriptor.sortBy = [SortDescriptor(\.weight, order: .reverse)]
    #expect(list.parcels.map(\.name) == ["a", "c"])
  }

  @Test func aFetchThatFailsIsTold() {
    list.$strangers.modelContext = context
    #expect(list.strangers.isEmpty)
    #expect((list.$strangers.fetchError as? SwiftDataError) == .unknownSchema)
    list.$parcels.modelContext = context
    #expect(list.parcels.count == 3)
    list.$parcels.fetchDescriptor.sortBy = [SortDescriptor(\.name.count)]
    #expect(list.$parcels.fetchError != nil)
    // As before the fetch that failed.
    #expect(list.parcels.map(\.name) == ["b", "c", "a"])
    list.$parcels.fetchDescriptor.sortBy = []
    #expect(list.$parcels.fetchError == nil)
  }
}
