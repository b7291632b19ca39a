import Foundation
import TestSupport
import Testing
import VaultSealing
import VaultSync
import VaultSyncEngines

/// Real etcd servers, through the helper as the command starts it.
enum Etcd {
  static let isInstalled = TestServer.has("etcd", "etcdctl", "openssl", "python3")

  /// One with TLS and users, for the tests of a process that need no other.
  static let shared = Result { try TestServer("etcd_server.py", "1", "users") }

  /// `vault-helper engine NAME` as a person's program.
  static func program(_ name: String, in home: TemporaryHome) throws -> String {
    let helper = URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent().path
    return try EnginePrograms(home: home).program(
      "#!/bin/sh\nexec \(helper)/vault-helper engine \(name)\n", named: "engine-\(name)")
  }

  static func engine(
    _ address: String, in home: TemporaryHome, password: String? = "canary-etcd", patience: Int = 60
  ) throws -> ProgramEngine {
    ProgramEngine(
      path: try program("etcd", in: home), store: address,
      password: try password.map { try SecretBytes(copying: Array($0.utf8)) }, patience: patience)
  }

  /// Spaces of a test's own on the shared server.
  static func address(user: String = "laptop", _ prefix: String = UUID().uuidString) throws
    -> String
  {
    let server = try shared.get()
    return "etcd://localhost:\(server.ports[0])/spaces/\(prefix)?user=\(user)"
      + "&ca=\(server.folder)/server.crt"
  }
}

@Suite(.enabled(if: Etcd.isInstalled, "etcd-server and etcd-client are not installed"))
struct EtcdTests {
  private let space: SpaceID
  private let stream: StreamID
  private let home: TemporaryHome

  init() throws {
    space = try #require(SpaceID([UInt8](repeating: 7, count: 16)))
    stream = try #require(StreamID([UInt8](repeating: 8, count: 16)))
    home = try TemporaryHome()
  }

  private func head(_ number: UInt64) -> StreamHead {
    StreamHead(stream: stream, sequence: number, hash: [UInt8](repeating: 1, count: 32))
  }

  private func failure(_ body: () throws -> Void) -> SyncError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SyncError
    }
  }

  private func append(_ numbers: ClosedRange<UInt64>, _ engine: ProgramEngine) throws {
    for number in numbers {
      try engine.append([Array("r\(number)".utf8)], head: head(number), in: space)
    }
  }

  private func records(_ engine: ProgramEngine) throws -> [String] {
    try engine.records(of: stream, in: space, after: 0, limit: 10_000)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func refusalsAreToldApart() throws {
    let address = try Etcd.address()
    let prefix = try #require(
      address.split(separator: "/").dropFirst(3).first?.split(separator: "?").first)
    try append(1...3, Etcd.engine(address, in: home))
    func error(_ address: String, password: String? = "canary-etcd") -> SyncError? {
      failure { _ = try Etcd.engine(address, in: home, password: password).heads(in: space) }
    }
    let wrong = try #require(error(address, password: "wrong"))
    #expect(wrong.message.contains("refused the credentials"))
    #expect(!wrong.description.contains("wrong"))
    #expect(error(address, password: nil)?.message.contains("password") == true)
    let nobody = address.replacing("user=laptop&", with: "")
    #expect(error(nobody)?.hint?.contains("?user=") == true)
    // A reader reads, and writes nothing.
    let reading = try Etcd.engine(Etcd.address(user: "reader", String(prefix)), in: home)
    #expect(try records(reading) == ["r1", "r2", "r3"])
    #expect(failure { try append(4...4, reading) }?.code == .notAllowed)
    let elsewhere = address.replacing("/spaces/", with: "/elsewhere/")
    #expect(error(elsewhere)?.code == .notAllowed)
    // One space may be named where a role lists none.
    let named = address.replacing("?user", with: "/\(space.text)?user")
    #expect(try Etcd.engine(named, in: home).spaces() == [space])
  }

  /// Nothing is sent to a server that is not the one: TLS stripped, another certificate, another name.
  @Test func otherServersGetNothing() throws {
    let server = try Etcd.shared.get()
    let address = try Etcd.address()
    for text in [
      address.replacing("server.crt", with: "other.crt"),
      address.replacing("localhost", with: "127.0.0.1"),
      address.replacing("&ca=\(server.folder)/server.crt", with: ""),
    ] {
      let error = failure { _ = try Etcd.engine(text, in: home, patience: 10).heads(in: space) }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "")")
    }
    let plain = address.replacing("etcd://", with: "etcd+http://")
    #expect(
      failure { _ = try Etcd.engine(plain, in: home, patience: 10).heads(in: space) }?.code
        == .unavailable)
  }

  /// Tokens of two seconds without use.
  @Test func aTokenIsRenewed() async throws {
    let engine = try Etcd.engine(Etcd.address(), in: home)
    try append(1...2, engine)
    // A change of users makes no difference either.
    try Etcd.shared.get().tell("user add u\(UInt32.random(in: 0...UInt32.max)):x")
    try append(3...4, engine)
    try await Task.sleep(for: .seconds(3))
    try append(5...6, engine)
    #expect(try records(engine) == (1...6).map { "r\($0)" })
  }

  /// Many and large ones come in several ranges.
  @Test func manyRecordsAndLargeOnes() throws {
    let engine = try Etcd.engine(Etcd.address(), in: home)
    let small = (0..<950).map { Array("record \($0)".utf8) }
    let large = (0..<6).map { [UInt8](repeating: UInt8($0), count: 1 << 20) }
    try engine.append(small, head: head(950), in: space)
    for (offset, record) in large.enumerated() {
      try engine.append([record], head: head(951 + UInt64(offset)), in: space)
    }
    #expect(try engine.records(of: stream, in: space, after: 0, limit: 1000) == small + large)
    let error = failure {
      try engine.append([[UInt8](repeating: 1, count: 3 << 20)], head: head(957), in: space)
    }
    #expect(error?.hint?.contains("max-request-bytes") == true)
  }

  /// A gap ends what is given.
  @Test func aGapIsAnEnd() throws {
    let address = try Etcd.address()
    let engine = try Etcd.engine(address, in: home)
    try append(1...9, engine)
    let prefix = try #require(address.range(of: "/spaces/").map { address[$0.lowerBound...] })
    let base = prefix.prefix { $0 != "?" }
    try Etcd.shared.get().tell("del \(base)/\(space.text)/s/\(stream.text)/0000000000000004")
    #expect(try records(engine) == ["r1", "r2", "r3"])
    try engine.restore(Array("r4".utf8), of: stream, at: 4, in: space)
    #expect(try records(engine) == (1...9).map { "r\($0)" })
  }

  /// The leader, a follower, then two of three are killed: nothing that was done is lost.
  @Test func threeServersLoseOneAndTwo() throws {
    let server = try TestServer("etcd_server.py", "3")
    defer { server.end() }
    let hosts = server.ports.map { "localhost:\($0)" }.joined(separator: ",")
    let address = "etcd://\(hosts)/vault?ca=\(server.folder)/server.crt"
    let engine = try Etcd.engine(address, in: home, password: nil)
    try append(1...20, engine)
    let leader = try #require(Int(try server.tell("leader")))
    try server.tell("kill \(leader)")
    while failure({ try append(21...30, engine) })?.code == .unavailable {}
    #expect(try records(engine) == (1...30).map { "r\($0)" })
    let signal = try #require(try engine.changes(in: space))
    let next = (leader + 1) % 3
    try server.tell("kill \(next)")
    // Without a quorum nothing is shown that may be old, and a signal says that it is none.
    let short = try Etcd.engine(address, in: home, password: nil, patience: 9)
    #expect(failure { _ = try short.heads(in: space) }?.code == .unavailable)
    #expect(failure { while try signal.wait(for: .seconds(30)) {} }?.code == .unavailable)
    try server.tell("start \(leader)")
    try server.tell("start \(next)")
    while failure({ try append(31...40, engine) }) != nil {}
    #expect(try records(engine) == (1...40).map { "r\($0)" })
  }

  /// Hosts of two clusters in one address.
  @Test func twoClustersAreToldApart() throws {
    let one = try TestServer("etcd_server.py", "1")
    let two = try TestServer("etcd_server.py", "1")
    defer {
      one.end()
      two.end()
    }
    let both = "\(one.folder)/both.crt"
    try
      (String(contentsOfFile: "\(one.folder)/server.crt", encoding: .utf8)
      + String(contentsOfFile: "\(two.folder)/server.crt", encoding: .utf8))
      .write(toFile: both, atomically: true, encoding: .utf8)
    let engine = try Etcd.engine(
      "etcd://localhost:\(one.ports[0]),localhost:\(two.ports[0])/vault?ca=\(both)", in: home,
      password: nil)
    try append(1...3, engine)
    // The one that answered goes; the other one has none of it.
    let error = failure {
      try one.tell("kill 0")
      _ = try engine.heads(in: space)
      try two.tell("kill 0")
      try one.tell("start 0")
      // It answers when it has started, which takes long where much else runs.
      while failure({ _ = try engine.heads(in: space) })?.code == .unavailable {}
      _ = try engine.heads(in: space)
    }
    #expect(error?.code == .rolledBack)
  }

  @Test func aFullDatabaseIsSaid() throws {
    let server = try TestServer("etcd_server.py", "1")
    defer { server.end() }
    let engine = try Etcd.engine(
      "etcd://localhost:\(server.ports[0])/vault?ca=\(server.folder)/server.crt", in: home,
      password: nil)
    var error: SyncError?
    var number: UInt64 = 0
    while error == nil, number < 200 {
      number += 1
      error = failure {
        try engine.append([[UInt8](repeating: 1, count: 1 << 20)], head: head(number), in: space)
      }
    }
    #expect(error?.message.contains("full") == true, "\(error?.message ?? "")")
    #expect(try engine.heads(in: space).first?.sequence == number - 1)
  }
}

/// Addresses, which need no server.
struct EtcdAddressTests {
  private func read(_ text: String) -> EtcdAddress? { try? EtcdAddress(text) }

  @Test func addressesAreRead() throws {
    let plain = try EtcdAddress("etcd://a.example.org")
    #expect(plain.servers == ["https://a.example.org:2379"])
    #expect(plain.prefix == "/vault/")
    #expect(plain.user == nil)
    let id = "0123456789abcdef0123456789abcdef"
    let full = try EtcdAddress("etcd://a:1,[::1]:2/team/x/\(id)?user=u&ca=/c&cert=/d&key=/e")
    #expect(full.servers == ["https://a:1", "https://[::1]:2"])
    #expect(full.prefix == "/team/x/")
    #expect(full.space?.text == id)
    #expect(full.user == "u")
    #expect(full.files == TLSFiles(roots: "/c", certificate: "/d", key: "/e"))
    for host in ["localhost", "127.0.0.1", "[::1]", "127.1.2.3"] {
      #expect(read("etcd+http://\(host)/v")?.servers == ["http://\(host):2379"])
    }
  }

  @Test(arguments: [
    "etcd://", "etcd:///vault", "etcd://a,", "etcd://a:0", "etcd://a:99999", "etcd://a:b",
    "etcd://u:p@a", "etcd://u@a", "etcd://a?password=x", "etcd://a?token=x", "etcd://a?ca=rel",
    "etcd://a?cert=/x", "etcd://a?what=1", "etcd://a/b c", "etcd://a\u{1b}/v", "etcd://-a",
    "etcd+http://a.example.org", "etcd+http://127.0.0.1.example.org", "etcd+http://10.0.0.1",
    "etcd://a b", "etcd://a/%2e%2e", "http://a",
  ])
  func othersAreRefused(_ text: String) throws {
    #expect(read(text) == nil)
    if text.hasPrefix("etcd") {
      do {
        _ = try StoreAddress(typed: text, in: "/home/me")
        Issue.record("\(text) was taken")
      } catch let error as SyncError {
        #expect(error.code == .notAllowed)
        #expect(!error.description.contains("u:p"))
      }
    }
  }
}
