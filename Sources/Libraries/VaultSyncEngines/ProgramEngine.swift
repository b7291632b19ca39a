import Synchronization
public import VaultSealing
import VaultStorage
public import VaultSync
import VaultTerminal

/// A store behind a program that runs beside this one and answers over its stdin and stdout.
///
/// The program is started by the first call and ended with this object. Nothing of what it says is
/// believed: lengths are bounded, a silent one is ended, and its words are shown with everything
/// escaped that a terminal would act on. Documentation/engines.md has the protocol.
///
/// ```swift
/// let engine = ProgramEngine(path: "/usr/local/lib/folder-engine", store: "/srv/vault")
/// print(try engine.spaces())
/// ```
public final class ProgramEngine: SyncEngine {
  /// What an engine says of itself at the beginning.
  struct Traits: Sendable {
    let words: Set<String>
    let largest: Int
  }

  private struct Open: Sendable {
    var conversation: ProgramConversation
    let traits: Traits
  }

  private let program: EngineProgram
  private let password: SecretBytes?
  /// How many milliseconds nothing may come.
  private let patience: Int
  private let open = Mutex<Open?>(nil)

  /// Uses a program of one's own.
  ///
  /// - Parameters:
  ///   - path: The program's file, an absolute path. It is started only if neither it nor a folder
  ///     that it lies in can be written by other users.
  ///   - store: What the program is told of its store, without secrets.
  ///   - password: What opens the store for this machine.
  ///   - patience: How many seconds the program may be silent.
  public convenience init(
    path: String, store: String, password: SecretBytes? = nil, patience: Int = 60
  ) {
    self.init(
      EngineProgram(owner: .person(path: path), address: store), password: password,
      patience: patience)
  }

  init(_ program: EngineProgram, password: SecretBytes?, patience: Int) {
    self.program = program
    self.password = password
    self.patience = patience * 1000
  }

  deinit { open.withLock { _ = $0?.conversation.end(isAsked: true) } }

  // MARK: - Calls

  /// Whether the program says so; it is asked when it is first needed.
  public var isEventual: Bool { (try? has("eventual")) ?? false }

  /// What the program says, at least 1 MiB and at most 16.
  public var largest: Int {
    (try? opened { $0.traits.largest }) ?? SyncObject.maximumLength
  }

  /// The spaces of which the store has something.
  public func spaces() throws -> [SpaceID] {
    try call(["spaces"]).map { field in
      guard let text = String(validating: field, as: UTF8.self), let id = SpaceID(text: text) else {
        throw broken("an id of a space that is none")
      }
      return id
    }.sorted()
  }

  /// The heads.
  public func heads(in space: SpaceID) throws -> [StreamHead] {
    let heads = try call(["heads", space.text]).map { field in
      guard let head = StreamHead(field), head.sequence > 0 else {
        throw broken("a head that is none")
      }
      return head
    }
    guard Set(heads.map(\.stream)).count == heads.count else {
      throw broken("two heads of one stream")
    }
    return heads
  }

  /// The records, as many as the program gives at once.
  public func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    let limit = min(limit, 10_000)
    guard limit > 0 else { return [] }
    var (records, size): ([[UInt8]], Int) = ([], 0)
    // A program gives what fits into a message, and more when asked again.
    while records.count < limit, size < SyncRecord.unverifiedLength {
      let next = try call([
        "records", space.text, stream.text, String(sequence + UInt64(records.count)),
        String(limit - records.count),
      ])
      guard next.count <= limit - records.count else { throw broken("more records than asked for") }
      if next.isEmpty { break }
      guard next.allSatisfy({ $0.count <= SyncRecord.maximumLength }) else {
        throw broken("a record above 16 MiB")
      }
      records += next
      size += next.reduce(0) { $0 + $1.count }
    }
    return records
  }

  /// Adds records.
  public func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    let first = head.sequence + 1 - UInt64(records.count)
    _ = try call(
      ["append", space.text, head.stream.text, String(first)], [head.bytes] + records)
  }

  /// Writes a record again, if the program can.
  public func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    guard try has("restore") else { return }
    _ = try call(["restore", space.text, stream.text, String(sequence)], [record])
  }

  /// Removes the first records, if the program can.
  public func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    guard try has("retire") else { return }
    _ = try call(["retire", space.text, stream.text, String(sequence)])
  }

  /// The first record that is there, of a program that retires any.
  public func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    guard try has("retire") else { return nil }
    let answer = EngineMessage(try call(["oldest", space.text, stream.text]))
    guard !answer.fields.isEmpty else { return nil }
    guard let number = answer.number(0), number > 0 else {
      throw broken("a number that is none")
    }
    return number
  }

  /// Removes objects, if the program can.
  public func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    guard try has("retire"), !names.isEmpty else { return }
    _ = try call(["remove", space.text] + names.map { Hexadecimal.text($0) })
  }

  /// An invitation.
  public func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try call(["invitation", space.text, Hexadecimal.text(id)]).first
  }

  /// Puts an invitation.
  public func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    _ = try call(["invite", space.text, Hexadecimal.text(id)], [bytes])
  }

  /// An object.
  public func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try call(["object", space.text, Hexadecimal.text(name)]).first
  }

  /// Puts objects, one after the other.
  public func put(_ objects: [SyncObject], in space: SpaceID) throws {
    for object in objects {
      _ = try call(["put", space.text, Hexadecimal.text(object.name)], [object.bytes])
    }
  }

  /// Has another child of the program listen, if it can.
  public func changes(in space: SpaceID) throws -> (any StoreSignal)? {
    guard try has("changes") else { return nil }
    let listening = ProgramEngine(program, password: password, patience: patience / 1000)
    _ = try listening.call(["changes", space.text])
    return ProgramSignal(listening)
  }

  // MARK: - Messages

  /// Whether the program has a word; one that does not start is no answer.
  private func has(_ word: String) throws -> Bool {
    try opened { $0.traits.words.contains(word) }
  }

  /// Asks, and takes the answer without its first word.
  func call(_ words: [String], _ bytes: [[UInt8]] = []) throws -> [[UInt8]] {
    try opened { open in
      try exchange(EngineMessage(words, bytes).bytes, &open.conversation)
    }
  }

  /// Runs `body` with the program, which is started if it does not run; after a failure that is not
  /// an answer, it is ended.
  private func opened<Result>(_ body: (inout Open) throws -> Result) throws -> Result {
    try open.withLock { open in
      var current = try open ?? begin()
      open = nil
      do {
        let result = try body(&current)
        open = current
        return result
      } catch let error as SyncError {
        // The program has answered.
        open = current
        throw error
      } catch let failure as Broken {
        _ = current.conversation.end(isAsked: false)
        throw broken(failure.what)
      } catch let failure as ProgramConversation.Failure {
        throw ended(&current.conversation, failure)
      }
    }
  }

  /// An answer that the protocol does not allow.
  private struct Broken: Error { let what: String }

  private func begin() throws -> Open {
    var conversation = try program.start()
    do {
      let words = ["hello", "1", program.address, String(patience / 1000)]
      let length = password?.count ?? 0
      // The password goes from locked memory to the socket.
      var start = EngineMessage(words).bytes
      let whole = start.count - 4 + 4 + length
      start.replaceSubrange(0..<4, with: EngineMessage.bytes(of: whole))
      start += EngineMessage.bytes(of: length)
      try start.withRawSpan { try conversation.send($0, patience: patience) }
      try password?.withBytes { try conversation.send($0, patience: patience) }
      let answer = EngineMessage(try answer(&conversation))
      guard answer.number(0) == 1 else { throw Broken(what: "a greeting of another version") }
      guard let words = answer.text(1), let largest = answer.number(2),
        largest >= SyncObject.maximumLength
      else { throw Broken(what: "a greeting that does not allow 1 MiB at once") }
      return Open(
        conversation: conversation,
        traits: Traits(
          words: Set(words.split(separator: " ").map { String($0) }),
          largest: Int(clamping: min(largest, UInt64(SyncRecord.maximumLength)))))
    } catch let failure as Broken {
      _ = conversation.end(isAsked: false)
      throw broken(failure.what)
    } catch let failure as ProgramConversation.Failure {
      throw ended(&conversation, failure)
    } catch {
      _ = conversation.end(isAsked: true)
      throw error
    }
  }

  private func exchange(
    _ message: [UInt8], _ conversation: inout ProgramConversation
  ) throws -> [[UInt8]] {
    guard message.count <= EngineMessage.maximumLength else {
      throw SyncError(.unavailable, "more than 32 MiB at once are not brought to a store")
    }
    try message.withRawSpan { try conversation.send($0, patience: patience) }
    return try answer(&conversation)
  }

  /// The fields of an answer after `ok`.
  private func answer(_ conversation: inout ProgramConversation) throws -> [[UInt8]] {
    let message = try message(&conversation)
    switch message.word {
    case "ok": return Array(message.fields.dropFirst())
    case "error":
      throw SyncError(
        EngineErrorWord.code(message.text(1) ?? ""),
        Self.shown(message.fields.dropFirst(2).first) ?? "the engine \(program.name) refused",
        hint: Self.shown(message.fields.dropFirst(3).first)
          ?? "see what the engine writes to stderr, and the page about engines")
    default: throw Broken(what: "a word that the protocol has not")
    }
  }

  fileprivate func message(_ conversation: inout ProgramConversation) throws -> EngineMessage {
    let length = EngineMessage.length(try conversation.receive(4, patience: patience))
    guard length <= EngineMessage.maximumLength else {
      throw Broken(what: "a message above 32 MiB")
    }
    let body = try conversation.receive(length, patience: patience)
    guard let message = EngineMessage(body: body) else {
      throw Broken(what: "a message in pieces, or of more than 100,000 fields")
    }
    return message
  }

  /// Waits for a message that says that something has changed.
  fileprivate func waitForChange(milliseconds: Int) throws -> Bool {
    try opened { open in
      guard try open.conversation.wait(milliseconds: milliseconds) else { return false }
      let message = try message(&open.conversation)
      guard message.word == "changed" else {
        if message.word == "error" {
          throw SyncError(
            EngineErrorWord.code(message.text(1) ?? ""),
            Self.shown(message.fields.dropFirst(2).first) ?? "the store signals no longer")
        }
        throw Broken(what: "a word that the protocol has not")
      }
      return true
    }
  }

  // MARK: - Failures

  /// A program's words, as one line that a terminal only shows.
  private static func shown(_ bytes: [UInt8]?) -> String? {
    guard let bytes, !bytes.isEmpty else { return nil }
    let text = String(decoding: bytes.prefix(600), as: UTF8.self)
    return String(Quoting.visible(text).prefix(400))
  }

  private func broken(_ what: String) -> SyncError {
    SyncError(
      .unavailable, "the engine \(program.name) does not follow the protocol: it sent \(what)",
      hint: "the program has to be corrected, or replaced")
  }

  private func ended(
    _ conversation: inout ProgramConversation, _ failure: ProgramConversation.Failure
  ) -> SyncError {
    let (complaints, status) = conversation.end(isAsked: failure == .hasEnded)
    let lines = complaints.split { $0 == 10 || $0 == 13 }
    let said = Self.shown(lines.last.map { Array($0) }).map { ": \($0)" } ?? ""
    return switch failure {
    case .wasSilent:
      SyncError(
        .unavailable,
        (program.name == WebFeedFiles.engine ? "the web server" : "the engine \(program.name)")
          + " did not answer in \(patience / 1000) s\(said)",
        hint: "try again later")
    case .hasEnded:
      SyncError(
        .unavailable, "the engine \(program.name) ended (status \(status))\(said)",
        hint: "try again; see what it says when it is run by hand")
    }
  }
}

/// The signal of a program that listens.
private struct ProgramSignal: StoreSignal {
  private let engine: ProgramEngine

  init(_ engine: ProgramEngine) { self.engine = engine }

  func wait(for time: Duration) throws -> Bool {
    let milliseconds =
      time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    return try engine.waitForChange(milliseconds: Int(clamping: max(0, milliseconds)))
  }
}
