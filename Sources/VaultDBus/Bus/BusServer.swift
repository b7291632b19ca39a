import Glibc
import Synchronization
import VaultSealing

/// A bus on a socket, with one program on it: accepts clients, and serves them in turn.
///
/// Everything runs on the thread that calls ``run(until:)``. Each client gets a turn of so many
/// bytes and messages, so that none holds the others up: one that floods waits, one that does not
/// read is not read either, and half a message is only memory.
package final class BusServer {
  /// What a server allows.
  package struct Limits: Sendable {
    /// Clients at the same time; more have to wait.
    package var clients = 512
    /// The most bytes of a message.
    package var message = 4 << 20

    package init() {}
  }

  private static let messagesInTurn = 16

  private let listening: Int32
  private let limits: Limits
  private let bus: MessageBus
  private let wakeUp: WakeUp
  private var nextNumber = 1

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
      let clients = bus.clients.values.sorted { $0.number < $1.number }
      let isBusy = clients.contains { $0.mayAsk && $0.hasMessage }
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = ends.map { ($0, true, false) }
      waits.append((wakeUp.descriptor, true, false))
      waits.append((clients.count < limits.clients ? listening : -1, true, false))
      waits += clients.map { ($0.socket, $0.mayAsk, $0.wantsToWrite) }
      let ready = LocalSocket.wait(for: waits, milliseconds: isBusy ? 0 : nil)
      if ready[..<ends.count].contains(where: \.reads) { return }
      if ready[ends.count].reads { catchUp() }
      if ready[ends.count + 1].reads { accept() }
      for (client, ready) in zip(clients, ready[(ends.count + 2)...]) {
        if ready.writes { client.write() }
        serve(client, isReadable: ready.reads)
      }
      // What has been queued goes out at once where the socket takes it.
      for client in bus.clients.values where client.wantsToWrite && !client.hasEnded {
        client.write()
      }
      for client in bus.clients.values where client.hasEnded { remove(client) }
    }
  }

  private func serve(_ client: BusConnection, isReadable: Bool) {
    guard !client.hasEnded, client.mayAsk else {
      // It does not read; whether it is still there is seen when it does, or when it ends.
      return
    }
    if isReadable, !client.hasMessage { client.read() }
    for _ in 0..<Self.messagesInTurn {
      guard client.mayAsk, let message = client.next() else { return }
      bus.receive(message, from: client)
    }
  }

  private func catchUp() {
    wakeUp.clear()
    for signal in bus.service.catchUp() { bus.send(signal, from: MessageBus.ownName) }
  }

  private func accept() {
    while bus.clients.count < limits.clients, let socket = LocalSocket.accept(listening) {
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
      bus.clients[client.number] = client
    }
  }

  private func remove(_ client: BusConnection) {
    bus.leave(client)
    close(client.socket)
  }
}
