import Hummingbird
import Logging
import VaultAppData
import VaultAppDataObservability

@Model
final class Page {
  @Attribute(.unique) var path: String
  var visits = 0

  init(path: String) { self.path = path }
}

/// What leaves a request: a value, never an object of a context.
struct PageAnswer: ResponseEncodable {
  let path: String
  let visits: Int

  init(_ page: Page) {
    path = page.path
    visits = page.visits
  }
}

/// Counts visits of pages: `GET /pages`, `GET /pages/NAME`, `POST /pages/NAME`.
///
/// `VISITS_STORE` is the store's file, `VISITS_PORT` the port, `VISITS_DURABILITY` full, grouped or
/// checkpoint.
@main
struct VisitsServer {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    var logger = Logger(label: "visits")
    logger.logLevel = .notice
    let container = try open(environment, logger)

    let router = Router()
    router.get("pages") { _, _ in
      try await container.perform { store in
        var most = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.visits, order: .reverse)])
        most.fetchLimit = 10
        return try store.fetch(most).map(PageAnswer.init)
      }
    }
    router.get("pages/:name") { _, request in
      let name = try request.parameters.require("name")
      let page = try await container.perform { store in
        try store.fetch(Self.page(name)).first.map(PageAnswer.init)
      }
      guard let page else { throw HTTPError(.notFound) }
      return page
    }
    router.post("pages/:name") { _, request in
      let name = try request.parameters.require("name")
      return try await container.perform { store in
        var answer: PageAnswer?
        // What is read stays true until the change is on disk: no visit is lost.
        try store.transaction {
          let page = try store.fetch(Self.page(name)).first ?? Page(path: name)
          store.insert(page)
          page.visits += 1
          answer = PageAnswer(page)
        }
        return answer
      }
    }

    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: Int(environment["VISITS_PORT"] ?? "") ?? 8080)),
      logger: logger)
    // Until SIGTERM or SIGINT; requests under way are answered first.
    try await application.runService()
    // Whoever starts next finds a file without a log beside it.
    withExtendedLifetime(container) {}
  }

  /// Opens the store, and migrates it, before anything listens: a server that cannot read its data
  /// must not answer.
  private static func open(
    _ environment: [String: String], _ logger: Logger
  ) throws -> ModelContainer {
    var file = ModelConfiguration(
      url: URL(fileURLWithPath: environment["VISITS_STORE"] ?? "visits.store"))
    file.durability =
      switch environment["VISITS_DURABILITY"] {
      case "full": .full
      case "checkpoint": .onCheckpoint
      default: .grouped
      }
    file.observer = StoreObserverGroup(
      StoreLogger(logger, slow: .milliseconds(100)), StoreMetrics())
    return try ModelContainer(for: Page.self, configurations: file)
  }

  private static func page(_ name: String) -> FetchDescriptor<Page> {
    FetchDescriptor(predicate: #Predicate { $0.path == name })
  }
}
