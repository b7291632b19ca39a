import CVaultLinux
import Glibc

/// The housekeeping of a detached child of this program.
enum DetachedProcess {
  // Higher than any descriptor a user is likely to open.
  private static let lastInherited: Int32 = 255

  /// Closes what was inherited: the working directory, stdin and further descriptors.
  ///
  /// One of them may be the end of a pipe whose reader waits for us.
  ///
  /// - Parameter kept: Descriptors from 3 on to keep open.
  static func closeInherited(keeping kept: Set<Int32>) {
    _ = unsafe chdir("/")
    let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    if nothing >= 0 { dup2(nothing, 0) }
    for descriptor in 3...lastInherited where !kept.contains(descriptor) { close(descriptor) }
  }

  /// Waits; the time that the machine is suspended counts.
  ///
  /// - Parameters:
  ///   - seconds: The time to wait.
  ///   - terminal: A terminal; the wait ends when it closes.
  /// - Returns: `false` if the terminal closed.
  static func wait(seconds: Int, terminal: Int32?) -> Bool {
    let end = now() + seconds
    while case let left = end - now(), left > 0 {
      var waiting = pollfd(fd: terminal ?? -1, events: 0, revents: 0)
      // In steps, because the clock of poll(2) stops while the machine is suspended.
      let count = unsafe poll(&waiting, 1, Int32(min(left, 5)) * 1000)
      if count > 0 { return false }
    }
    return true
  }

  /// Ends this process after a time limit, since a display may never answer.
  static func end(within seconds: UInt32) { alarm(seconds) }

  private static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
  }
}
