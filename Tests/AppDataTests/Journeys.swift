import VaultAppData

/// A store of journeys, in memory or in a file.
struct Journeys {
  static let classes: [any PersistentModel.Type] = [
    Journey.self, WorkJourney.self, Conference.self, PrivateJourney.self, DayTrip.self,
  ]

  let container: ModelContainer
  let context: ModelContext

  init(file: String? = nil, keepsHistory: Bool? = nil) throws {
    var configuration =
      file.map { ModelConfiguration(url: URL(fileURLWithPath: $0)) }
      ?? ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.keepsHistory = keepsHistory
    container = try ModelContainer(for: Schema(Self.classes), configurations: configuration)
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  /// A context of its own, which has read nothing.
  var other: ModelContext {
    let made = ModelContext(container)
    made.autosaveEnabled = false
    return made
  }

  /// One object of each class, saved.
  @discardableResult func fill() throws -> [Journey] {
    let all = [
      Journey("a", "Rome"), WorkJourney("b", "Oslo", perDiem: 50),
      Conference("c", topic: "Storage"), PrivateJourney("d", "Nice", reason: .rest),
      DayTrip("e", "Bath"),
    ]
    all.forEach { context.insert($0) }
    try context.save()
    return all
  }

  func journeys(_ context: ModelContext? = nil) throws -> [Journey] {
    try (context ?? other).fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.code)]))
  }
}
