import VaultSealing
import VaultStorage

/// One thing that a check found.
public struct CheckFinding: Sendable, Equatable {
  /// The severity of the finding.
  public enum Severity: String, Sendable {
    /// Something is lost, or can no longer be trusted.
    case damage
    /// Something should be repaired before it becomes damage.
    case warning
    /// Something worth knowing.
    case information
  }

  /// The severity of the finding.
  public let severity: Severity
  /// Which finding it is; stable across releases.
  public let code: String
  /// One sentence that says what was found; without names of items.
  public let message: String
  /// One sentence that helps, where ``remedies`` do not say everything.
  public let hint: String?
  /// What can be done about it, the best first; empty if nothing has to be.
  public let remedies: [Remedy]

  static let storeUnchecked = "store-unchecked"

  init(
    _ severity: Severity, _ code: String, _ message: String, hint: String? = nil,
    remedies: [Remedy] = []
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.hint = hint
    self.remedies = remedies
  }
}

/// The result of a check.
public struct CheckReport: Sendable {
  /// Items whose seal was verified.
  public internal(set) var items = 0
  /// Earlier versions whose seal was verified.
  public internal(set) var earlierVersions = 0
  /// The findings, worst first.
  public internal(set) var findings: [CheckFinding] = []

  /// A Boolean value that says whether something is lost or can no longer be trusted.
  public var isDamaged: Bool { findings.contains { $0.severity == .damage } }

  /// Whether all could be read that was to be checked; a full disk, for one, keeps the store
  /// closed.
  public var isComplete: Bool { !findings.contains { $0.code == CheckFinding.storeUnchecked } }
}
