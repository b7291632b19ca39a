import Glibc
import VaultSealing

/// A connection to a bus that another process serves: to ask programs there, or with a program on it.
///
/// Everything runs on the thread that calls; no call waits longer than it is told to.
package final class BusClient {
  /// Why there is no connection.
  package enum Failure: Error {
    /// The address is none that can be used, or nothing answers there.
    case unreachable
    /// The bus does not let this user in.
    case refused
    /// The bus answered with something else than was asked for.
    case unusable
    /// An answer did not come in time.
    case late
  }

  private static let bus = "org.freedesktop.DBus"
  private static let busPath = "/org/freedesktop/DBus"
  /// How long the bus may take for an answer.
  private static let patience = Duration.seconds(10)

  private let connection: BusConnection
  private var serial: UInt32 = 0
  /// Messages that came while an answer was waited for.
  private var pending: [DBusMessage] = []
  /// The clients that have called, by unique name, as they were when they called first.
  private var peers: [String: LocalSocket.Peer] = [:]

  /// Connects to a bus.
  ///
  /// - Parameters:
  ///   - address: Addresses as `DBUS_SESSION_BUS_ADDRESS` has them; the first that answers.
  ///   - end: When to give up; `nil` for ten seconds from now.
  ///   - takesDescriptors: Whether replies may have descriptors: ``descriptor(to:until:)``.
  /// - Throws: ``Failure``.
  package init(
    _ address: String, until end: ContinuousClock.Instant? = nil, takesDescriptors: Bool = false
  ) throws {
    let end = end ?? Self.usualEnd
    guard
      let socket = Self.paths(in: address).lazy.compactMap({
        LocalSocket.connect(to: $0, milliseconds: Self.milliseconds(until: end))
      }).first
    else { throw Failure.unreachable }
    do {
      try Self.authenticate(socket, takesDescriptors, until: end)
      connection = try BusConnection(
        number: 0, socket: socket, takesDescriptors: takesDescriptors)
    } catch {
      close(socket)
      throw error
    }
    _ = try reply(to: askBus("Hello"), until: end)
  }

  deinit { close(connection.socket) }

  /// Asks for a well-known name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - replaces: Whether to take it from an owner that allows that.
  /// - Returns: Whether this connection has it now.
  /// - Throws: ``Failure``, `BusError`.
  package func request(_ name: String, replaces: Bool = false) throws -> Bool {
    // RequestName: 1 may be replaced, 2 replaces, 4 does not wait. 1 and 4 mean: it is ours.
    let flags: UInt32 = 1 | 4 | (replaces ? 2 : 0)
    guard let answer = try ask("RequestName", [.string(name), .uint32(flags)]).first?.number else {
      throw Failure.unusable
    }
    return answer == 1 || answer == 4
  }

  /// The process that owns a name; `nil` if the bus does not say.
  package func process(of name: String) -> Int32? {
    guard let answer = try? ask("GetConnectionUnixProcessID", [.string(name)]) else { return nil }
    return answer.first?.number.flatMap { Int32(exactly: $0) }
  }

  /// Serves until a name is lost, the bus ends, or one of the descriptors can be read.
  ///
  /// - Parameters:
  ///   - service: The program.
  ///   - name: Its name, which ``request(_:replaces:)`` has got.
  ///   - wakeUp: Makes this call the program's `catchUp()`.
  ///   - ends: Descriptors that end it.
  /// - Throws: `BusError` if the bus refuses the rule by which clients that leave are seen.
  package func run(
    _ service: any BusService, name: String, wakeUp: WakeUp, until ends: [Int32]
  ) throws {
    _ = try ask(
      "AddMatch",
      [.string("type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg2=''")])
    while !connection.hasEnded {
      let messages = pending
      pending = []
      for message in messages {
        guard try handle(message, service, name) else { return }
      }
      while let message = connection.next() {
        guard try handle(message, service, name) else { return }
      }
      flush()
      guard !connection.hasEnded else { return }
      let isBusy = !pending.isEmpty || connection.hasMessage
      let waits: [(descriptor: Int32, reads: Bool, writes: Bool)] =
        ends.map { ($0, true, false) } + [
          (wakeUp.descriptor, true, false), (connection.socket, true, connection.wantsToWrite),
        ]
      let ready = LocalSocket.wait(for: waits, milliseconds: isBusy ? 0 : nil)
      if ready[..<ends.count].contains(where: \.reads) { return }
      if ready[ends.count].reads {
        wakeUp.clear()
        service.catchUp().forEach(send)
      }
      if ready[ends.count + 1].reads { connection.read() }
    }
  }

  /// Takes a message; `false` if the name was lost.
  private func handle(
    _ message: DBusMessage, _ service: any BusService, _ name: String
  ) throws -> Bool {
    switch message.kind {
    case .call:
      guard let sender = message.sender else { return true }
      let peer =
        peers[sender] ?? LocalSocket.Peer(process: process(of: sender) ?? 0, user: geteuid())
      peers[sender] = peer
      service.answer(message, from: peer).forEach(send)
    case .signal where message.sender == Self.bus:
      let values = (try? message.arguments()) ?? []
      switch message.member {
      case "NameLost": return values.first?.text != name
      case "NameOwnerChanged":
        guard let left = values.first?.text, DBusNames.isUniqueName(left) else { return true }
        peers[left] = nil
        service.clientLeft(left).forEach(send)
      default: break
      }
    case .signal, .reply, .error, nil: break
    }
    return true
  }

  private func send(_ message: DBusMessage) {
    var message = message
    serial = serial == .max ? 1 : serial + 1
    message.serial = serial
    guard let bytes = try? message.encoded() else { return connection.end() }
    connection.enqueue(bytes)
  }

  private func flush() { if connection.wantsToWrite, !connection.hasEnded { connection.write() } }

  /// Asks the bus itself, and waits for the answer.
  private func ask(_ member: String, _ values: [DBusValue] = []) throws -> [DBusValue] {
    try reply(to: askBus(member, values), until: Self.usualEnd)
  }

  // MARK: Signals

  /// Has the bus send signals.
  ///
  /// - Parameter rule: Which ones: a match rule, D-Bus specification, "Match Rules".
  /// - Throws: `BusError`, ``Failure``.
  package func watch(_ rule: String) throws { _ = try ask("AddMatch", [.string(rule)]) }

  /// What can be read when something has come.
  package var descriptor: Int32 { connection.socket }

  /// Whether the bus is gone.
  package var hasEnded: Bool { connection.hasEnded }

  /// The signals that have come; waits for none.
  ///
  /// - Returns: The signals, in their order.
  package func takeSignals() -> [DBusMessage] {
    if LocalSocket.wait(for: [(connection.socket, true, false)], milliseconds: 0)[0].reads {
      connection.read()
    }
    while let message = connection.next() { pending.append(message) }
    defer { pending = [] }
    return pending.filter { $0.kind == .signal }
  }

  /// The unique name of who owns a name; `nil` if nobody does.
  package func owner(of name: String) -> String? {
    (try? ask("GetNameOwner", [.string(name)]))?.first?.text
  }

  // MARK: Asking

  /// A call that was made, whose reply may still be on its way.
  package struct Call {
    fileprivate let serial: UInt32
    fileprivate let destination: String
  }

  /// Asks the bus itself, as ``ask(_:_:_:_:_:)`` does a program.
  ///
  /// - Parameters:
  ///   - member: The method.
  ///   - values: Its arguments.
  /// - Returns: The call.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package func askBus(_ member: String, _ values: [DBusValue] = []) throws -> Call {
    try ask(Self.bus, Self.busPath, Self.bus, member, values)
  }

  /// Asks a program on the bus.
  ///
  /// ``reply(to:until:)`` waits for the answer; further calls may be made before.
  ///
  /// - Parameters:
  ///   - destination: The program's unique name.
  ///   - path: The object.
  ///   - interface: The interface of the method.
  ///   - member: The method.
  ///   - values: Its arguments.
  /// - Returns: The call.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package func ask(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ values: [DBusValue] = []
  ) throws -> Call {
    send(try DBusMessage.call(destination, path, interface, member, values))
    return Call(serial: serial, destination: destination)
  }

  /// Waits for what was asked.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - end: When to give up.
  /// - Returns: The values of the reply.
  /// - Throws: `BusError` with what the program says, or the bus in its place; ``Failure``.
  package func reply(
    to call: Call, until end: ContinuousClock.Instant
  ) throws -> [DBusValue] {
    if let place = pending.firstIndex(where: { Self.answers($0, call) }) {
      return try Self.values(of: pending.remove(at: place))
    }
    while !connection.hasEnded {
      // One that sends without end is not waited for without end.
      guard ContinuousClock.now < end else { throw Failure.late }
      flush()
      while let message = connection.next() {
        guard Self.answers(message, call) else {
          pending.append(message)
          continue
        }
        return try Self.values(of: message)
      }
      let ready = LocalSocket.wait(
        for: [(connection.socket, true, connection.wantsToWrite)],
        milliseconds: Self.milliseconds(until: end))
      guard ready[0].reads || ready[0].writes else { throw Failure.late }
      if ready[0].reads { connection.read() }
    }
    throw Failure.unreachable
  }

  /// Waits for a reply that is a descriptor: for one that takes them alone.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - end: When to give up.
  /// - Returns: The descriptor, which belongs to the caller; `nil` if the reply has none.
  /// - Throws: As ``reply(to:until:)``.
  package func descriptor(
    to call: Call, until end: ContinuousClock.Instant
  ) throws -> Int32? {
    let values = try reply(to: call, until: end)
    let came = connection.takeDescriptors()
    let wanted: Int32? = if case .descriptor? = values.first { came.last } else { nil }
    for descriptor in came where descriptor != wanted { close(descriptor) }
    return wanted
  }

  /// The bus answers in place of a program that is gone.
  private static func answers(_ message: DBusMessage, _ call: Call) -> Bool {
    message.replySerial == call.serial
      && (message.sender == call.destination || (message.sender == bus && message.kind == .error))
  }

  private static func values(of message: DBusMessage) throws -> [DBusValue] {
    let values = try message.arguments()
    if message.kind == .reply { return values }
    throw BusError(message.errorName ?? BusErrorName.failed, values.first?.text ?? "")
  }

  private static var usualEnd: ContinuousClock.Instant { .now + patience }

  /// At least 1: a socket that has something is asked once more.
  private static func milliseconds(until end: ContinuousClock.Instant) -> Int {
    max(1, Int((end - .now) / .milliseconds(1)))
  }

  // MARK: Connecting

  /// The sockets in a list of addresses: D-Bus specification, "Server Addresses".
  ///
  /// An abstract one begins with a NUL.
  package static func paths(in address: String) -> [[UInt8]] {
    address.utf8.split(separator: UInt8(ascii: ";")).compactMap { address in
      guard address.starts(with: "unix:".utf8) else { return nil }
      for pair in address.dropFirst(5).split(separator: UInt8(ascii: ",")) {
        if pair.starts(with: "path=".utf8) { return unescaped(pair.dropFirst(5)) }
        if pair.starts(with: "abstract=".utf8) {
          return unescaped(pair.dropFirst(9)).map { [0] + $0 }
        }
      }
      return nil
    }
  }

  private static func unescaped(_ text: Substring.UTF8View) -> [UInt8]? {
    var (bytes, rest) = ([UInt8](), text[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let value = Hexadecimal.bytes(String(decoding: Array(rest.prefix(2)), as: UTF8.self))
      else { return nil }
      bytes += value
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Says who this is; the kernel says it, too.
  private static func authenticate(
    _ socket: Int32, _ takesDescriptors: Bool, until end: ContinuousClock.Instant
  ) throws {
    let user = Hexadecimal.text(Array(String(geteuid()).utf8))
    try say("\0AUTH EXTERNAL \(user)\r\n", to: socket)
    guard try line(from: socket, until: end).starts(with: "OK ".utf8) else {
      throw Failure.refused
    }
    if takesDescriptors {
      try say("NEGOTIATE_UNIX_FD\r\n", to: socket)
      // A bus that passes none says so, and its replies have none.
      _ = try line(from: socket, until: end)
    }
    try say("BEGIN\r\n", to: socket)
  }

  private static func line(
    from socket: Int32, until end: ContinuousClock.Instant
  ) throws -> [UInt8] {
    let line = try LockedBuffer(capacity: 1024)
    while !line.withBytes({ bytes in
      bytes.byteCount >= 2 && bytes.byte(at: bytes.byteCount - 1) == UInt8(ascii: "\n")
    }) {
      let ready = LocalSocket.wait(
        for: [(socket, true, false)], milliseconds: milliseconds(until: end))
      guard ready[0].reads else { throw Failure.late }
      guard line.count < Authentication.maximumLine,
        try LocalSocket.receive(socket, into: line, atMost: 1024) != .ended
      else { throw Failure.unreachable }
    }
    return line.withBytes { $0.array(0..<$0.byteCount) }
  }

  private static func say(_ text: String, to socket: Int32) throws {
    let bytes = try SecretBytes(copying: Array(text.utf8))
    // A socket that was just made has room for a line.
    guard LocalSocket.send(socket, bytes, from: 0) == .moved(bytes.count) else {
      throw Failure.unreachable
    }
  }
}
