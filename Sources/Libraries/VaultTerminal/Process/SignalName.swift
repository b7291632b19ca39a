import Glibc

/// Signals by their names: signal(7).
package enum SignalName {
  private static let numbers: [String: Int32] = [
    "ABRT": SIGABRT, "ALRM": SIGALRM, "CONT": SIGCONT, "HUP": SIGHUP, "INT": SIGINT,
    "KILL": SIGKILL, "PIPE": SIGPIPE, "QUIT": SIGQUIT, "TERM": SIGTERM, "TSTP": SIGTSTP,
    "USR1": SIGUSR1, "USR2": SIGUSR2, "WINCH": SIGWINCH,
  ]

  /// The number of a signal.
  ///
  /// - Parameter text: `HUP`, `SIGHUP` or `1`, in letters of either size.
  /// - Returns: The number; `nil` for what is no signal here.
  package static func number(_ text: String) -> Int32? {
    if let number = Int32(text) { return (1...64).contains(number) ? number : nil }
    let name = text.uppercased()
    return numbers[name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name]
  }
}
