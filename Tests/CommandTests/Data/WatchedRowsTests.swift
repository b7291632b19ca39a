import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// `vault sync watch` beside preferences and the rows of an application, over a folder.
struct WatchedRowsTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  static let application = "com.example.trips"
  static let domain = "com.example.tool"

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
    try SyncedHomes.join(laptop, desktop, at: store.path)
    let trips = StoredSchema(entities: [
      StoredEntity("Trip", attributes: [StoredAttribute("name", .string)])
    ])
    for machine in [laptop, desktop] {
      let file = DataStoreFile(path: Self.path(machine))
      _ = try file.directory(create: true)
      let (connection, _) = try file.open(
        orCreate: DataStoreMetadata(application: Self.application, schema: trips))
      connection.close()
    }
    try #require(try laptop("sync", "now").status == 0)
  }

  private static func path(_ machine: ThrowawayVault) -> String {
    "\(machine.home.path)/.local/share/\(application)/default.store"
  }

  private func add(_ name: String, _ machine: ThrowawayVault) throws {
    let connection = try SQLiteConnection(path: Self.path(machine), mode: .readWrite)
    defer { connection.close() }
    try connection.execute("INSERT INTO Trip(name) VALUES (?)", [.text(name)])
  }

  private func isThere(_ name: String, _ machine: ThrowawayVault) throws -> Bool {
    let connection = try SQLiteConnection(path: Self.path(machine), mode: .readOnly)
    defer { connection.close() }
    return try connection.int64("SELECT count(*) FROM Trip WHERE name=?", [.text(name)]) == 1
  }

  /// A service on the desktop.
  private func serve(_ more: String...) throws -> VaultProcess.Running {
    try desktop.command.start(
      ["sync", "watch", "--metrics", metrics, "--no-keyring", "--no-session"] + more)
  }

  private var metrics: String { "\(desktop.home.path)/vault.prom" }

  private func number(_ name: String) -> Int? {
    let text = String(
      decoding: FileManager.default.contents(atPath: metrics) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").first { $0.hasPrefix("vault_sync_\(name) ") }
      .flatMap { Int($0.split(separator: " ")[1]) }
  }

  /// How long it took until something was true.
  private func waits(_ what: String, _ condition: () throws -> Bool) rethrows -> Duration {
    let began = ContinuousClock.now
    while ContinuousClock.now - began < .seconds(240) {
      if try condition() { return ContinuousClock.now - began }
      usleep(50_000)
    }
    Issue.record("\(what) does not come")
    return .seconds(240)
  }

  /// What the machines have before the service begins.
  private func share() throws {
    for machine in [laptop, desktop] {
      #expect(try machine("sync", "add", "data", Self.application).status == 0)
      #expect(try machine("sync", "add", Self.domain).status == 0)
    }
    #expect(try laptop("sync", "now").status == 0)
  }

  /// Nothing but the signals brings any of it in less than 48 seconds, each of three times.
  @Test func rowsAndPreferencesComeAndGoAtOnce() throws {
    try share()
    let service = try serve()
    defer { kill(service.pid, SIGKILL) }
    _ = waits("a run") { number("runs_total") ?? 0 > 0 }
    var times: [Duration] = []
    for round in 1...3 {
      try add("Oslo \(round)", laptop)
      #expect(try laptop("sync", "now").status == 0)
      times.append(try waits("a row to the desktop") { try isThere("Oslo \(round)", desktop) })
      // Nobody runs anything on the desktop.
      try add("Rome \(round)", desktop)
      times.append(
        try waits("a row to the laptop") {
          #expect(try laptop("sync", "now").status == 0)
          return try isThere("Rome \(round)", laptop)
        })
      let words = ["defaults", "write", Self.domain, "round", "-int", "\(round)"]
      #expect(try desktop.command.run(words).status == 0)
      times.append(
        try waits("a preference to the laptop") {
          #expect(try laptop("sync", "now").status == 0)
          return try laptop("defaults", "read", Self.domain, "round").text == "\(round)\n"
        })
    }
    // The timer would have been as slow as this once, not each time.
    #expect(times.sorted()[4] < .seconds(30), "\(times)")
    #expect(number("rows_received_total") == 3)
    #expect(number("rows_sent_total") == 3)
    kill(service.pid, SIGTERM)
    let end = service.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.text.contains("data: \(Self.application): 1 new here"))
    #expect(end.text.contains("data: \(Self.application): 1 told"))
  }

  /// A run changes no store in which nothing was changed: it would be a reason for the next one.
  @Test func aServiceRests() throws {
    try share()
    try add("Oslo", laptop)
    #expect(try laptop("sync", "now").status == 0)
    let service = try serve()
    defer { kill(service.pid, SIGKILL) }
    _ = try waits("a row") { try isThere("Oslo", desktop) }
    // The timer comes after 48 seconds at the earliest.
    var (runs, quiet) = (0, 0)
    let rest = waits("rest") {
      let now = number("runs_total") ?? 0
      (runs, quiet) = (now, now == runs ? quiet + 1 : 0)
      return quiet >= 200
    }
    #expect(rest < .seconds(240))
    #expect(runs < 20)
    kill(service.pid, SIGTERM)
    #expect(service.finish().status == 0)
  }

  /// Rows and domains that are added while the service runs are watched, and a store that is gone is
  /// told once, and again when it is there.
  @Test func whatIsAddedMeanwhileIsWatched() throws {
    let service = try serve()
    defer { kill(service.pid, SIGKILL) }
    _ = waits("a run") { number("runs_total") ?? 0 > 0 }
    try share()
    // A run knows of it; the vault is changed for that.
    #expect(try desktop("set", "token", "--stdin", input: "x").status == 0)
    _ = try waits("the item") {
      #expect(try laptop("sync", "now").status == 0)
      return try laptop("get", "token").status == 0
    }
    for name in ["Oslo", "Rome"] {
      try add(name, desktop)
      _ = try waits(name) {
        #expect(try laptop("sync", "now").status == 0)
        return try isThere(name, laptop)
      }
    }
    let path = Self.path(desktop)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    #expect(try desktop("set", "token", "--stdin", input: "y").status == 0)
    _ = waits("an error") { number("well") == 0 }
    let before = number("runs_total") ?? 0
    #expect(try desktop("set", "token", "--stdin", input: "z").status == 0)
    _ = waits("another run") { number("runs_total") ?? 0 > before }
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    #expect(try desktop("set", "token", "--stdin", input: "a").status == 0)
    _ = waits("order") { number("well") == 1 }
    kill(service.pid, SIGTERM)
    let end = service.finish()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.components(separatedBy: "was not synchronized").count == 2, "\(end.errors)")
    #expect(end.errors.contains("in order again"))
  }
}
