import Glibc
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// The socket at which those who show questions find a process that serves, and their connections.
///
/// It belongs to the desk's thread.
final class ApprovalSocket {
  /// More than a person has terminals.
  private static let maximumClients = 16

  /// One who shows questions, or asks for a list.
  final class Client {
    let connection: LineConnection
    let peer: LocalSocket.Peer
    /// Whether it is told of all questions, and may answer.
    var watches = false

    init(_ connection: LineConnection, _ peer: LocalSocket.Peer) {
      (self.connection, self.peer) = (connection, peer)
    }

    func send(_ event: ApprovalEvent) { connection.send(event.line) }
  }

  private let access: ApprovalAccess
  private let place: ApprovalPlace?
  private let name = String(getpid())
  private(set) var listening: Int32?
  private(set) var clients: [Client] = []

  init(_ access: ApprovalAccess) {
    self.access = access
    let place = ApprovalPlace(in: ProcessState.variable("XDG_RUNTIME_DIR"), makes: true)
    // Where a hostile command writes, it would put a socket of its own in this one's place.
    guard let place, !SocketFolder.lies(place.descriptor, in: access.writable) else {
      (self.place, listening) = (nil, nil)
      return
    }
    self.place = place
    // A process of this number that was killed has left its socket.
    place.remove(name)
    listening = LocalSocket.listen(at: place.address(name))
    if listening != nil { place.tellChange() }
  }

  /// Whether somebody shows questions who is not connected yet.
  var isAwaited: Bool { listening != nil && place?.isWatched == true }

  var watchers: [Client] { clients.filter { $0.watches && !$0.connection.hasEnded } }

  func accept() {
    guard let listening else { return }
    for _ in 0..<Self.maximumClients {
      guard let socket = LocalSocket.accept(listening) else { return }
      guard clients.count < Self.maximumClients, let peer = LocalSocket.peer(of: socket) else {
        close(socket)
        continue
      }
      guard let connection = try? LineConnection(socket: socket) else { continue }
      let client = Client(connection, peer)
      if let refusal = access.refusal(of: peer) {
        client.send(.refused(refusal))
        continue
      }
      client.send(.serving(access.serves, process: access.command ?? getpid()))
      clients.append(client)
    }
  }

  /// Forgets those that have left.
  func removeEnded() { clients.removeAll(where: \.connection.hasEnded) }

  /// Removes the socket.
  func close() {
    guard let listening else { return }
    place?.remove(name)
    Glibc.close(listening)
    self.listening = nil
  }

  private func close(_ socket: Int32) { Glibc.close(socket) }
}
