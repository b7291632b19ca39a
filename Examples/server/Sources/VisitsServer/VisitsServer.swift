import Foundation
import Hummingbird
import Logging
import VaultAppData
import VaultAppDataObservability

extension PageAnswer: ResponseEncodable {}

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
    // A server that cannot read its data must not answer.
    let visits = try Visits(file)

    let router = Router()
    router.get("pages") { _, _ in try await visits.most() }
    router.get("pages/:name") { _, request in
      guard let page = try await visits.page(request.parameters.require("name")) else {
        throw HTTPError(.notFound)
      }
      return page
    }
    router.post("pages/:name") { _, request in
      try await visits.count(request.parameters.require("name"))
    }

    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: Int(environment["VISITS_PORT"] ?? "") ?? 8080)),
      logger: logger)
    // Until SIGTERM or SIGINT; requests under way are answered first.
    try await application.runService()
    // Whoever starts next finds a file without a log beside it.
    withExtendedLifetime(visits) {}
  }
}
