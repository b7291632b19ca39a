import Foundation
import TestSupport
import Testing
import VaultSealing
import VaultSync
import VaultSyncEngines

/// The command with a mirror behind a web server, as Documentation/guides/fleet.md shows it.
@Suite(.enabled(if: TestServer.has("python3"), "python3 is not installed"))
struct FeedCommandTests {
  private let homes: [TemporaryHome]
  private let admin: VaultProcess
  private let till: VaultProcess
  private var folder: String { "\(homes[0].path)/www" }
  private var code: String { "\(homes[0].path)/shops.code" }

  init() throws {
    homes = try (0..<2).map { _ in try TemporaryHome() }
    (admin, till) = (VaultProcess(home: homes[0].path), VaultProcess(home: homes[1].path))
    for home in homes {
      let key = "\(home.path)/key"
      try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(
        to: URL(fileURLWithPath: key))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }
    try FileManager.default.createDirectory(
      atPath: "\(homes[0].path)/store", withIntermediateDirectories: false)
    for machine in [admin, till] { try run(machine, "init", "--no-recovery") }
    try run(admin, "set", "db/prod", "--stdin", input: "made-up")
    try run(admin, "sync", "init", "\(homes[0].path)/store", "--label", "admin")
  }

  private func result(
    _ machine: VaultProcess, _ words: [String], input: String = ""
  ) throws -> VaultProcess.Result {
    try machine.run(
      words + ["--key-file", "\(machine.home)/key", "--no-keyring", "--no-session"],
      input: Data(input.utf8))
  }

  @discardableResult
  private func run(
    _ machine: VaultProcess, _ words: String..., input: String = ""
  ) throws -> String {
    let done = try result(machine, words, input: input)
    try #require(done.status == 0, "\(words): \(done.errors)")
    return done.text
  }

  private func subscribe() throws {
    try run(admin, "sync", "subscription", "create", "shops", "--out", code)
    try run(admin, "sync", "mirror", folder)
  }

  private func json(_ machine: VaultProcess, _ words: String...) throws -> [String: Any] {
    let done = try result(machine, words + ["--json"])
    try #require(done.status == 0, "\(words): \(done.errors)")
    return try #require(
      JSONSerialization.jsonObject(with: Data(done.text.utf8)) as? [String: Any])
  }

  /// The lines of the page's section, typed on both machines.
  @Test func thousandsFollowAFeed() throws {
    let page = try String(
      contentsOfFile: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Documentation/guides/fleet.md").path, encoding: .utf8)
    let start = try #require(page.firstRange(of: "## Ten thousand readers")).upperBound
    let end = try #require(page[start...].firstRange(of: "\n## ")).lowerBound
    let typed = page[start..<end].split(separator: "\n").map(String.init).filter {
      $0.hasPrefix("$ ") || $0.hasPrefix("# ")
    }
    #expect(typed.count == 6, "\(typed)")
    let server = try TestServer("feed_server.py", folder)
    let here = [
      ("/srv/www/vault", folder), ("file:shops.code", "file:\(code)"),
      ("--out shops.code", "--out \(code)"),
      ("https://www.example.org/vault/feed", "http://127.0.0.1:\(server.ports[0])/www/feed"),
    ]
    var said: [String] = []
    for line in typed {
      let words = here.reduce(String(line.dropFirst(2))) { $0.replacing($1.0, with: $1.1) }
        .split(separator: " ").dropFirst().map(String.init)
      let done = try result(line.hasPrefix("$ ") ? admin : till, words)
      #expect(done.status == 0, "\(line): \(done.errors)")
      said.append(done.text)
    }
    #expect(said[3] == "made-up" && said[5] == "db/prod\n", "\(said)")
    // Nothing comes after the end.
    try run(admin, "set", "db/prod", "--stdin", input: "changed")
    try run(admin, "sync", "mirror", folder)
    let after = try result(till, ["sync", "now"])
    #expect(after.status == 77, "\(after.errors)")
    #expect(try run(till, "get", "db/prod") == "made-up")
  }

  @Test func whatIsNotNewCostsOneRequest() throws {
    try subscribe()
    let server = try TestServer("feed_server.py", folder)
    let feed = "http://127.0.0.1:\(server.ports[0])/www/feed"
    try run(
      till, "sync", "join", feed, "--subscription", "-",
      input: String(contentsOfFile: code, encoding: .utf8))
    #expect(try run(till, "get", "db/prod") == "made-up")
    try run(till, "sync", "now")
    try server.tell("asked")
    try run(till, "sync", "now")
    #expect(try server.tell("asked") == "304 /www/feed")
    try run(admin, "set", "db/prod", "--stdin", input: "changed")
    try run(admin, "sync", "mirror", folder)
    try run(till, "sync", "now")
    let asked = try server.tell("asked").split(separator: ",")
    #expect(asked.count == 2 && asked[0] == "200 /www/feed" && asked[1].hasPrefix("200 /www/o/"))
    #expect(try run(till, "get", "db/prod") == "changed")
    let status = try json(till, "sync", "status")
    #expect(status["subscription"] as? String == "shops")
    #expect(status["engine"] as? String == "feed" && status["store"] as? String == feed)
    #expect((status["feed"] as? [String: Any])?["isStale"] as? Bool == false)
    #expect(try json(admin, "sync", "status")["subscriptions"] as? Int == 1)
    // What is changed there stays there, and is told.
    let set = try result(till, ["set", "own", "--stdin"], input: "mine")
    #expect(set.status == 0 && set.errors.contains("stays here"), "\(set.errors)")
    try run(till, "sync", "now")
    #expect(try run(till, "get", "own") == "mine")
    server.end()
    let away = try result(till, ["sync", "now"])
    #expect(away.status == 69, "\(away.errors)")
    #expect(try run(till, "get", "db/prod") == "changed")
  }

  @Test func aFeedIsFollowedToAnotherAddress() throws {
    try subscribe()
    let (before, after) = try (
      TestServer("feed_server.py", folder), TestServer("feed_server.py", folder)
    )
    let feed = "http://127.0.0.1:\(after.ports[0])/www/feed"
    try run(
      till, "sync", "join", "http://127.0.0.1:\(before.ports[0])/www/feed", "--subscription",
      "file:\(code)")
    before.end()
    #expect(try result(till, ["sync", "now"]).status == 69)
    try run(admin, "set", "db/prod", "--stdin", input: "changed")
    try run(admin, "sync", "mirror", folder)
    // What is no feed is refused, and the address stays.
    let old = try json(till, "sync", "status")["store"] as? String
    for (words, status, said) in [
      (["\(folder)/nothing"], Int32(69), "no feed"),
      (["http://127.0.0.1:\(after.ports[0])/nothing/feed"], 69, "no feed"),
      ([feed, "--store-password", "env:X"], 64, "no password"),
      (["https://me:pass@www.example.org/feed"], 64, "password"),
    ] {
      let done = try result(till, ["sync", "move"] + words)
      #expect(done.status == status && done.errors.contains(said), "\(words): \(done.errors)")
    }
    #expect(try json(till, "sync", "status")["store"] as? String == old)
    let moved = try result(till, ["sync", "move", feed])
    #expect(moved.status == 0 && moved.errors.contains("follows \(feed)"), "\(moved.errors)")
    #expect(try run(till, "get", "db/prod") == "changed")
    #expect(try json(till, "sync", "status")["store"] as? String == feed)
    let again = try result(till, ["sync", "move", feed])
    #expect(again.status == 0 && again.errors.contains("already"), "\(again.errors)")
    try run(admin, "sync", "subscription", "remove", "shops")
    let log = try run(admin, "sync", "log")
    let rows = log.split(separator: "\n").map { $0.split(separator: " ").suffix(2) }
    #expect(rows.contains { $0 == ["subscribed", "shops"] }, "\(log)")
    #expect(rows.contains { $0 == ["unsubscribed", "shops"] }, "\(log)")
    #expect(!log.contains("invited"), "\(log)")
  }

  /// Others may read a file: it is called what it is.
  @Test func aFileIsCalledWhatItIs() throws {
    try subscribe()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: code)
    let words = ["\(folder)/feed", "--subscription", "file:\(code)"]
    let open = try result(till, ["sync", "join"] + words)
    #expect(open.errors.contains("the code file \(code)"), "\(open.errors)")
    #expect(!open.errors.contains("passphrase"), "\(open.errors)")
    let failed = try result(
      till, ["sync", "join", "\(folder)/feed", "--subscription", "cmd:exit 3"])
    #expect(failed.errors.contains("gave no code"), "\(failed.errors)")
    let typed = try result(
      admin, ["sync", "move", "postgresql://me@db.example.org/x", "--store-password", "s3cr3t"])
    #expect(typed.status == 64 && typed.errors.contains("a password is never"), "\(typed.errors)")
    #expect(!typed.errors.contains("s3cr3t"))
  }

  @Test func aServerLeadsNowhereElse() throws {
    try subscribe()
    let server = try TestServer("feed_server.py", folder)
    let base = "http://127.0.0.1:\(server.ports[0])"
    for (path, status, said) in [
      ("plain", Int32(77), "not https"), ("name", 77, "user or a password"),
      ("loop", 69, "from one address to the next"), ("endless", 69, "too long"),
      ("many", 69, "cannot be reached"), ("cut", 69, "cannot be reached"), ("refused", 69, "403"),
      ("nothing", 69, "there is no feed"),
    ] {
      let done = try result(
        till, ["sync", "join", "\(base)/\(path)/feed", "--subscription", "file:\(code)"])
      #expect(done.status == status, "\(path): \(done.errors)")
      #expect(done.errors.contains(said), "\(path): \(done.errors)")
      #expect(!done.errors.contains("secret"), "\(path): \(done.errors)")
    }
    #expect(try result(till, ["sync", "status"]).status != 0)
    // Files lie beside the address that was given.
    let hop = try result(
      till, ["sync", "join", "\(base)/hop/feed", "--subscription", "file:\(code)"])
    #expect(hop.status == 65, "\(hop.errors)")
    try run(till, "sync", "join", "\(base)/www/feed", "--subscription", "file:\(code)")
  }

  /// Somebody in between, who shows a certificate that nobody vouches for, or that is another host's:
  /// nothing is asked of him, and nobody is told to try again.
  @Test(.enabled(if: TestServer.has("openssl"), "openssl is not installed"))
  func aCertificateThatIsNotTrustedIsSaid() throws {
    try subscribe()
    let server = try TestServer("feed_server.py", folder, homes[0].path)
    for host in ["localhost", "127.0.0.1"] {
      let done = try result(
        till,
        [
          "sync", "join", "https://\(host):\(server.ports[0])/www/feed", "--subscription",
          "file:\(code)",
        ])
      #expect(done.status == 69, "\(host): \(done.errors)")
      #expect(done.errors.contains("certificate"), "\(host): \(done.errors)")
      #expect(!done.errors.contains("try again"), "\(host): \(done.errors)")
    }
    #expect(try server.tell("asked").isEmpty)
  }

  /// A person in a hurry.
  @Test func eachSlipIsTold() throws {
    try subscribe()
    let secret = try String(contentsOfFile: code, encoding: .utf8)
    let word = String(secret.prefix(12))
    func expect(
      _ words: [String], _ status: Int32, _ said: String, input: String = "",
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      let done = try result(till, ["sync", "join"] + words, input: input)
      #expect(done.status == status, "\(done.errors)", sourceLocation: location)
      #expect(done.errors.contains(said), "\(done.errors)", sourceLocation: location)
      #expect(!done.errors.contains(word), "the code is not repeated", sourceLocation: location)
    }
    let feed = "\(folder)/feed"
    // The code in the place of its source, and in that of the store.
    try expect([feed, "--subscription", secret.trimmingCharacters(in: .newlines)], 64, "file:PATH")
    try expect([secret.trimmingCharacters(in: .newlines)], 64, "never given on the command line")
    try expect([feed, "--subscription", "shops.code"], 64, "file:PATH")
    try expect([feed, "--subscription", "-"], 77, "no code of a subscription", input: "ABC")
    try expect(
      ["\(homes[0].path)/store", "--stdin"], 77, "subscription", input: secret)
    try expect(["http://www.example.org/feed", "--subscription", "file:\(code)"], 64, "https://")
    try expect(
      ["https://me:pass@www.example.org/feed", "--subscription", "file:\(code)"], 64, "password")
    try expect(["\(folder)/nothing", "--subscription", "file:\(code)"], 69, "no feed")
    try expect([feed, "--subscription", "file:\(code)", "--label", "x"], 64, "--label")
    try expect([feed, "--subscription", "file:\(code)", "--stdin"], 64, "--stdin")
    // Into a vault that has items.
    try run(till, "set", "own", "--stdin", input: "mine")
    try expect([feed, "--subscription", "file:\(code)"], 64, "1 item")
    try run(till, "sync", "join", feed, "--subscription", "file:\(code)", "--merge")
    #expect(try run(till, "get", "own") == "mine")
    #expect(try run(till, "get", "db/prod") == "made-up")
    try expect([feed, "--subscription", "file:\(code)", "--merge"], 1, "already")
    // Nothing of its own is in the space.
    try run(till, "sync", "now")
    try run(admin, "sync", "now")
    #expect(try run(admin, "list") == "db/prod\n")
    for words in [
      ["sync", "invite"], ["sync", "subscription", "create", "x"],
      ["sync", "mirror", "\(folder)-2"], ["sync", "rotate"],
    ] {
      let done = try result(till, words)
      #expect(done.status == 77, "\(words): \(done.errors)")
    }
    // A store of records is no feed.
    let moved = try result(till, ["sync", "move", "\(homes[0].path)/store"])
    #expect(moved.status == 69 && moved.errors.contains("no feed"), "\(moved.errors)")
    try run(till, "sync", "leave")
    #expect(try run(till, "get", "db/prod") == "made-up")
  }

  private func start(
    _ machine: VaultProcess, _ words: [String], adding more: [String: String] = [:]
  ) throws -> VaultProcess.Running {
    try machine.start(
      words + ["--key-file", "\(machine.home)/key", "--no-keyring", "--no-session"],
      adding: more)
  }

  /// A service that begins while its web server shows something else.
  @Test func aWatcherOutlivesAFeedThatWasAltered() throws {
    try subscribe()
    try run(till, "sync", "join", "\(folder)/feed", "--subscription", "file:\(code)")
    try Data("no feed".utf8).write(to: URL(fileURLWithPath: "\(folder)/feed"))
    let manager = try ServiceManager("\(till.home)/notify")
    let service = try start(
      till, ["sync", "watch"],
      adding: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
    defer { kill(service.pid, SIGKILL) }
    #expect(manager.waits(for: "READY=1"))
    for _ in 0..<30 { #expect(manager.waits(for: "WATCHDOG=1")) }
    kill(service.pid, SIGTERM)
    let end = service.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.contains("is no feed"), "\(end.errors)")
  }

  /// What is wrong with the store is somebody's to mend, and ends no mirror.
  @Test func aMirrorOutlivesAStoreThatWasPutBack() throws {
    let (store, now) = ("\(homes[0].path)/store", FileManager.default)
    try now.copyItem(atPath: store, toPath: store + ".old")
    try run(admin, "set", "db/prod", "--stdin", input: "changed")
    try run(admin, "sync", "now")
    try now.moveItem(atPath: store, toPath: store + ".new")
    try now.moveItem(atPath: store + ".old", toPath: store)
    #expect(try result(admin, ["sync", "mirror", folder]).status == 65)
    #expect(!now.fileExists(atPath: "\(folder)/feed"))
    let mirror = try start(admin, ["sync", "mirror", folder, "--every", "5s", "--watch"])
    defer { kill(mirror.pid, SIGKILL) }
    let end = ContinuousClock.now + .seconds(120)
    // It is made before the first run.
    while !now.fileExists(atPath: "\(folder)/o"), ContinuousClock.now < end { usleep(50_000) }
    sleep(8)
    try now.removeItem(atPath: store)
    try now.moveItem(atPath: store + ".new", toPath: store)
    while !now.fileExists(atPath: "\(folder)/feed"), ContinuousClock.now < end { usleep(50_000) }
    #expect(now.fileExists(atPath: "\(folder)/feed"))
    // A folder that is none is told at once.
    let none = try result(admin, ["sync", "mirror", homes[0].path, "--watch"])
    #expect(none.status == 77 && none.errors.contains("something else"), "\(none.errors)")
  }

  /// Nobody has a vault of a code that opens nothing.
  @Test func aCodeThatEndedMakesNoVault() throws {
    try subscribe()
    try run(admin, "sync", "subscription", "remove", "shops")
    try run(admin, "sync", "mirror", folder)
    let new = try TemporaryHome()
    let machine = VaultProcess(home: new.path)
    try FileManager.default.copyItem(atPath: "\(till.home)/key", toPath: "\(new.path)/key")
    func hasVault(_ home: String) throws -> Bool {
      try FileManager.default.subpathsOfDirectory(atPath: home).contains {
        $0.hasSuffix("secrets.vault")
      }
    }
    let done = try result(
      machine, ["sync", "join", "\(folder)/feed", "--subscription", "file:\(code)"])
    #expect(done.status == 77, "\(done.errors)")
    #expect(try !hasVault(new.path) && hasVault(till.home))
    let told = try result(
      till, ["sync", "join", "\(folder)/feed", "--subscription", "file:\(code)"])
    #expect(told.status == 77 && told.errors.contains("another one"), "\(told.errors)")
  }

  @Test func subscriptionsAreListed() throws {
    try subscribe()
    #expect(try run(admin, "sync", "subscription", "list").contains("shops"))
    #expect(try run(admin, "sync", "devices").contains("subscription"))
    let taken = try result(admin, ["sync", "subscription", "create", "shops"])
    #expect(taken.status == 77 && taken.text.isEmpty, "\(taken.errors)")
    let limited = try json(admin, "sync", "subscription", "create", "others", "--for", "90d")
    #expect(limited["expires"] is String && limited["code"] is String)
    let attributes = try FileManager.default.attributesOfItem(atPath: code)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let other = try result(admin, ["sync", "mirror", homes[0].path])
    #expect(other.status == 77 && other.errors.contains("something else"), "\(other.errors)")
    let none = try result(admin, ["sync", "subscription", "remove", "nothing"])
    #expect(none.status == 1, "\(none.errors)")
    let removed = try result(admin, ["sync", "subscription", "remove", "shops"])
    let hint = try #require(removed.errors.firstRange(of: "--exposed-to ")).upperBound
    let id = removed.errors[hint...].prefix { $0.isHexDigit }
    #expect(try id.count == 8 && run(admin, "list", "--exposed-to", String(id)) == "db/prod\n")
    let machine = try result(admin, ["sync", "subscription", "create", "admin"])
    #expect(machine.status == 77 && machine.errors.contains("that name"), "\(machine.errors)")
  }
}
