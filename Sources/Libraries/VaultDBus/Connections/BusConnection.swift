import Glibc
import VaultSealing

/// One client of the bus: what it has sent and not yet asked, what it gets and has not yet read.
///
/// It belongs to the thread of the server.
final class BusConnection {
  /// The most bytes read at a time, so that a client that floods holds nobody up.
  private static let portion = 64 << 10
  /// A client that has so much to read gets no further answers before it reads.
  private static let patience = 256 << 10
  /// A client that has so much to read is disconnected when more comes.
  private static let maximumQueue = 16 << 20

  /// The connection's number, which is never used again.
  let number: Int
  let socket: Int32
  let peer: LocalSocket.Peer
  /// The name on the bus, from `Hello` on.
  var name: String?
  /// The signals that it wants.
  var rules: [MatchRule] = []
  private(set) var hasEnded = false
  /// When it was made, and when something of it came last.
  let began = ContinuousClock.now
  private(set) var lastHeard = ContinuousClock.now

  private let input: LockedBuffer
  private let maximumMessage: Int
  private var authentication: Authentication?
  private var sawFirstByte = false
  private var queue: [SecretBytes] = []
  private var queueLength = 0
  /// How much of the first of the queue is written.
  private var written = 0

  init(
    number: Int, socket: Int32, peer: LocalSocket.Peer, authentication: Authentication,
    maximumMessage: Int
  ) throws(SealingError) {
    self.number = number
    self.socket = socket
    self.peer = peer
    self.authentication = authentication
    self.maximumMessage = maximumMessage
    takesDescriptors = false
    input = try LockedBuffer(capacity: 1024)
  }

  /// Whether descriptors may come with messages, and those that have come.
  private let takesDescriptors: Bool
  private var descriptors: [Int32] = []

  /// The other end of a bus: a connection that this process has made and authenticated.
  init(number: Int, socket: Int32, takesDescriptors: Bool = false) throws(SealingError) {
    self.takesDescriptors = takesDescriptors
    self.number = number
    self.socket = socket
    peer = .current
    authentication = nil
    maximumMessage = 128 << 20
    input = try LockedBuffer(capacity: 1024)
  }

  deinit { for descriptor in descriptors { close(descriptor) } }

  /// The descriptors that have come, which belong to the caller from now on.
  func takeDescriptors() -> [Int32] {
    defer { descriptors = [] }
    return descriptors
  }

  /// Whether there is something to write.
  var wantsToWrite: Bool { !queue.isEmpty }

  /// The bytes that are kept for it: what it sent and has not asked, and what it has not read.
  var heldBytes: Int { input.count + queueLength }

  /// Whether it may ask more.
  var mayAsk: Bool { queueLength < Self.patience }

  /// Ends the connection; what is queued is dropped.
  func end() { hasEnded = true }

  /// Reads what is there.
  func read() {
    do {
      let outcome =
        takesDescriptors
        ? try LocalSocket.receive(
          socket, into: input, atMost: Self.portion, descriptors: &descriptors)
        : try LocalSocket.receive(socket, into: input, atMost: Self.portion)
      switch outcome {
      case .moved: lastHeard = .now
      case .later: break
      case .ended: end()
      }
    } catch {
      end()
    }
  }

  /// Whether a message is wholly there, so that nothing has to be waited for.
  var hasMessage: Bool {
    guard authentication == nil else { return false }
    return input.withBytes { bytes in
      guard bytes.byteCount >= DBusMessage.prefixLength else { return false }
      // What cannot be read is found when it is taken.
      let length = try? DBusMessage.length(in: bytes, limit: maximumMessage)
      return length.map { $0 <= bytes.byteCount } ?? true
    }
  }

  /// The next message; `nil` if none is whole, or the connection has ended.
  func next() -> DBusMessage? {
    authenticate()
    guard authentication == nil, !hasEnded else { return nil }
    do {
      let (message, length) = try input.withBytes { bytes -> (DBusMessage?, Int) in
        guard bytes.byteCount >= DBusMessage.prefixLength else { return (nil, 0) }
        let length = try DBusMessage.length(in: bytes, limit: maximumMessage)
        guard length <= bytes.byteCount else { return (nil, 0) }
        let message = try DBusMessage(bytes.extracting(0..<length))
        try message.check()
        return (message, length)
      }
      input.removeFirst(length)
      return message
    } catch {
      // A client that sends what is not a message is disconnected, as by every bus.
      end()
      return nil
    }
  }

  private func authenticate() {
    while var state = authentication, !hasEnded {
      let length = input.count
      if !sawFirstByte {
        guard length > 0 else { return }
        guard input.withBytes({ $0.byte(at: 0) }) == 0 else { return end() }
        input.removeFirst(1)
        sawFirstByte = true
        continue
      }
      let line = input.withBytes { bytes -> String? in
        let end = (0..<max(bytes.byteCount - 1, 0)).prefix(Authentication.maximumLine).first {
          bytes.byte(at: $0) == UInt8(ascii: "\r") && bytes.byte(at: $0 + 1) == UInt8(ascii: "\n")
        }
        return end.map { bytes.text(0..<$0) ?? "" }
      }
      guard let line else {
        if length > Authentication.maximumLine { end() }
        return
      }
      input.removeFirst(line.utf8.count + 2)
      switch state.receive(line) {
      case .answer(let text):
        authentication = state
        guard let bytes = try? SecretBytes(copying: Array("\(text)\r\n".utf8)) else { return end() }
        enqueue(bytes)
      case .begin: authentication = nil
      case .refuse: end()
      }
    }
  }

  /// Adds bytes to what it gets.
  func enqueue(_ bytes: SecretBytes) {
    guard !hasEnded else { return }
    guard queueLength <= Self.maximumQueue else { return end() }
    queue.append(bytes)
    queueLength += bytes.count
  }

  /// Writes as much as it takes.
  func write() {
    var done = 0
    defer { queue.removeFirst(done) }
    while done < queue.count {
      switch LocalSocket.send(socket, queue[done], from: written) {
      case .moved(let count):
        written += count
        queueLength -= count
        if written == queue[done].count { (done, written) = (done + 1, 0) }
      case .later: return
      case .ended: return end()
      }
    }
  }
}
