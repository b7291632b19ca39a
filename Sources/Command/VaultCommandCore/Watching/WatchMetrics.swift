import FoundationEssentials
import Glibc
import Synchronization
import VaultDBus
import VaultSealing
import VaultStorage
import VaultSync
import VaultTerminal

/// What a monitor reads of `sync watch`: numbers alone, no name of an item, a machine or a store.
///
/// In the text format of Prometheus, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats), as a file for the collector of text files
/// and over HTTP on a socket.
package final class WatchMetrics: Sendable {
  private struct Numbers {
    var lastContact: Date?
    var (runs, received, sent, mended, refused): (UInt64, UInt64, UInt64, UInt64, UInt64) =
      (0, 0, 0, 0, 0)
    var (waiting, kept, machines): (Int, Int, Int) = (0, 0, 0)
    var (rowsTaken, rowsSent): (UInt64, UInt64) = (0, 0)
    /// How often a run ended with a code.
    var errors: [String: UInt64] = [:]
    var isWell = false
    /// How old the feed is that the vault follows; `nil` on a machine of the space.
    var feed: FeedAge?
  }

  private let file: String?
  private let socket: String?
  private let numbers = Mutex(Numbers())
  private let started = Date()

  /// Makes numbers that are all zero.
  ///
  /// - Parameters:
  ///   - file: Where they are written after each run; `nil` for nowhere.
  ///   - socket: Where they are told over HTTP; `nil` for nowhere.
  /// - Throws: ``CommandError`` with code `.cannotCreate`.
  package init(file: String?, socket: String?) throws {
    self.file = file
    self.socket = socket
    try write()
    guard let socket else { return }
    let listening = try Self.listen(at: socket)
    BlockingThread.start(name: "vault-metrics") { [self] in serve(listening) }
  }

  /// Removes the socket: nobody answers there any more.
  func end() {
    if let socket { try? System.unlink(socket, in: AT_FDCWD) }
  }

  /// Counts a run.
  ///
  /// - Parameters:
  ///   - run: What it did.
  ///   - status: How the vault stands to its space afterwards.
  ///   - codes: What was wrong.
  func note(_ run: SpaceRun, _ status: SyncStatus, _ codes: Set<CommandError.Code>) {
    let report = run.report
    numbers.withLock { numbers in
      numbers.runs += 1
      numbers.lastContact = status.lastContact
      numbers.received += UInt64(report.received)
      numbers.sent += UInt64(report.sent)
      numbers.mended += UInt64(report.mended)
      numbers.refused += UInt64(report.refusedItems.count)
      let changed = status.changedItems + status.changedPreferences
      // What a machine changed that only reads stays here: that is not late.
      let isReader = status.role == .reader
      numbers.waiting = status.unsent + (isReader ? 0 : changed)
      numbers.kept = isReader ? changed : 0
      numbers.machines = status.devices
      numbers.rowsTaken += run.data.reduce(0) { $0 + $1.taken }
      numbers.rowsSent += run.data.reduce(0) { $0 + $1.told }
      numbers.feed = status.feedAge
      for code in codes { numbers.errors[code.rawValue, default: 0] += 1 }
      numbers.isWell = codes.isEmpty
    }
    writeOrTell()
  }

  /// Counts a run that came to nothing.
  ///
  /// - Parameter code: Why.
  func note(_ code: CommandError.Code) {
    numbers.withLock { numbers in
      numbers.runs += 1
      numbers.errors[code.rawValue, default: 0] += 1
      numbers.isWell = false
    }
    writeOrTell()
  }

  /// The numbers as text.
  var text: String {
    let numbers = numbers.withLock { $0 }
    var lines: [String] = []
    func add(
      _ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: String)]
    ) {
      lines += ["# HELP vault_sync_\(name) \(help)", "# TYPE vault_sync_\(name) \(kind)"]
      lines += values.map { "vault_sync_\(name)\($0.labels) \($0.value)" }
    }
    func seconds(_ date: Date?) -> String { "\(date?.timeIntervalSince1970 ?? 0)" }
    add(
      "last_contact_timestamp_seconds", "gauge", "When the store answered last; 0 for never.",
      [("", seconds(numbers.lastContact))])
    add(
      "start_timestamp_seconds", "gauge", "When the watching began.", [("", seconds(started))])
    add(
      "well", "gauge", "1 if the last run found nothing wrong.", [("", numbers.isWell ? "1" : "0")])
    add(
      "changes_waiting", "gauge", "Changes of this machine that the store does not have yet.",
      [("", "\(numbers.waiting)")])
    add(
      "changes_kept", "gauge", "Changes on a machine that only reads: they stay there.",
      [("", "\(numbers.kept)")])
    if let feed = numbers.feed {
      let isStale =
        Date().timeIntervalSince1970 * 1000 - Double(feed.written) > Double(feed.patience)
      add(
        "feed_timestamp_seconds", "gauge", "When the feed that this machine follows was written.",
        [("", "\(Double(feed.written) / 1000)")])
      add(
        "feed_stale", "gauge", "1 if that feed is older than it should get.",
        [("", isStale ? "1" : "0")])
    }
    add("machines", "gauge", "Machines that are in the space.", [("", "\(numbers.machines)")])
    add("runs_total", "counter", "Runs since the watching began.", [("", "\(numbers.runs)")])
    add(
      "records_received_total", "counter", "Records of other machines.",
      [("", "\(numbers.received)")])
    add(
      "records_sent_total", "counter", "Records of this machine.", [("", "\(numbers.sent)")])
    add(
      "records_mended_total", "counter", "Records that the store had lost, and has again.",
      [("", "\(numbers.mended)")])
    add(
      "rows_received_total", "counter",
      "Rows of applications that were made, changed or deleted here by other machines.",
      [("", "\(numbers.rowsTaken)")])
    add(
      "rows_sent_total", "counter", "Changes of rows that this machine told the others.",
      [("", "\(numbers.rowsSent)")])
    add(
      "items_refused_total", "counter", "Items that the vault cannot hold, and that stayed out.",
      [("", "\(numbers.refused)")])
    add(
      "errors_total", "counter", "Runs that found something wrong, by code.",
      numbers.errors.sorted { $0.key < $1.key }.map { ("{code=\"\($0.key)\"}", "\($0.value)") })
    return lines.map { $0 + "\n" }.joined()
  }

  // MARK: - The file

  private func write() throws {
    guard let file else { return }
    let bytes = Array(text.utf8)
    // The collector is another user.
    try OutputFile.write(to: file, mode: 0o644, isPlainFile: true, option: "--metrics") {
      file throws(OutputFile.WriteFailure) in
      try bytes.withRawSpan { span throws(OutputFile.WriteFailure) in
        try System.writeAll(file, span)
      }
    }
  }

  /// A full disk is no reason to stop; an old file says so by its times.
  private func writeOrTell() {
    do {
      try write()
    } catch {
      StandardError.note(ErrorReport(error).message)
    }
  }

  // MARK: - The socket

  private static func listen(at path: String) throws -> Int32 {
    let old = umask(0o177)
    defer { umask(old) }
    var status = stat()
    // One that a dead service has left behind gives way.
    if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
      status.st_uid == geteuid(), !LocalSocket.isServed(path)
    {
      unsafe unlink(path)
    }
    guard let listening = LocalSocket.listen(at: path) else {
      throw CommandError(
        .cannotCreate,
        "the socket of --metrics-socket cannot be made: \(System.Failure(errno: errno).reason)",
        hint: "give a path in a folder of yours, such as $XDG_RUNTIME_DIR/vault-sync.metrics")
    }
    return listening
  }

  private func serve(_ listening: Int32) {
    while true {
      _ = LocalSocket.wait(for: [(listening, true, false)], milliseconds: nil)
      guard let client = LocalSocket.accept(listening) else {
        // Too many open files, for example.
        usleep(100_000)
        continue
      }
      answer(client)
      close(client)
    }
  }

  /// Answers each client, whatever it asks for: RFC 9112.
  ///
  /// One that is slow gets nothing.
  private func answer(_ client: Int32) {
    guard let buffer = try? LockedBuffer() else { return }
    let end = ContinuousClock.now + .milliseconds(250)
    func left() -> Int { max(1, Int((end - .now) / .milliseconds(1))) }
    while ContinuousClock.now < end {
      guard LocalSocket.wait(for: [(client, true, false)], milliseconds: left())[0].reads,
        case .moved = (try? LocalSocket.receive(client, into: buffer, atMost: 8 << 10)) ?? .ended
      else { return }
      let isWhole = buffer.withBytes { bytes in
        String(decoding: bytes.array(0..<bytes.byteCount), as: UTF8.self)
          .contains(bytes: "\r\n\r\n")
      }
      if isWhole { break }
    }
    let body = text
    let answer = Array(
      ("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n" + body).utf8)
    var sent = 0
    while sent < answer.count, ContinuousClock.now < end {
      let outcome = answer.withRawSpan {
        LocalSocket.send(client, $0.extracting(sent..<$0.byteCount))
      }
      switch outcome {
      case .moved(let count): sent += count
      case .later: _ = LocalSocket.wait(for: [(client, false, true)], milliseconds: left())
      case .ended: return
      }
    }
  }
}
