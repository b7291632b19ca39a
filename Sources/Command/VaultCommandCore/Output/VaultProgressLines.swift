import Synchronization
package import VaultCredentials
import VaultTerminal

/// The progress lines of a vault's long operations, one for each phase.
package final class VaultProgressLines: Sendable {
  private let current = Mutex<(phase: VaultProgress.Phase, line: ProgressLine)?>(nil)

  package init() {}

  /// Shows the progress of an operation.
  package func show(_ progress: VaultProgress) {
    let line = current.withLock { current in
      if let current, current.phase == progress.phase { return current.line }
      let line = ProgressLine(progress.phase.words)
      current = (progress.phase, line)
      return line
    }
    line.show(progress.done, of: progress.total)
  }
}

extension VaultProgress.Phase {
  fileprivate var words: String {
    switch self {
    case .sealing: "sealing item"
    case .verifying: "verifying item"
    case .reading: "reading version"
    case .publishing: "publishing copy"
    case .writing: "writing item"
    case .fetching: "fetching record"
    case .opening: "opening record"
    }
  }
}
