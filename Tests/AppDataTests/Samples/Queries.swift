// Compiled by LanguageModeTests in each language mode, not into the tests.

import SwiftData

@Model
final class Trip {
  #Unique<Trip>([\.name, \.start])
  #Index<Trip>([\.start], [\.name])
  @Attribute(.unique, originalName: "code") var identifier: String
  var name: String
  var start: Date
  @Transient var isOpen = false
  @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
  init(identifier: String, name: String, start: Date) {
    self.identifier = identifier
    self.name = name
    self.start = start
  }
}

@Model
final class Stop {
  var city: String
  var trip: Trip?
  init(city: String) { self.city = city }
}

@ModelActor
actor Planner {
  func cities(of name: String) throws -> [String] {
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.name.localizedStandardContains(name) && $0.stops.count > 1 },
      sortBy: [SortDescriptor(\.start, order: .reverse), SortDescriptor(\.name)])
    descriptor.fetchLimit = 10
    return try modelContext.fetch(descriptor).flatMap { trip in trip.stops.map { $0.city } }
  }
}

func plan(_ context: ModelContext, before date: Date) throws -> Int {
  let early = #Predicate<Trip> { trip in
    trip.start < date && trip.stops.contains { $0.city == "Rome" }
  }
  try context.delete(model: Stop.self, where: #Predicate { $0.trip?.name == nil })
  return try context.fetchCount(FetchDescriptor(predicate: early))
}
