import Foundation
import TestSupport
import Testing
import VaultSyncEngines

/// The command with stores behind programs and on servers, as Documentation/guides/server-store.md
/// and Documentation/engines.md show it.
struct StoreCommandTests {
  /// Two machines of a person.
  private struct Machines {
    let homes = (laptop: try? TemporaryHome(), desktop: try? TemporaryHome())
    let laptop: VaultProcess
    let desktop: VaultProcess

    init() throws {
      laptop = VaultProcess(home: try #require(homes.laptop).path)
      desktop = VaultProcess(home: try #require(homes.desktop).path)
      for machine in [laptop, desktop] {
        let key = "\(machine.home)/key"
        try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(
          to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let made = try Self.run(machine, ["init", "--no-recovery"])
        try #require(made.status == 0, "\(made.errors)")
      }
    }

    static func run(
      _ machine: VaultProcess, _ words: [String], input: String = ""
    ) throws -> VaultProcess.Result {
      try machine.run(
        words + ["--key-file", "\(machine.home)/key", "--no-keyring", "--no-session"],
        input: Data(input.utf8))
    }

    /// What one sets, the other one gets, both ways; returns all that was written.
    func share(_ store: String, _ more: [String] = []) throws -> String {
      var said = ""
      func run(_ machine: VaultProcess, _ words: [String], input: String = "") throws -> String {
        let result = try Self.run(machine, words, input: input)
        try #require(result.status == 0, "\(words): \(result.errors)")
        said += result.text + result.errors
        return result.text
      }
      _ = try run(laptop, ["set", "token", "--stdin"], input: "one")
      _ = try run(laptop, ["sync", "init", store, "--label", "laptop"] + more)
      let code = try run(laptop, ["sync", "invite"])
      _ = try run(
        desktop, ["sync", "join", store, "--stdin", "--label", "desktop"] + more, input: code)
      #expect(try run(desktop, ["get", "token"]) == "one")
      _ = try run(desktop, ["set", "token", "--stdin"], input: "two")
      _ = try run(desktop, ["sync", "now"])
      _ = try run(laptop, ["sync", "now"])
      #expect(try run(laptop, ["get", "token"]) == "two")
      said += try run(laptop, ["sync", "status", "--json"])
      return said
    }

    /// Whether a text is in a file of one of the machines.
    func isInFiles(_ text: String) -> Bool {
      [laptop, desktop].contains { machine in
        let names = FileManager.default.enumerator(atPath: machine.home)?.compactMap {
          $0 as? String
        }
        return (names ?? []).contains { name in
          name != "password"
            && FileManager.default.contents(atPath: "\(machine.home)/\(name)")?
              .range(of: Data(text.utf8)) != nil
        }
      }
    }

    /// A file with a password, for one machine's option.
    func password(_ text: String) throws -> String {
      let path = "\(laptop.home)/password"
      try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      return "file:\(path)"
    }
  }

  @Test func aProgramOfOnesOwn() throws {
    let machines = try Machines()
    let home = try TemporaryHome()
    let programs = EnginePrograms(home: home)
    let store = "\(home.path)/store"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    let path = try programs.program(EnginePrograms.example())
    _ = try machines.share("exec:\(path)?\(store)")
    // The program is looked at each time, and what it says is shown.
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    let open = try Machines.run(machines.laptop, ["sync", "now"])
    #expect(open.status == 77)
    #expect(open.errors.contains("other users may write"))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    try FileManager.default.moveItem(atPath: store, toPath: store + ".away")
    let away = try Machines.run(machines.laptop, ["sync", "now"])
    #expect(away.status == 69)
    #expect(away.errors.contains("is not there"))
    let whole = try Machines.run(machines.laptop, ["sync", "init", "exec:engine"])
    #expect(whole.status == 64)
  }

  @Test(.enabled(if: Etcd.isInstalled, "etcd-server and etcd-client are not installed"))
  func anEtcd() throws {
    let machines = try Machines()
    let address = try Etcd.address()
    let password = try machines.password("canary-etcd")
    let said = try machines.share(address, ["--store-password", password])
    #expect(!said.contains("canary-etcd"))
    #expect(!machines.isInFiles("canary-etcd"))
    // Another password, with the same address.
    let wrong = try machines.password("canary-wrong")
    let refused = try Machines.run(
      machines.laptop, ["sync", "move", address, "--store-password", wrong])
    #expect(refused.status == 69)
    #expect(refused.errors.contains("refused the credentials"))
    #expect(!refused.errors.contains("canary"))
    // The one before is still there; the same again is taken.
    #expect(try Machines.run(machines.laptop, ["sync", "now"]).status == 0)
    let again = try machines.password("canary-etcd")
    let moved = try Machines.run(
      machines.laptop, ["sync", "move", address, "--store-password", again])
    #expect(moved.status == 0, "\(moved.errors)")
    // At another address the password does not open: nothing is sent there.
    let elsewhere = address.replacing("localhost", with: "127.0.0.1")
    let other = try Machines.run(machines.laptop, ["sync", "move", elsewhere])
    #expect(other.status == 69)
    #expect(other.errors.contains("there is none"), "\(other.errors)")
    #expect(try Machines.run(machines.laptop, ["sync", "now"]).status == 0)
    // It goes with the space.
    #expect(try Machines.run(machines.desktop, ["sync", "leave"]).status == 0)
    let left = try FileManager.default.subpathsOfDirectory(atPath: machines.desktop.home)
    #expect(!left.contains { $0.hasSuffix(".sync.password") })
  }

  @Test(.enabled(if: Postgres.isInstalled, "postgresql is not installed"))
  func aPostgreSQL() throws {
    let machines = try Machines()
    let server = try Postgres.shared.get()
    let password = try machines.password("canary-pg")
    let said = try machines.share(
      Postgres.address(server), ["--store-password", password])
    #expect(!said.contains("canary-pg"))
    #expect(!machines.isInFiles("canary-pg"))
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let key = ["--key-file", "\(machines.laptop.home)/key", "--no-keyring", "--no-session"]
    #expect(try vault.run(["init", "--no-recovery"] + key).status == 0)
    let bare = try vault.run(
      ["sync", "init", Postgres.address(server, database: "bare"), "--store-password", password]
        + key)
    #expect(bare.status == 78)
    #expect(bare.errors.contains("sync schema postgresql"))
  }

  @Test(.enabled(if: Rclone.isInstalled, "rclone or python3 is not installed"))
  func aRemoteOfRclone() throws {
    let machines = try Machines()
    let home = try TemporaryHome()
    let remote = "\(home.path)/remote"
    // Each machine's own configuration, at the place where rclone looks.
    for machine in [machines.laptop, machines.desktop] {
      let folder = "\(machine.home)/.config/rclone"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("[drive]\ntype = alias\nremote = \(remote)\n".utf8)
        .write(to: URL(fileURLWithPath: "\(folder)/rclone.conf"))
    }
    let said = try machines.share("rclone:drive:vault")
    #expect(said.contains(#""engine":"rclone""#) || said.contains(#""engine": "rclone""#))
    let store = try #require(
      FileManager.default.contentsOfDirectory(atPath: "\(remote)/vault").first)
    #expect(FileManager.default.fileExists(atPath: "\(remote)/vault/\(store)/h"))
    let elsewhere = try Machines.run(machines.laptop, ["sync", "move", "rclone:gdrive:vault"])
    #expect(elsewhere.status == 78)
    #expect(elsewhere.errors.contains("rclone listremotes"), "\(elsewhere.errors)")
    for words in [
      ["rclone::webdav,pass=canary:x"],
      ["rclone:drive:vault", "--store-password", try machines.password("canary")],
    ] {
      let refused = try Machines.run(machines.laptop, ["sync", "move"] + words)
      #expect(refused.status == 64)
      #expect(!refused.errors.contains("canary"))
    }
  }

  private static let servers =
    (Etcd.isInstalled ? [EngineContractTests.Kind.etcd] : [])
    + (Postgres.isInstalled ? [.postgresql] : [])

  /// A service on one machine has what the other one sets, and sends what is set beside it.
  @Test(arguments: servers)
  func aServiceKeepsThemTogether(_ kind: EngineContractTests.Kind) throws {
    let machines = try Machines()
    let isEtcd = kind == .etcd
    let address = isEtcd ? try Etcd.address() : Postgres.address(try Postgres.shared.get())
    let password = try machines.password(isEtcd ? "canary-etcd" : "canary-pg")
    _ = try machines.share(address, ["--store-password", password])
    let manager = try ServiceManager("\(machines.desktop.home)/notify")
    let service = try machines.desktop.start(
      [
        "sync", "watch", "--key-file", "\(machines.desktop.home)/key", "--no-keyring",
        "--no-session",
      ], adding: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000"])
    defer { kill(service.pid, SIGKILL) }
    #expect(manager.waits(for: "READY=1"))
    func set(_ value: String, on machine: VaultProcess) throws {
      #expect(try Machines.run(machine, ["set", "token", "--stdin"], input: value).status == 0)
    }
    func waits(for value: String, on machine: VaultProcess, _ before: () throws -> Void) throws {
      let end = ContinuousClock.now + .seconds(120)
      var isThere = false
      while !isThere, ContinuousClock.now < end {
        try before()
        isThere = try Machines.run(machine, ["get", "token"]).text == value
      }
      #expect(isThere, "\(value) does not come")
    }
    for value in ["three", "four"] {
      try set(value, on: machines.laptop)
      #expect(try Machines.run(machines.laptop, ["sync", "now"]).status == 0)
      // Nothing but the store's signal brings it in less than a minute.
      let began = ContinuousClock.now
      try waits(for: value, on: machines.desktop) {}
      #expect(ContinuousClock.now - began < .seconds(40))
    }
    try set("five", on: machines.desktop)
    try waits(for: "five", on: machines.laptop) {
      _ = try Machines.run(machines.laptop, ["sync", "now"])
    }
    #expect(manager.waits(for: "WATCHDOG=1"))
    manager.drain()
    kill(service.pid, SIGTERM)
    let end = service.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(!end.errors.contains("canary"))
    #expect(manager.waits(for: "STOPPING=1"))
  }

  /// The vault key is replaced as a whole beside a service: what opened the vault does not open it until
  /// its file is replaced, too, and the service goes on then.
  @Test func aServiceOutlivesAnotherVaultKey() throws {
    let machines = try Machines()
    let (home, now) = (try TemporaryHome(), FileManager.default)
    let store = "\(home.path)/store"
    try now.createDirectory(atPath: store, withIntermediateDirectories: true)
    _ = try machines.share(store)
    let key = "\(machines.desktop.home)/key"
    let service = try machines.desktop.start(
      ["sync", "watch", "--key-file", key, "--no-keyring", "--no-session"])
    defer { kill(service.pid, SIGKILL) }
    func set(_ value: String) throws {
      #expect(
        try Machines.run(machines.laptop, ["set", "token", "--stdin"], input: value).status == 0)
      #expect(try Machines.run(machines.laptop, ["sync", "now"]).status == 0)
    }
    func waits(for value: String) throws -> Bool {
      let end = ContinuousClock.now + .seconds(180)
      while ContinuousClock.now < end {
        if try Machines.run(machines.desktop, ["get", "token"]).text == value { return true }
        usleep(100_000)
      }
      return false
    }
    try set("two")
    #expect(try waits(for: "two"))
    let rotated = try Machines.run(
      machines.desktop, ["key", "rotate", "--new-key-file", key + ".new"])
    #expect(rotated.status == 0, "\(rotated.errors)")
    // It looks at once, since the vault's file has changed, and nothing opens it.
    try set("three")
    usleep(3_000_000)
    #expect(kill(service.pid, 0) == 0)
    try now.removeItem(atPath: key)
    try now.moveItem(atPath: key + ".new", toPath: key)
    #expect(try waits(for: "three"))
    kill(service.pid, SIGTERM)
    let end = service.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.contains("does not unlock the vault"), "\(end.errors)")
  }

  /// A store that was put back is told, once, and no reason to end.
  @Test func aServiceOutlivesAStoreThatWasPutBack() throws {
    let machines = try Machines()
    let (home, now) = (try TemporaryHome(), FileManager.default)
    let store = "\(home.path)/store"
    try now.createDirectory(atPath: store, withIntermediateDirectories: true)
    func set(_ value: String) throws {
      #expect(
        try Machines.run(machines.laptop, ["set", "token", "--stdin"], input: value).status == 0)
    }
    try set("one")
    #expect(try Machines.run(machines.laptop, ["sync", "init", store]).status == 0)
    try now.copyItem(atPath: store, toPath: store + ".old")
    try set("two")
    #expect(try Machines.run(machines.laptop, ["sync", "now"]).status == 0)
    try now.removeItem(atPath: store)
    try now.moveItem(atPath: store + ".old", toPath: store)
    let manager = try ServiceManager("\(machines.laptop.home)/notify")
    let service = try machines.laptop.start(
      [
        "sync", "watch", "--key-file", "\(machines.laptop.home)/key", "--no-keyring",
        "--no-session",
      ], adding: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
    defer { kill(service.pid, SIGKILL) }
    #expect(manager.waits(for: "READY=1"))
    for _ in 0..<30 { #expect(manager.waits(for: "WATCHDOG=1")) }
    kill(service.pid, SIGTERM)
    let end = service.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.components(separatedBy: "older state").count == 2, "\(end.errors)")
  }

  /// A monitor reads numbers of a file and of a socket; no name is among them.
  @Test func aMonitorReadsHowTheWatchingGoes() throws {
    let machines = try Machines()
    let home = try TemporaryHome()
    let store = "\(home.path)/store"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    _ = try machines.share(store)
    let file = "\(home.path)/vault.prom"
    let socket = "\(home.path)/metrics"
    let manager = try ServiceManager("\(home.path)/notify")
    let service = try machines.laptop.start(
      [
        "sync", "watch", "--metrics", file, "--metrics-socket", socket, "--key-file",
        "\(machines.laptop.home)/key", "--no-keyring", "--no-session",
      ], adding: ["NOTIFY_SOCKET": manager.path])
    defer { kill(service.pid, SIGKILL) }
    #expect(manager.waits(for: "READY=1"))
    func value(_ name: String, in text: String) -> Double? {
      text.split(separator: "\n").first { $0.hasPrefix("vault_sync_\(name) ") }
        .flatMap { Double($0.split(separator: " ")[1]) }
    }
    func text() -> String {
      String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }
    func waits(_ condition: (String) -> Bool) -> Bool {
      for _ in 0..<1200 {
        if condition(text()) { return true }
        usleep(100_000)
      }
      return false
    }
    #expect(waits { value("runs_total", in: $0) ?? 0 >= 1 })
    #expect(value("machines", in: text()) == 2)
    #expect(value("well", in: text()) == 1)
    #expect(try Machines.run(machines.laptop, ["set", "token", "--stdin"], input: "x").status == 0)
    #expect(waits { value("records_sent_total", in: $0) ?? 0 >= 1 })
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o644)
    // A store that is away is an error with a code, and the file says when it was there.
    try FileManager.default.moveItem(atPath: store, toPath: store + ".away")
    #expect(try Machines.run(machines.laptop, ["set", "zebra", "--stdin"], input: "y").status == 0)
    #expect(waits { $0.contains("vault_sync_errors_total{code=\"sync-unavailable\"} ") })
    #expect(value("well", in: text()) == 0)
    #expect(value("last_contact_timestamp_seconds", in: text()) ?? 0 > 1_700_000_000)
    let answer = UnixClient.answer(to: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", at: socket)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(value("well", in: answer) == 0)
    for secret in ["token", "zebra", "laptop", "desktop", store] {
      #expect(!answer.contains(secret), "\(secret)")
    }
    kill(service.pid, SIGTERM)
    #expect(service.finish().status == 0)
  }

  @Test func aServiceNeedsItsKeyAgainAndAgain() throws {
    let machines = try Machines()
    let once = try machines.laptop.run(
      ["sync", "watch", "--key-file", "-", "--no-keyring", "--no-session"], input: Data())
    #expect(once.status == 64)
    for source in [["--key-file", "/dev/fd/3"], ["--passphrase", "fd:3"]] {
      let read = try machines.laptop.run(
        ["sync", "watch", "--no-keyring", "--no-session"] + source)
      #expect(read.status == 64)
      #expect(read.errors.contains("again and again"), "\(read.errors)")
    }
    let alone = try Machines.run(machines.laptop, ["sync", "watch"])
    #expect(alone.status == 78)
  }

  @Test func whatAnAdministratorRuns() throws {
    let home = try TemporaryHome()
    let printed = try VaultProcess(home: home.path).run(["sync", "schema", "postgresql"])
    #expect(printed.text == PostgresSchema.text)
    #expect(try VaultProcess(home: home.path).run(["sync", "schema", "mysql"]).status == 64)
  }

  @Test func whatCannotBeJoinedMakesNoVault() throws {
    let machines = try Machines()
    let home = try TemporaryHome()
    let store = "\(home.path)/store"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
    func laptop(_ words: String...) throws -> String {
      let result = try Machines.run(machines.laptop, words)
      try #require(result.status == 0, "\(words): \(result.errors)")
      return result.text
    }
    /// Joins with a vault that is not there yet.
    func join(_ name: String, _ code: String, _ more: [String] = []) throws -> VaultProcess.Result {
      try Machines.run(
        machines.desktop,
        ["--vault", name, "sync", "join", store, "--stdin", "--label", name] + more, input: code)
    }
    func isThere(_ name: String) throws -> Bool {
      try Machines.run(machines.desktop, ["list", "--vaults"]).text.contains(name)
    }
    _ = try laptop("sync", "init", store, "--label", "laptop")
    let used = try laptop("sync", "invite")
    #expect(try join("first", used).status == 0)
    #expect(try isThere("first"))
    let again = try join("second", used)
    #expect(again.status != 0 && again.errors.contains("used already"), "\(again.errors)")
    #expect(try !isThere("second"))
    // A recovery code that was withdrawn.
    let code = try laptop("key", "add", "--recovery")
    _ = try laptop("key", "remove", "recovery")
    _ = try laptop("sync", "now")
    let withdrawn = try join("third", code)
    #expect(withdrawn.status != 0, "\(withdrawn.errors)")
    #expect(try !isThere("third"))
    // A store that shows less than there was.
    let open = try laptop("sync", "invite")
    let files = try FileManager.default.subpathsOfDirectory(atPath: store)
    for path in files where path.contains("/s/") && path.hasSuffix("0000000000000001") {
      try FileManager.default.removeItem(atPath: "\(store)/\(path)")
    }
    let less = try join("fourth", open)
    #expect(less.status != 0, "\(less.errors)")
    #expect(try !isThere("fourth"))
  }

  @Test func passwordsHaveOtherWays() throws {
    let machines = try Machines()
    for store in [
      "etcd://u:hunter2@h/v", "postgresql://u:hunter2@h/v", "etcd://h?password=hunter2",
    ] {
      let result = try Machines.run(machines.laptop, ["sync", "init", store])
      #expect(result.status == 64)
      #expect(!result.errors.contains("hunter2"))
    }
    let folder = try Machines.run(
      machines.laptop,
      ["sync", "init", machines.desktop.home, "--store-password", try machines.password("x")])
    #expect(folder.status == 64)
    let typed = try Machines.run(
      machines.laptop, ["sync", "init", "etcd://h/v?user=u", "--store-password", "hunter2"])
    #expect(typed.status == 64)
    #expect(!typed.errors.contains("hunter2"))
  }
}
