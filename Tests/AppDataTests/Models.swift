import TestSupport
import VaultAppData

@Model
final class Trip {
  var name: String
  var start: Date
  var days: Int
  var isPaid = false
  var note: String?
  var cost = 0.0

  init(name: String, start: Date = Date(timeIntervalSinceReferenceDate: 0), days: Int = 1) {
    self.name = name
    self.start = start
    self.days = days
  }
}

/// A container in memory, and a context of it.
func memory(_ types: any PersistentModel.Type...) throws -> (ModelContainer, ModelContext) {
  let container = try ModelContainer(
    for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
  let context = ModelContext(container)
  context.autosaveEnabled = false
  return (container, context)
}

/// A context of a store in a home, which is made or opened: for classes that change in between.
func context(of types: [any PersistentModel.Type], in home: TemporaryHome) throws -> ModelContext {
  let url = URL(fileURLWithPath: "\(home.path)/a.store")
  let context = ModelContext(
    try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(url: url)]))
  context.autosaveEnabled = false
  return context
}
