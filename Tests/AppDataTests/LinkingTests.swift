import Observation
import SwiftData
import Synchronization
import Testing

/// Objects that are linked before any of them is in a context.
struct LinkingTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws { (container, context) = try memory(Tour.self) }

  private func stored<T: PersistentModel>(_ type: T.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<T>())
  }

  @Test func theParentBringsTheChildrenThatLeadToIt() throws {
    let tour = Tour("A")
    let (first, second) = (Halt(1, tour: tour), Halt(2, tour: tour))
    context.insert(tour)
    try context.save()
    #expect(tour.halts.count == 2 && tour.halts[0] === first && tour.halts[1] === second)
    #expect(first.modelContext == context)
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Tour>()).first)
    #expect(found.halts.map(\.order) == [1, 2])
    let identifiers: [PersistentIdentifier] = [first.id, second.id]
    #expect(found.halts.map(\.id) == identifiers)
  }

  @Test func theChildBringsTheParentThatHoldsIt() throws {
    let theme = Theme("B")
    let tour = Tour("A", themes: [theme])
    context.insert(theme)
    try context.save()
    #expect(theme.tours?.first === tour)
    #expect(try stored(Tour.self) == 1)
  }

  @Test func bothSidesAreThereWithoutAContext() throws {
    let (tour, other) = (Tour("A"), Tour("B"))
    let halt = Halt(tour: tour)
    #expect(tour.halts.count == 1 && tour.halts[0] === halt)
    halt.tour = other
    #expect(tour.halts.isEmpty && other.halts.count == 1)
    tour.halts.append(halt)
    #expect(halt.tour === tour && other.halts.isEmpty)
    tour.halts = []
    #expect(halt.tour == nil)
    tour.halts = [halt, Halt(2, tour: nil)]
    #expect(tour.halts.map(\.order) == [0, 2] && tour.halts[1].tour === tour)
    tour.halts.append(Halt(3, tour: tour))
    #expect(tour.halts.map(\.order) == [0, 2, 3])
    let guide = Guide("X", tour: tour)
    #expect(tour.guide === guide)
    let next = Guide("Y", tour: tour)
    #expect(tour.guide === next && guide.tour == nil)
    tour.guide = guide
    #expect(next.tour == nil && guide.tour === tour)
    let theme = Theme("T", tours: [tour, other])
    #expect(tour.themes?.first === theme && other.themes?.count == 1)
    tour.themes = nil
    #expect(theme.tours?.count == 1 && theme.tours?[0] === other)
    other.themes?.append(Theme("U"))
    #expect(other.themes?.map(\.label) == ["T", "U"] && other.themes?[1].tours?[0] === other)
    #expect(tour.modelContext == nil && !context.hasChanges)
  }

  /// A graph of which the caller holds one object.
  private func graph() -> Tour {
    let tour = Tour("deep")
    for number in 1...3 {
      let halt = Halt(number, tour: tour)
      _ = Sight("a\(number)", halt: halt)
      _ = Sight("b\(number)", halt: halt)
    }
    _ = Theme("T", tours: [tour])
    return tour
  }

  @Test func aDeepGraphIsSavedWhoeverHoldsItsObjects() throws {
    context.insert(graph())
    try context.save()
    #expect(try stored(Halt.self) == 3 && stored(Sight.self) == 6 && stored(Theme.self) == 1)
    let other = ModelContext(container)
    let sights = try other.fetch(FetchDescriptor<Sight>(sortBy: [SortDescriptor(\.name)]))
    let orders: [Int?] = sights.map { $0.halt?.order }
    #expect(orders == [1, 2, 3, 1, 2, 3])
    #expect(sights.first?.halt?.tour?.themes?.map(\.label) == ["T"])
    let halts: [PersistentIdentifier] = sights.compactMap { $0.halt?.id }
    #expect(Set(halts).count == 3)
  }

  @Test func anyObjectOfTheGraphBringsTheOthers() throws {
    let tour = graph()
    context.insert(tour.halts[1].sights[0])
    try context.save()
    #expect(try stored(Tour.self) == 1 && stored(Halt.self) == 3 && stored(Sight.self) == 6)
  }

  @Test func manyToManyKeepsTheOrderOfBothSides() throws {
    let (one, two) = (Tour("1"), Tour("2"))
    let (red, blue) = (Theme("red"), Theme("blue"))
    one.themes = [red, blue]
    two.themes = [blue, red]
    blue.tours = [two, one]
    context.insert(red)
    try context.save()
    let other = ModelContext(container)
    let tours = try other.fetch(FetchDescriptor<Tour>(sortBy: [SortDescriptor(\.name)]))
    #expect(tours.map { $0.themes?.map(\.label) } == [["red", "blue"], ["blue", "red"]])
    let themes = try other.fetch(FetchDescriptor<Theme>(sortBy: [SortDescriptor(\.label)]))
    #expect(themes.map { $0.tours?.map(\.name) } == [["2", "1"], ["1", "2"]])
  }

  @Test func anInitializerThatLinksToAnObjectOfAContextInserts() throws {
    let tour = Tour("A")
    context.insert(tour)
    let halt = Halt(1, tour: tour)
    #expect(halt.modelContext == context)
    _ = Halt(at: tour)
    #expect(tour.halts.count == 2)
    try context.save()
    #expect(try stored(Halt.self) == 2)
  }

  @Test(arguments: [false, true]) func anInitializerThatFailsLinksNothing(late: Bool) throws {
    let tour = Tour("A")
    #expect(throws: Refused.self) { try Halt(failing: tour, late: late) }
    #expect(tour.halts.isEmpty)
    context.insert(tour)
    #expect(throws: Refused.self) { try Halt(failing: tour, late: late) }
    try context.save()
    #expect(tour.halts.isEmpty)
    #expect(try stored(Halt.self) == 0)
  }

  @Test func whoObservesTheOtherSideHearsOfALink() {
    let tour = Tour("A")
    let isCalled = Mutex(false)
    let count = withObservationTracking {
      tour.halts.count
    } onChange: {
      isCalled.withLock { $0 = true }
    }
    #expect(count == 0 && !isCalled.withLock { $0 })
    let halt = Halt(tour: tour)
    #expect(isCalled.withLock { $0 } && tour.halts[0] === halt)
  }

  @Test func objectsThatWereSavedDoNotHoldOneAnother() throws {
    weak var tour: Tour?
    weak var halt: Halt?
    do {
      let made = Tour("A")
      let child = Halt(1, tour: made)
      (tour, halt) = (made, child)
      context.insert(made)
      try context.save()
    }
    #expect(tour == nil && halt == nil)
    do {
      let made = Tour("B")
      let child = Halt(1, tour: made)
      (tour, halt) = (made, child)
      made.halts = []
    }
    #expect(tour == nil && halt == nil)
  }

  @Test func anArrayThatWasSetNilIsNilUntilItIsRead() throws {
    let tour = Tour("A")
    #expect(tour.themes == nil)
    tour.themes = []
    #expect(tour.themes == [])
    tour.themes = nil
    context.insert(tour)
    #expect(tour.themes == nil)
    tour.themes = [Theme("T")]
    #expect(tour.themes?.count == 1)
    let theme = try #require(tour.themes?.first)
    tour.themes = nil
    #expect(tour.themes == nil && theme.tours == [])
    try context.save()
    #expect(tour.themes == nil)
    theme.tours?.append(tour)
    #expect(tour.themes == [theme])
    theme.tours = []
    #expect(tour.themes == [])
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Tour>()).first?.themes == [])
  }
}
