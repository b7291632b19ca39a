import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultSealing
import VaultStorage

/// Removal, undo, snapshots and damage of a protected domain.
struct ProtectedDomainTests {
  private let home: TemporaryHome
  private let domain = PreferenceDomain("p")
  private let other = PreferenceDomain("q")

  init() throws { home = try TemporaryHome() }

  private func open(_ keys: (any DataKeyProvider)? = nil) throws -> PreferenceDatabase {
    try #require(
      try PreferenceDatabase.open(home.location, mode: .write, process: "test", keys: keys))
  }

  private func protectedDomain() throws -> PreferenceDatabase {
    let database = try open(FixedKeys())
    try database.transaction { transaction in
      try transaction.set("secret", "token", in: domain)
      try transaction.set("open", "k", in: other)
    }
    try database.protect([domain])
    return database
  }

  private func execute(_ sql: String) throws {
    let connection = try SQLiteConnection(path: home.location.store)
    try connection.execute(sql)
    connection.close()
  }

  @Test func undoingARemovalLeavesTheDomainReadableAndProtected() throws {
    let database = try protectedDomain()
    try database.transaction { try $0.removeDomain(domain) }
    let undone = try database.undo(database.undoable(latest: 1))
    #expect(undone.map(\.key) == ["token"])
    #expect(try database.isProtected(domain))
    #expect(try database.contents(of: domain) == ["token": "secret"])
    try database.transaction { try $0.set("canary-later", "new", in: domain) }
    database.close()
    for name in home.names(in: "vault") {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(home.location.data)/\(name)"))
      #expect(data.range(of: Data("canary-later".utf8)) == nil, "\(name)")
    }
  }

  /// Journals of earlier versions do not say how a removed domain was protected.
  @Test func aRemovalByAnEarlierVersionIsUndoneAlike() throws {
    let database = try protectedDomain()
    try database.transaction { try $0.removeDomain(domain) }
    try execute("UPDATE preferences_journal SET old_value=NULL WHERE old_type='domain'")
    _ = try database.undo(database.undoable(latest: 1))
    #expect(try database.isProtected(domain))
    #expect(try database.value("token", in: domain) == "secret")
  }

  @Test func aRecreatedDomainIsNotMixedWithSealedValues() throws {
    let database = try protectedDomain()
    let removal = try #require(
      try database.transaction { transaction in
        try transaction.removeDomain(domain)
        return transaction.id
      })
    try database.transaction { try $0.set("plain", "new", in: domain) }
    let error = #expect(throws: PreferenceError.self) { try database.undo([removal]) }
    #expect(error?.code == .conflict)
    #expect(try database.contents(of: domain) == ["new": "plain"])
    _ = try database.undo([removal], isForced: true)
    #expect(try database.isProtected(domain))
    #expect(try database.contents(of: domain) == ["token": "secret"])
  }

  @Test func aDomainWithoutItsMarkIsReportedAndGetsItBack() throws {
    let database = try protectedDomain()
    try execute("UPDATE preferences_domains SET protection=NULL WHERE name='p'")
    for body in [
      { _ = try database.contents(of: domain) }, { _ = try database.value("token", in: domain) },
      { try database.transaction { try $0.set("plain", "new", in: domain) } },
    ] {
      let error = #expect(throws: PreferenceError.self) { try body() }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("is not marked as protected") == true)
    }
    // Other domains are not affected.
    #expect(try database.contents(of: other) == ["k": "open"])
    let snapshot = try database.takeSnapshot(named: "s")
    #expect(snapshot.domains == [other: ["k": "open"]])
    #expect(snapshot.problems.count == 1)
    #expect(try database.protect([domain]))
    #expect(try database.contents(of: domain) == ["token": "secret"])
  }

  @Test func plainAndSealedValuesOfADomainWithoutItsMarkAreBothKept() throws {
    let database = try protectedDomain()
    try execute("UPDATE preferences_domains SET protection=NULL WHERE name='p'")
    try execute(
      "INSERT INTO preferences_values SELECT id, 'plain', 'string', 'v' FROM preferences_domains "
        + "WHERE name='p'")
    try database.protect([domain])
    #expect(try database.contents(of: domain) == ["token": "secret", "plain": "v"])
    #expect(try database.isProtected(domain))
  }

  @Test func aLockedDomainIsNotNew() throws {
    _ = try protectedDomain()
    let store = try PreferenceStore(
      domain: "p", location: home.location, managedDirectory: "\(home.path)/managed",
      siteDirectories: [], packageDirectories: [])
    let schema = try PreferenceSchema(toml: "version = 2")
    let error = #expect(throws: PreferenceError.self) { try store.use(schema) }
    #expect(error?.code == .locked)
  }

  @Test func onlyWhatIsMeantIsUndoneAndRestored() throws {
    let database = try open()
    try database.transaction { try $0.set(1, "a", in: domain) }
    try database.transaction { try $0.set(1, "a", in: other) }
    _ = try database.takeSnapshot(named: "s")
    #expect(try database.undo(.latest(1), where: { $0 == domain }).transactions == 1)
    #expect(try database.value("a", in: domain) == nil)
    #expect(try database.value("a", in: other) == 1)
    try database.transaction { try $0.set(2, "a", in: other) }
    _ = try database.restore(database.snapshot(named: "s")) { $0 == domain }
    #expect(try database.value("a", in: domain) == 1)
    #expect(try database.value("a", in: other) == 2)
  }

  @Test func protectingIsInTheJournalAndCanBeUndone() throws {
    let database = try protectedDomain()
    #expect(try database.changes(in: domain).map(\.kind) == [.protect])
    let told = try database.undo(.latest(1), isDryRun: true).changes
    #expect(told.map(\.kind) == [.protect])
    #expect(try database.isProtected(domain))
    #expect(try database.undo(database.undoable(latest: 1)) == told)
    #expect(try open().contents(of: domain) == ["token": "secret"])
    try database.protect([domain])
    try database.unprotect([domain])
    #expect(try database.changes(in: domain).map(\.kind) == [.unprotect])
    _ = try database.undo(database.undoable(latest: 1))
    #expect(try database.contents(of: domain) == ["token": "secret"])
    #expect(try database.isProtected(domain))
  }

  /// Numbers of the journal are never reused, so a reader that continues after one misses nothing.
  @Test func numbersContinueAfterTheJournalOfADomainIsDeleted() throws {
    let database = try open(FixedKeys())
    try database.transaction { try $0.set(1, "a", in: domain) }
    try database.transaction { try $0.set(2, "b", in: domain) }
    let before = try database.latestSequence()
    try database.protect([domain])
    #expect(try database.latestSequence() > before)
    #expect(try database.changes(after: before).map(\.kind) == [.protect])
  }

  @Test func aSnapshotKeepsAProtectedDomainSealedAndRestoresItWithoutAKey() throws {
    var database = try protectedDomain()
    #expect(try database.takeSnapshot(named: "s").problems == [])
    #expect(
      try SQLiteConnection(path: home.location.store)
        .int64("SELECT count(*) FROM preferences_snapshots WHERE contents LIKE '%secret%'") == 0)
    try database.transaction { transaction in
      try transaction.set("changed", "token", in: domain)
      try transaction.set("added", "more", in: domain)
    }
    database = try open()
    #expect(try database.restore(database.snapshot(named: "s")) == [])
    database = try open(FixedKeys())
    #expect(try database.contents(of: domain) == ["token": "secret"])
    try database.transaction { try $0.removeDomain(domain) }
    _ = try database.restore(database.snapshot(named: "s"))
    #expect(try database.isProtected(domain))
    #expect(try database.contents(of: domain) == ["token": "secret"])
  }

  @Test func differencesOfProtectedDomainsNeedTheirKey() throws {
    let database = try protectedDomain()
    _ = try database.takeSnapshot(named: "s")
    try database.transaction { try $0.set("changed", "token", in: domain) }
    for (keys, expected) in [(FixedKeys(), ["token"]), (nil, [])] as [(FixedKeys?, [String])] {
      let reader = try open(keys)
      let (before, after) = (try reader.snapshot(named: "s"), try reader.currentState())
      let old = reader.opening(before, besides: after)
      let new = reader.opening(after, besides: before)
      #expect(PreferenceDatabase.differences(from: old, to: new).map(\.key) == expected)
      #expect(new.problems.isEmpty == (keys != nil))
    }
    // Equal contents need no key.
    let reader = try open()
    let now = try reader.currentState()
    #expect(reader.opening(now, besides: now).problems == [])
  }

  @Test func restoringASnapshotLeavesADomainProtectedLaterAlone() throws {
    let database = try open(FixedKeys())
    try database.transaction { try $0.set("secret", "token", in: domain) }
    _ = try database.takeSnapshot(named: "s")
    try database.protect([domain])
    let left = try database.restore(database.snapshot(named: "s"))
    #expect(left.count == 1)
    #expect(try database.contents(of: domain) == ["token": "secret"])
  }

  /// A snapshot that lost a domain knows that it was there, whatever the domain is now.
  @Test(arguments: [[true, false], [false], [true, false, true]])
  func restoringASnapshotLeavesADomainThatWasTakenOutOfItAlone(changes: [Bool]) throws {
    let database = try open(FixedKeys())
    try database.transaction { transaction in
      try transaction.set("secret", "token", in: domain)
      try transaction.set("v", "k", in: other)
    }
    if changes == [false] { try database.protect([domain]) }
    _ = try database.takeSnapshot(named: "s")
    for isProtected in changes {
      _ = try isProtected ? database.protect([domain]) : database.unprotect([domain])
    }
    try database.transaction { try $0.set("new", "later", in: PreferenceDomain("later")) }
    let stored = try database.snapshot(named: "s")
    for snapshot in [stored, try PreferenceSnapshot(file: stored.file)] {
      #expect(snapshot.missing == [domain])
      let left = try database.restore(snapshot)
      #expect(
        left.count == 1
          && left.allSatisfy { $0.contains("the domain p") || $0.contains("domain p ") })
      #expect(try database.contents(of: domain) == ["token": "secret"])
      #expect(try !database.exists(PreferenceDomain("later")))
    }
    let now = try database.currentState()
    let opened = database.opening(stored, besides: now)
    #expect(PreferenceDatabase.differences(from: opened, to: now) == [])
    #expect(opened.problems.count == 1)
    // Without the domain itself it is said, too.
    try database.transaction { try $0.removeDomain(domain) }
    #expect(try database.restore(stored).count == 1)
  }

  /// A domain that could not be read was there all the same.
  @Test func restoringASnapshotLeavesADomainThatCouldNotBeReadAlone() throws {
    let database = try protectedDomain()
    try execute("UPDATE preferences_domains SET protection=NULL WHERE name='p'")
    _ = try database.takeSnapshot(named: "s")
    try database.protect([domain])
    try database.unprotect([domain])
    #expect(try database.restore(database.snapshot(named: "s")).count == 1)
    #expect(try database.contents(of: domain) == ["token": "secret"])
  }

  /// A part that was removed before disappears from the journal and the snapshots, too.
  @Test func protectingForgetsRemovedParts() throws {
    let database = try open(FixedKeys())
    let part = PreferenceDomain("p", host: .current)
    try database.transaction { transaction in
      try transaction.set("canary-here", "k", in: part)
      try transaction.set("v", "k", in: domain)
      try transaction.set("v", "k", in: other)
    }
    _ = try database.takeSnapshot(named: "s")
    try database.transaction { try $0.removeDomain(part) }
    let latest = try database.latestSequence()
    try database.protect([domain])
    try database.scrub()
    #expect(try database.changes(after: latest).map(\.kind) == [.protect])
    #expect(try database.changes(in: part) == [])
    #expect(try database.snapshot(named: "s").domains == [other: ["k": "v"]])
    database.close()
    for name in home.names(in: "vault") {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(home.location.data)/\(name)"))
      #expect(data.range(of: Data("canary".utf8)) == nil, "\(name)")
    }
  }

  @Test func aPartForOneHostIsProtectedAsTheDomainIs() throws {
    let database = try protectedDomain()
    let part = PreferenceDomain("p", host: .current)
    try database.transaction { try $0.set("here", "k", in: part) }
    #expect(try database.isProtected(part))
    #expect(try database.parts(of: "p") == [domain, part])
    try database.unprotect(database.parts(of: "p"))
    #expect(try open().contents(of: part) == ["k": "here"])
    try database.protect(database.parts(of: "p"))
    #expect(try database.isProtected(part))
    let error = #expect(throws: PreferenceError.self) {
      try open().transaction {
        try $0.set(1, "k", in: PreferenceDomain("p", host: .named("elsewhere")))
      }
    }
    #expect(error?.code == .locked)
  }
}
