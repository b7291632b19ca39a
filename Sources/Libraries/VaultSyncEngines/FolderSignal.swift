import Glibc
import VaultStorage
import VaultSync

/// Reports that a file was put into a folder: inotify(7).
///
/// The kernel reports what this machine's programs do, file syncers among them; of what another one
/// writes into a network drive it knows nothing.
final class FolderSignal: StoreSignal {
  private let events: Int32

  /// Watches a folder; `nil` for one that the kernel says nothing of.
  ///
  /// - Parameter path: The folder's path.
  init?(_ path: String) {
    guard let folder = try? Directory(anyOwner: path, followsLink: true),
      let isOnNetwork = try? NetworkFileSystem.contains(folder), !isOnNetwork
    else { return nil }
    events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard events >= 0 else { return nil }
    // A file syncer makes a file under another name and gives it its own, as this program does.
    let mask = UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF)
    guard unsafe inotify_add_watch(events, path, mask) >= 0 else {
      System.close(events)
      return nil
    }
  }

  deinit { if events >= 0 { System.close(events) } }

  func wait(for time: Duration) throws -> Bool {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      let (seconds, rest) = min(end - .now, .seconds(3600)).components
      let left = Int32(clamping: max(1, seconds * 1000 + rest / 1_000_000_000_000_000))
      var waiting = pollfd(fd: events, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&waiting, 1, left) > 0 else { continue }
      try FileEvents.take(from: events) { mask, _ in
        if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0 {
          throw SyncError(.unavailable, "the store's folder is not there any more")
        }
      }
      return true
    }
    return false
  }
}
