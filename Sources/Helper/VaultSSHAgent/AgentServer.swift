import Glibc
package import VaultDBus

/// Serves an agent on a socket, all clients in turn, on the thread that calls ``run(until:)``.
///
/// The adversary is a program of the same user: it may connect as often as it wants, send half a
/// message, or read nothing. A client that has said nothing loses its seat to the next one; nothing
/// is kept for a length that was only announced.
package final class AgentServer {
  /// Clients at the same time.
  private static let maximumClients = 64
  /// The bytes that are kept for all of them.
  private static let maximumBytes = 4 << 20

  private let listening: Int32
  private let agent: SSHAgent
  private let wakeUp: WakeUp
  private let isMeant: (LocalSocket.Peer) -> Bool
  private var clients: [Int: AgentClient] = [:]
  private var nextNumber = 1

  /// A server on a socket that listens.
  ///
  /// - Parameters:
  ///   - listening: The socket, which stays the caller's.
  ///   - agent: The agent.
  ///   - wakeUp: Makes the server look at what has changed.
  ///   - isMeant: Which of this user's processes are served.
  package init(
    listening: Int32, agent: SSHAgent, wakeUp: WakeUp,
    isMeant: @escaping (LocalSocket.Peer) -> Bool = { _ in true }
  ) {
    (self.listening, self.agent, self.wakeUp) = (listening, agent, wakeUp)
    self.isMeant = isMeant
  }

  deinit { for client in clients.values { close(client.socket) } }

  /// Serves until one of the descriptors can be read.
  ///
  /// - Parameters:
  ///   - ends: The descriptors.
  ///   - isOver: Is asked then, and says whether that was the end.
  package func run(until ends: [Int32], _ isOver: () -> Bool = { true }) {
    var round = 0
    while true {
      round += 1
      var turn = clients.values.sorted { $0.number < $1.number }
      if !turn.isEmpty {
        turn = Array(turn[(round % turn.count)...] + turn[..<(round % turn.count)])
      }
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = ends.map { ($0, true, false) }
      waits.append((wakeUp.descriptor, true, false))
      waits.append((listening, true, false))
      // One that waits is looked at, too: it may have left.
      waits += turn.map { ($0.socket, !$0.isWaiting, $0.wantsToWrite) }
      let isBusy = turn.contains(where: \.hasMessage)
      let ready = LocalSocket.wait(for: waits, milliseconds: isBusy ? 0 : milliseconds(turn))
      if ready[..<ends.count].contains(where: \.reads), isOver() { return }
      if ready[ends.count].reads { wakeUp.clear() }
      agent.catchUp(clients)
      if ready[ends.count + 1].reads { accept() }
      for (client, ready) in zip(turn, ready[(ends.count + 2)...]) {
        serve(client, reads: ready.reads, writes: ready.writes)
      }
      endTooLarge()
      for client in clients.values where client.hasEnded {
        agent.forget(client)
        close(client.socket)
        clients[client.number] = nil
      }
    }
  }

  /// How long nothing is to be done.
  private func milliseconds(_ clients: [AgentClient]) -> Int? {
    let next = (clients.compactMap { $0.late?.at } + [agent.nextEnd].compactMap(\.self)).min()
    return next.map { max(0, Int((($0 - .now) / .milliseconds(1)).rounded(.up))) }
  }

  private func serve(_ client: AgentClient, reads: Bool, writes: Bool) {
    if let late = client.late, late.at <= .now {
      client.late = nil
      client.send(late.answer)
    }
    if writes { client.write() }
    if reads {
      // What can be read of one that waits is its end: poll(2) says so without being asked.
      if client.isWaiting { client.end() } else if !client.hasMessage { client.read() }
    }
    client.takeMessage { agent.answer($0, from: client) }
  }

  private func accept() {
    for _ in 0..<Self.maximumClients {
      guard let socket = LocalSocket.accept(listening) else { return }
      guard let peer = LocalSocket.peer(of: socket), peer.user == geteuid(), isMeant(peer),
        let client = try? AgentClient(number: nextNumber, socket: socket, peer: peer)
      else {
        close(socket)
        continue
      }
      nextNumber += 1
      makeSeat()
      clients[client.number] = client
    }
  }

  /// Ends the client that has been silent for longest, those that never said anything first.
  private func makeSeat() {
    let seated = clients.values.filter { !$0.hasEnded }
    guard seated.count >= Self.maximumClients else { return }
    let loser = seated.filter { !$0.isWaiting }.min { a, b in
      a.hasSpoken != b.hasSpoken ? !a.hasSpoken : a.lastHeard < b.lastHeard
    }
    (loser ?? seated.min { $0.number < $1.number })?.end()
  }

  /// Ends those for whom too much is kept: half messages that do not go on.
  private func endTooLarge() {
    var seated = clients.values.filter { !$0.hasEnded }.sorted { $0.heldBytes > $1.heldBytes }
    while seated.reduce(0, { $0 + $1.heldBytes }) > Self.maximumBytes, !seated.isEmpty {
      seated.removeFirst().end()
    }
  }
}
