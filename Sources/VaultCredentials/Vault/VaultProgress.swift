/// How far a long operation on a vault is: for a line on a terminal.
package struct VaultProgress: Sendable, Equatable {
  /// What is being done.
  package enum Phase: String, Sendable {
    /// Items are sealed: an import, a rotation.
    case sealing
    /// Seals are verified.
    case verifying
    /// Earlier versions are read.
    case reading
    /// Copies go to the keyring.
    case publishing
  }

  /// What is being done.
  package let phase: Phase
  /// How much of it is done.
  package let done: Int
  /// How much there is.
  package let total: Int

  package init(_ phase: Phase, _ done: Int, of total: Int) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}

extension VaultOptions {
  /// Tells that one more is done; whoever listens is quick.
  func tell(_ phase: VaultProgress.Phase, _ done: Int, of total: Int) {
    progress?(VaultProgress(phase, done, of: total))
  }
}
