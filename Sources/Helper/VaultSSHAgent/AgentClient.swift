import Glibc
import VaultCredentials
package import VaultDBus
import VaultSealing

/// One connection to the agent: what it has sent, what it gets, and the sessions that it belongs to.
///
/// It belongs to the agent's thread.
package final class AgentClient {
  private static let portion = 64 << 10

  package let peer: LocalSocket.Peer
  let number: Int
  let socket: Int32
  package var bindings = SessionBindings()
  /// The request that waits for a person, and what ends the question.
  var question: (cancel: @Sendable () -> Void, resume: (_ isAllowed: Bool) -> [UInt8]?)?
  /// What was said to the last question.
  var approval: Approval?
  /// An answer that is given later, so that guessing takes time.
  var late: (answer: [UInt8], at: ContinuousClock.Instant)?
  private(set) var hasEnded = false
  private(set) var hasSpoken = false
  private(set) var lastHeard = ContinuousClock.now
  private let input: LockedBuffer
  private var output: [UInt8] = []

  init(number: Int, socket: Int32, peer: LocalSocket.Peer) throws {
    (self.number, self.socket, self.peer) = (number, socket, peer)
    input = try LockedBuffer(capacity: 1024)
  }

  /// Whether it waits for an answer, and nothing more is read of it.
  var isWaiting: Bool { question != nil || late != nil || !output.isEmpty }
  var wantsToWrite: Bool { !output.isEmpty }
  /// The bytes that are kept for it.
  var heldBytes: Int { input.count + output.count }

  func end() {
    question?.cancel()
    question = nil
    hasEnded = true
  }

  func read() {
    switch try? LocalSocket.receive(socket, into: input, atMost: Self.portion) {
    case .moved?: lastHeard = .now
    case .later?: break
    case .ended?, nil: end()
    }
  }

  /// Whether a message is there, or cannot come any more.
  var hasMessage: Bool { !isWaiting && (length.map { $0 + 4 <= input.count } ?? false) }

  /// The length of the next message; `nil` while that is unknown.
  private var length: Int? {
    input.withBytes { bytes in
      guard bytes.byteCount >= 4 else { return nil }
      return (0..<4).reduce(0) { $0 << 8 | Int(bytes.byte(at: $1)) }
    }
  }

  /// Takes the next message, and gives what it is answered; a length that is none ends it.
  func takeMessage(_ body: (RawSpan) -> [UInt8]?) {
    guard !hasEnded, !isWaiting, let length else { return }
    guard (1...AgentRequest.maximumLength).contains(length) else { return end() }
    guard length + 4 <= input.count else { return }
    hasSpoken = true
    let answer = input.withBytes { body($0.extracting(4..<4 + length)) }
    input.removeFirst(4 + length)
    if let answer { send(answer) }
  }

  /// Whether it stopped in the middle of a message.
  var isInMessage: Bool { input.count > 0 }

  func send(_ answer: [UInt8]) {
    output += answer
    write()
  }

  func write() {
    guard !output.isEmpty, !hasEnded else { return }
    switch output.withRawSpan({ LocalSocket.send(socket, $0) }) {
    case .moved(let count): output.removeFirst(count)
    case .later: break
    case .ended: end()
    }
  }
}
