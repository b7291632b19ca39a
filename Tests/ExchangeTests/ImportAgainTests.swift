import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultExchange
import VaultSealing

/// An export is imported, changed by its program, and imported again.
struct ImportAgainTests {
  private struct Entry {
    var id: String?
    var name = "GitHub"
    var user: String?
    var url: String?
    var secret: String
    var more: [String: String] = [:]
  }

  private func reading(_ entries: [Entry]) throws -> ImportReading {
    ImportReading(
      items: try entries.map { entry in
        var item = ImportedItem(
          origin: entry.name, name: entry.name, main: try SecretBytes(text: entry.secret))
        item.sourceID = entry.id.map { "test:\($0)" }
        if let user = entry.user { item.fields["user"] = try SecretBytes(text: user) }
        if let url = entry.url { item.fields["url"] = try SecretBytes(text: url) }
        for (name, value) in entry.more { item.fields[name] = try SecretBytes(text: value) }
        return item
      })
  }

  private func plan(
    _ entries: [Entry], _ vault: UnlockedVault.Blocking, replaces: Bool = false, prefix: String = ""
  ) throws -> ImportPlan {
    try ImportPlan(
      reading(entries), into: try vault.read(), prefix: prefix, replaces: replaces)
  }

  @discardableResult
  private func store(
    _ entries: [Entry], _ vault: UnlockedVault.Blocking, replaces: Bool = false, prefix: String = ""
  ) throws -> ImportPlan {
    let plan = try plan(entries, vault, replaces: replaces, prefix: prefix)
    _ = try vault.edit { try $0.store(plan.drafts, marking: plan.marks) }
    return plan
  }

  /// `name: user=secret` of every item.
  private func all(_ vault: UnlockedVault.Blocking) throws -> [String] {
    let snapshot = try vault.read()
    return try snapshot.items().map { item in
      let whole = try snapshot.secrets(of: item)
      return
        "\(item.name.text): \(whole.fields["user"]?.text ?? "")=\(whole.main.text ?? "")"
    }
  }

  /// A name alone does not make a person's own item another program's entry, whichever of user and
  /// address the entry has.
  @Test(arguments: [("b", nil), (nil, "https://t"), ("b", "https://t")] as [(String?, String?)])
  func anItemOfOnesOwnThatHasOnlyTheNameInCommonStays(user: String?, url: String?) throws {
    for id in [nil, "1"] {
      let test = try InMemoryVault()
      let vault = test.open.blocking
      try vault.set(ItemName("S"), to: Secret("own"))
      let made = try store(
        [Entry(id: id, name: "S", user: user, url: url, secret: "theirs")], vault, replaces: true)
      #expect(made.steps.map(\.action) == [.new])
      let snapshot = try vault.read()
      #expect(snapshot.items().count == 2)
      #expect(try snapshot.secrets(of: #require(snapshot[ItemName("S")])).main.text == "own")
      // The same file once more finds its own.
      let again = try plan(
        [Entry(id: id, name: "S", user: user, url: url, secret: "theirs 2")], vault, replaces: true)
      #expect(again.steps.map(\.action) == [.replace])
    }
  }

  /// What an import has made is known again when a user or an address was added to the entry, by its
  /// secret; with another secret it is another account.
  @Test(arguments: [("b", nil), (nil, "https://t")] as [(String?, String?)])
  func anImportedItemGetsItsUserOrAddress(user: String?, url: String?) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let bare = Entry(name: "S", secret: "one")
    var entry = Entry(name: "S", user: user, url: url, secret: "two")
    try store([bare], vault)
    #expect(try plan([entry], vault, replaces: true).steps.map(\.action) == [.new])
    entry.secret = "one"
    try store([entry], vault, replaces: true)
    #expect(try all(vault) == ["S: \(user ?? "")=one"])
    // The same where it is gone again.
    #expect(try plan([bare], vault, replaces: true).steps.map(\.action) == [.replace])
    #expect(
      try plan([Entry(name: "S", secret: "two")], vault, replaces: true).steps.map(\.action)
        == [.new])
  }

  /// What another command stores while an import compares is no part of its first plan: it is made
  /// anew, with no other writer in between.
  @Test(arguments: [false, true])
  func whatIsStoredMeanwhileIsNotWrittenOver(replaces: Bool) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let entries = [Entry(name: "one", secret: "theirs"), Entry(name: "two", secret: "theirs")]
    var plans = 0
    let (plan, stored) = try vault.edit(
      planning: { snapshot in
        plans += 1
        let plan = try ImportPlan(reading(entries), into: snapshot, replaces: replaces)
        if plans == 1 { try vault.set(ItemName("one"), to: Secret("mine"), field: "own") }
        return plan
      },
      { edit, plan in try edit.store(plan.drafts, marking: plan.marks) })
    #expect(plans == 2)
    #expect(plan.steps.map(\.action) == [replaces ? .replace : .exists, .new])
    #expect(stored?.count == (replaces ? 2 : 1))
    let snapshot = try vault.read()
    let one = try snapshot.secrets(of: #require(snapshot[ItemName("one")]))
    #expect(one.main.text == (replaces ? "theirs" : ""))
    #expect(one.fields["own"]?.text == "mine")
    // Nothing to write leaves the file as it is, whoever else writes.
    let nothing: (plan: Int, result: Int?) = try vault.edit(planning: { _ in 7 }, { _, _ in nil })
    #expect(nothing.plan == 7 && nothing.result == nil)
  }

  /// A counter that went on here, or there, is the same seed; it never goes back.
  @Test func aCounterOnlyRises() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    func seed(_ counter: Int) -> String {
      "otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=\(counter)"
    }
    func entries(_ counter: Int) -> [Entry] {
      [
        Entry(name: "code", secret: seed(counter)),
        Entry(name: "login", user: "me", secret: "pw", more: ["otp": seed(counter)]),
      ]
    }
    try store(entries(5), vault)
    try store(entries(9), vault, replaces: true)
    #expect(try vault.get(ItemName("code")).text == seed(9))
    for replaces in [true, false] {
      let again = try store(entries(5), vault, replaces: replaces)
      #expect(again.steps.map(\.action) == [.same, .same])
    }
    // Something else has changed: the counter stays all the same.
    let changed = Entry(name: "login", user: "me", secret: "new", more: ["otp": seed(2)])
    try store([changed], vault, replaces: true)
    let whole = try vault.read().secrets(of: vault.item(ItemName("login")))
    #expect(whole.main.text == "new" && whole.fields["otp"]?.text == seed(9))
    #expect(try vault.get(ItemName("code")).text == seed(9))
  }

  @Test(arguments: [true, false])
  func anotherOrderIsTheSame(hasIDs: Bool) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let entries = ["ann", "bob", "cid"].enumerated().map { (number: Int, user: String) in
      Entry(id: hasIDs ? "\(number)" : nil, user: user, secret: "p\(user)")
    }
    try store(entries, vault)
    #expect(
      try all(vault)
        == ["GitHub: ann=pann", "GitHub (bob): bob=pbob", "GitHub (cid): cid=pcid"])
    for order in [[2, 1, 0], [1, 2, 0], [0, 2, 1]] {
      let again = try plan(order.map { entries[$0] }, vault)
      #expect(again.steps.map(\.action) == [.same, .same, .same])
      #expect(again.losses.isEmpty && again.notes.isEmpty && again.drafts.isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func oneAccountGoesAndAnotherComes(hasIDs: Bool) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    func entry(_ id: String, _ user: String) -> Entry {
      Entry(id: hasIDs ? id : nil, user: user, secret: "p\(user)")
    }
    try store([entry("1", "ann"), entry("2", "bob")], vault)
    for replaces in [false, true] {
      let plan = try store([entry("2", "bob"), entry("3", "cid")], vault, replaces: replaces)
      #expect(plan.steps.map(\.action) == [.same, replaces ? .same : .new])
    }
    #expect(
      try all(vault) == ["GitHub: ann=pann", "GitHub (bob): bob=pbob", "GitHub (cid): cid=pcid"])
  }

  @Test func anIDFindsTheItemWhateverElseChanges() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try store(
      [Entry(id: "1", user: "ann", secret: "a"), Entry(id: "2", user: "bob", secret: "b")], vault)
    // The person tidies up here, and the program there.
    try vault.rename(ItemName("GitHub"), to: ItemName("work/code"))
    let changed = [
      Entry(id: "2", name: "Forge", user: "bob2", url: "https://x", secret: "b2"),
      Entry(id: "1", name: "Hub", user: "ann", secret: "a"),
    ]
    let kept = try plan(changed, vault)
    #expect(kept.steps.map(\.action) == [.exists, .same])
    #expect(kept.steps.map(\.name.text) == ["GitHub (bob)", "work/code"])
    #expect(
      kept.notes.map(\.reason) == ["2 items have other names here than in the file, and keep them"])
    try store(changed, vault, replaces: true)
    #expect(try all(vault) == ["GitHub (bob): bob2=b2", "work/code: ann=a"])
    // Another prefix is another import.
    #expect(try plan(changed, vault, prefix: "x/").steps.map(\.action) == [.new, .new])
  }

  @Test func withoutIDsNameUserAndAddressDecide() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let first = Entry(user: "ann", url: "https://a.example", secret: "1")
    let second = Entry(user: "ann", url: "https://b.example", secret: "2")
    try store([first, second], vault)
    #expect(try vault.read().items().map(\.name.text) == ["GitHub", "GitHub (b.example)"])
    var changed = second
    changed.secret = "3"
    let plan = try plan([changed, first], vault)
    #expect(plan.steps.map(\.name.text) == ["GitHub (b.example)", "GitHub"])
    #expect(plan.steps.map(\.action) == [.exists, .same])
    // One whose address alone changed is the same account; of two it is not known which.
    var moved = first
    moved.url = "https://c.example"
    #expect(try self.plan([moved, second], vault).steps.map(\.action) == [.exists, .same])
  }

  /// Two routers have one name and one user: where address and secret differ it is another one.
  @Test(arguments: [false, true]) func anEqualUserAloneIsNoAccount(_ replaces: Bool) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    func router(_ url: String?, _ secret: String) -> Entry {
      Entry(name: "Router", user: "admin", url: url, secret: secret)
    }
    func secrets() throws -> [String: String] {
      let snapshot = try vault.read()
      return Dictionary(
        uniqueKeysWithValues: try snapshot.items().map {
          let whole = try snapshot.secrets(of: $0)
          return (whole.fields["url"]?.text ?? "", whole.main.text ?? "")
        })
    }
    try store([router("attic", "p1"), router("cellar", "p2")], vault)
    let plan = try store(
      [router("cellar", "p2"), router("garage", "p3")], vault, replaces: replaces)
    #expect(plan.steps.map(\.action) == [.same, .new])
    #expect(try secrets() == ["attic": "p1", "cellar": "p2", "garage": "p3"])
    // The address alone has changed; and the secret alone.
    let moved = try store(
      [router("shed", "p1"), router("cellar", "p2"), router("garage", "p4")], vault,
      replaces: replaces)
    let changed: ImportPlan.Action = replaces ? .replace : .exists
    #expect(moved.steps.map(\.action) == [changed, .same, changed])
    #expect(
      try secrets()
        == (replaces
          ? ["shed": "p1", "cellar": "p2", "garage": "p4"]
          : ["attic": "p1", "cellar": "p2", "garage": "p3"]))
  }

  @Test func whatCouldBeOneOfSeveralIsNotGuessed() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try store([Entry(user: "u", secret: "1"), Entry(user: "u", secret: "2")], vault)
    #expect(try vault.read().items().map(\.name.text) == ["GitHub", "GitHub~2"])
    // One of them changed: the other one says which.
    let one = try store(
      [Entry(user: "u", secret: "new"), Entry(user: "u", secret: "2")], vault, replaces: true)
    #expect(one.steps.map(\.action) == [.replace, .same] && one.steps[0].name.text == "GitHub")
    // Both changed, or one is gone and the other changed.
    for entries in [
      [Entry(user: "u", secret: "x"), Entry(user: "u", secret: "y")],
      [Entry(user: "u", secret: "x")],
    ] {
      let plan = try plan(entries, vault, replaces: true)
      #expect(plan.steps.isEmpty && plan.losses.count == entries.count && plan.drafts.isEmpty)
      #expect(plan.losses.first?.reason.contains("could be one of several") == true)
    }
    // A third one with another secret is new where all that were there are there still.
    let third = try plan(
      ["2", "new", "z"].map { Entry(user: "u", secret: $0) }, vault)
    #expect(third.steps.map(\.action) == [.same, .same, .new])
  }

  @Test func whatThePersonAddedStays() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let name = try ItemName("GitHub")
    try store([Entry(id: "1", user: "ann", secret: "1", more: ["pin": "12", "otp": "A"])], vault)
    var mine = ItemChanges()
    mine.tags = ["mine"]
    mine.note = "mine"
    mine.attributes = ["service": "x"]
    try vault.update(name, mine)
    try vault.set(name, to: Secret("word"), field: "recovery")
    let same = try plan(
      [Entry(id: "1", user: "ann", secret: "1", more: ["pin": "12", "otp": "A"])], vault)
    #expect(same.steps.map(\.action) == [.same])
    // The program changed the secret and the PIN, and gave up the codes.
    try store(
      [Entry(id: "1", user: "ann", secret: "2", more: ["pin": "34"])], vault, replaces: true)
    let snapshot = try vault.read()
    let whole = try snapshot.secrets(of: snapshot.item(name))
    #expect(whole.main.text == "2")
    #expect(
      whole.fields.mapValues(\.text) == ["user": "ann", "pin": "34", "recovery": "word"])
    #expect(whole.item.tags == ["mine"] && whole.item.note == "mine")
    #expect(whole.item.attributes == ["service": "x"])
  }

  @Test func aVaultOfAnEarlierVersionIsRecognized() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    for (name, user) in [("GitHub", "ann"), ("GitHub~2", "bob"), ("GitHub~3", "cid")] {
      try vault.set(ItemName(name), to: Secret("p\(user)"))
      try vault.set(ItemName(name), to: Secret(user), field: "user")
    }
    let entries = ["cid", "ann", "bob"].map { (user: String) in
      Entry(id: user, user: user, secret: "p\(user)")
    }
    #expect(
      try plan(entries, vault).steps.map { "\($0.action) \($0.name.text)" } == [
        "same GitHub~3", "same GitHub", "same GitHub~2",
      ])
    // With the next change they get their marks, which is no change of the items.
    let before = try vault.read().item(ItemName("GitHub~2"))
    try store(entries + [Entry(id: "dan", user: "dan", secret: "pdan")], vault)
    let after = try vault.read().item(ItemName("GitHub~2"))
    #expect(after.version == before.version && after.modified == before.modified)
    #expect(after.attributes.isEmpty)
    let renamed = [Entry(id: "bob", name: "Else", user: "other", secret: "pbob")]
    #expect(try plan(renamed, vault).steps.map(\.name.text) == ["GitHub~2"])
  }

  @Test func aCopyOfAnItemIsNobodysEntry() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try store([Entry(id: "1", user: "ann", secret: "1")], vault)
    try vault.copy(ItemName("GitHub"), to: ItemName("A copy"))
    let plan = try plan([Entry(id: "1", user: "ann", secret: "2")], vault)
    #expect(plan.steps.map(\.name.text) == ["GitHub"])
  }

  @Test func namesTellUsersThenAddressesThenNumbers() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let entries = [
      Entry(user: "a/b", secret: "1"), Entry(user: "a/b", secret: "2"),
      Entry(user: "a/b", url: "https://www.h.example/x", secret: "3"),
      Entry(user: "a/b", url: "https://h.example/y", secret: "4"),
      Entry(user: "a/b", secret: "5"), Entry(secret: "6"), Entry(secret: "7"),
      Entry(user: String(repeating: "x", count: 200), secret: "8"),
      Entry(user: "c", url: "https://h.example", secret: "9"),
      Entry(user: "d", url: "https://i.example", secret: "10"),
    ]
    let plan = try plan(entries, vault)
    #expect(
      plan.steps.map(\.name.text) == [
        "GitHub", "GitHub~2", "GitHub (h.example)", "GitHub~3", "GitHub~4", "GitHub~5", "GitHub~6",
        "GitHub~7", "GitHub (c)", "GitHub (d)",
      ])
    try store(entries, vault)
    #expect(try self.plan(entries.reversed(), vault).steps.allSatisfy { $0.action == .same })
  }

  @Test func aNameThatStandsForItselfIsNotTakenForAnother() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try vault.set(ItemName("GitHub"), to: Secret("own"))
    try vault.set(ItemName("GitHub"), to: Secret("me"), field: "user")
    let plan = try plan([Entry(user: "ann", secret: "1")], vault, replaces: true)
    #expect(plan.steps.map(\.action) == [.new])
    #expect(plan.steps.map(\.name.text) == ["GitHub (ann)"])
  }

  @Test func earlierPasswordsBecomeVersions() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let text = """
      {"encrypted":false,"items":[{"id":"1","type":1,"name":"n","creationDate":"2024-01-01T00:00:00.000Z",
      "login":{"username":"u","password":"now"},"passwordHistory":[
      {"lastUsedDate":"2025-03-01T00:00:00.5Z","password":"second"},
      {"lastUsedDate":"2025-01-01T00:00:00Z","password":"first"}]}]}
      """
    let reading = try ImportFormat.bitwarden.read(Array(text.utf8))
    #expect(reading.losses.isEmpty)
    let plan = try ImportPlan(reading, into: try vault.read())
    try vault.store(plan.drafts)
    let snapshot = try vault.read()
    let item = try snapshot.item(ItemName("n"))
    let history = try snapshot.history(of: item)
    #expect(history.map(\.version) == [3, 2, 1])
    #expect(
      try history.map { try snapshot.secret(of: item, version: $0.version).text } == [
        "now", "second", "first",
      ])
    #expect(try snapshot.secret(of: item, field: "user", version: 1).text == "u")
    #expect(try ImportPlan(reading, into: snapshot).steps.map(\.action) == [.same])
    try vault.undo()
    #expect(try vault.read().items().isEmpty)
  }

  /// What somebody with 5,000 entries met: two in five have a name that another one has, too.
  @Test func fiveThousandEntriesInAnotherOrderAreTheSame() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    var random = Numbers(state: 7)
    for hasIDs in [true, false] {
      let prefix = hasIDs ? "a/" : "b/"
      var entries = (0..<5_000).map { number in
        Entry(
          id: hasIDs ? "\(number)" : nil, name: "site \(number % 1_500)", user: "u\(number)",
          url: "https://h\(number % 700).example", secret: "p\(number)")
      }
      try store(entries, vault, prefix: prefix)
      entries.shuffle(using: &random)
      let again = try plan(entries, vault, prefix: prefix)
      #expect(again.steps.allSatisfy { $0.action == .same } && again.steps.count == 5_000)
      // Ten change, ten go, ten come.
      let changed = Set(entries[0..<10].compactMap(\.user))
      for place in 0..<10 { entries[place].secret = "new\(place)" }
      entries.removeLast(10)
      for place in 0..<10 {
        entries.insert(
          Entry(
            id: hasIDs ? "n\(place)" : nil, name: "site \(place)", user: "n\(place)",
            secret: "s\(place)"), at: place * 37)
      }
      let before = try vault.read()
      let plan = try store(entries, vault, replaces: true, prefix: prefix)
      #expect(plan.losses.isEmpty)
      #expect(plan.steps.count { $0.action == .replace } == 10)
      #expect(plan.steps.count { $0.action == .new } == 10)
      #expect(plan.steps.count { $0.action == .same } == 4_980)
      let after = try vault.read()
      let differing = after.changes(since: before)
      #expect(differing.count == 20)
      for change in differing {
        guard let old = change.before, let new = change.after else { continue }
        let user = try after.secret(of: new, field: "user").text
        #expect(old.name == new.name && user.map(changed.contains) == true)
        #expect(try before.secret(of: old, field: "user").text == user)
      }
    }
  }
}

/// The same numbers in each run.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
