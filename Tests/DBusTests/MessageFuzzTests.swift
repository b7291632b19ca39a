import TestSupport
import Testing
import VaultDBus
import VaultSealing

/// Mutated messages, in both byte orders: they are refused, or read to the end, and never crash.
struct MessageFuzzTests {
  /// Messages as clients of the Secret Service and the bus send them.
  private func corpus() throws -> [[UInt8]] {
    let secret = DBusValue.structure([
      .objectPath("/org/freedesktop/secrets/session/s1"), .bytes(try SecretBytes(copying: [1, 2])),
      .bytes(try SecretBytes(copying: Array("s3cr3t".utf8))), .string("text/plain"),
    ])
    let item = "org.freedesktop.Secret.Item."
    let calls: [(String, [DBusValue])] = [
      ("Hello", []), ("AddMatch", [.string("type='signal',sender='org.freedesktop.DBus'")]),
      (
        "OpenSession",
        [
          .string("dh-ietf1024-sha256-aes128-cbc-pkcs7"),
          .variant(.bytes(try SecretBytes(copying: Array(repeating: 9, count: 128)))),
        ]
      ),
      ("SearchItems", [.texts(["service": "gh:github.com", "username": "me"])]),
      (
        "CreateItem",
        [
          .properties([
            "\(item)Label": .string("Password for 'me' on 'gh:github.com'"),
            "\(item)Attributes": .texts(["service": "gh:github.com", "username": "me"]),
          ]), secret, .boolean(true),
        ]
      ),
      ("GetSecrets", [.objectPaths(["/a/b", "/c"]), .objectPath("/s")]),
      ("Deep", [.variant(.array(of: .variant, [.variant(.double(1)), .variant(.int64(2))]))]),
    ]
    return try calls.enumerated().flatMap { index, call in
      var message = try DBusMessage.call(
        "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service",
        call.0, call.1)
      message.serial = UInt32(index + 1)
      return try [false, true].map { isBigEndian in
        let bytes = try message.reordered(isBigEndian: isBigEndian).encoded()
        return bytes.withBytes { $0.array(0..<$0.byteCount) }
      }
    }
  }

  /// `FUZZ_ROUNDS=50` makes it a million: `make fuzz-bus`.
  @Test func mutatedMessagesAreRefusedOrRead() throws {
    let corpus = try corpus()
    var mutations = Mutations("messages", corpus: corpus)
    var read = 0
    for _ in 0..<20_000 * Mutations.rounds {
      let input = mutations.input()
      do {
        let length = try input.withRawSpan { try DBusMessage.length(in: $0) }
        guard length <= input.count else { continue }
        let message = try input[..<length].withRawSpan { try DBusMessage($0) }
        let isWhole = Result { try message.check() }
        let values = Result { try message.arguments() }
        let (passes, reads) = ((try? isWhole.get()) != nil, (try? values.get()) != nil)
        #expect(passes == reads)
        guard let values = try? values.get() else { continue }
        read += 1
        // What was read is written again, and is the same.
        let again = try message.with(values).encoded()
        let second = try again.withBytes { try DBusMessage($0) }
        #expect(second.signature == message.signature)
        // NaN is not equal to itself, but is written as it was.
        #expect("\(try second.arguments())" == "\(values)")
      } catch is MarshallingError {
      }
    }
    // Not all of them: the mutator changes texts, too.
    #expect(read > 100)
  }
}
