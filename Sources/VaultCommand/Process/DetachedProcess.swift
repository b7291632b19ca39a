import CVaultLinux
import Glibc

/// What a run of this program does that nobody waits for.
enum DetachedProcess {
  // Above what anybody opens by hand.
  private static let lastInherited: Int32 = 255

  /// Lets go of what was inherited: the folder, stdin and further descriptors; they may be somebody's pipe.
  ///
  /// - Parameter kept: Descriptors from 3 on that are still needed.
  static func letGo(keeping kept: Set<Int32>) {
    _ = unsafe chdir("/")
    let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    if nothing >= 0 { dup2(nothing, 0) }
    for descriptor in 3...lastInherited where !kept.contains(descriptor) { close(descriptor) }
  }

  /// Waits; time that the machine sleeps counts.
  ///
  /// - Parameters:
  ///   - seconds: How long.
  ///   - terminal: A terminal whose end ends the wait.
  /// - Returns: `false` if the terminal is gone.
  static func wait(seconds: Int, terminal: Int32?) -> Bool {
    let end = now() + seconds
    while case let left = end - now(), left > 0 {
      var waiting = pollfd(fd: terminal ?? -1, events: 0, revents: 0)
      // Not in one go: poll(2) does not count sleep.
      let count = unsafe poll(&waiting, 1, Int32(min(left, 5)) * 1000)
      if count > 0 { return false }
    }
    return true
  }

  /// Ends the process if it is still there then: a display may not answer.
  static func end(within seconds: UInt32) { alarm(seconds) }

  private static func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
  }
}
