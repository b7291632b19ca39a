import Glibc
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// Publishes a space again and again: `sync mirror --watch`.
///
/// It may be ended at any moment: a feed is whole or not there. What is wrong is said when it is new,
/// and is a later run's to look at; a folder that cannot be used at the start ends it.
package struct MirrorWatch {
  private let settings: VaultSettings
  private let folder: String
  private let interval: Int
  private let checks = MirrorChecks()

  /// - Parameters:
  ///   - settings: Which vault, and how it is opened.
  ///   - folder: The folder, as it was typed.
  ///   - interval: How often, in seconds.
  /// - Throws: ``CommandError`` with code `.usage` for a source that can be read once.
  package init(_ settings: VaultSettings, folder: String, every interval: Int) throws {
    self.settings = try settings.openingAgain()
    self.folder = folder
    self.interval = interval
  }

  /// Publishes until it is ended.
  ///
  /// - Throws: What no later run can better.
  package func run() throws {
    _ = try settings.mirror(folder, every: interval, checks)
    var told: Set<CommandError.Code>?
    var before: MirrorReport?
    while true {
      let began = ContinuousClock.now
      let (codes, mirror) = try publish(after: told)
      told = codes
      if let mirror {
        if mirror.isClosed != before?.isClosed || mirror.stores != before?.stores { mirror.warn() }
        before = mirror
      }
      let rest = max(.milliseconds(500), .seconds(interval) - (.now - began))
      let (seconds, _) = rest.components
      sleep(UInt32(clamping: max(1, seconds)))
    }
  }

  /// Publishes once.
  ///
  /// - Parameter before: What was wrong the time before; `nil` for the first time. A machine that may
  ///   not publish then can never do so, such as one that began with a snapshot.
  /// - Returns: What is wrong now, and what was published.
  /// - Throws: What no later run can better.
  private func publish(
    after before: Set<CommandError.Code>?
  ) throws -> (wrong: Set<CommandError.Code>, mirror: MirrorReport?) {
    let told = before ?? []
    do {
      let (report, mirror) = try settings.publish(to: folder, every: interval, checks)
      let codes = ErrorReport.tell(
        report.problems, after: told, asJSON: settings.writesJSON)
      if codes.isEmpty, !told.isEmpty {
        StandardError.note("the space is published again", hint: nil)
      }
      return (codes, mirror)
    } catch {
      let report = ErrorReport(error)
      guard
        StoreWatch.mayPass(report) && !(before == nil && report.code == .syncNotAllowed)
      else { throw error }
      if !told.contains(report.code) { report.write(asJSON: settings.writesJSON) }
      return ([report.code], nil)
    }
  }
}
