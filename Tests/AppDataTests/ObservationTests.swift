import Foundation
import TestSupport
import Testing
import VaultAppData

/// Observers hear of changes; objects without observers cost less.
struct ObservationTests {
  private let context: ModelContext

  init() throws {
    context = try memory(Trip.self).1
    context.autosaveEnabled = false
  }

  @Test func everyObserverIsToldOnceOfWhatItRead() throws {
    let rome = Trip(name: "Rome")
    let oslo = Trip(name: "Oslo")
    for trip in [rome, oslo] { context.insert(trip) }
    for round in 0..<4 {
      // Read outside of any observation, in between.
      _ = rome.name + oslo.name
      let first = Count()
      let second = Count()
      withObservationTracking {
        _ = rome.name
      } onChange: {
        first.add()
      }
      withObservationTracking {
        _ = (rome.name, oslo.days)
      } onChange: {
        second.add()
      }
      oslo.name = "Bergen"
      rome.days += 1
      #expect(first.value == 0 && second.value == 0)
      rome.name = "Rome \(round)"
      oslo.days += 1
      #expect(first.value == 1 && second.value == 1)
    }
  }

  @Test func anObserverWithinAnotherTellsBoth() throws {
    let trip = Trip(name: "Rome")
    let outer = Count()
    let inner = Count()
    withObservationTracking {
      _ = trip.days
      withObservationTracking {
        _ = trip.name
      } onChange: {
        inner.add()
      }
    } onChange: {
      outer.add()
    }
    trip.name = "Oslo"
    #expect(outer.value == 1 && inner.value == 1)
  }

  @Test func objectsFetchedWhileSomebodyObservesAreObserved() throws {
    for name in ["Rome", "Oslo"] { context.insert(Trip(name: name)) }
    try context.save()
    let count = Count()
    let other = ModelContext(context.container)
    other.autosaveEnabled = false
    let trips = withObservationTracking {
      let found = (try? other.fetch(FetchDescriptor<Trip>())) ?? []
      _ = found.map(\.name)
      return found
    } onChange: {
      count.add()
    }
    try #require(trips.count == 2)
    trips[1].days = 9
    #expect(count.value == 0)
    trips[1].name = "Bergen"
    #expect(count.value == 1)
  }

  @Test @MainActor func aSequenceOfObservationsGoesOn() async throws {
    let trip = Trip(name: "Rome")
    let names = Observations { @MainActor in trip.name }
    var seen: [String] = []
    for await name in names {
      seen.append(name)
      if seen.count == 3 { break }
      trip.name = "\(name)+"
    }
    #expect(seen == ["Rome", "Rome+", "Rome++"])
  }

  @Test func whatNobodyObservesHasNoRegistrar() {
    let subject = Trip(name: "Rome")
    func isMade(_ registrar: _AppData.Registrar) -> Bool {
      "\(Mirror(reflecting: registrar).children.first?.value ?? "")" != "nil"
    }
    var idle = _AppData.Registrar()
    idle.access(subject, keyPath: \.name)
    #expect(!isMade(idle))
    var observed = _AppData.Registrar()
    withObservationTracking {
      observed.access(subject, keyPath: \.name)
    } onChange: {
    }
    #expect(isMade(observed))
    // That observer still waits for a change.
    idle.access(subject, keyPath: \.name)
    #expect(!isMade(idle))
  }

  @Test func theEndOfAThreadIsNoChange() {
    let trip = Trip(name: "Rome")
    let count = Count()
    onThread {
      _ = trip.days
      withObservationTracking {
        _ = trip.name
      } onChange: {
        count.add()
      }
    }
    #expect(count.value == 0)
    trip.name = "Oslo"
    #expect(count.value == 1)
  }

  /// Runs something on a thread of its own, to that thread's very end.
  private func onThread(_ body: @escaping () -> Void) {
    var thread = pthread_t()
    let task = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
    let status = unsafe pthread_create(
      &thread, nil,
      { task in
        if let task = unsafe task {
          unsafe Unmanaged<Box<() -> Void>>.fromOpaque(task).takeRetainedValue().value()
        }
        return nil
      }, task)
    #expect(status == 0)
    pthread_join(thread, nil)
  }

  @Test func objectsMayBeLetGoOnAnyThread() async throws {
    for number in 0..<64 { context.insert(Trip(name: "\(number)")) }
    try context.save()
    let queue = DispatchQueue(label: "letting go", attributes: .concurrent)
    let other = ModelContext(context.container)
    other.autosaveEnabled = false
    for _ in 0..<300 {
      var trips = try other.fetch(FetchDescriptor<Trip>())
      #expect(Set(trips.map(\.name)).count == 64)
      // Two threads let go of the halves while the next fetch asks for the same objects.
      let halves = [Box(Array(trips.prefix(32))), Box(Array(trips.dropFirst(32)))]
      trips = []
      for half in halves { queue.async { half.value = [] } }
    }
    queue.sync(flags: .barrier) {}
  }
}

/// Counts from any thread.
private final class Count: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}
