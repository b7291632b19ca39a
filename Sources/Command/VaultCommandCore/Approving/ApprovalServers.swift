import Glibc
package import VaultDBus
package import VaultProtocols
import VaultStorage
package import VaultTerminal

/// The processes of this user that serve and may have questions.
package final class ApprovalServers {
  /// How long one may take to say what it has.
  private static let patience = Duration.seconds(5)

  /// One of them.
  package final class Server {
    /// Its number as a process, by which its socket is called.
    package let name: String
    package let connection: LineConnection
    /// What it serves, in the words of a line: `guard`.
    package fileprivate(set) var serves = ""
    /// The process that it serves.
    package fileprivate(set) var process: Int32 = 0

    init(_ name: String, _ connection: LineConnection) {
      (self.name, self.connection) = (name, connection)
    }

    /// Says something to it.
    package func send(_ order: ApprovalOrder) { connection.send(order.line) }
  }

  /// The folder of their sockets.
  package let place: ApprovalPlace
  package private(set) var all: [Server] = []

  /// Looks for the folder, and makes it where it is missing.
  ///
  /// - Throws: ``CommandError`` with code `.noLocation` where there can be none.
  package init() throws {
    let runtime = ProcessState.variable("XDG_RUNTIME_DIR")
    guard let place = ApprovalPlace(in: runtime, makes: true) else {
      throw CommandError(
        .noLocation,
        runtime == nil
          ? "XDG_RUNTIME_DIR is not set, and questions are asked in that folder"
          : "the folder for questions in \(Sanitizer.visible(runtime ?? "")) cannot be used, or is not this user's alone",
        hint: "use the same folder in both terminals, of this user and with mode 0700: "
          + "export XDG_RUNTIME_DIR=/run/user/\(System.effectiveUser)")
    }
    self.place = place
  }

  /// Connects to those that are new.
  ///
  /// - Parameters:
  ///   - order: What they are asked first.
  ///   - isWanted: Which of them are asked, by their names.
  package func connect(_ order: ApprovalOrder, _ isWanted: (String) -> Bool = { _ in true }) {
    for name in place.names where isWanted(name) && !all.contains(where: { $0.name == name }) {
      guard let socket = LocalSocket.connect(to: Array(place.address(name).utf8), milliseconds: 200)
      else {
        // Who was killed leaves its socket.
        if errno == ECONNREFUSED { place.remove(name) }
        continue
      }
      guard let connection = try? LineConnection(socket: socket) else { continue }
      let server = Server(name, connection)
      server.send(order)
      all.append(server)
    }
  }

  /// Takes what a server says.
  package func events(of server: Server) -> [ApprovalEvent] {
    server.connection.read()
    var events: [ApprovalEvent] = []
    while let line = server.connection.next() {
      guard let event = ApprovalEvent(line) else { continue }
      if case .serving(let serves, let process) = event {
        (server.serves, server.process) = (serves, process)
      }
      events.append(event)
    }
    return events
  }

  /// Forgets servers that have ended.
  ///
  /// - Returns: Those.
  package func removeEnded() -> [Server] {
    let ended = all.filter(\.connection.hasEnded)
    all.removeAll(where: \.connection.hasEnded)
    return ended
  }

  /// Asks all for what they have, and waits for it.
  ///
  /// - Parameters:
  ///   - order: What is asked.
  ///   - isWanted: Which servers are asked.
  /// - Returns: What they have said.
  /// - Throws: ``CommandError`` with code `.notAllowed` where one lets nobody ask.
  package func ask(
    _ order: ApprovalOrder, _ isWanted: (String) -> Bool = { _ in true }
  ) throws -> [(server: Server, event: ApprovalEvent)] {
    connect(order, isWanted)
    var answers: [(server: Server, event: ApprovalEvent)] = []
    let end = ContinuousClock.now + Self.patience
    while !all.isEmpty, end > .now {
      let servers = all
      let ready = LocalSocket.wait(
        for: servers.map { ($0.connection.socket, true, $0.connection.wantsToWrite) },
        milliseconds: max(1, Int((end - .now) / .milliseconds(1))))
      for (server, ready) in zip(servers, ready) {
        if ready.writes { server.connection.write() }
        guard ready.reads else { continue }
        for event in events(of: server) {
          if case .end = event { server.connection.end() } else { answers.append((server, event)) }
          if case .refused(let words) = event {
            throw CommandError(
              .notAllowed, words, hint: "use a terminal of your own, outside of the command")
          }
        }
      }
      _ = removeEnded()
    }
    return answers
  }
}
