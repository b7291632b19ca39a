import Foundation
import Glibc
import TestSupport
import Testing
import VaultDBus

/// A bus among clients that take seats, memory and turns: programs of the same user.
///
/// All clients are of this one process, so that the limits of a process count.
struct BusServerTests {
  /// A program without methods.
  private final class Nothing: BusService {
    func answer(_ call: DBusMessage, from caller: LocalSocket.Peer) -> [DBusMessage] { [] }
    func clientLeft(_ name: String) -> [DBusMessage] { [] }
    func catchUp() -> [DBusMessage] { [] }
  }

  /// A server on a thread of its own.
  private final class Served {
    let home: TemporaryHome
    let socket: String
    private let wakeUp: WakeUp
    private let end: WakeUp
    private let listening: Int32
    private let isOver = DispatchSemaphore(value: 0)

    init(_ limits: BusServer.Limits) throws {
      home = try TemporaryHome()
      socket = "\(home.path)/bus"
      listening = try #require(LocalSocket.listen(at: socket))
      let (wakeUp, end) = (try #require(WakeUp()), try #require(WakeUp()))
      (self.wakeUp, self.end) = (wakeUp, end)
      let (listening, isOver) = (listening, isOver)
      Thread.detachNewThread {
        let server = BusServer(
          listening: listening, name: "com.example.Nothing", service: Nothing(), wakeUp: wakeUp,
          limits: limits)
        server.run(until: [end.descriptor])
        isOver.signal()
      }
    }

    /// A connection that has said nothing yet.
    func connect() throws -> Int32 {
      let client = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) {
        unsafe $0.copyBytes(from: socket.utf8)
      }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(client, $0, size)
        }
      }
      try #require(status == 0)
      return client
    }

    /// Whether a client that behaves is served.
    func serves() -> Bool {
      guard let client = try? BusClient("unix:path=\(socket)") else { return false }
      return (try? client.request("com.example.Name\(UInt32.random(in: 0 ... .max))")) == true
    }

    deinit {
      end.call()
      isOver.wait()
      close(listening)
    }
  }

  /// Whether the other side has ended a connection, within a minute.
  private func hasEnded(_ client: Int32) -> Bool {
    var polled = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&polled, 1, 60_000) == 1 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    return unsafe read(client, &bytes, bytes.count) <= 0
  }

  @Test func clientsThatSayNothingLoseTheirSeatsToNewOnes() throws {
    var limits = BusServer.Limits()
    limits.patience = .seconds(600)
    for (clients, ofProcess) in [(8, 256), (512, 4)] {
      (limits.clients, limits.clientsOfProcess) = (clients, ofProcess)
      let served = try Served(limits)
      let silent = try (0..<40).map { _ in try served.connect() }
      defer { silent.forEach { close($0) } }
      #expect(served.serves())
      #expect(served.serves())
      #expect(hasEnded(silent[0]))
    }
  }

  /// A client that has said who it is keeps its seat while there are others to take it from.
  @Test func aClientThatBehavesKeepsItsSeat() throws {
    var limits = BusServer.Limits()
    (limits.clients, limits.clientsOfProcess, limits.patience) = (8, 256, .seconds(600))
    let served = try Served(limits)
    let honest = try BusClient("unix:path=\(served.socket)")
    let silent = try (0..<40).map { _ in try served.connect() }
    defer { silent.forEach { close($0) } }
    #expect(hasEnded(silent[0]))
    #expect(try honest.request("com.example.Honest"))
  }

  @Test func aClientThatDoesNotSayWhoItIsIsDisconnected() throws {
    var limits = BusServer.Limits()
    limits.patience = .milliseconds(50)
    let served = try Served(limits)
    let (silent, slow) = (try served.connect(), try served.connect())
    defer { [silent, slow].forEach { close($0) } }
    _ = unsafe send(slow, "\0AUTH EXTERNAL\r\n", 16, Int32(MSG_NOSIGNAL))
    #expect(hasEnded(silent))
    #expect(hasEnded(slow) || hasEnded(slow))
  }

  @Test func halvesOfMessagesTakeSoMuchMemoryAndNoMore() throws {
    for (bytes, ofProcess) in [(64 << 20, 2 << 20), (2 << 20, 64 << 20)] {
      var limits = BusServer.Limits()
      (limits.bytes, limits.bytesOfProcess, limits.patience) = (bytes, ofProcess, .seconds(600))
      let served = try Served(limits)
      let hello = Array("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n".utf8)
      // The beginning of a message of 4,000,000 bytes.
      var begin: [UInt8] = [0x6C, 1, 0, 1] + [0x00, 0x09, 0x3D, 0x00] + [1, 0, 0, 0, 0, 0, 0, 0]
      begin += Array(repeating: 0x7A, count: 1 << 20)
      let flooding = try (0..<8).map { _ in try served.connect() }
      defer { flooding.forEach { close($0) } }
      var ended = 0
      for client in flooding {
        var rest = (hello + begin)[...]
        while !rest.isEmpty {
          let sent = unsafe Array(rest.prefix(65_536)).withUnsafeBytes { bytes in
            unsafe send(client, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
          }
          guard sent > 0 else {
            ended += 1
            break
          }
          rest = rest.dropFirst(sent)
        }
      }
      #expect(served.serves())
      // At most two of them fit.
      let left = flooding.count { client in
        var polled = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&polled, 1, 0)
        return Int32(polled.revents) & (POLLHUP | POLLERR) == 0
      }
      #expect(left <= 2, "\(left) left, \(ended) ended while they sent")
    }
  }

  @Test func aProcessThatRunsAnotherProgramIsNoLongerTheSame() throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "read line; exec sleep 600"]
    let input = Pipe()
    shell.standardInput = input
    try shell.run()
    defer { kill(shell.processIdentifier, SIGKILL) }
    let end = ContinuousClock.now + .seconds(60)
    // Until the shell itself runs, it is this process.
    let path = "/proc/\(shell.processIdentifier)/exe"
    let shellPath = try FileManager.default.destinationOfSymbolicLink(atPath: "/bin/sh")
    while ContinuousClock.now < end,
      try !FileManager.default.destinationOfSymbolicLink(atPath: path).hasSuffix(shellPath)
    {
      usleep(1000)
    }
    let peer = LocalSocket.Peer(process: shell.processIdentifier, user: geteuid())
    #expect(peer.isSameProgram)
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    while ContinuousClock.now < end, peer.isSameProgram { usleep(1000) }
    #expect(!peer.isSameProgram)
  }
}
