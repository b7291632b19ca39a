import Foundation
import TestSupport
import Testing
import VaultSealing
import VaultSync
import VaultSyncEngines

/// Real PostgreSQL servers, through the helper as the command starts it.
enum Postgres {
  static let isInstalled =
    TestServer.has("openssl", "python3")
    && !((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
      .isEmpty

  static func server(_ arguments: String...) throws -> TestServer {
    let home = try TemporaryHome()
    let schema = "\(home.path)/schema.sql"
    try PostgresSchema.text.write(toFile: schema, atomically: true, encoding: .utf8)
    return try TestServer("postgres_server.py", [schema] + arguments)
  }

  /// One with TLS and scram, for the tests of a process that need no other.
  static let shared = Result { try server() }

  static func engine(
    _ address: String, in home: TemporaryHome, password: String? = "canary-pg", patience: Int = 60
  ) throws -> ProgramEngine {
    ProgramEngine(
      path: try Etcd.program("postgresql", in: home), store: address,
      password: try password.map { try SecretBytes(copying: Array($0.utf8)) }, patience: patience)
  }

  static func address(
    _ server: TestServer, user: String = "laptop", database: String = "vault", port: Int = 0
  ) -> String {
    "postgresql://\(user)@localhost:\(server.ports[port])/\(database)"
      + "?sslrootcert=\(server.folder)/server.crt"
  }
}

@Suite(.enabled(if: Postgres.isInstalled, "postgresql is not installed"))
struct PostgresTests {
  private let space: SpaceID
  private let stream: StreamID
  private let home: TemporaryHome

  init() throws {
    space = try #require(SpaceID((0..<16).map { _ in UInt8.random(in: 0...255) }))
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

  @Test func rightsAreInTheFunctions() throws {
    let server = try Postgres.shared.get()
    let engine = try Postgres.engine(Postgres.address(server), in: home)
    try append(1...3, engine)
    // Nobody but who began it sees the space, until an administrator gives a right.
    let desktop = try Postgres.engine(Postgres.address(server, user: "desktop"), in: home)
    let reader = try Postgres.engine(Postgres.address(server, user: "reader"), in: home)
    #expect(try records(desktop).isEmpty)
    #expect(try !desktop.spaces().contains(space))
    for (role, writes) in [("desktop", true), ("reader", false)] {
      try server.tell(
        "insert into vault_sync.access values (decode('\(space.text)','hex'),'\(role)',\(writes))")
    }
    #expect(try records(desktop) == ["r1", "r2", "r3"])
    #expect(try reader.spaces().contains(space))
    #expect(try records(reader) == ["r1", "r2", "r3"])
    // Another's stream, and a reader.
    #expect(failure { try append(4...4, desktop) }?.code == .notAllowed)
    #expect(failure { try append(4...4, reader) }?.code == .notAllowed)
    #expect(
      failure { try reader.put([SyncObject(name: head(1).hash, bytes: [1])], in: space) }?.code
        == .notAllowed)
    // An invitation of one admin is ended by another; a reader ends none.
    let id = [UInt8](repeating: 3, count: 16)
    try engine.putInvitation([1], id: id, in: space)
    try desktop.putInvitation([2], id: id, in: space)
    #expect(failure { try reader.putInvitation([3], id: id, in: space) }?.code == .notAllowed)
    #expect(try engine.invitation(id, in: space) == [2])
    // Nothing may be changed in the tables, by no role of a machine.
    for user in ["laptop", "reader"] {
      for statement in [
        "delete from vault_sync.records", "update vault_sync.streams set sequence=1",
        "truncate vault_sync.objects", "insert into vault_sync.access values ('a','\(user)',true)",
        "insert into vault_sync.version values (2)", "create table vault_sync.x()",
      ] {
        let said = try server.tell("set role \(user); \(statement)")
        #expect(said.contains("permission denied"), "\(statement): \(said)")
      }
    }
  }

  /// An administrator takes a right away: that is no schema that is missing.
  @Test func aRightThatWasRevokedIsSaid() throws {
    let server = try Postgres.shared.get()
    _ = try Postgres.engine(Postgres.address(server, user: "former"), in: home).spaces()
    try server.tell("revoke vault_read from former")
    let former = try Postgres.engine(Postgres.address(server, user: "former"), in: home)
    #expect(failure { _ = try former.spaces() }?.code == .notAllowed)
  }

  /// A role that was dropped stops nobody; a space without any row is not for the next who comes.
  @Test func rowsThatAreOutOfDate() throws {
    let server = try Postgres.shared.get()
    let engine = try Postgres.engine(Postgres.address(server), in: home)
    try append(1...2, engine)
    let mine = "space = decode('\(space.text)','hex')"
    try server.tell(
      "insert into vault_sync.access values (decode('\(space.text)','hex'),'gone \"x',true)")
    #expect(try engine.spaces().contains(space))
    try append(3...3, engine)
    #expect(try records(engine) == ["r1", "r2", "r3"])
    try server.tell("delete from vault_sync.access where \(mine)")
    #expect(failure { try append(4...4, engine) }?.code == .notAllowed)
    try server.tell("delete from vault_sync.records where \(mine)")
    try server.tell("delete from vault_sync.streams where \(mine)")
    try append(1...1, engine)
  }

  @Test func aSocketThatAnybodyMayPutThere() throws {
    let folder = "\(home.path)/open"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder)
    let engine = try Postgres.engine("postgresql://laptop@/vault?host=\(folder)", in: home)
    let error = failure { _ = try engine.heads(in: space) }
    #expect(error?.message.contains("anybody may write") == true, "\(error?.message ?? "")")
  }

  @Test func refusalsAreToldApart() throws {
    let server = try Postgres.shared.get()
    func error(_ address: String, password: String? = "canary-pg") -> SyncError? {
      failure {
        _ = try Postgres.engine(address, in: home, password: password, patience: 10).heads(
          in: space)
      }
    }
    let wrong = try #require(error(Postgres.address(server), password: "not-this"))
    #expect(wrong.message.contains("refused the credentials"), "\(wrong)")
    #expect(!wrong.description.contains("not-this"))
    #expect(error(Postgres.address(server), password: nil)?.message.contains("refused") == true)
    let bare = try #require(error(Postgres.address(server, database: "bare")))
    #expect(bare.code == .notPrepared, "\(bare)")
    // Another certificate, another name, the roots of the system.
    let address = Postgres.address(server)
    for text in [
      address.replacing("server.crt", with: "other.crt"),
      address.replacing("localhost", with: "127.0.0.2"),
      address.replacing("?sslrootcert=\(server.folder)/server.crt", with: ""),
    ] {
      let refused = try #require(error(text))
      #expect(refused.message.contains("who it is"), "\(refused)")
    }
  }

  /// What would lead elsewhere, or lower, in the environment.
  @Test func theEnvironmentLowersNothing() throws {
    let server = try Postgres.shared.get()
    let helper = URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent().path
    let path = try EnginePrograms(home: home).program(
      """
      #!/bin/sh
      PGSSLMODE=disable PGHOST=127.0.0.2 PGOPTIONS=-csearch_path=public PGSSLROOTCERT=/dev/null \
      PGTARGETSESSIONATTRS=standby exec \(helper)/vault-helper engine postgresql
      """, named: "lowering")
    let engine = ProgramEngine(
      path: path, store: Postgres.address(server).replacing("server.crt", with: "other.crt"),
      password: try SecretBytes(copying: Array("canary-pg".utf8)), patience: 10)
    #expect(failure { _ = try engine.heads(in: space) }?.message.contains("who it is") == true)
  }

  @Test func manyRecordsAndLargeOnes() throws {
    let engine = try Postgres.engine(Postgres.address(Postgres.shared.get()), in: home)
    let small = (0..<2500).map { Array("record \($0)".utf8) }
    let large = (0..<12).map { [UInt8](repeating: UInt8($0), count: 1 << 20) }
    try engine.append(small, head: head(2500), in: space)
    for (offset, record) in large.enumerated() {
      try engine.append([record], head: head(2501 + UInt64(offset)), in: space)
    }
    #expect(try engine.records(of: stream, in: space, after: 0, limit: 3000) == small + large)
  }

  /// The server dies as by loss of power, again and again: nothing that was done is lost.
  @Test func aServerThatDiesLosesNothing() throws {
    let server = try Postgres.server()
    defer { server.end() }
    let engine = try Postgres.engine(Postgres.address(server), in: home)
    for turn in 0..<5 {
      let first = UInt64(turn) * 4 + 1
      try append(first...first + 3, engine)
      try server.tell("kill")
      if turn == 0 { #expect(failure { _ = try engine.heads(in: space) }?.code == .unavailable) }
      try server.tell("start")
      #expect(try records(engine) == (1...first + 3).map { "r\($0)" })
    }
    // A connection that listens says that it is over.
    let signal = try #require(try engine.changes(in: space))
    try server.tell(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like '%listen vault_%'")
    #expect(failure { while try signal.wait(for: .seconds(60)) {} }?.code == .unavailable)
  }

  /// A failover to a standby that has less: the owner writes again what is missing.
  @Test func aFailoverThatLosesRecords() throws {
    let server = try Postgres.server("standby")
    defer { server.end() }
    let both =
      "postgresql://laptop@localhost:\(server.ports[0]),localhost:\(server.ports[1])/vault"
      + "?sslrootcert=\(server.folder)/server.crt"
    let engine = try Postgres.engine(both, in: home)
    try append(1...5, engine)
    // A reader may use the standby.
    let standby = try Postgres.engine(
      Postgres.address(server, port: 1) + "&target_session_attrs=any", in: home)
    while try records(standby).count < 5 {}
    #expect(failure { try append(6...6, standby) }?.code == .unavailable)
    #expect(failure { _ = try standby.changes(in: space) }?.code == .unavailable)
    try server.tell("pause")
    try append(6...9, engine)
    try server.tell("kill")
    try server.tell("promote")
    let there = try records(engine)
    #expect(there.count >= 5)
    let lost = there.count < 9
    if lost {
      let error = failure { try append(10...10, engine) }
      #expect(error?.message.contains("lacks records") == true, "\(error?.message ?? "")")
    }
    for number in UInt64(there.count) + 1..<10 {
      try engine.restore(Array("r\(number)".utf8), of: stream, at: number, in: space)
    }
    try append(10...10, engine)
    #expect(try records(engine) == (1...10).map { "r\($0)" })
  }

  @Test func noConnectionIsLeft() throws {
    let server = try Postgres.server()
    defer { server.end() }
    var engines: [ProgramEngine] = []
    var error: SyncError?
    while error == nil, engines.count < 25 {
      let engine = try Postgres.engine(Postgres.address(server), in: home, patience: 20)
      error = failure { _ = try engine.heads(in: space) }
      engines.append(engine)
    }
    #expect(error?.message.contains("no connection left") == true, "\(error?.message ?? "")")
  }
}

/// Addresses, which need no server.
struct PostgresAddressTests {
  private func value(_ name: String, _ text: String) throws -> String? {
    try PostgresAddress(text).parameters.first { $0.name == name }?.value
  }

  @Test func addressesAreRead() throws {
    let text = "postgresql://me@a.example.org:1,b.example.org/vault?sslrootcert=/r"
    #expect(try value("host", text) == "a.example.org,b.example.org")
    #expect(try value("port", text) == "1,5432")
    #expect(try value("user", text) == "me")
    #expect(try value("dbname", text) == "vault")
    #expect(try value("sslmode", text) == "verify-full")
    #expect(try value("sslrootcert", text) == "/r")
    #expect(try value("target_session_attrs", text) == "read-write")
    #expect(try value("host", "postgresql:///vault?host=/run/postgresql") == "/run/postgresql")
    #expect(try value("sslmode", "postgresql:///vault?host=/run/postgresql") == "disable")
    #expect(try value("sslmode", "postgresql://localhost/vault?sslmode=disable") == "disable")
    #expect(try value("host", "postgresql://[::1]:7/vault") == "::1")
  }

  @Test(arguments: [
    "postgresql://", "postgresql://a", "postgresql:///vault", "postgresql://u:p@a/vault",
    "postgresql://a/vault?password=x", "postgresql://a/vault?sslmode=require",
    "postgresql://a/vault?sslmode=prefer", "postgresql://a/vault?sslmode=disable",
    "postgresql://127.0.0.1.example.org/vault?sslmode=disable", "postgresql://a/v?sslrootcert=rel",
    "postgresql://a/v?options=-c", "postgresql://a/v?service=x",
    "postgresql://a/v?hostaddr=1.2.3.4",
    "postgresql://a/v?host=/x", "postgresql://a:b/v", "postgresql://a/v?host=x",
    "postgresql://a/a b",
    "postgresql://a/v'", "postgresql://-a/v", "postgresql://a,/v",
  ])
  func othersAreRefused(_ text: String) throws {
    do {
      _ = try StoreAddress(typed: text, in: "/home/me")
      Issue.record("\(text) was taken")
    } catch let error as SyncError {
      #expect(error.code == .notAllowed)
      #expect(!error.description.contains("u:p"))
    }
  }
}
