/// The progress of a long operation on a vault.
package struct VaultProgress: Sendable, Equatable {
  /// The operation.
  package enum Phase: String, Sendable {
    /// Items are sealed: an import, a rotation.
    case sealing
    /// Seals are verified.
    case verifying
    /// Earlier versions are read.
    case reading
    /// Copies go to the keyring.
    case publishing
    /// Items are put into records of a space.
    case writing
    /// Records of a space come from its store.
    case fetching
    /// Records of a space are opened and verified.
    case opening
  }

  /// The operation.
  package let phase: Phase
  /// The number of steps done.
  package let done: Int
  /// The number of all steps.
  package let total: Int

  package init(_ phase: Phase, _ done: Int, of total: Int) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}

extension VaultOptions {
  /// Reports that one more step is done.
  func tell(_ phase: VaultProgress.Phase, _ done: Int, of total: Int) {
    progress?(VaultProgress(phase, done, of: total))
  }
}
