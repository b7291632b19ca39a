import Testing
import VaultDBus
import VaultSealing

/// Values and messages as bytes, in both byte orders.
struct MarshallingTests {
  /// A value of each type, in a signature of its own.
  private static let everything: [DBusValue] = [
    .byte(7), .boolean(true), .int16(-2), .uint16(65_535), .int32(-3), .uint32(4_000_000_000),
    .int64(-5), .uint64(.max), .double(2.5), .string("påss"), .objectPath("/org/example/a_1"),
    .signature(DBusSignature([.array(.entry(key: .string, value: .variant))])), .descriptor(3),
    .variant(.variant(.byte(1))), .strings(["", "a", "abcdefg"]), .objectPaths(["/"]),
    .texts(["user": "me", "server": "github.com"]),
    .properties(["Locked": .boolean(false), "Items": .objectPaths([])]),
    .structure([.byte(1), .structure([.int64(2), .string("x")])]),
    .array(of: .int64, []), .array(of: .structure([.byte, .uint64]), []),
  ]

  private func bytes(_ secret: SecretBytes) -> [UInt8] {
    secret.withBytes { $0.array(0..<$0.byteCount) }
  }

  private func message(_ bytes: [UInt8]) throws -> DBusMessage {
    try SecretBytes(copying: bytes).withBytes { try DBusMessage($0) }
  }

  @Test func everyTypeComesBackAsItWas() throws {
    let secret = try SecretBytes(copying: [0, 1, 2, 255])
    var call = try DBusMessage.call(
      "org.example.name", "/org/example", "org.example.Interface", "Method",
      Self.everything + [.bytes(secret), .byte(9)])
    call.serial = 0x0102_0304
    call.sender = ":1.7"
    let read = try message(bytes(call.encoded()))
    #expect(read.serial == 0x0102_0304)
    #expect(read.path == "/org/example")
    #expect(read.member == "Method")
    #expect(read.destination == "org.example.name")
    #expect(read.sender == ":1.7")
    #expect(
      read.signature.description == "ybnqiuxtdsoghvasaoa{ss}a{sv}(y(xs))axa(yt)ayy")
    let values = try read.arguments()
    #expect(values.count == Self.everything.count + 2)
    for (value, wanted) in zip(values, Self.everything) {
      #expect("\(value)" == "\(wanted)")
    }
    #expect(values[Self.everything.count].bytes?.isEqual(to: secret) == true)
    #expect(throws: Never.self) { try read.check() }
  }

  /// A call `Ping`, written by hand from the specification, once in each byte order.
  private static func ping(isBigEndian: Bool) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] {
      let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
      return isBigEndian ? bytes.reversed() : bytes
    }
    func field(_ code: UInt8, _ type: Character, _ text: String) -> [UInt8] {
      [code, 1, type.asciiValue ?? 0, 0] + number(UInt32(text.utf8.count)) + text.utf8 + [0]
    }
    func padded(_ bytes: [UInt8]) -> [UInt8] {
      bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
    }
    let first = padded(field(1, "o", "/a"))
    let fields = first + field(3, "s", "Ping")
    return [isBigEndian ? UInt8(ascii: "B") : UInt8(ascii: "l"), 1, 0, 1] + number(0) + number(9)
      + number(UInt32(fields.count)) + padded(fields)
  }

  @Test(arguments: [false, true]) func aMessageFromTheSpecificationIsRead(
    isBigEndian: Bool
  ) throws {
    let bytes = Self.ping(isBigEndian: isBigEndian)
    let read = try message(bytes)
    #expect(read.isBigEndian == isBigEndian)
    #expect(read.path == "/a")
    #expect(read.member == "Ping")
    #expect(read.serial == 9)
    #expect(self.bytes(try read.encoded()) == bytes)
    let length = try SecretBytes(copying: Array(bytes[..<16])).withBytes {
      try DBusMessage.length(in: $0)
    }
    #expect(length == bytes.count)
  }

  @Test(arguments: [
    "", "y", "as", "a{sv}", "a{sa{sv}}", "(oayays)", "aaaaay", "((((y))))", "a{o(oayays)}",
    String(repeating: "a", count: 32) + "y", String(repeating: "y", count: 255),
  ]) func signaturesAreRead(text: String) {
    #expect(DBusSignature(text)?.description == text)
  }

  @Test(arguments: [
    "a", "()", "(", ")", "(y", "y)", "{sv}", "a{s}", "a{svv}", "a{vs}", "a{(y)s}", "a{sv", "z",
    "e", "r", "m", String(repeating: "a", count: 33) + "y",
    String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
    String(repeating: "y", count: 256),
  ]) func badSignaturesAreRefused(text: String) {
    #expect(DBusSignature(text) == nil)
  }

  @Test func namesFollowTheSpecification() {
    #expect(DBusNames.isObjectPath("/"))
    #expect(DBusNames.isObjectPath("/a/B_9"))
    for bad in ["", "a", "//", "/a/", "/a//b", "/a-b", "/ä"] {
      #expect(!DBusNames.isObjectPath(bad), "\(bad)")
    }
    #expect(DBusNames.isInterface("org.freedesktop.Secret.Error.IsLocked"))
    for bad in ["", "org", "org.", ".org", "org..a", "org.9a", "org.a-b"] {
      #expect(!DBusNames.isInterface(bad), "\(bad)")
    }
    #expect(DBusNames.isBusName(":1.7"))
    #expect(DBusNames.isBusName("org.a-b.c"))
    for bad in ["", ":", ":1", "org", "org.9", "org.ä"] {
      #expect(!DBusNames.isBusName(bad), "\(bad)")
    }
    #expect(DBusNames.isMember("Get"))
    for bad in ["", "a.b", "9a", "a-b"] { #expect(!DBusNames.isMember(bad), "\(bad)") }
  }

  /// Each is `Ping` with one thing wrong.
  @Test func aMessageWithOneThingWrongIsRefused() throws {
    func reason(_ change: (inout [UInt8]) -> Void) -> MarshallingError.Reason? {
      var bytes = Self.ping(isBigEndian: false)
      change(&bytes)
      do {
        _ = try message(bytes)
        return nil
      } catch {
        return (error as? MarshallingError)?.reason
      }
    }
    #expect(reason { _ in } == nil)
    #expect(reason { $0[0] = UInt8(ascii: "x") } == .header)
    #expect(reason { $0[1] = 0 } == .header)
    #expect(reason { $0[3] = 2 } == .header)
    #expect(reason { $0[8] = 0 } == .header)
    #expect(reason { $0[4] = 1 } == .truncated)
    #expect(reason { $0.removeLast() } == .truncated)
    #expect(reason { $0.append(0) } == .truncated)
    #expect(reason { $0[16] = 0 } == .field)
    // The path as a second member.
    #expect(reason { $0[16] = 3 } == .field)
    // An unknown field in place of the path, which a call must have.
    #expect(reason { $0[16] = 99 } == .field)
    #expect(reason { $0[24] = UInt8(ascii: "x") } == .name)
    #expect(reason { $0[26] = 1 } == .text)
    #expect(reason { $0[27] = 1 } == .padding)
    #expect(reason { $0[25] = 0xFF } == .text)
    #expect(reason { $0[25] = 0 } == .text)
    #expect(reason { $0[15] = 0xFF } == .tooLong)
  }

  private func reason(
    _ signature: String, _ body: [UInt8]
  ) throws -> MarshallingError.Reason? {
    var call = try DBusMessage.call(nil, "/a", "a.b", "M", [.bytes(SecretBytes(copying: body))])
    call.signature = try #require(DBusSignature(signature))
    // The body without the length of its array.
    var bytes = self.bytes(try call.encoded())
    bytes.removeSubrange(bytes.count - body.count - 4..<bytes.count - body.count)
    bytes[4] = UInt8(body.count)
    do {
      _ = try message(bytes).arguments()
      return nil
    } catch {
      return (error as? MarshallingError)?.reason
    }
  }

  @Test func argumentsWithOneThingWrongAreRefused() throws {
    #expect(try reason("u", [1, 0, 0, 0]) == nil)
    #expect(try reason("u", [1, 0, 0]) == .truncated)
    #expect(try reason("u", [1, 0, 0, 0, 0]) == .excess)
    #expect(try reason("b", [2, 0, 0, 0]) == .boolean)
    #expect(try reason("yu", [1, 9, 0, 0, 1, 0, 0, 0]) == .padding)
    #expect(try reason("s", [1, 0, 0, 0, 65, 65]) == .text)
    #expect(try reason("s", [255, 255, 255, 255]) == .truncated)
    #expect(try reason("au", [255, 255, 255, 255]) == .tooLong)
    #expect(try reason("au", [3, 0, 0, 0, 1, 0, 0, 0]) == .truncated)
    #expect(try reason("at", [0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(try reason("at", [0, 0, 0, 0, 1, 0, 0, 0]) == .padding)
    #expect(try reason("g", [1, 97, 0]) == .name)
    #expect(try reason("v", [2, 121, 121, 0, 1, 1]) == .name)
    #expect(try reason("v", [0, 0]) == .name)
    #expect(try reason("o", [1, 0, 0, 0, 65, 0]) == .name)
  }

  @Test func variantsMayNotBeDeeperThanTheLimit() throws {
    let deep = (0..<63).reduce(DBusValue.byte(1)) { value, _ in .variant(value) }
    #expect(throws: Never.self) {
      try DBusMessage.call(nil, "/a", "a.b", "M", [deep]).arguments()
    }
    let deeper = (0..<70).reduce(DBusValue.byte(1)) { value, _ in .variant(value) }
    let call = try DBusMessage.call(nil, "/a", "a.b", "M", [deeper])
    #expect(throws: MarshallingError.self) { try call.arguments() }
    #expect(throws: MarshallingError.self) { try call.check() }
  }

  @Test func aMessageAboveTheLimitIsRefusedByItsFirstBytes() throws {
    let bytes = Array(Self.ping(isBigEndian: false)[..<16])
    #expect(throws: MarshallingError.self) {
      try SecretBytes(copying: bytes).withBytes { try DBusMessage.length(in: $0, limit: 40) }
    }
  }

  @Test func aMessageOfALaterVersionHasNoKind() throws {
    var bytes = Self.ping(isBigEndian: false)
    bytes[1] = 9
    #expect(try message(bytes).kind == nil)
  }

  /// D-Bus specification, "Server Addresses".
  @Test(arguments: [
    ("unix:path=/run/user/1000/bus", ["/run/user/1000/bus"]),
    ("unix:guid=00,path=/a%20b;unix:path=/c,guid=1", ["/a b", "/c"]),
    ("unix:abstract=/tmp/x", ["\0/tmp/x"]), ("tcp:host=localhost,port=1", []),
    ("unix:path=/a%2", []), ("unix:path=/a%zz", []), ("unixexec:path=/bin/sh", []), ("", []),
  ])
  func addressesAreRead(text: String, paths: [String]) {
    #expect(BusClient.paths(in: text) == paths.map { Array($0.utf8) })
  }
}
