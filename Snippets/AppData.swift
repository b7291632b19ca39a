// Stores and queries objects: the README's example of app data.
import SwiftData

@Model final class Trip {
  var name: String
  var days: Int
  init(name: String, days: Int) {
    self.name = name
    self.days = days
  }
}

let context = ModelContext(try ModelContainer(for: Trip.self))
context.insert(Trip(name: "Rome", days: 4))
try context.save()
let long = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }))
print(long.map(\.name))
