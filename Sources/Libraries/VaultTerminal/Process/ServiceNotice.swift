import CVaultLinux

/// Word to a service manager about how this process is: sd_notify(3), without its library.
///
/// Without `NOTIFY_SOCKET` nothing is sent.
package enum ServiceNotice {
  /// Sends lines such as `READY=1`.
  package static func send(_ lines: String...) {
    guard let path = ProcessState.variable("NOTIFY_SOCKET"), !path.isEmpty else { return }
    _ = unsafe cvault_notify(path, lines.joined(separator: "\n"))
  }

  /// Whether a manager waits for such lines.
  package static var hasManager: Bool { ProcessState.variable("NOTIFY_SOCKET") != nil }

  /// How often the manager wants to hear from this process; `nil` if it does not.
  ///
  /// Half of `WATCHDOG_USEC`, as sd_watchdog_enabled(3) recommends.
  package static var interval: Duration? {
    guard let text = ProcessState.variable("WATCHDOG_USEC"), let time = Int64(text), time > 0 else {
      return nil
    }
    return .microseconds(time / 2)
  }
}
