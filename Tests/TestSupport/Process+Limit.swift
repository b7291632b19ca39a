package import Foundation

extension Process {
  /// Waits for the end of a program; one that does not come to it is killed.
  ///
  /// A program that waits forever, say for a keyring that has crashed, thus fails its own test, and
  /// the run goes on. The limit is far beyond what any program takes on a loaded machine.
  package func waitOrKill(afterMinutes limit: Int = 5) {
    let pid = processIdentifier
    let killing = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60 * limit), execute: killing)
    waitUntilExit()
    killing.cancel()
  }
}
