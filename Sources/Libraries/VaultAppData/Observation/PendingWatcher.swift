/// Hears of the changes that are pending in a context, as long as somebody holds it.
final class PendingWatcher {
  /// Called at each change, on the context's thread; it must not touch the context.
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

/// The watchers of a context.
struct PendingWatchers {
  private struct Weak {
    weak var watcher: PendingWatcher?
  }

  private var all: [Weak] = []

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ watcher: PendingWatcher) {
    all.removeAll { $0.watcher == nil }
    all.append(Weak(watcher: watcher))
  }

  func tell() { for watcher in all { watcher.watcher?.body() } }
}
