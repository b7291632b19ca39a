import Glibc
import VaultCredentials
import VaultDBus
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The socket that leads out of `vault guard`: requests of credential helpers, one a connection.
enum GuardServing {
  static let verb = "guard"

  /// Serves one command, and ends the process.
  ///
  /// - Parameters:
  ///   - orders: Where the vault key and the order come from.
  ///   - answers: Where to say that the socket is ready, or why it is not.
  static func run(orders: Int32, answers: Int32) -> Never {
    do {
      try serve(orders: orders, answers: answers)
      exit(0)
    } catch {
      HelperAnswer.write(error, to: answers)
      exit(1)
    }
  }

  private static func serve(orders: Int32, answers: Int32) throws {
    let order = try ServingOrder.read(orders)
    // Without patterns nothing is let out, and nobody has to be here.
    guard let wakeUp = WakeUp(), let signals = SignalPipe(), let vault = order.vaults.first,
      let ended = ProcessEnd(of: order.process)
    else { throw HelperFailure("there are no descriptors left") }
    guard !order.patterns.isEmpty else { throw HelperFailure("the order cannot be read") }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    // After `vault lock` this line gets nothing more, whatever key the environment names.
    let door = ServedDoor(vault, wakeUp: wakeUp, person: nil, reopens: false)
    try door.keep(vault.opened)
    defer { door.close() }
    let folder = try SocketFolder("guard", file: "agent", outsideOf: order.writable)
    defer { folder.remove() }
    guard let listening = LocalSocket.listen(at: folder.socket) else {
      throw HelperFailure("a socket cannot be made at \(folder.socket)")
    }
    folder.leaveToCleaner(permits: door.permits)
    HelperAnswer.write(HelperProgram.readyAnswer, folder.socket, to: answers)
    let broker = GuardBroker(
      vault.opened, door: door.door, patterns: order.patterns, isReadOnly: order.isReadOnly)
    GuardServer(listening: listening, broker: broker, wakeUp: wakeUp, command: order.process)
      .run(until: [ended.descriptor, signals.descriptor])
  }
}

/// Takes in the connections, few at a time, and gives each its one answer.
///
/// A connection that has sent nothing loses its seat to the next one, and nothing is kept for a
/// length that was only announced.
final class GuardServer {
  /// Clients at the same time.
  private static let maximumClients = 8

  private let listening: Int32
  private let broker: GuardBroker
  private let wakeUp: WakeUp
  /// The process that has started the command: what is behind the wall descends from it.
  private let command: Int32
  private var clients: [GuardClient] = []

  init(listening: Int32, broker: GuardBroker, wakeUp: WakeUp, command: Int32) {
    (self.listening, self.broker, self.wakeUp) = (listening, broker, wakeUp)
    self.command = command
  }

  /// Serves until one of the descriptors can be read.
  func run(until ends: [Int32]) {
    while true {
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = ends.map { ($0, true, false) }
      waits.append((wakeUp.descriptor, true, false))
      waits.append((listening, true, false))
      waits += clients.map { ($0.socket, !$0.isAnswered, $0.isAnswered) }
      let ready = LocalSocket.wait(for: waits, milliseconds: nil)
      if ready[..<ends.count].contains(where: \.reads) { return }
      if ready[ends.count].reads { wakeUp.clear() }
      broker.lockIfAsked()
      for (client, ready) in zip(clients, ready[(ends.count + 2)...]) {
        if client.isAnswered {
          if ready.writes || ready.reads { client.write() }
        } else if ready.reads {
          client.read()
          client.takeMessage { broker.answer($0, from: client.peer) }
        }
      }
      if ready[ends.count + 1].reads { accept() }
      for client in clients where client.hasEnded { close(client.socket) }
      clients.removeAll(where: \.hasEnded)
    }
  }

  private func accept() {
    for _ in 0..<Self.maximumClients {
      guard let socket = LocalSocket.accept(listening) else { return }
      guard let peer = LocalSocket.peer(of: socket), peer.user == geteuid(),
        GuardedProcess.isWithin(peer.process, below: command),
        let client = try? GuardClient(socket: socket, peer: peer)
      else {
        close(socket)
        continue
      }
      makeSeat()
      clients.append(client)
    }
  }

  /// Ends one where all seats are taken: who has said nothing first, then who came first.
  private func makeSeat() {
    let seated = clients.filter { !$0.hasEnded }
    guard seated.count >= Self.maximumClients else { return }
    (seated.first { !$0.hasSpoken } ?? seated.first)?.end()
  }
}

/// One connection.
private final class GuardClient {
  private static let portion = 16 << 10

  let socket: Int32
  let peer: LocalSocket.Peer
  private let input: LockedBuffer
  private var answer: SecretBytes?
  private var written = 0
  private(set) var hasEnded = false

  init(socket: Int32, peer: LocalSocket.Peer) throws {
    (self.socket, self.peer) = (socket, peer)
    input = try LockedBuffer(capacity: 1024)
  }

  var isAnswered: Bool { answer != nil }
  var hasSpoken: Bool { isAnswered || input.count > 0 }

  func end() { hasEnded = true }

  func read() {
    switch try? LocalSocket.receive(socket, into: input, atMost: Self.portion) {
    case .moved?, .later?: break
    case .ended?, nil: end()
    }
  }

  /// Answers the message if it is whole; a length that is none ends the connection.
  func takeMessage(_ body: (RawSpan) -> GuardAnswer) {
    guard !hasEnded, let length = input.withBytes({ GuardMessage.length($0) }) else { return }
    // Behind the one request nothing may follow.
    guard length <= GuardRequest.maximumLength, input.count <= length else { return end() }
    guard input.count == length else { return }
    let given = input.withBytes { body($0.extracting(4..<length)) }
    input.removeFirst(length)
    let tooLong = GuardAnswer.failure(code: "too-long", message: "the answer is too long")
    guard let message = (try? given.message()) ?? (try? tooLong.message()) else { return end() }
    answer = message
    write()
  }

  func write() {
    guard let answer, !hasEnded else { return }
    switch LocalSocket.send(socket, answer, from: written) {
    case .moved(let count):
      written += count
      if written == answer.count { end() }
    case .later: break
    case .ended: end()
    }
  }
}
