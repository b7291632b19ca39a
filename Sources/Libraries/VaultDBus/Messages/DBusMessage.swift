package import VaultSealing

/// A message: what it is about, and its arguments, still as they travel.
///
/// D-Bus specification, "Message Protocol". The body stays in locked memory in the sender's byte
/// order, so that a message is handed on without being taken apart.
package struct DBusMessage: Sendable {
  /// The kind of message.
  package enum Kind: UInt8, Sendable {
    case call = 1
    case reply = 2
    case error = 3
    case signal = 4
  }

  /// The kind; `nil` for one that this version of the specification does not know, which is
  /// ignored.
  package var kind: Kind?
  /// The sender wants no reply.
  package var wantsNoReply = false
  /// The number that the sender gave it, which a reply refers to; never 0.
  package var serial: UInt32 = 1
  package var path: String?
  package var interface: String?
  package var member: String?
  package var errorName: String?
  package var replySerial: UInt32?
  package var destination: String?
  package var sender: String?
  package var signature = DBusSignature([])
  /// The byte order of the body.
  package private(set) var isBigEndian = false
  /// The arguments as they travel; `nil` without any.
  package private(set) var body: SecretBytes?

  /// A message without arguments.
  package init(_ kind: Kind) { self.kind = kind }

  private static let noReplyFlag: UInt8 = 1

  private enum Field: UInt8 {
    case path = 1
    case interface = 2
    case member = 3
    case errorName = 4
    case replySerial = 5
    case destination = 6
    case sender = 7
    case signature = 8
    case descriptors = 9
  }
}

// MARK: - Arguments

extension DBusMessage {
  /// Reads the arguments.
  ///
  /// - Returns: One value for each type of the signature.
  /// - Throws: ``MarshallingError``.
  package func arguments() throws(MarshallingError) -> [DBusValue] { try read(onlyChecks: false) }

  /// Checks the arguments without making values.
  ///
  /// - Throws: ``MarshallingError``.
  package func check() throws(MarshallingError) { _ = try read(onlyChecks: true) }

  private func read(onlyChecks: Bool) throws(MarshallingError) -> [DBusValue] {
    guard let body else {
      guard signature.types.isEmpty else { throw MarshallingError(.truncated, at: 0) }
      return []
    }
    return try body.withBytes { (bytes: RawSpan) throws(MarshallingError) in
      var reader = ValueReader(isBigEndian: isBigEndian)
      reader.onlyChecks = onlyChecks
      var values: [DBusValue] = []
      for type in signature.types { values.append(try reader.read(type, in: bytes)) }
      guard reader.offset == bytes.byteCount else {
        throw MarshallingError(.excess, at: reader.offset)
      }
      return values
    }
  }

  /// Sets the arguments.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package mutating func setArguments(_ values: [DBusValue]) throws(SealingError) {
    signature = DBusSignature(values.map(\.type))
    guard !values.isEmpty else {
      body = nil
      return
    }
    let writer = try ValueWriter(isBigEndian: isBigEndian)
    for value in values { try writer.write(value) }
    body = try writer.buffer.secret()
  }

  /// The same with these arguments.
  package func with(_ values: [DBusValue]) throws(SealingError) -> DBusMessage {
    var message = self
    try message.setArguments(values)
    return message
  }
}

// MARK: - Reading

extension DBusMessage {
  /// The bytes from which the length of a message can be told.
  package static let prefixLength = 16
  /// The most bytes that a message may have.
  package static let maximumLength = 1 << 27

  /// The length of a message in bytes, from its first ones.
  ///
  /// - Parameters:
  ///   - bytes: At least ``prefixLength`` of them.
  ///   - limit: The most bytes that are accepted.
  /// - Returns: The length, beginning with the first byte.
  /// - Throws: ``MarshallingError`` with reason `.header` or `.tooLong`.
  package static func length(
    in bytes: RawSpan, limit: Int = maximumLength
  ) throws(MarshallingError) -> Int {
    guard bytes.byteCount >= prefixLength else { throw MarshallingError(.truncated, at: 0) }
    let isBigEndian = try isBigEndian(bytes)
    var reader = ValueReader(isBigEndian: isBigEndian, at: 4)
    let body: UInt32 = try reader.number(in: bytes)
    reader = ValueReader(isBigEndian: isBigEndian, at: 12)
    let fields: UInt32 = try reader.number(in: bytes)
    guard fields <= ValueReader.maximumArrayLength else { throw MarshallingError(.tooLong, at: 12) }
    let header = (prefixLength + Int(fields) + 7) / 8 * 8
    guard header + Int(body) <= min(limit, maximumLength) else {
      throw MarshallingError(.tooLong, at: 4)
    }
    return header + Int(body)
  }

  private static func isBigEndian(_ bytes: RawSpan) throws(MarshallingError) -> Bool {
    switch bytes.byte(at: 0) {
    case UInt8(ascii: "l"): return false
    case UInt8(ascii: "B"): return true
    default: throw MarshallingError(.header, at: 0)
    }
  }

  /// Reads one message.
  ///
  /// The arguments are not looked at; ``arguments()`` and ``check()`` do that.
  ///
  /// - Parameter bytes: The whole message and nothing else.
  /// - Throws: ``MarshallingError``.
  package init(_ bytes: RawSpan) throws(MarshallingError) {
    guard bytes.byteCount >= Self.prefixLength else { throw MarshallingError(.truncated, at: 0) }
    isBigEndian = try Self.isBigEndian(bytes)
    guard bytes.byte(at: 1) != 0 else { throw MarshallingError(.header, at: 1) }
    kind = Kind(rawValue: bytes.byte(at: 1))
    wantsNoReply = bytes.byte(at: 2) & Self.noReplyFlag != 0
    guard bytes.byte(at: 3) == 1 else { throw MarshallingError(.header, at: 3) }
    var reader = ValueReader(isBigEndian: isBigEndian, at: 4)
    let bodyLength: UInt32 = try reader.number(in: bytes)
    serial = try reader.number(in: bytes)
    guard serial != 0 else { throw MarshallingError(.header, at: 8) }
    let fields = try reader.read(.array(.structure([.byte, .variant])), in: bytes)
    for field in fields.parts ?? [] { try take(field) }
    try reader.align(to: 8, in: bytes)
    guard reader.offset + Int(bodyLength) == bytes.byteCount else {
      throw MarshallingError(.truncated, at: reader.offset)
    }
    try checkFields()
    guard bodyLength > 0 else { return }
    do {
      body = try SecretBytes(copying: bytes.extracting(reader.offset..<bytes.byteCount))
    } catch {
      throw MarshallingError(.memory, at: reader.offset)
    }
  }

  private mutating func take(_ field: DBusValue) throws(MarshallingError) {
    guard case .structure(let parts) = field, parts.count == 2, case .byte(let code) = parts[0],
      let value = parts[1].content
    else { throw MarshallingError(.field, at: 12) }
    guard code != 0 else { throw MarshallingError(.field, at: 12) }
    // An unknown field is ignored: a later version of the specification has it.
    switch (Field(rawValue: code), value) {
    case (.path, .objectPath(let text)) where path == nil: path = text
    case (.interface, .string(let text))
    where interface == nil && DBusNames.isInterface(text): interface = text
    case (.member, .string(let text)) where member == nil && DBusNames.isMember(text): member = text
    case (.errorName, .string(let text))
    where errorName == nil && DBusNames.isInterface(text): errorName = text
    case (.replySerial, .uint32(let number)) where replySerial == nil && number != 0:
      replySerial = number
    case (.destination, .string(let text))
    where destination == nil && DBusNames.isBusName(text): destination = text
    case (.sender, .string(let text)) where sender == nil && DBusNames.isBusName(text):
      sender = text
    case (.signature, .signature(let types)) where signature.types.isEmpty: signature = types
    case (.descriptors, .uint32), (nil, _): break
    default: throw MarshallingError(.field, at: 12)
    }
  }

  private func checkFields() throws(MarshallingError) {
    let isComplete =
      switch kind {
      case .call: path != nil && member != nil
      case .signal: path != nil && interface != nil && member != nil
      case .reply: replySerial != nil
      case .error: replySerial != nil && errorName != nil
      case nil: true
      }
    // This path and interface stand for events of the library itself: nobody sends them.
    guard isComplete, path != "/org/freedesktop/DBus/Local",
      interface != "org.freedesktop.DBus.Local"
    else { throw MarshallingError(.field, at: 12) }
  }
}

// MARK: - Writing

extension DBusMessage {
  /// The whole message as it travels.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package func encoded() throws(SealingError) -> SecretBytes {
    let writer = try ValueWriter(isBigEndian: isBigEndian)
    try writer.number(UInt8(ascii: isBigEndian ? "B" : "l"))
    try writer.number(kind?.rawValue ?? 0)
    try writer.number(wantsNoReply ? Self.noReplyFlag : 0)
    try writer.number(UInt8(1))
    try writer.number(UInt32(body?.count ?? 0))
    try writer.number(serial)
    var fields: [(Field, DBusValue?)] = [
      (.path, path.map { .objectPath($0) }), (.interface, interface.map { .string($0) }),
      (.member, member.map { .string($0) }), (.errorName, errorName.map { .string($0) }),
      (.replySerial, replySerial.map { .uint32($0) }),
      (.destination, destination.map { .string($0) }), (.sender, sender.map { .string($0) }),
    ]
    if !signature.types.isEmpty { fields.append((.signature, .signature(signature))) }
    try writer.write(
      .array(
        of: .structure([.byte, .variant]),
        fields.compactMap { field, value in
          value.map { .structure([.byte(field.rawValue), .variant($0)]) }
        }))
    try writer.align(to: 8)
    try body?.withBytes { (bytes: RawSpan) throws(SealingError) in
      try writer.buffer.append(bytes)
    }
    return try writer.buffer.secret()
  }
}

// MARK: - Answers

extension DBusMessage {
  /// The reply to this call; the bus adds names and serial.
  package func reply(_ values: [DBusValue] = []) throws(SealingError) -> DBusMessage {
    var message = DBusMessage(.reply)
    message.replySerial = serial
    message.destination = sender
    return try message.with(values)
  }

  /// The error in place of a reply to this call.
  package func error(_ name: String, _ words: String) throws(SealingError) -> DBusMessage {
    var message = DBusMessage(.error)
    message.replySerial = serial
    message.destination = sender
    message.errorName = name
    return try message.with([.string(words)])
  }

  /// A signal.
  package static func signal(
    _ path: String, _ interface: String, _ member: String, _ values: [DBusValue]
  ) throws(SealingError) -> DBusMessage {
    var message = DBusMessage(.signal)
    message.path = path
    message.interface = interface
    message.member = member
    return try message.with(values)
  }

  /// A call.
  package static func call(
    _ destination: String?, _ path: String, _ interface: String, _ member: String,
    _ values: [DBusValue] = []
  ) throws(SealingError) -> DBusMessage {
    var message = DBusMessage(.call)
    message.destination = destination
    message.path = path
    message.interface = interface
    message.member = member
    return try message.with(values)
  }
}

extension DBusMessage {
  /// The same message in a byte order.
  ///
  /// - Throws: ``MarshallingError`` if the arguments cannot be read; `SealingError`.
  package func reordered(isBigEndian: Bool) throws -> DBusMessage {
    let values = try arguments()
    var message = self
    message.isBigEndian = isBigEndian
    return try message.with(values)
  }
}
