import CVaultLinux
import Glibc

/// Reports that any process replaced or wrote a file, without a daemon: inotify(7).
///
/// On a network file system the kernel does not report writes of other machines, so it also looks
/// once a second. With an interval it only polls and does not use the kernel's events.
package enum FileSignal {
  /// A watch that lasts until ``stop()``.
  package struct Watch: Sendable {
    fileprivate let end: Int32

    /// Ends the watch; its thread exits soon after.
    package func stop() { System.close(end) }
  }

  /// Calls `body` on a thread of its own after each change of the file `name` in `folder`.
  ///
  /// When this returns, the watch is set: every later change is reported. The file need not exist.
  ///
  /// - Parameters:
  ///   - name: The file.
  ///   - folder: The directory of the file.
  ///   - isOwn: Whether the folder must be the user's own alone, as those of the vault are.
  ///   - interval: How often to poll; `nil` to use the kernel's events, and on a network file
  ///     system to poll once a second as well.
  ///   - seesLinks: Whether a symbolic link or a folder that is made under that name is a change,
  ///     too, and that `folder` itself goes.
  ///   - body: Called for each change.
  /// - Returns: The watch.
  /// - Throws: ``StorageError`` if the directory cannot be watched.
  package static func watch(
    _ name: String, in folder: String, isOwn: Bool = true, polling interval: Duration? = nil,
    seesLinks: Bool = false, _ body: @escaping @Sendable () -> Void
  ) throws(StorageError) -> Watch {
    let directory =
      try isOwn ? Directory(folder) : Directory(anyOwner: folder, followsLink: true)
    let timeout =
      if let interval { milliseconds(interval) } else {
        try NetworkFileSystem.contains(directory) ? 1_000 : -1 as Int32
      }
    let events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard events >= 0 else {
      throw StorageError(.inputOutput, "cannot watch \(folder)", systemError: errno)
    }
    let mask =
      UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM)
      | (seesLinks ? UInt32(IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF) : 0)
    var ends: [Int32] = [-1, -1]
    let isTold = unsafe interval != nil || inotify_add_watch(events, folder, mask) >= 0
    guard isTold, unsafe pipe2(&ends, O_CLOEXEC) == 0
    else {
      let error = errno
      System.close(events)
      throw StorageError(.inputOutput, "cannot watch \(folder)", systemError: error)
    }
    let stop = ends[0]
    let status = { @Sendable () -> System.FileStatus? in
      try? System.status(of: name, in: directory.descriptor)
    }
    // Read before this returns, so that a change right afterwards is noticed.
    let first = status()
    BlockingThread.start(name: "vault-file") {
      var seen = first
      defer {
        System.close(events)
        System.close(stop)
      }
      while wait(for: events, until: stop, timeout: timeout) {
        let (isAbout, isMade) = drain(events, name: name)
        let now = status()
        // A file that is made is empty; what is written into it comes when it is closed.
        if isMade, !isAbout, now?.isRegular == true { continue }
        if isAbout || isMade || now != seen { body() }
        seen = now
      }
    }
    return Watch(end: ends[1])
  }

  /// At least one, so that the wait ends, and at most an hour.
  private static func milliseconds(_ interval: Duration) -> Int32 {
    let (seconds, attoseconds) = min(max(interval, .milliseconds(1)), .seconds(3_600)).components
    return Int32(seconds) * 1_000 + Int32(attoseconds / 1_000_000_000_000_000)
  }

  /// Waits for events or the time; `false` when the watch was stopped.
  private static func wait(for events: Int32, until stop: Int32, timeout: Int32) -> Bool {
    while true {
      var descriptors = [
        pollfd(fd: events, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: 0, revents: 0),
      ]
      let ready = unsafe poll(&descriptors, 2, timeout)
      if ready < 0, errno == EINTR { continue }
      return ready >= 0 && descriptors[1].revents == 0
    }
  }

  /// Reads the pending events.
  ///
  /// - Returns: Whether any was about `name`, or the folder itself, and whether `name` was made.
  private static func drain(_ events: Int32, name: String) -> (isAbout: Bool, isMade: Bool) {
    var (isAbout, isMade) = (false, false)
    FileEvents.take(from: events) { mask, found in
      if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 { isAbout = true }
      guard found.elementsEqual(name.utf8) else { return }
      if mask & UInt32(IN_CREATE) != 0 { isMade = true } else { isAbout = true }
    }
    return (isAbout, isMade)
  }
}
