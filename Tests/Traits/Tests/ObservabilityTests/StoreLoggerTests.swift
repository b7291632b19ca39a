import InMemoryLogging
import Logging
import Testing
import VaultAppData
import VaultAppDataObservability

/// What stores do, as lines of a log.
struct StoreLoggerTests {
  private let lines = InMemoryLogHandler()
  private let store = StoreToObserve()

  private func logger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "visits") { _ in lines }
    logger.logLevel = level
    return logger
  }

  /// Saves and fetches what no line may show.
  private func use(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    context.insert(Visit("secret"))
    try context.save()
    let wanted = "secret"
    let one = FetchDescriptor<Visit>(predicate: #Predicate { $0.page == wanted })
    #expect(try context.fetch(one).count == 1)
  }

  private func entries(_ message: String) -> [InMemoryLogHandler.Entry] {
    lines.entries.filter { $0.message.description == message }
  }

  @Test func statementsAreWrittenWithoutValues() throws {
    try use(store.open(StoreLogger(logger(.trace), slow: .seconds(600))))
    let statements = entries("statement")
    #expect(statements.allSatisfy { $0.level == .trace && $0.metadata["store"] == "visits" })
    let fetch = try #require(
      statements.last { $0.metadata["statement"]?.description.contains("WHERE") == true })
    #expect(fetch.metadata["rows"] == "1" && fetch.metadata["waited_ms"] == "0.0")
    #expect(fetch.metadata["duration_ms"].flatMap { Double($0.description) } != nil)
    let commit = try #require(entries("commit").last)
    #expect(commit.metadata["log_bytes"].flatMap { Int($0.description) } ?? 0 > 0)
    #expect(!"\(lines.entries)".contains("secret"))
  }

  @Test func whatIsSlowIsAWarning() throws {
    try use(store.open(StoreLogger(logger(.warning), slow: .zero)))
    #expect(!entries("slow statement").isEmpty && !entries("commit").isEmpty)
    #expect(lines.entries.allSatisfy { $0.level == .warning })
  }

  @Test func aQuietLoggerGetsNothing() throws {
    try use(store.open(StoreLogger(logger(.warning), slow: .seconds(600))))
    #expect(lines.entries.isEmpty)
  }

  @Test func aLargeLogIsAWarningOnce() throws {
    let container = try store.open(
      StoreLogger(logger(.warning), slow: .seconds(600), largeLog: 1))
    let context = ModelContext(container)
    context.autosaveEnabled = false
    for number in 0..<3 {
      context.insert(Visit("\(number)"))
      try context.save()
    }
    #expect(entries("large log: a reader keeps an early state open").count == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func waitsAreWritten() async throws {
    try await store.saveWithWaits(StoreLogger(logger(.debug), slow: .seconds(600))) {
      entries("waited").contains { $0.metadata["reason"] == "turn" }
    }
    let wait = try #require(entries("waited").first { $0.metadata["reason"] == "turn" })
    #expect(wait.level == .debug && wait.metadata["store"] == "visits")
    #expect(wait.metadata["duration_ms"].flatMap { Double($0.description) } ?? 0 > 0)
  }

  @Test func connectionsAreWritten() throws {
    let container = try store.open(StoreLogger(logger(.debug), slow: .seconds(600)))
    let contexts = (0..<2).map { _ in ModelContext(container) }
    for context in contexts { _ = try context.fetchCount(FetchDescriptor<Visit>()) }
    #expect(entries("connections").map { $0.metadata["connections"] } == ["2 of 16"])
  }
}
