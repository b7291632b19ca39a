package import Foundation

extension Process {
  /// Waits for the end of a program; one that does not come to it is killed.
  ///
  /// A program that waits forever, say for a keyring that has crashed, thus fails its own test, and
  /// the run goes on. The limit, 15 minutes, is far beyond what any takes on a loaded machine, also
  /// a compiler.
  package func waitOrKill() {
    let pid = processIdentifier
    let killing = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(15 * 60), execute: killing)
    waitUntilExit()
    killing.cancel()
  }
}
