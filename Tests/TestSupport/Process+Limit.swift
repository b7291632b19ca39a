package import Foundation

extension Process {
  /// Waits for the end of a program; one that does not come to it is killed.
  ///
  /// A program that waits forever, say for a keyring that has crashed, thus fails its own test, and
  /// the run goes on. The limit, 15 minutes, is far beyond what any takes on a loaded machine, also
  /// a compiler.
  package func waitOrKill() { limited { waitUntilExit() } }

  /// Reads what a program writes to a pipe, and waits for its end, as ``waitOrKill()`` does.
  package func output(of pipe: Pipe) -> Data {
    limited {
      let data = pipe.fileHandleForReading.readDataToEndOfFile()
      waitUntilExit()
      return data
    }
  }

  private func limited<Result>(_ body: () -> Result) -> Result {
    let pid = processIdentifier
    let killing = DispatchWorkItem { kill(pid, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(15 * 60), execute: killing)
    defer { killing.cancel() }
    return body()
  }
}
