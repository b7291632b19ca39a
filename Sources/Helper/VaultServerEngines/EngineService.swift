import Glibc
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// An engine of this software as a child: it answers over stdin and stdout until stdin ends.
///
/// Documentation/engines.md.
package enum EngineService {
  /// The word by which the helper starts one.
  package static let verb = "engine"

  /// Answers, and ends the process.
  ///
  /// - Parameter name: Which engine.
  package static func run(_ name: String) -> Never {
    guard let hello = receive(), hello.word == "hello" else { exit(64) }
    if name == WebFeedFiles.engine { answerFeeds(hello) }
    let engine: any SyncEngine
    do {
      guard hello.number(1) == 1, let address = hello.text(2), let seconds = hello.number(3) else {
        throw SyncError(.unavailable, "the greeting is of another version", hint: "update both")
      }
      let password =
        try hello.fields.count > 4 && !hello.fields[4].isEmpty
        ? SecretBytes(copying: hello.fields[4]) : nil
      engine = try Self.engine(name, address, password, seconds: Int(clamping: seconds))
      let traits =
        switch name {
        case "etcd": "restore retire changes"
        case "rclone": "eventual restore retire"
        default: "restore changes"
        }
      send(EngineMessage(["ok", "1", traits, String(engine.largest)]))
    } catch {
      send(refusal(error))
      exit(1)
    }
    while let request = receive() {
      do {
        if request.word == "changes" { try signal(request, engine) }
        send(EngineMessage([Array("ok".utf8)] + (try answer(request, engine))))
      } catch {
        send(refusal(error))
      }
    }
    exit(0)
  }

  /// Fetches the files of a mirror, until stdin ends.
  private static func answerFeeds(_ hello: EngineMessage) -> Never {
    let fetching: FeedFetching
    do {
      guard hello.number(1) == 1, let seconds = hello.number(3) else {
        throw SyncError(.unavailable, "the greeting is of another version", hint: "update both")
      }
      fetching = try FeedFetching(seconds: Int(clamping: seconds))
      send(EngineMessage(["ok", "1", "", String(SyncObject.maximumLength)]))
    } catch {
      send(refusal(error))
      exit(1)
    }
    while let request = receive() {
      do {
        guard request.word == "get", request.fields.count == 4, let address = request.text(1),
          let limit = request.number(2)
        else { throw Malformed() }
        let found = try fetching.file(
          at: address, unless: request.fields[3], limit: Int(clamping: limit))
        send(EngineMessage([Array("ok".utf8)] + found.fields))
      } catch {
        send(refusal(error))
      }
    }
    exit(0)
  }

  private static func engine(
    _ name: String, _ address: String, _ password: SecretBytes?, seconds: Int
  ) throws -> any SyncEngine {
    switch name {
    case "etcd": try EtcdEngine(EtcdAddress(address), password: password, seconds: seconds)
    case "postgresql":
      try PostgresEngine(PostgresAddress(address), password: password, seconds: seconds)
    case "rclone": RcloneEngine(try RcloneAddress(address), seconds: seconds)
    default: throw SyncError(.unavailable, "there is no such engine")
    }
  }

  private struct Malformed: Error {}

  private static func answer(
    _ request: EngineMessage, _ engine: any SyncEngine
  ) throws -> [[UInt8]] {
    if request.word == "spaces" { return try engine.spaces().map { Array($0.text.utf8) } }
    guard let space = request.text(1).flatMap({ SpaceID(text: $0) }) else { throw Malformed() }
    func stream() throws -> StreamID {
      guard let stream = request.text(2).flatMap({ StreamID(text: $0) }) else { throw Malformed() }
      return stream
    }
    func number(_ position: Int) throws -> UInt64 {
      guard let number = request.number(position) else { throw Malformed() }
      return number
    }
    func name(_ position: Int) throws -> [UInt8] {
      guard let name = request.text(position).flatMap({ Hexadecimal.bytes($0) }) else {
        throw Malformed()
      }
      return name
    }
    func bytes(_ position: Int) throws -> [UInt8] {
      guard request.fields.indices.contains(position) else { throw Malformed() }
      return request.fields[position]
    }
    switch request.word {
    case "heads": return try engine.heads(in: space).map(\.bytes)
    case "records":
      return try engine.records(
        of: stream(), in: space, after: number(3), limit: Int(clamping: number(4)))
    case "append":
      guard let head = try StreamHead(bytes(4)), try head.stream == stream() else {
        throw Malformed()
      }
      try engine.append(Array(request.fields.dropFirst(5)), head: head, in: space)
    case "restore":
      try engine.restore(bytes(4), of: stream(), at: number(3), in: space)
    case "retire": try engine.retire(upTo: number(3), of: stream(), in: space)
    case "oldest":
      return try engine.oldest(of: stream(), in: space).map { [Array(String($0).utf8)] } ?? []
    case "remove":
      try engine.removeObjects(request.fields.indices.dropFirst(2).map(name), in: space)
    case "invitation": return try engine.invitation(name(2), in: space).map { [$0] } ?? []
    case "invite": try engine.putInvitation(bytes(3), id: name(2), in: space)
    case "object": return try engine.object(name(2), in: space).map { [$0] } ?? []
    case "put": try engine.put([SyncObject(name: name(2), bytes: bytes(3))], in: space)
    default: throw Malformed()
    }
    return []
  }

  /// Signals until stdin or the store's signal ends.
  private static func signal(_ request: EngineMessage, _ engine: any SyncEngine) throws -> Never {
    guard let space = request.text(1).flatMap({ SpaceID(text: $0) }),
      let signal = try engine.changes(in: space)
    else { throw Malformed() }
    send(EngineMessage(["ok"]))
    BlockingThread.start(name: "vault-engine") {
      while receive() != nil {}
      exit(0)
    }
    do {
      while true {
        if try signal.wait(for: .seconds(3600)) { send(EngineMessage(["changed"])) }
      }
    } catch {
      send(refusal(error))
      exit(1)
    }
  }

  private static func refusal(_ error: any Error) -> EngineMessage {
    guard let error = error as? SyncError else {
      return EngineMessage(["error", "unavailable", "the engine was asked what it does not know"])
    }
    return EngineMessage(
      ["error", EngineErrorWord.word(error.code), error.message] + [error.hint].compactMap(\.self))
  }

  // MARK: - Streams

  private static func receive() -> EngineMessage? {
    guard let start = try? System.readStart(STDIN_FILENO, count: 4), start.count == 4 else {
      return nil
    }
    let length = EngineMessage.length(start)
    guard length <= EngineMessage.maximumLength,
      let body = try? System.readStart(STDIN_FILENO, count: length), body.count == length
    else { return nil }
    return EngineMessage(body: body)
  }

  private static func send(_ message: EngineMessage) {
    do {
      try message.bytes.withRawSpan { try System.writeAll(STDOUT_FILENO, $0) }
    } catch {
      // Nobody listens any more.
      exit(0)
    }
  }
}
