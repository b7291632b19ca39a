import Foundation
import TestSupport
import Testing
import VaultPreferences

/// `vault sync add` and `drop`: preferences of two homes, by domain.
struct SyncPreferencesTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
    try SyncedHomes.join(laptop, desktop, at: store.path)
  }

  private func synchronize(_ rounds: Int = 2) throws {
    for _ in 0..<rounds {
      for machine in [laptop, desktop] {
        let now = try machine("sync", "now")
        #expect(now.status == 0, "\(now.errors)")
      }
    }
  }

  private func write(_ machine: ThrowawayVault, _ arguments: String...) throws {
    let written = try machine.command.run(["defaults", "write", "com.example.tool"] + arguments)
    try #require(written.status == 0, "\(written.errors)")
  }

  private func exported(_ machine: ThrowawayVault) throws -> String {
    try machine("defaults", "export", "com.example.tool", "-").text
  }

  @Test func theDomainIsTheSameAfterRoundsWithChangesOnBothSides() throws {
    let typed: [[String]] = [
      ["int", "-int", "3"], ["float", "-float", "1.5"], ["flag", "-bool", "true"],
      ["date", "-date", "2026-11-23 12:00:00 +0000"], ["data", "-data", "00ff"],
      ["list", "-array", "a", "b"], ["theme", "-string", "dark"],
    ]
    for arguments in typed {
      let written = try laptop.command.run(["defaults", "write", "com.example.tool"] + arguments)
      try #require(written.status == 0, "\(written.errors)")
    }
    try write(desktop, "own", "-string", "Zürich")
    let added = try laptop("sync", "add", "com.example.tool")
    #expect(added.status == 0, "\(added.errors)")
    #expect(added.errors.contains("com.example.tool is synchronized from now on"))
    try synchronize(1)
    #expect(try desktop("defaults", "read", "com.example.tool", "theme").status == 1)
    #expect(try desktop("sync", "status").text.contains("not added here  com.example.tool\n"))
    let taken = try desktop("sync", "add", "com.example.tool")
    #expect(taken.text == "preferences: com.example.tool\n")
    try synchronize()
    #expect(try exported(laptop) == exported(desktop))
    for (key, type) in [("int", "integer"), ("flag", "boolean"), ("data", "data")] {
      #expect(
        try desktop("defaults", "read-type", "com.example.tool", key).text == "Type is \(type)\n")
    }
    for round in 1...3 {
      try write(laptop, "l\(round)", "-int", "\(round)")
      try write(laptop, "theme", "-string", "laptop \(round)")
      try write(desktop, "theme", "-string", "desktop \(round)")
      #expect(try desktop("defaults", "delete", "com.example.tool", typed[round][0]).status == 0)
      try synchronize()
      #expect(try exported(laptop) == exported(desktop))
      #expect(
        try laptop("defaults", "read", "com.example.tool", "theme").text == "desktop \(round)\n")
    }
    // The other value is in the journal, with the machine whose value it is now.
    let history = try laptop("defaults", "history", "com.example.tool").text
    #expect(history.contains("vault sync from desktop") && history.contains("laptop 3"))
    #expect(try desktop("sync", "status").text.contains("preferences     com.example.tool\n"))
    #expect(try desktop("sync", "status", "--json").text.contains("\"domains\""))
    #expect(try laptop("sync", "log", "--no-pager").text.contains("preferences  com.example.tool"))
    #expect(try laptop("sync", "now", "--json").text.contains("\"sent\": 0"))
    // Nothing of it can be read in the store.
    let files = try #require(FileManager.default.enumerator(atPath: store.path))
    for case let name as String in files {
      let bytes = FileManager.default.contents(atPath: "\(store.path)/\(name)") ?? Data()
      for word in ["com.example.tool", "theme", "laptop 3"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil)
      }
    }
  }

  @Test func observersNoticeWhatComes() async throws {
    try write(laptop, "theme", "-string", "dark")
    for machine in [laptop, desktop] {
      #expect(try machine("sync", "add", "com.example.tool").status == 0)
    }
    let preferences = try PreferenceStore(
      domain: "com.example.tool", location: desktop.location,
      managedDirectory: "\(desktop.home.path)/nowhere", siteDirectories: [], packageDirectories: [])
    #expect(preferences.value(forKey: "theme") == .string("dark"))
    let changes = preferences.changes(of: "theme")
    try write(laptop, "theme", "-string", "light")
    try synchronize()
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()?.first
    #expect(change?.new == .string("light"))
    #expect(change?.process == "vault sync from laptop")
    #expect(preferences.value(forKey: "theme") == .string("light"))
  }

  @Test func aProtectedDomainIsProtectedOnTheOtherMachine() throws {
    #expect(try laptop("defaults", "protect", "com.example.tool").status == 0)
    try write(laptop, "token", "-string", "c4n4ry")
    for machine in [laptop, desktop] {
      #expect(try machine("sync", "add", "com.example.tool").status == 0)
    }
    #expect(try desktop("defaults", "read", "com.example.tool", "token").text == "c4n4ry\n")
    for name in try FileManager.default.contentsOfDirectory(atPath: desktop.data) {
      let bytes = FileManager.default.contents(atPath: "\(desktop.data)/\(name)") ?? Data()
      #expect(bytes.range(of: Data("c4n4ry".utf8)) == nil, "\(name)")
    }
  }

  @Test func aDomainThatIsDroppedOrRemoved() throws {
    try write(laptop, "theme", "-string", "dark")
    for machine in [laptop, desktop] {
      #expect(try machine("sync", "add", "com.example.tool").status == 0)
    }
    // Removed on one machine it is removed on the other one; a store that is lost comes back.
    #expect(try laptop("defaults", "delete", "com.example.tool").status == 0)
    try synchronize()
    #expect(try desktop("defaults", "read", "com.example.tool", "theme").status == 1)
    try write(desktop, "theme", "-string", "light")
    try synchronize()
    for name in try FileManager.default.contentsOfDirectory(atPath: laptop.data)
    where name.hasPrefix("store.") {
      try FileManager.default.removeItem(atPath: "\(laptop.data)/\(name)")
    }
    try synchronize()
    #expect(try laptop("defaults", "read", "com.example.tool", "theme").text == "light\n")
    let dropped = try laptop("sync", "drop", "com.example.tool")
    #expect(dropped.errors.contains("com.example.tool stays as it is"))
    #expect(try laptop("sync", "drop", "com.example.tool").errors.contains("was not synchronized"))
    try write(desktop, "theme", "-string", "other")
    try synchronize()
    #expect(try laptop("defaults", "read", "com.example.tool", "theme").text == "light\n")
    #expect(try laptop("sync", "add", "").status == 77)
    #expect(try ThrowawayVault()("sync", "add", "com.example.tool").status == 78)
  }

  @Test func aWordThatIsNoDomainIsRefusedWithThoseThatThereAre() throws {
    let none = try laptop("sync", "add", "bob")
    #expect(none.says(64, "no preference domain is called bob"), "\(none.errors)")
    #expect(none.errors.contains("none is there yet"), "\(none.errors)")
    #expect(none.errors.contains("vault defaults write bob KEY VALUE"), "\(none.errors)")
    #expect(none.errors.contains("vault sync invite"), "\(none.errors)")
    try write(laptop, "theme", "-string", "dark")
    let bob = try laptop("sync", "add", "bob")
    #expect(bob.says(64, "those that there are: com.example.tool;"), "\(bob.errors)")
    let typo = try laptop("sync", "add", "com.exmaple.tool")
    #expect(
      typo.says(64, "did you mean: vault sync add com.example.tool;"), "\(typo.errors)")
    #expect(try laptop("sync", "status").text.contains("preferences  ") == false)
    // Of others it is one, although nothing of it is here.
    try #require(
      try laptop("defaults", "write", "bob", "theme", "dark").status == 0)
    #expect(try laptop("sync", "add", "bob").status == 0)
    #expect(try desktop("sync", "add", "bob").status == 0)
    #expect(try desktop("defaults", "read", "bob", "theme").text == "dark\n")
    // One that a program makes later has a program's name.
    #expect(try laptop("sync", "add", "org.other.program").status == 0)
  }

  /// Both add the domain.
  private func addOnBoth() throws {
    for machine in [laptop, desktop] {
      let added = try machine("sync", "add", "com.example.tool")
      try #require(added.status == 0, "\(added.errors)")
    }
  }

  private func theme(_ machine: ThrowawayVault) throws -> String {
    try machine("defaults", "read", "com.example.tool", "theme").text
  }

  @Test func theValueThatLostIsInTheJournalAndComesBackByUndo() throws {
    try addOnBoth()
    try write(laptop, "theme", "-string", "of the laptop")
    try write(desktop, "theme", "-string", "of the desktop")
    try synchronize()
    #expect(try theme(laptop) == "of the desktop\n")
    #expect(try theme(desktop) == "of the desktop\n")
    let last = try laptop("defaults", "history", "com.example.tool", "theme", "--limit", "1").text
    #expect(
      last.contains("of the laptop") && last.contains("of the desktop")
        && last.contains("vault sync from desktop"), "\(last)")
    let undone = try laptop("defaults", "undo")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try theme(laptop) == "of the laptop\n")
    // That is a change like any other: it knew of the one that it takes back.
    try synchronize()
    #expect(try theme(desktop) == "of the laptop\n")
    #expect(try desktop("defaults", "undo").status == 0)
    try synchronize()
    #expect(try theme(laptop) == "of the desktop\n")
  }

  @Test func aChangeOfAnAddedDomainGoesToTheStoreByItself() throws {
    try addOnBoth()
    #expect(try laptop("sync", "auto", "on").status == 0)
    func arrives(_ expected: String) throws {
      // The run that brings it there is another process.
      let end = Date().addingTimeInterval(60)
      while try theme(desktop) != expected, Date() < end {
        #expect(try desktop("sync", "now").status == 0)
      }
      #expect(try theme(desktop) == expected)
    }
    try write(laptop, "theme", "-string", "dark")
    try arrives("dark\n")
    try write(laptop, "theme", "-string", "light")
    try arrives("light\n")
    #expect(try laptop("defaults", "undo").status == 0)
    try arrives("dark\n")
    #expect(try laptop("defaults", "delete", "com.example.tool").status == 0)
    try arrives("")
  }

  @Test func whatIsNotSentYetIsCounted() throws {
    try addOnBoth()
    try synchronize()
    func unsent() throws -> String { try laptop("sync", "status").text }
    #expect(try unsent().contains("not sent yet    0\n"))
    #expect(try laptop("status", "--json").text.contains("\"hasChanges\": false"))
    try write(laptop, "theme", "-string", "dark")
    try write(laptop, "size", "-int", "12")
    try laptop.set("token", "1")
    #expect(try unsent().contains("not sent yet    3\n"))
    let object = try laptop("sync", "status", "--json").text
    #expect(object.contains("\"changedPreferences\": 2") && object.contains("\"changedItems\": 1"))
    #expect(try laptop("sync", "now").status == 0)
    #expect(try unsent().contains("not sent yet    0\n"))
    try write(laptop, "size", "-int", "13")
    #expect(try laptop("status").text.contains("changes to be sent"))
    #expect(try laptop("sync", "now").status == 0)
    #expect(try !laptop("status").text.contains("changes to be sent"))
  }
}
