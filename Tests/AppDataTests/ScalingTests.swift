import SwiftData
import TestSupport
import Testing

/// Costs grow linearly: eight times as many objects take about eight times as long.
struct ScalingTests {
  /// A quarter of what the work would take if each step went through all that came before.
  private func expectLinear(
    _ what: String, location: SourceLocation = #_sourceLocation, _ body: (Int) throws -> Double
  ) throws {
    // The best of three: a page that is touched first, a table that grows.
    let small = try (0..<3).map { _ in try body(500) }.min() ?? 0
    let large = try (0..<2).map { _ in try body(4_000) }.min() ?? 0
    #expect(large < small * 24, "\(what): \(small) s, \(large) s", sourceLocation: location)
  }

  @Test func childrenAreAppendedOneByOne() throws {
    try expectLinear("append") { count in
      let (_, context) = try memory(Tour.self)
      let tour = Tour()
      context.insert(tour)
      let halts = (0..<count).map { Halt($0, tour: nil) }
      let time = ThreadTime.seconds { for halt in halts { tour.halts.append(halt) } }
      #expect(tour.halts.map(\.order) == Array(0..<count) && halts.last?.tour === tour)
      try context.save()
      return time
    }
  }

  /// Each taken out by itself, as code does that looks for one: the same array as in Swift, with
  /// the other side's links.
  @Test func childrenAreTakenOutOfALongArray() throws {
    let container = try ModelContainer(
      for: Tour.self, Halt.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let tour = Tour()
    context.insert(tour)
    try takeOutOfALongArray(tour, seed: 11, givingBack: \.first) { round, expected in
      if round % 7 == 0 { try context.save() }
      if round % 11 == 0 {
        let other = try #require(
          try ModelContext(container).fetch(FetchDescriptor<Tour>()).first)
        try context.save()
        #expect(other.halts.map(\.order) == expected.map(\.order))
      }
    }
  }

  /// Takes halts out by themselves, and some of them in again, as from an array of Swift.
  ///
  /// - Parameters:
  ///   - tour: Gets 300 of them.
  ///   - seed: Which are taken.
  ///   - givingBack: The one of each third round that comes back.
  ///   - least: With fewer that are left, it ends.
  ///   - check: What else is to be so after a round; gets what is left.
  /// - Returns: What is left.
  /// - Throws: What `check` throws.
  @discardableResult
  private func takeOutOfALongArray(
    _ tour: Tour, seed: UInt64, givingBack: KeyPath<[Halt], Halt?>, downTo least: Int = 0,
    _ check: (_ round: Int, _ expected: [Halt]) throws -> Void
  ) rethrows -> [Halt] {
    tour.halts = (0..<300).map { Halt($0, tour: nil) }
    var expected = tour.halts
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let count = Int.random(in: 1...12, using: &random)
      let gone = Set(expected.shuffled(using: &random).prefix(count).map { ObjectIdentifier($0) })
      let removed = expected.filter { gone.contains(ObjectIdentifier($0)) }
      tour.halts.removeAll { gone.contains(ObjectIdentifier($0)) }
      expected.removeAll { gone.contains(ObjectIdentifier($0)) }
      let back = round % 3 == 0 ? removed[keyPath: givingBack] : nil
      if let back {
        tour.halts.append(back)
        expected.append(back)
      }
      if round % 5 == 0 { tour.halts.reverse() }
      if round % 5 == 0 { expected.reverse() }
      #expect(tour.halts.map(\.order) == expected.map(\.order))
      #expect(removed.allSatisfy { $0 === back || $0.tour == nil })
      try check(round, expected)
      if expected.count < least { break }
    }
    return expected
  }

  @Test func childrenAreAppendedInNoContext() throws {
    try expectLinear("append") { count in
      let tour = Tour()
      let halts = (0..<count).map { Halt($0, tour: nil) }
      let time = ThreadTime.seconds { for halt in halts { tour.halts.append(halt) } }
      #expect(tour.halts.count == count && halts.last?.tour === tour)
      tour.halts = []
      return time
    }
  }

  /// The same array as in Swift, with the other side's links; each is one pass over references.
  @Test func childrenAreTakenOutOfALongArrayInNoContext() throws {
    let tour = Tour()
    let expected = takeOutOfALongArray(
      tour, seed: 12, givingBack: \.last, downTo: 40
    ) { _, expected in
      #expect(expected.allSatisfy { $0.tour === tour })
    }
    let (_, context) = try memory(Tour.self)
    context.insert(tour)
    try context.save()
    #expect(tour.halts.map(\.order) == expected.map(\.order))
  }

  /// The same link twice, as programs make it to be sure.
  @Test(arguments: [false, true]) func childrenAreLinkedAndAppended(isInContext: Bool) throws {
    let (_, context) = try memory(Tour.self)
    let tour = Tour()
    if isInContext { context.insert(tour) }
    for number in 0..<100 { tour.halts.append(Halt(number, tour: tour)) }
    #expect(tour.halts.map(\.order) == Array(0..<100))
    context.insert(tour)
    try context.save()
    #expect(tour.halts.map(\.order) == Array(0..<100))
  }

  @Test func childrenAreGivenTheirParentOneByOneAndAllAtOnce() throws {
    try expectLinear("parent, array, save, cascade") { count in
      let (_, context) = try memory(Tour.self)
      let (one, two) = (Tour(), Tour())
      context.insert(one)
      context.insert(two)
      _ = (one.halts.count, two.halts.count)
      let halts = (0..<count).map { Halt($0, tour: nil) }
      return try ThreadTime.seconds {
        for halt in halts { halt.tour = one }
        two.halts = (0..<count).map { Halt($0, tour: nil) }
        try context.save()
        for halt in halts { context.delete(halt) }
        context.delete(two)
        try context.save()
      }
    }
  }

  @Test func identifiersAreFetchedBesideObjectsInUse() throws {
    let (container, _) = try memory(Trip.self)
    try expectLinear("identifiers") { count in
      let filling = ModelContext(container)
      let context = ModelContext(container)
      let size = count * 10
      for number in try filling.fetchCount(FetchDescriptor<Trip>())..<max(size, 1) {
        filling.insert(Trip(name: "\(number)"))
      }
      try filling.save()
      var fetch = FetchDescriptor<Trip>()
      fetch.fetchLimit = size
      let held = try context.fetch(fetch)
      return try ThreadTime.seconds {
        let count = try context.fetchIdentifiers(fetch).count
        #expect(count == held.count)
      }
    }
  }

  @Test func whatIsChangedInPlaceIsWhatIsStored() throws {
    let (container, context) = try memory(Tour.self)
    let tour = Tour()
    context.insert(tour)
    for number in 0..<4 { tour.halts.append(Halt(number, tour: nil)) }
    // A child that is there, one of another place, one that is replaced while another is added.
    let kept = tour.halts[1]
    tour.halts.append(kept)
    #expect(tour.halts.map(\.order) == [0, 1, 2, 3])
    func change(_ halts: inout [Halt]) {
      halts[0] = Halt(10, tour: nil)
      halts.append(Halt(11, tour: nil))
    }
    let gone = tour.halts[0]
    change(&tour.halts)
    #expect(tour.halts.map(\.order) == [10, 1, 2, 3, 11] && gone.tour == nil)
    tour.halts.append(Halt(12, tour: nil))
    tour.halts.swapAt(0, 5)
    tour.halts.append(gone)
    kept.tour = nil
    tour.halts.append(Halt(13, tour: nil))
    context.delete(gone)
    tour.halts.append(Halt(14, tour: nil))
    let order = [12, 2, 3, 11, 10, 13, 14]
    #expect(tour.halts.map(\.order) == order && tour.halts.allSatisfy { $0.tour === tour })
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Tour>()).first)
    #expect(found.halts.map(\.order) == order)
    found.halts.append(Halt(15, tour: nil))
    other.rollback()
    #expect(found.halts.map(\.order) == order)
  }

  @Test func appendingIsUndone() throws {
    let (_, context) = try memory(Tour.self)
    context.undoManager = UndoManager()
    let tour = Tour()
    context.insert(tour)
    context.processPendingChanges()
    tour.halts.append(Halt(1, tour: nil))
    tour.halts.append(Halt(2, tour: nil))
    context.processPendingChanges()
    tour.halts.append(Halt(3, tour: nil))
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(tour.halts.map(\.order) == [1, 2])
    context.undoManager?.undo()
    #expect(tour.halts.isEmpty)
    context.undoManager?.redo()
    #expect(tour.halts.map(\.order) == [1, 2])
  }
}
