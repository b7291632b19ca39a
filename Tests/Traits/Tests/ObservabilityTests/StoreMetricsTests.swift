import CoreMetrics
import Foundation
import MetricsTestKit
import Testing
import VaultAppData
import VaultAppDataObservability

/// What stores do, as metrics.
struct StoreMetricsTests {
  private let metrics = TestMetrics()
  private let store = StoreToObserve()
  private var own: [(String, String)] { [("store", store.name)] }

  @Test func aSaveAndAFetchAreMeasured() throws {
    let context = ModelContext(try store.open(StoreMetrics(factory: metrics)))
    context.autosaveEnabled = false
    for number in 0..<3 { context.insert(Visit("\(number)")) }
    try context.save()
    let statements = try metrics.expectTimer("appdata.statement.duration", own)
    let rows = try metrics.expectCounter("appdata.statement.rows", own)
    let (before, written) = (statements.values.count, rows.totalValue)
    #expect(before > 0 && written >= 3)
    #expect(statements.values.allSatisfy { $0 > 0 })
    #expect(try context.fetch(FetchDescriptor<Visit>()).count == 3)
    #expect(statements.values.count > before)
    #expect(rows.totalValue == written + 3)
    let commits = try metrics.expectTimer("appdata.commit.duration", own)
    #expect(!commits.values.isEmpty && commits.values.allSatisfy { $0 > 0 })
    let log = try metrics.expectGauge("appdata.log.bytes", own)
    #expect((log.lastValue ?? 0) > 0)
  }

  @Test func connectionsAreCounted() throws {
    let container = try store.open(StoreMetrics(factory: metrics))
    let contexts = (0..<3).map { _ in ModelContext(container) }
    for context in contexts { _ = try context.fetchCount(FetchDescriptor<Visit>()) }
    #expect(try metrics.expectGauge("appdata.connections", own).values == [2, 3])
  }

  @Test(.timeLimit(.minutes(10)))
  func waitsAreMeasuredByTheirReasons() async throws {
    func turn() throws -> TestTimer {
      try metrics.expectTimer("appdata.wait", own + [("reason", "turn")])
    }
    // The other container waits for the file's lock.
    func lock() throws -> TestTimer { try metrics.expectTimer("appdata.lock.wait", own) }
    try await store.saveWithWaits(StoreMetrics(factory: metrics)) {
      (try? turn().values.isEmpty) == false && (try? lock().values.isEmpty) == false
    }
    #expect(try turn().values.contains { $0 > 0 })
    #expect(try lock().values.contains { $0 > 0 })
    #expect(try metrics.expectTimer("appdata.wait", own + [("reason", "flush")]).values.isEmpty)
  }
}
