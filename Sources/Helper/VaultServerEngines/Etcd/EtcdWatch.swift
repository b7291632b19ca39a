import Glibc
import Synchronization
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// A watch on the heads of a space: a request whose answer is a line for each change.
///
/// It begins at the present, so compaction cannot end it, and with `hasleader`, so that it ends where
/// its server has lost the others instead of being silent for ever.
final class EtcdWatch: StoreSignal {
  private struct State: Sendable {
    var hasBegun = false
    var hasChanged = false
    var end: SyncError?
    /// A line that is not whole yet.
    var line: [UInt8] = []
  }

  private let state = Mutex(State())
  /// A byte in it wakes who waits.
  private let pipe: Pipe
  private let user: String?
  private let server: String

  private static let longestLine = 16 << 20

  init(
    _ url: String, _ headers: [String], _ address: EtcdAddress, start: String, end: String
  ) throws {
    guard let pipe = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else {
      throw SyncError(.unavailable, "this process has too many open files")
    }
    self.pipe = pipe
    user = address.user
    server = url
    let library = try CurlLibrary.open()
    let request = JSONValue.object([
      (
        "create_request",
        .object([
          ("key", .string(Base64Text.encode(Array(start.utf8)))),
          ("range_end", .string(Base64Text.encode(Array(end.utf8)))),
          ("filters", .strings(["NODELETE"])), ("progress_notify", .bool(true)),
        ])
      )
    ])
    let body = Array(request.text().utf8)
    // The thread ends with the answer, or the process: an engine that listens does nothing else.
    BlockingThread.start(name: "vault-etcd-watch") { [self] in
      listen(library, address.files, url, body, headers + ["Grpc-Metadata-hasleader: true"])
    }
    // etcd says that it has begun: what changes from now on comes.
    let limit = ContinuousClock.now + .seconds(8)
    while !state.withLock({ $0.hasBegun || $0.end != nil }), ContinuousClock.now < limit {
      pause(milliseconds: 100)
    }
    let (hasBegun, failure) = state.withLock { ($0.hasBegun, $0.end) }
    if let failure, !hasBegun { throw failure }
    guard hasBegun else { throw SyncError(.unavailable, "\(url) does not begin to signal") }
  }

  deinit {
    close(pipe.read)
    close(pipe.write)
  }

  func wait(for time: Duration) throws -> Bool {
    let limit = ContinuousClock.now + time
    while true {
      let (hasChanged, end) = state.withLock { state in
        defer { state.hasChanged = false }
        return (state.hasChanged, state.end)
      }
      if hasChanged { return true }
      if let end { throw end }
      let left = limit - .now
      guard left > .zero else { return false }
      pause(milliseconds: Int(left.components.seconds) * 1000 + 1000)
    }
  }

  private func pause(milliseconds: Int) {
    var waiting = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&waiting, 1, Int32(clamping: milliseconds))
    var byte: [UInt8] = [0]
    while unsafe read(pipe.read, &byte, 1) > 0 {}
  }

  private func wake() {
    let byte: [UInt8] = [1]
    _ = unsafe write(pipe.write, byte, 1)
  }

  private func listen(
    _ library: CurlLibrary, _ files: TLSFiles, _ url: String, _ body: [UInt8], _ headers: [String]
  ) {
    var error = SyncError(.unavailable, "the etcd has ended the watch", hint: "try again")
    do throws(CurlConnection.Failure) {
      // No time limit: nothing comes for hours where nothing changes.
      let connection = try CurlConnection(library, files, patience: 0)
      _ = try connection.stream(url, body, headers: headers) { bytes in
        take(bytes)
      }
    } catch let failure {
      error = EtcdFailure(failure, server: server).error
    }
    state.withLock { $0.end = $0.end ?? error }
    wake()
  }

  /// Takes bytes; false where the watch is over.
  private func take(_ bytes: [UInt8]) -> Bool {
    defer { wake() }
    return state.withLock { state in
      for part in bytes.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      ).dropLast() {
        let line = state.line + part
        state.line = []
        take(line: line, &state)
      }
      state.line += bytes.reversed().prefix { $0 != UInt8(ascii: "\n") }.reversed()
      if state.line.count > Self.longestLine { state.line = [] }
      return state.end == nil
    }
  }

  private func take(line: [UInt8], _ state: inout State) {
    // A line of many changes may have megabytes, and says nothing but that there are some.
    guard line.count < 64 << 10, let document = try? JSONValue.parse(line) else {
      state.hasChanged = true
      return
    }
    let result = document["result"] ?? document
    if result["canceled"] == .bool(true) || document["error"] != nil {
      let error = document["error"]
      let text =
        (result["cancel_reason"] ?? error?["message"] ?? error)?.scalarText ?? "it was canceled"
      let code = (error?["grpc_code"] ?? error?["code"])?.scalarText.flatMap { Int($0) } ?? 0
      state.end =
        EtcdFailure(status: 503, code: code, text, server: server, user: user).error
    } else if result["created"] == .bool(true) {
      state.hasBegun = true
    } else if !(result["events"]?.elements ?? []).isEmpty {
      state.hasChanged = true
    }
  }
}
