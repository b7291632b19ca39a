import Glibc
import Synchronization
import VaultSealing

/// A bus on a socket, with one program on it: accepts clients, and serves them in turn.
///
/// Everything runs on the thread that calls ``run(until:)``. Each client gets a turn of so many
/// bytes and messages, and all clients of one process together get one, too, so that none holds the
/// others up: one that floods waits, one that does not read is not read either. A process has so
/// many seats and so much memory; when it takes more, it loses what it had. The adversary is a
/// program of the same user, which may connect as often as it wants.
package final class BusServer {
  /// What a server allows.
  package struct Limits: Sendable {
    /// Clients at the same time, and those of one process.
    ///
    /// Another one takes the place of a client that has said nothing for long.
    package var (clients, clientsOfProcess) = (512, 256)
    /// The bytes that are kept for all clients, and for those of one process.
    package var (bytes, bytesOfProcess) = (64 << 20, 16 << 20)
    /// How long a client may take to say who it is.
    package var patience = Duration.seconds(5)
    /// The most bytes of a message.
    package var message = 4 << 20

    package init() {}
  }

  private static let messagesInTurn = 16
  private static let messagesOfProcessInTurn = 64

  private let listening: Int32
  private let limits: Limits
  private let bus: MessageBus
  private let wakeUp: WakeUp
  private var nextNumber = 1
  /// Whose turn is first changes from round to round.
  private var rounds = 0

  /// A server on a socket that listens.
  ///
  /// - Parameters:
  ///   - listening: The socket, which stays the caller's.
  ///   - name: The well-known name of the program on the bus.
  ///   - service: The program.
  ///   - wakeUp: Makes the server call the program's `catchUp()`.
  ///   - limits: What is allowed.
  package init(
    listening: Int32, name: String, service: any BusService, wakeUp: WakeUp,
    limits: Limits = Limits()
  ) {
    self.listening = listening
    self.limits = limits
    self.wakeUp = wakeUp
    bus = MessageBus(
      id: Hexadecimal.text(RandomBytes.bytes(count: 16)), serviceName: name, service: service)
  }

  /// The id of the bus, which clients see in its address: `unix:path=…,guid=…`.
  package var id: String { bus.id }

  deinit { for client in bus.clients.values { close(client.socket) } }

  /// Serves until one of the descriptors can be read.
  ///
  /// - Parameter ends: Descriptors such as that of a process, which can be read at its end.
  package func run(until ends: [Int32]) {
    while true {
      let clients = inTurn()
      let isBusy = clients.contains { $0.mayAsk && $0.hasMessage }
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = ends.map { ($0, true, false) }
      waits.append((wakeUp.descriptor, true, false))
      waits.append((listening, true, false))
      waits += clients.map { ($0.socket, $0.mayAsk, $0.wantsToWrite) }
      let ready = LocalSocket.wait(
        for: waits, milliseconds: isBusy ? 0 : BusSeats.milliseconds(until: nextEnd(of: clients)))
      if ready[..<ends.count].contains(where: \.reads) { return }
      if ready[ends.count].reads { catchUp() }
      if ready[ends.count + 1].reads { accept() }
      var turns: [Int32: Int] = [:]
      for (client, ready) in zip(clients, ready[(ends.count + 2)...]) {
        if ready.writes, !client.hasEnded { client.write() }
        serve(client, isReadable: ready.reads, &turns[client.peer.process, default: 0])
      }
      // What has been queued goes out at once where the socket takes it.
      for client in bus.clients.values where client.wantsToWrite && !client.hasEnded {
        client.write()
      }
      let seats = BusSeats(bus.clients.values.filter { !$0.hasEnded }, limits)
      for client in seats.late + seats.tooLarge { client.end() }
      for client in bus.clients.values where client.hasEnded { remove(client) }
    }
  }

  /// All clients, each first in its turn.
  private func inTurn() -> [BusConnection] {
    let clients = bus.clients.values.sorted { $0.number < $1.number }
    guard !clients.isEmpty else { return [] }
    rounds += 1
    let first = rounds % clients.count
    return Array(clients[first...] + clients[..<first])
  }

  /// When the patience with a client ends that has not said who it is.
  private func nextEnd(of clients: [BusConnection]) -> ContinuousClock.Instant? {
    clients.filter { $0.name == nil }.map { $0.began + limits.patience }.min()
  }

  private func serve(_ client: BusConnection, isReadable: Bool, _ turns: inout Int) {
    guard !client.hasEnded, client.mayAsk else {
      // It does not read; whether it is still there is seen when it does, or when it ends.
      return
    }
    if isReadable, !client.hasMessage { client.read() }
    for _ in 0..<Self.messagesInTurn where turns < Self.messagesOfProcessInTurn {
      guard client.mayAsk, let message = client.next() else { return }
      turns += 1
      bus.receive(message, from: client)
    }
  }

  private func catchUp() {
    wakeUp.clear()
    for signal in bus.service.catchUp() { bus.send(signal, from: MessageBus.ownName) }
  }

  private func accept() {
    // A flood of new ones holds nobody up either.
    for _ in 0..<Self.messagesOfProcessInTurn {
      guard let socket = LocalSocket.accept(listening) else { return }
      guard let peer = LocalSocket.peer(of: socket),
        let client = try? BusConnection(
          number: nextNumber, socket: socket, peer: peer,
          authentication: Authentication(id: id, peer: peer.user, user: geteuid()),
          maximumMessage: limits.message)
      else {
        close(socket)
        continue
      }
      nextNumber += 1
      let seats = BusSeats(bus.clients.values.filter { !$0.hasEnded }, limits)
      // Its socket is closed at the end of the round: the number must not be a new client's yet.
      seats.toGive(to: client)?.end()
      bus.clients[client.number] = client
    }
  }

  private func remove(_ client: BusConnection) {
    bus.leave(client)
    close(client.socket)
  }
}
