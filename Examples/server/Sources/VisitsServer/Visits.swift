import VaultAppData

@Model
final class Page {
  @Attribute(.unique) var path: String
  var visits = 0

  init(path: String) { self.path = path }
}

/// What leaves a request: a value, never an object of a context.
struct PageAnswer: Codable, Sendable {
  let path: String
  let visits: Int

  init(_ page: Page) {
    path = page.path
    visits = page.visits
  }
}

/// The visits of pages, in one container for the process.
struct Visits: Sendable {
  private let container: ModelContainer

  /// Opens the store, and migrates it: before anything listens.
  init(_ file: ModelConfiguration) throws {
    container = try ModelContainer(for: Page.self, configurations: file)
  }

  func most() async throws -> [PageAnswer] {
    try await container.perform { context in
      var most = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.visits, order: .reverse)])
      most.fetchLimit = 10
      return try context.fetch(most).map(PageAnswer.init)
    }
  }

  func page(_ path: String) async throws -> PageAnswer? {
    try await container.perform { context in
      try context.fetch(Self.with(path)).first.map(PageAnswer.init)
    }
  }

  func count(_ path: String) async throws -> PageAnswer {
    try await container.perform { context in
      // What is read stays true until the change is on disk: no visit is lost.
      var page = Page(path: path)
      try context.transaction {
        page = try context.fetch(Self.with(path)).first ?? page
        context.insert(page)
        page.visits += 1
      }
      return PageAnswer(page)
    }
  }

  private static func with(_ path: String) -> FetchDescriptor<Page> {
    FetchDescriptor(predicate: #Predicate { $0.path == path })
  }
}
