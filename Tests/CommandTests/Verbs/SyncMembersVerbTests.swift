import Foundation
import TestSupport
import Testing

/// Roles, machines that are let in late, a store that moves, and what is shown of values that met:
/// by the command, with two homes and a folder.
struct SyncMembersVerbTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
    try laptop.set("token", "1")
    try SyncedHomes.join(laptop, desktop, at: store.path)
    try now(laptop, desktop)
  }

  /// Both bring their changes together.
  private func now(_ machines: ThrowawayVault...) throws {
    for machine in machines {
      let run = try machine("sync", "now")
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  private func role(of label: String, by machine: ThrowawayVault) throws -> String? {
    let object =
      try JSONSerialization.jsonObject(with: machine("sync", "devices", "--json").output)
      as? [String: Any]
    let devices = object?["devices"] as? [[String: Any]]
    return devices?.first { $0["label"] as? String == label }?["role"] as? String
  }

  /// What somebody else marks so that programs would run his code is told as it comes, not only by
  /// an audit; and so is what an import or another file brings.
  @Test func variablesThatSteerProgramsAreToldWhenTheyCome() throws {
    for (name, words) in [
      ("token", ["--attribute", "variable=LD_PRELOAD"]),
      ("app/BASH_ENV", []), ("app/plain", ["--attribute", "variable=PLAIN"]),
    ] {
      let run = try desktop.command.run(
        ["set", name, "--stdin"] + words, input: Data("x".utf8))
      #expect(run.status == 0, "\(run.errors)")
    }
    try now(desktop)
    let run = try laptop("sync", "now")
    #expect(run.status == 0)
    for (name, variable) in [("token", "LD_PRELOAD"), ("app/BASH_ENV", "BASH_ENV")] {
      #expect(run.errors.contains("\(name) asks for the variable \(variable)"), "\(run.errors)")
    }
    #expect(!run.errors.contains("PLAIN"))
    // Once: it has come.
    #expect(try !laptop("sync", "now").errors.contains("variable"))
    // Another variable than before is told, too.
    _ = try desktop.command.run(
      ["set", "app/plain", "--stdin", "--attribute", "variable=OTHER"], input: Data("y".utf8))
    try now(desktop)
    let changed = try laptop("sync", "now", "--json")
    #expect(changed.status == 0)
    let document = try JSONSerialization.jsonObject(with: changed.output) as? [String: Any]
    #expect((document?["steeringVariables"] as? [Any])?.isEmpty == true, "\(changed.text)")
    _ = try desktop.command.run(
      ["set", "app/plain", "--stdin", "--attribute", "variable=GIT_SSH_COMMAND"],
      input: Data("y".utf8))
    try now(desktop)
    let json = try laptop("sync", "now", "--json")
    let members = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    let found = members?["steeringVariables"] as? [[String: String]]
    #expect(found == [["name": "app/plain", "variable": "GIT_SSH_COMMAND"]], "\(json.text)")

    let file = "\(store.path)/other.env"
    try Data("PYTHONPATH=x\nFINE=y\n".utf8).write(to: URL(fileURLWithPath: file))
    let imported = try laptop("import", "dotenv", file)
    #expect(imported.errors.contains("asks for the variable PYTHONPATH"), "\(imported.errors)")
    #expect(!imported.errors.contains("FINE"))
  }

  /// A code that is removed from the vault opens the space no longer at once; without the store the
  /// line says that it still does.
  @Test func aRecoveryCodeThatIsRemovedIsClosedAtOnce() throws {
    func codes() throws -> Int? {
      let status = try laptop("sync", "status", "--json")
      let object = try JSONSerialization.jsonObject(with: status.output) as? [String: Any]
      return object?["recoveryCodes"] as? Int
    }
    for isAway in [false, true] {
      #expect(try laptop("key", "add", "--recovery", "--label", "paper").status == 0)
      try now(laptop)
      #expect(try codes() == 1)
      let aside = store.path + ".aside"
      if isAway { try FileManager.default.moveItem(atPath: store.path, toPath: aside) }
      let removed = try laptop("key", "remove", "paper")
      if isAway { try FileManager.default.moveItem(atPath: aside, toPath: store.path) }
      #expect(removed.status == 0, "\(removed.errors)")
      let word =
        isAway ? "still opens the space until the next run" : "the code opens the space no longer"
      #expect(removed.errors.contains(word), "\(removed.errors)")
      #expect(removed.errors.contains("sync now") == isAway)
      #expect(try codes() == (isAway ? 1 : 0))
      try now(laptop)
      #expect(try codes() == 0)
    }
    // What is no recovery code has nothing to do with the space.
    let words = "\(store.path)/words"
    try Data("five words of a phrase".utf8).write(to: URL(fileURLWithPath: words))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: words)
    #expect(
      try laptop(
        "key", "add", "--new-passphrase", "file:\(words)", "--label", "words"
      ).status == 0)
    let other = try laptop("key", "remove", "words")
    #expect(other.status == 0 && !other.errors.contains("space"), "\(other.errors)")
  }

  /// All that go on from one home go by one line; without the word the line to type is named.
  @Test func copiesAreRemovedByOneLine() throws {
    let plain = try laptop("sync", "remove", "desktop", "--copies", "--json")
    #expect(plain.status == 0, "\(plain.errors)")
    let object = try JSONSerialization.jsonObject(with: plain.output) as? [String: Any]
    #expect(object?["device"] as? String == "desktop")
    #expect((object?["removedCopies"] as? [Any])?.isEmpty == true)
    #expect(try role(of: "desktop", by: desktop) != nil)
    #expect(try desktop("sync", "now").status == 77)
  }

  @Test func aRoleThatIsGivenCountsOnTheOtherMachine() throws {
    let given = try laptop("sync", "role", "desktop", "admin")
    #expect(given.status == 0)
    #expect(given.errors.contains("desktop is an admin from now on"))
    try now(desktop)
    #expect(try role(of: "desktop", by: desktop) == "admin")
    #expect(try desktop("sync", "invite", "--role", "writer").status == 0)
    // An owner comes before an admin, whatever he says.
    #expect(try desktop("sync", "role", "laptop", "reader").status == 77)
    #expect(try desktop("sync", "role", "desktop", "owner").status == 77)
    try now(laptop)
    let taken = try laptop("sync", "role", "desktop", "reader")
    #expect(taken.errors.contains("desktop is a reader from now on"))
    try now(desktop)
    #expect(try desktop("sync", "invite").status == 77)
    let set = try desktop("set", "token", "--stdin", input: "2")
    #expect(set.status == 0)
    #expect(set.errors.contains("the change stays here"))
    try now(desktop, laptop)
    #expect(try laptop.get("token").text == "1")
    // One that has left changes its own vault.
    for words in [["sync", "leave"], ["set", "token", "--stdin"]] {
      let run = try desktop.command.run(words, input: Data("3".utf8))
      #expect(run.status == 0 && !run.errors.contains("stays here"), "\(run.errors)")
    }
  }

  @Test func aRoleThatCannotBeGivenIsRefused() throws {
    #expect(try laptop("sync", "role", "desktop", "king").status == 64)
    #expect(try laptop("sync", "role", "nobody", "admin").status != 0)
    let last = try laptop("sync", "role", "laptop", "writer")
    #expect(last.says(77, "only owner"))
    #expect(try role(of: "laptop", by: laptop) == "owner")
  }

  @Test(arguments: [["--uses", "0"], ["--uses", "1001"], ["--for", "0"], ["--for", "40d"]])
  func anInvitationOutOfRangeIsUsage(_ words: [String]) throws {
    let refused = try laptop.command.run(["sync", "invite"] + words)
    #expect(refused.says(64, "between"), "\(refused.errors)")
    let other = try ThrowawayVault()
    #expect(try other("sync", "init", "\(store.path)/x", "--label", "a b").says(64, "--label has"))
  }

  /// Its code ended before the store showed that it had joined; or another one had used it up.
  @Test func aMachineThatCameLateIsLetInByName() throws {
    #expect(try laptop("sync", "role", "desktop", "admin").status == 0)
    try now(desktop)
    let invitation = try desktop("sync", "invite", "--role", "writer")
    try #require(invitation.status == 0, "\(invitation.errors)")
    // A file syncer's copy of the store, which nobody else sees for now.
    let copy = try SyncedHomes.copy(store)
    let server = try ThrowawayVault()
    let joined = try server(
      "sync", "join", copy.path, "--stdin", "--label", "server", "--merge", input: invitation.text)
    try #require(joined.status == 0, "\(joined.errors)")
    // Who may let nobody in any more has no code that does.
    #expect(try laptop("sync", "role", "desktop", "writer").status == 0)
    try #require(try laptop.shell("cp -an \"$1\"/. \"$2\"/", copy.path, store.path).status == 0)
    let found = try laptop("sync", "now")
    #expect(found.errors.contains("server"), "\(found.errors)")
    #expect(try role(of: "server", by: laptop) == nil)
    #expect(try laptop("sync", "admit", "nobody").status != 0)
    // Also whoever was not there when it was said.
    #expect(try laptop("sync", "devices").errors.contains("sync admit server"))
    let admitted = try laptop("sync", "admit", "server")
    #expect(admitted.status == 0, "\(admitted.errors)")
    #expect(admitted.errors.contains("server is in"))
    #expect(try role(of: "server", by: laptop) == "writer")
    #expect(try laptop("sync", "devices").errors.isEmpty)
    // It has all keys at once, and hears of it.
    let followed = try server("sync", "move", store.path)
    #expect(followed.status == 0, "\(followed.errors)")
    let synchronized = try server("sync", "now")
    #expect(synchronized.status == 0, "\(synchronized.errors)")
  }

  @Test func aMachineFollowsTheStoreToAnotherPlace() throws {
    let moved = "\(store.path).moved"
    try FileManager.default.moveItem(atPath: store.path, toPath: moved)
    defer { try? FileManager.default.removeItem(atPath: moved) }
    #expect(try laptop("sync", "now").status == 69)
    let empty = try TemporaryHome()
    let elsewhere = try laptop("sync", "move", empty.path)
    #expect(elsewhere.says(65, "has not this vault's space"), "\(elsewhere.errors)")
    let followed = try laptop("sync", "move", moved)
    #expect(followed.status == 0, "\(followed.errors)")
    #expect(followed.errors.contains("sync move STORE"))
    #expect(try laptop("sync", "status").text.contains(moved))
    try laptop.set("token", "2")
    try now(laptop)
    #expect(try desktop("sync", "move", moved).status == 0)
    #expect(try desktop.get("token").text == "2")
    #expect(try desktop("sync", "move", moved, "--json").text.contains("\"received\": 0"))
  }

  /// Who joins again where the space lies now means the same; a link of the user's own is followed.
  @Test func aMachineFollowsTheStoreByJoiningOrByALink() throws {
    let moved = "\(store.path).moved"
    try FileManager.default.moveItem(atPath: store.path, toPath: moved)
    defer { try? FileManager.default.removeItem(atPath: moved) }
    let joined = try laptop.command.run(["sync", "join", moved, "--stdin"], input: Data())
    #expect(joined.status == 0 && joined.errors.contains("from now on"), "\(joined.errors)")
    let again = try laptop("sync", "join", moved)
    #expect(again.status == 0 && again.errors.contains("already"), "\(again.errors)")
    try laptop.set("token", "3")
    try now(laptop)
    try FileManager.default.createSymbolicLink(atPath: store.path, withDestinationPath: moved)
    defer { try? FileManager.default.removeItem(atPath: store.path) }
    try now(desktop)
    #expect(try desktop.get("token").text == "3")
    // A link that leads to nothing keeps nobody from what needs no store, nor from moving on.
    try FileManager.default.removeItem(atPath: store.path)
    try FileManager.default.createSymbolicLink(
      atPath: store.path, withDestinationPath: "\(store.path).none")
    #expect(try desktop("sync", "status").status == 0)
    #expect(try desktop("sync", "now").status == 69)
    let onward = try desktop("sync", "move", moved)
    #expect(onward.status == 0, "\(onward.errors)")
    // Another store has another space: that is no way there.
    let other = try TemporaryHome()
    let third = try ThrowawayVault()
    #expect(try third("sync", "init", other.path, "--label", "third").status == 0)
    let elsewhere = try laptop.command.run(["sync", "join", other.path, "--stdin"], input: Data())
    #expect(elsewhere.status != 0)
  }

  /// A code that is given is looked at, also where the vault's own space lies in that store.
  @Test func anInvitationIntoAnotherSpaceOfTheStoreIsRefused() throws {
    let third = try ThrowawayVault()
    #expect(try third("sync", "init", store.path, "--label", "third").status == 0)
    let code = try third("sync", "invite").text
    let other = try laptop("sync", "join", store.path, "--stdin", input: code)
    #expect(other.status != 0 && other.errors.contains("another space"), "\(other.errors)")
    let none = try laptop("sync", "join", store.path, "--stdin", input: "complete nonsense")
    #expect(none.status == 77, "\(none.errors)")
    let own = try laptop("sync", "invite").text
    #expect(try laptop("sync", "join", store.path, "--stdin", input: own).status == 0)
  }

  /// A name that cannot be used is refused before a vault is made.
  @Test(arguments: ["a b", "-rf", ".."]) func aJoinThatCannotBeLeavesNothing(_ label: String) throws
  {
    let code = try laptop("sync", "invite").text
    let joined = try laptop(
      "--vault", "second", "sync", "join", store.path, "--stdin", "--label=\(label)", input: code)
    #expect(joined.status == 64, "\(joined.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: laptop.data)
    #expect(files.allSatisfy { !$0.contains("second") }, "\(files)")
  }

  @Test func whatLostIsShownWithItsPropertyAndMachine() throws {
    func describe(_ machine: ThrowawayVault, _ words: String...) throws {
      let done = try machine.command.run(["set", "token"] + words, input: Data())
      #expect(done.status == 0, "\(done.errors)")
    }
    try describe(laptop, "--note", "spare codes 1111", "--attribute", "url=https://l.example")
    try describe(desktop, "--note", "other", "--attribute", "url=https://d.example")
    for _ in 0..<2 { try now(laptop, desktop) }
    for machine in [laptop, desktop] {
      #expect(try machine("list", "--conflicts").text == "token\n")
      let history = try machine("history", "token").text
      let all =
        try history + machine("show", "token").text + machine("history", "token", "--json").text
      for word in ["spare codes 1111", "https://l.example", "from laptop, concurrent"] {
        #expect(all.contains(word), "\(word)")
      }
      #expect(try machine("show", "token").text.contains("two values of its note"))
      let log = try machine("sync", "log", "--no-pager").text
      #expect(log.contains("note") && log.contains("attribute url"))
    }
    #expect(try laptop("sync", "resolve", "token").status == 0)
    for _ in 0..<2 { try now(laptop, desktop) }
    for machine in [laptop, desktop] {
      #expect(try machine("list", "--conflicts").text == "")
      #expect(try machine("history", "token", "--json").text.contains("\"lost\": []"))
    }
  }

  /// What a machine changed since a moment is shown before it is taken back.
  @Test func aRemovalTakesBackWhatTheMachineChangedSince() throws {
    try desktop.set("token", "evil")
    try desktop.set("made", "evil")
    try now(desktop, laptop)
    let shown = try laptop("sync", "remove", "desktop", "--since", "1h", "--dry-run")
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.text.contains("token  secret") && shown.text.contains("into the trash"))
    // Nobody can be asked: nothing is done, and both lines to type are there.
    let refused = try laptop("sync", "remove", "desktop", "--since", "1h")
    #expect(refused.says(64, "this would revert 2 changes"), "\(refused.errors)")
    #expect(refused.errors.contains("sync remove desktop --since 1h --yes"))
    #expect(try role(of: "desktop", by: laptop) == "writer")
    #expect(try laptop("sync", "remove", "desktop", "--since", "never").status == 64)
    #expect(try laptop("sync", "remove", "desktop", "--yes").says(64, "--since"))
    let done = try laptop("sync", "remove", "desktop", "--since", "1h", "--yes", "--json")
    #expect(done.status == 0, "\(done.errors)")
    let object = try JSONSerialization.jsonObject(with: done.output) as? [String: Any]
    let items = object?["items"] as? [[String: Any]]
    #expect(items?.compactMap { $0["outcome"] as? String } == ["trashed", "reverted"])
    #expect(try laptop.get("token").text == "1")
    #expect(try laptop.get("made").status != 0)
    #expect(try laptop("undo").status == 0)
    #expect(try laptop.get("token").text == "evil")
    #expect(try desktop("sync", "now").status == 77)
  }
}
