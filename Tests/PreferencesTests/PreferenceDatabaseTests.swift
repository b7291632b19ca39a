import Foundation
import Synchronization
import TestSupport
import Testing
import VaultPreferences
import VaultSealing
import VaultStorage

struct PreferenceDatabaseTests {
  private let home: TemporaryHome
  private let domain = PreferenceDomain("d")

  init() throws { home = try TemporaryHome() }

  private func open(_ keys: (any DataKeyProvider)? = nil) throws -> PreferenceDatabase {
    try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "test", keys: keys))
  }

  @Test func valuesOfEveryKindComeBackFromTheDisk() throws {
    var entries = try #require(PropertyListTests.everything.entries)
    entries["nan"] = .real(.nan)
    entries["zero"] = .real(-0.0)
    try open().transaction { transaction in
      for (key, value) in entries { try transaction.set(value, key, in: domain) }
    }
    #expect(try open().contents(of: domain) == entries)
  }

  /// Two processes, 200 keys each, every time 400: 50 runs.
  @Test func twoProcessesLoseNothing() async throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("preference-writer"))
    for run in 0..<50 {
      let location = StoreLocation(home: "\(home.path)/run\(run)")
      let writers = try ["a", "b"].map { name in
        try writer.start([location.data, name, "200", "20"])
      }
      for writer in writers {
        let result = writer.finish()
        #expect(result.status == 0, "run \(run): \(result.text)")
      }
      let database = try #require(
        try PreferenceDatabase.open(location, mode: .read, process: "test"))
      #expect(try database.contents(of: domain)?.count == 400)
    }
  }

  @Test func theLogIsShortenedAfterALargeImport() throws {
    let database = try open()
    database.prepareForShortUse()
    let log = "\(home.location.data)/store.sqlite-wal"
    func length() -> Int { (try? Data(contentsOf: URL(fileURLWithPath: log)).count) ?? 0 }
    try database.transaction { try $0.set(1, "small", in: domain) }
    try database.shortenLog()
    #expect(length() > 0)
    try database.transaction { transaction in
      for number in 0..<10_000 {
        try transaction.set(.string("value \(number)"), "key\(number)", in: domain)
      }
    }
    #expect(length() > 524_288)
    try database.shortenLog()
    #expect(length() == 0)
    #expect(try open().contents(of: domain)?.count == 10_001)
  }

  @Test func aTransactionThatThrowsChangesNothing() throws {
    struct Stop: Error {}
    let database = try open()
    try database.transaction { try $0.set(1, "k", in: domain) }
    let before = try database.latestSequence()
    #expect(throws: Stop.self) {
      try database.transaction { transaction in
        try transaction.set(2, "k", in: domain)
        try transaction.set(2, "k", in: PreferenceDomain("other"))
        throw Stop()
      }
    }
    #expect(try database.value("k", in: domain) == 1)
    #expect(try database.domains() == [domain])
    #expect(try database.latestSequence() == before)
  }

  @Test func compareAndSetSeesAnotherWriter() throws {
    let store = try PreferenceStore(
      domain: "d", location: home.location, managedDirectory: "\(home.path)/none")
    try store.setValue(1, expecting: nil, forKey: "k")
    try open().transaction { try $0.set(5, "k", in: domain) }
    let error = #expect(throws: PreferenceError.self) {
      try store.setValue(2, expecting: 1, forKey: "k")
    }
    #expect(error?.code == .conflict)
    try store.setValue(nil, expecting: 5, forKey: "k")
    #expect(store.value(forKey: "k") == nil)
  }

  @Test func theJournalHasOldAndNew() throws {
    let database = try open()
    var time = Date(timeIntervalSince1970: 1_000)
    database.now = { time }
    let one = try database.transaction { transaction in
      try transaction.set(1, "a", in: domain)
      try transaction.set(2, "b", in: domain)
      return transaction.id
    }
    time += 10
    try database.transaction { try $0.set("x", "a", in: domain) }
    time += 10
    try database.transaction { try $0.remove("b", in: domain) }
    // An equal value changes nothing.
    try database.transaction { try $0.set("x", "a", in: domain) }
    let changes = try database.changes()
    #expect(
      changes.map { "\($0.kind.rawValue) \($0.key ?? "-")" }
        == ["make-domain -", "set a", "set b", "set a", "remove b"])
    #expect(Set(changes.prefix(3).map(\.transaction)) == [try #require(one)])
    #expect(changes[3].old == 1)
    #expect(changes[3].new == "x")
    #expect(changes[4].old == 2)
    #expect(changes[4].new == nil)
    #expect(changes[3].process == "test")
    #expect(changes[3].date == Date(timeIntervalSince1970: 1_010))
    #expect(try database.changes(after: changes[3].sequence).count == 1)
    #expect(try database.changes(in: domain, key: "b").count == 2)
  }

  @Test func aSliderIsOneChange() throws {
    let database = try open()
    var time = Date(timeIntervalSince1970: 1_000)
    database.now = { time }
    try database.transaction { try $0.set(0, "slider", in: domain) }
    time += 5
    for n in 1...60 {
      time += 1.0 / 60
      try database.transaction { try $0.set(.integer(Int64(n)), "slider", in: domain) }
      try database.transaction { try $0.set(.integer(Int64(-n)), "other", in: domain) }
    }
    let changes = try database.changes(in: domain, key: "slider")
    #expect(changes.count == 2)
    #expect(changes.last?.old == 0)
    #expect(changes.last?.new == 60)
    time += 5
    try database.transaction { try $0.set(0, "slider", in: domain) }
    #expect(try database.changes(in: domain, key: "slider").count == 3)
  }

  /// A script's lines are processes of one name; each of them can be undone.
  @Test func anotherWriterOfTheSameNameIsNotMergedWith() throws {
    let time = Date(timeIntervalSince1970: 1_000)
    let writers = [try open(), try open()]
    for writer in writers { writer.now = { time } }
    for (index, number) in [1, 2, 50, 4].enumerated() {
      try writers[index % 2].transaction { try $0.set(.integer(Int64(number)), "k", in: domain) }
    }
    let changes = try writers[0].changes(in: domain, key: "k")
    #expect(changes.map(\.new) == [1, 2, 50, 4])
    for value: PreferenceValue in [50, 2, 1] {
      _ = try writers[0].undo(.latest(1))
      #expect(try writers[0].value("k", in: domain) == value)
    }
  }

  /// What happened between two quick writes stays between them.
  @Test func aChangeBetweenTwoQuickWritesIsNotJumpedOver() throws {
    let time = Date(timeIntervalSince1970: 1_000)
    let (mine, other) = (try open(), try open())
    for database in [mine, other] { database.now = { time } }
    try mine.transaction { try $0.set(1, "k", in: domain) }
    try mine.transaction { try $0.set(2, "k", in: domain) }
    try other.transaction { transaction in
      try transaction.set(3, "k", in: domain)
      try transaction.set(1, "c", in: domain)
    }
    try mine.transaction { try $0.set(4, "k", in: domain) }
    _ = try mine.undo(.latest(1))
    #expect(try mine.value("k", in: domain) == 3)
    _ = try mine.undo(.latest(1))
    #expect(try mine.value("k", in: domain) == 2)
    // Deleted and set again, it was away.
    try mine.transaction { try $0.remove("k", in: domain) }
    try mine.transaction { try $0.set(7, "k", in: domain) }
    try mine.transaction { try $0.set(8, "k", in: domain) }
    for value: PreferenceValue? in [7, nil, 2] {
      _ = try mine.undo(.latest(1))
      #expect(try mine.value("k", in: domain) == value)
    }
  }

  @Test func aFirstLookIsInTheJournalAndIsNotUndone() throws {
    let database = try open()
    try database.transaction { try $0.set(1, "own", in: domain) }
    let desk = PreferenceDomain("desk")
    try database.transaction(isFirstLook: true) { transaction in
      try transaction.set(5, "a", in: desk)
      try transaction.set(6, "b", in: desk)
    }
    try database.transaction { try $0.note(9, "mark", in: PreferenceDomain("marks")) }
    let look = try #require(try database.changes(in: desk).first)
    #expect(look.undoes == nil)
    #expect(throws: PreferenceError.self) { try database.undo([look.transaction], isForced: true) }
    let undone = try database.undo(.latest(1)).changes
    #expect(undone.map(\.key) == ["own"])
    #expect(try database.undo(.latest(1)).transactions == 0)
    #expect(try database.undo(.since(.distantPast)).transactions == 0)
    #expect(try database.contents(of: desk) == ["a": 5, "b": 6])
    #expect(try database.value("mark", in: PreferenceDomain("marks")) == 9)
    // A later change of it is one.
    try database.transaction { try $0.set(7, "a", in: desk) }
    _ = try database.undo(.latest(1))
    #expect(try database.value("a", in: desk) == 5)
  }

  @Test func aSnapshotRestoresWhatItCoversAndWhatIsNotFixed() throws {
    let database = try open()
    let (desk, other) = (PreferenceDomain("desk"), PreferenceDomain("other"))
    try database.transaction { transaction in
      try transaction.set(1, "free", in: desk)
      try transaction.set(1, "fixed", in: desk)
    }
    let snapshot = try database.takeSnapshot(named: "s")
    try database.transaction { transaction in
      try transaction.set(2, "free", in: desk)
      try transaction.set(2, "fixed", in: desk)
      try transaction.set(2, "k", in: other)
    }
    _ = try database.restore(
      snapshot, isCovered: { $0 != other }, isFixed: { key, _ in key == "fixed" })
    #expect(try database.contents(of: desk) == ["free": 1, "fixed": 2])
    #expect(try database.contents(of: other) == ["k": 2])
    _ = try database.restore(snapshot)
    #expect(try database.contents(of: desk) == ["free": 1, "fixed": 1])
    #expect(try database.contents(of: other) == nil)
  }

  @Test func undoingWorksOneByOneAndForAllSinceAMoment() throws {
    let database = try open()
    var time = Date(timeIntervalSince1970: 1_000)
    database.now = { time }
    try database.transaction { try $0.set(1, "k", in: domain) }
    time += 10
    try database.transaction { transaction in
      try transaction.set(2, "k", in: domain)
      try transaction.set([1], "list", in: domain)
    }
    time += 10
    try database.transaction { try $0.removeDomain(domain) }
    #expect(try database.undo(database.undoable(latest: 1)).count == 2)
    #expect(try database.contents(of: domain) == ["k": 2, "list": [1]])
    #expect(try database.undo(database.undoable(latest: 1)).count == 2)
    #expect(try database.contents(of: domain) == ["k": 1])
    #expect(try database.undo(database.undoable(since: Date(timeIntervalSince1970: 0))).count == 1)
    #expect(try database.contents(of: domain) == nil)
    #expect(try database.undoable(latest: 9) == [])
  }

  @Test func undoDoesNotOverwriteALaterChange() throws {
    let database = try open()
    var time = Date(timeIntervalSince1970: 1_000)
    database.now = { time }
    let first = try database.transaction { transaction in
      try transaction.set(1, "k", in: domain)
      return transaction.id
    }
    time += 10
    try database.transaction { try $0.set(2, "k", in: domain) }
    let number = try #require(first)
    let error = #expect(throws: PreferenceError.self) { try database.undo([number]) }
    #expect(error?.code == .conflict)
    #expect(try database.value("k", in: domain) == 2)
    #expect(try database.undo([number], isForced: true).count == 1)
    #expect(try database.value("k", in: domain) == nil)
    #expect(throws: PreferenceError.self) { try database.undo([999]) }
  }

  /// Clocks go back, and files bring their own time.
  @Test func theLatestSnapshotIsTheOneThatWasTakenLast() throws {
    let database = try open()
    for (name, offset) in [("z", 0.0), ("future", 86_400), ("same", 0), ("a", -86_400)] {
      database.now = { Date(timeIntervalSinceNow: offset) }
      try database.transaction { try $0.set(.string(name), "k", in: domain) }
      _ = try database.takeSnapshot(named: name)
      #expect(try database.snapshot(named: "latest").name == name)
      // Nothing has changed between the two.
      _ = try database.takeSnapshot(named: "\(name)-again")
      #expect(try database.snapshot(named: "latest").name == "\(name)-again")
    }
    let file = try PreferenceSnapshot(file: database.snapshot(named: "z").file)
    _ = try database.keep(file, named: "from-file")
    #expect(try database.snapshot(named: "latest").name == "from-file")
    _ = try database.takeSnapshot(named: "z", isReplacing: true)
    try database.removeSnapshot(named: "latest")
    #expect(
      try database.snapshots().map(\.name) == [
        "z-again", "future", "future-again", "same", "same-again", "a", "a-again", "from-file",
      ])
  }

  /// One look for all keys finds what a look at each would.
  @Test func theLatestChangesOfKeysAreThoseOfCertainPrograms() throws {
    let database = try open()
    let (first, second) = (PreferenceDomain("x:a"), PreferenceDomain("x:b"))
    func write(_ process: String, _ keys: [String], _ domain: PreferenceDomain) throws {
      let writer = try #require(
        try PreferenceDatabase.open(home.location, mode: .write, process: process))
      defer { writer.close() }
      try writer.transaction { transaction in
        for key in keys { try transaction.set(.string(process), key, in: domain) }
      }
    }
    try write("vault sync from b", ["old"], first)
    let start = try database.latestSequence()
    try write("vault sync from b", ["k", "mine"], first)
    try write("vault sync from b", ["k"], second)
    try write("vault sync from b", ["k"], PreferenceDomain("y:a"))
    try write("bash", ["mine", "other"], first)
    let found = try database.latestChanges(after: start, inDomainsWith: "x:", ifBy: " sync from ")
    #expect(found.map { "\($0.domain.name) \($0.key ?? "")" } == ["x:a k", "x:b k"])
  }

  @Test func snapshotsShowDifferencesAndRestoreThem() throws {
    let database = try open()
    let other = PreferenceDomain("e", host: .current)
    try database.transaction { transaction in
      try transaction.set(1, "same", in: domain)
      try transaction.set(1, "changed", in: domain)
      try transaction.set(1, "gone", in: other)
    }
    let old = try database.takeSnapshot(named: "before")
    try database.transaction { transaction in
      try transaction.set(2, "changed", in: domain)
      try transaction.set(3, "added", in: domain)
      try transaction.removeDomain(other)
    }
    let stored = try open().snapshot(named: "before")
    #expect(stored.domains == old.domains)
    let differences = try PreferenceDatabase.differences(
      from: stored, to: database.currentState())
    #expect(
      differences.map { "\($0.domain.name) \($0.key)" } == ["d added", "d changed", "e gone"])
    #expect(try database.restore(stored) == [])
    #expect(try database.currentState().domains == stored.domains)
    try database.removeSnapshot(named: "before")
    #expect(throws: PreferenceError.self) { try database.snapshot(named: "before") }
  }

  @Test func aProtectedDomainIsReadableOnlyWithItsKey() throws {
    let keys = FixedKeys()
    let database = try open(keys)
    try database.transaction { try $0.set("canary-old-value", "canary-key", in: domain) }
    try database.refreshLastGoodCopy()
    _ = try database.takeSnapshot(named: "s")
    #expect(try database.protect([domain]))
    try database.scrub()
    #expect(try database.isProtected(domain))
    try database.transaction { try $0.set("canary-value", "canary-key", in: domain) }
    #expect(try database.contents(of: domain) == ["canary-key": "canary-value"])
    #expect(try database.value("canary-key", in: domain) == "canary-value")
    #expect(try database.changes(in: domain).last?.key == "canary-key")
    database.close()
    for name in home.names(in: "vault") {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(home.location.data)/\(name)"))
      #expect(data.range(of: Data("canary".utf8)) == nil, "\(name)")
    }
    let locked = try open()
    for body in [
      { _ = try locked.value("canary-key", in: domain) }, { _ = try locked.contents(of: domain) },
      { try locked.transaction { try $0.set(1, "k", in: domain) } },
    ] {
      let error = #expect(throws: PreferenceError.self) { try body() }
      #expect(error?.code == .locked)
    }
    #expect(try locked.changes(in: domain).last?.key == nil)
    let again = try open(keys)
    let undone = try again.undo(again.undoable(latest: 1))
    #expect(undone.map(\.key) == ["canary-key"])
    #expect(try again.value("canary-key", in: domain) == "canary-old-value")
    #expect(try again.unprotect([domain]))
    #expect(try open().value("canary-key", in: domain) == "canary-old-value")
  }

  @Test func aSealedValueIsBoundToItsPlace() throws {
    let keys = FixedKeys()
    let database = try open(keys)
    try database.transaction { transaction in
      try transaction.set("one", "a", in: domain)
      try transaction.set("two", "b", in: domain)
    }
    try database.protect([domain])
    database.close()
    let connection = try SQLiteConnection(path: home.location.store)
    let values = try connection.strings("SELECT hex(value) FROM preferences_values ORDER BY key")
    let names = try connection.strings("SELECT key FROM preferences_values ORDER BY key")
    // Swaps the two values, as somebody could who can write the file but has no key.
    for (name, value) in zip(names, values.reversed()) {
      try connection.executeScript(
        "UPDATE preferences_values SET value=X'\(value)' WHERE key='\(name)'")
    }
    connection.close()
    let error = #expect(throws: PreferenceError.self) {
      try open(keys).value("a", in: domain)
    }
    #expect(error?.code == .damaged)
  }

  @Test func aDamagedStoreIsSetAsideAndRestored() throws {
    let database = try open()
    try database.transaction { transaction in
      for n in 0..<3_000 {
        try transaction.set(.string(String(repeating: "x", count: 50)), "k\(n)", in: domain)
      }
    }
    try database.refreshLastGoodCopy()
    database.close()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: home.location.store))
    try handle.seek(toOffset: 100)
    handle.write(Data(repeating: 0xff, count: 30_000))
    try handle.close()
    let error = #expect(throws: PreferenceError.self) {
      _ = try open().contents(of: domain)
    }
    #expect(PreferenceRecovery.isDamage(try #require(error)))
    let done = try PreferenceRecovery.recover(home.location)
    #expect(done.setAside.hasPrefix("store.sqlite.damaged-"))
    #expect(home.names(in: "vault").contains(done.setAside))
    #expect(done.usedLastGoodCopy)
    #expect(try open().contents(of: domain)?.count == 3_000)
  }

  @Test func noStatementOfADamagedStoresSchemaIsRun() throws {
    let database = try open()
    try database.transaction { try $0.set("kept", "k", in: domain) }
    database.close()
    let target = "\(home.path)/another-program.db"
    let connection = try SQLiteConnection(path: home.location.store)
    _ = try connection.string("PRAGMA journal_mode=DELETE")
    let room = String(repeating: " ", count: 300 + target.utf8.count)
    let harmless = "CREATE TABLE preferences_x(a /*\(room)*/)"
    try connection.executeScript(harmless)
    try connection.executeScript(
      "CREATE TABLE \"preferences_\"\"y\"(a); INSERT INTO preferences_x VALUES (1)")
    connection.close()
    // SQLite parses only the first statement of the text; a script runner would run them all.
    var evil = Array(
      """
      CREATE TABLE preferences_x(a); ATTACH '\(target)' AS o; CREATE TABLE o.t(v); \
      CREATE TABLE preferences_z(a); COMMIT; VACUUM INTO '\(target)2'; BEGIN; SAVEPOINT vault
      """.utf8)
    evil += [UInt8](repeating: 0x20, count: harmless.utf8.count - evil.count)
    var file = try Data(contentsOf: URL(fileURLWithPath: home.location.store))
    let place = try #require(file.range(of: Data(harmless.utf8)))
    file.replaceSubrange(place, with: evil)
    try file.write(to: URL(fileURLWithPath: home.location.store))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: home.location.store)

    let done = try PreferenceRecovery.recover(home.location)
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(!FileManager.default.fileExists(atPath: "\(target)2"))
    #expect(done.incompleteTables == ["tables that this program does not know"])
    #expect(try open().value("k", in: domain) == "kept")
    let made = try SQLiteConnection(path: home.location.store)
    #expect(
      try made.int64("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'preferences_[xyz\"]*'")
        == 0)
  }

  @Test func onlyTheRowThatFitsNoTableIsLeftBehind() throws {
    let database = try open()
    try database.transaction { transaction in
      try transaction.set("kept", "k", in: domain)
      try transaction.set("other", "l", in: domain)
    }
    database.close()
    let connection = try SQLiteConnection(path: home.location.store)
    // A value whose domain is lost.
    try connection.executeScript(
      "PRAGMA foreign_keys=OFF; "
        + "INSERT INTO preferences_values SELECT 99, key, type, value FROM preferences_values")
    connection.close()
    let done = try PreferenceRecovery.recover(home.location)
    #expect(done.incompleteTables == ["preferences_values"])
    #expect(try open().contents(of: domain) == ["k": "kept", "l": "other"])
  }

  @Test func aMalformedValueWrittenByHandIsAnError() throws {
    let database = try open()
    try database.transaction { try $0.set([1], "k", in: domain) }
    let connection = try SQLiteConnection(path: home.location.store)
    try connection.execute("UPDATE preferences_values SET value='[1,'")
    let error = #expect(throws: PreferenceError.self) { try database.value("k", in: domain) }
    #expect(error?.code == .damaged)
    // A well-formed one is read.
    try connection.execute("UPDATE preferences_values SET value='[7]'")
    #expect(try database.value("k", in: domain) == [7])
  }
}

/// A key that is always available.
final class FixedKeys: DataKeyProvider {
  private let key = Array(repeating: UInt8(7), count: 32)
  private let id = Array(repeating: UInt8(9), count: 16)

  func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes) {
    (id, try SecretBytes(copying: key))
  }

  func dataKey(id: [UInt8]) throws -> SecretBytes {
    guard id == self.id else { throw PreferenceError(.locked, "another key") }
    return try SecretBytes(copying: key)
  }
}
