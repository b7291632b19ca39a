import VaultStorage
package import VaultSync
import VaultTerminal

/// The desktop's settings, of which copies lie among the preferences.
package protocol DesktopSettings: Sendable {
  /// Brings the copies and the desktop together.
  ///
  /// - Parameter names: Domains; those that are not the desktop's are passed over.
  /// - Throws: Why the desktop cannot be read, or the copies cannot be changed.
  func bringTogether(_ names: [String]) throws
}

extension DesktopSettings {
  /// Brings copies and the desktop together for a run that goes on in any case.
  ///
  /// - Parameter names: Domains.
  /// - Returns: Why it could not be done; `nil` where it was.
  package func problem(of names: [String]) -> ErrorReport? {
    do {
      try bringTogether(names)
      return nil
    } catch {
      return ErrorReport(error)
    }
  }

  /// The same, and says why it could not be done.
  package func tellProblem(of names: [String]) {
    if let problem = problem(of: names) {
      StandardError.note(problem.message, hint: problem.hint)
    }
  }
}

/// A run of sync over all that goes along with a space: items, preferences with those of the desktop,
/// and the rows of applications.
package struct SpaceRun {
  package let report: SyncReport
  /// What was done with each store of an application.
  package let data: [DataRun]
  /// Why the desktop's settings were left as they are; `nil` where they were not.
  package let desktopProblem: ErrorReport?

  /// Brings all of it together with the space.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - desktop: The desktop's settings.
  ///   - acceptingRollback: Whether a store that was put back is taken as it is.
  /// - Throws: What synchronizing throws. What is wrong with an application's store, or with the
  ///   desktop, stops nothing else.
  package init(
    _ space: SyncedVault, beside desktop: any DesktopSettings, acceptingRollback: Bool = false
  ) throws {
    let domains = try space.domains()
    let before = desktop.problem(of: domains)
    let report: SyncReport
    do {
      report = try space.synchronize(acceptingRollback: acceptingRollback)
    } catch {
      // What came before it went wrong is the desktop's all the same.
      _ = desktop.problem(of: domains)
      throw error
    }
    self.report = report
    desktopProblem = desktop.problem(of: domains) ?? before
    data = try DataRun.all(of: space)
  }

  /// Says what was done, on standard output as JSON or in words.
  ///
  /// - Parameter asJSON: Whether as JSON.
  /// - Throws: `System.Failure`.
  package func tell(asJSON: Bool) throws {
    if let desktopProblem {
      StandardError.note(desktopProblem.message, hint: desktopProblem.hint)
    }
    if asJSON {
      return try StandardOutput.write(report.members + [("data", .array(data.map(\.json)))])
    }
    for run in data { try run.tell() }
    try report.tell()
  }
}
