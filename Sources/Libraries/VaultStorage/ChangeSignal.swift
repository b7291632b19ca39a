import CVaultLinux
import Glibc
import Synchronization

/// Reports that a store was changed, by this process or any other, without a daemon.
///
/// The kernel reports writes to the store's files (inotify(7)); then SQLite's data version shows
/// whether something was committed. One thread waits for all subscribers, and runs only while there
/// are any. On a network file system the kernel does not report writes of other machines, so the
/// thread looks once a second.
package final class ChangeSignal: Sendable {
  private struct State {
    var subscribers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var observer: (@Sendable () -> Void)?
    var next: UInt64 = 0
    var stop: Int32?
  }

  /// What is watched.
  fileprivate struct Place: Sendable {
    /// Opens the directory.
    let directory: @Sendable () throws(StorageError) -> Directory
    let path: String
    let name: String
    /// Opens the database for reading; `nil` if that cannot be done now.
    let open: @Sendable () -> SQLiteConnection?
  }

  private let place: Place
  private let state = Mutex(State())

  /// Names the store to watch; watching starts with ``changes()``.
  package init(_ location: StoreLocation) {
    place = Place(
      directory: { () throws(StorageError) in try Directory(location.data, create: true) },
      path: location.data, name: StoreLocation.storeName,
      open: {
        let store = try? Store.open(location, mode: .read, busyTimeout: .milliseconds(500))
        // A copy shows no changes of others.
        return store?.isCopy == true ? nil : store?.connection
      })
  }

  /// Names a database file to watch, whoever owns its directory; watching starts with
  /// ``changes()``.
  ///
  /// - Parameters:
  ///   - directory: The path of the directory.
  ///   - name: The file's name.
  ///   - open: Opens the database for reading; `nil` if that cannot be done now.
  package init(
    directory: String, name: String, open: @escaping @Sendable () -> SQLiteConnection?
  ) {
    place = Place(
      directory: { () throws(StorageError) in
        try Directory(anyOwner: directory, followsLink: true)
      },
      path: directory, name: name, open: open)
  }

  /// One element for each change, or for several changes in quick succession.
  ///
  /// When this returns, the watch is set: every later commit is reported.
  ///
  /// - Throws: ``StorageError`` if the directory cannot be created or watched.
  package func changes() throws(StorageError) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let failure: StorageError? = state.withLock { state in
      let id = state.next
      state.next += 1
      if state.stop == nil {
        do throws(StorageError) {
          state.stop = try start()
        } catch {
          return error
        }
      }
      state.subscribers[id] = continuation
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
      return nil
    }
    if let failure { throw failure }
    return stream
  }

  /// Calls `body` on the watching thread for each change, until the signal is released.
  ///
  /// - Throws: ``StorageError`` if the directory cannot be made or watched.
  package func observe(_ body: @escaping @Sendable () -> Void) throws(StorageError) {
    let failure: StorageError? = state.withLock { state in
      state.observer = body
      guard state.stop == nil else { return nil }
      do throws(StorageError) {
        state.stop = try start()
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  deinit {
    state.withLock { state in
      for subscriber in state.subscribers.values { subscriber.finish() }
      if let stop = state.stop { System.close(stop) }
    }
  }

  private func remove(_ id: UInt64) {
    state.withLock { state in
      state.subscribers[id] = nil
      if state.subscribers.isEmpty, state.observer == nil, let stop = state.stop {
        // The other end of the pipe wakes the thread, which then ends.
        System.close(stop)
        state.stop = nil
      }
    }
  }

  private func report() {
    let (subscribers, observer) = state.withLock { (Array($0.subscribers.values), $0.observer) }
    for subscriber in subscribers { subscriber.yield() }
    observer?()
  }

  /// Starts the thread; returns the descriptor that ends it when closed.
  private func start() throws(StorageError) -> Int32 {
    let watch = try StoreWatch(place)
    let (end, stop) = try StoreWatch.makePipe()
    BlockingThread.start(name: "vault-changes") { [weak self] in
      defer { System.close(end) }
      while watch.waitForCommit(until: end) {
        guard let self else { return }
        self.report()
      }
    }
    return stop
  }
}

/// The thread's connection and descriptors. Used by one thread at a time.
// @unchecked: created by one thread, passed to the watching thread, and never shared.
private final class StoreWatch: @unchecked Sendable {
  private let directory: Directory
  private let place: ChangeSignal.Place
  private let notifications: Int32
  private let isOnNetwork: Bool
  private var connection: SQLiteConnection?
  private var version: Int64?

  init(_ place: ChangeSignal.Place) throws(StorageError) {
    self.place = place
    directory = try place.directory()
    isOnNetwork = try NetworkFileSystem.contains(directory)
    notifications = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard notifications >= 0 else {
      throw StorageError(.inputOutput, "cannot watch the store", systemError: errno)
    }
    let events = UInt32(IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_MOVED_TO)
    guard unsafe inotify_add_watch(notifications, place.path, events) >= 0 else {
      let error = errno
      System.close(notifications)
      throw StorageError(.inputOutput, "cannot watch \(place.path)", systemError: error)
    }
    version = dataVersion()
  }

  deinit { System.close(notifications) }

  static func makePipe() throws(StorageError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else {
      throw StorageError(.inputOutput, "cannot make a pipe", systemError: errno)
    }
    return (ends[0], ends[1])
  }

  /// Waits for a commit; returns false when the other end of `end` is closed.
  func waitForCommit(until end: Int32) -> Bool {
    // The kernel reports a write to the log before readers can see the commit: after an event, look
    // again for a while, in growing intervals. Our programs touch the store after a commit, so the
    // first look suffices for them.
    let pauses: [Int32] = [1, 2, 5, 10, 30, 100, 300, 1_000]
    var attempt = pauses.count
    while true {
      let timeout = attempt < pauses.count ? pauses[attempt] : isOnNetwork ? 1_000 : -1
      var descriptors = [
        pollfd(fd: notifications, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end, events: 0, revents: 0),
      ]
      let ready = unsafe poll(&descriptors, 2, timeout)
      if ready < 0 {
        if errno == EINTR { continue }
        return false
      }
      if descriptors[1].revents != 0 { return false }
      attempt = descriptors[0].revents != 0 ? (drain() ? 0 : attempt) : attempt + 1
      let seen = dataVersion()
      if let seen, seen != version {
        version = seen
        return true
      }
      if attempt > pauses.count { attempt = pauses.count }
    }
  }

  /// Reads the pending events; returns whether any was about the store.
  private func drain() -> Bool {
    var isAboutStore = false
    FileEvents.take(from: notifications) { mask, name in
      let text = String(decoding: name, as: UTF8.self)
      if text == place.name, mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
        // The store is another file now: it was quarantined or restored.
        connection = nil
        version = nil
      }
      if text.hasPrefix(place.name), !text.hasSuffix("-shm") { isAboutStore = true }
    }
    return isAboutStore
  }

  private func dataVersion() -> Int64? {
    if connection == nil {
      connection = place.open()
      // Opening the store created files, which the kernel reports, too.
      if connection != nil { _ = drain() }
    }
    guard let connection, let version = try? connection.dataVersion() else { return nil }
    return version
  }
}
