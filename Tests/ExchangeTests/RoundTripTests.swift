import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultExchange
import VaultSealing
import VaultStorage

/// What is exported for another program comes back as it was.
struct RoundTripTests {
  /// A program that has both.
  enum Program: CaseIterable {
    case keepassxc, bitwarden

    func document(of vault: UnlockedVault.Blocking) throws -> [UInt8] {
      let snapshot = try vault.read()
      let document =
        switch self {
        case .keepassxc: try KeePassExport.document(snapshot.items(), in: snapshot)
        case .bitwarden: try BitwardenExport(snapshot.items(), in: snapshot).document
        }
      return document.withBytes { $0.array(0..<$0.byteCount) }
    }

    var format: ImportFormat { self == .keepassxc ? .keepassxc : .bitwarden }
  }

  /// Exports a vault and imports it into an empty one.
  private func copy(of vault: InMemoryVault, by program: Program) throws -> InMemoryVault {
    let copy = try InMemoryVault()
    let reading = try program.format.read(program.document(of: vault.open.blocking))
    #expect(reading.losses.map(\.reason) == [])
    let plan = try ImportPlan(reading, into: copy.open.blocking.read())
    try copy.open.blocking.store(plan.drafts)
    return copy
  }

  private static let texts = [
    " x", "x ", "\tx\t", "x\n", "\nx", "x\r\n", "a\rb", "  ", "\n", " \u{A0} ", "\u{FEFF}x",
    "x\u{85}", "x{USERNAME}", "{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}", "a{s:pin}b",
    "{Password_enc}", "{plain} {", "}{}",
    "&<>\"']]>", "{REF", "e\u{301}",
  ]

  @Test(arguments: Program.allCases)
  func blanksAtTheEndsOfSecretsAndFieldsComeBack(program: Program) throws {
    let vault = try InMemoryVault()
    let open = vault.open.blocking
    for (number, text) in Self.texts.enumerated() {
      let item = try ItemName("work/i\(number)")
      try open.set(item, to: Secret(text))
      for field in ["user", "url", "notes", "pin", " led", "trailed ", "two words"] {
        try open.set(item, to: Secret(text), field: field)
      }
      for kind in [Item.Kind.note, .otp] {
        let alone = try ItemName("\(kind) \(number)")
        var changes = ItemChanges()
        changes.kind = kind
        try open.set(alone, to: Secret(text), changes: changes)
      }
    }
    let copied = try copy(of: vault, by: program)
    let back = copied.open.blocking
    #expect(try back.items().map(\.name) == open.items().map(\.name))
    let (before, after) = (try open.read(), try back.read())
    for item in try open.items() {
      let secrets = try before.secrets(of: item)
      let copies = try after.secrets(of: after.item(item.name))
      #expect(copies.main.text == secrets.main.text, "\(item.name)")
      #expect(
        copies.fields.mapValues(\.text) == secrets.fields.mapValues(\.text), "\(item.name)")
    }
  }

  /// Where the secret is decides what an item is; fields beside it stay fields.
  @Test(arguments: Program.allCases)
  func theSecretOfANoteAndOfCodesStaysTheSecret(program: Program) throws {
    let vault = try InMemoryVault()
    let open = vault.open.blocking
    for (kind, fields) in [
      (Item.Kind.note, []), (.note, ["user"]), (.otp, []), (.otp, ["user", "notes"]),
      (.otp, ["url"]),
      (.login, ["notes"]), (.login, ["user", "otp", "notes"]),
    ] as [(Item.Kind, [String])] {
      let name = try ItemName("\(kind) \(fields.joined(separator: " "))".trimmingBlanks)
      var changes = ItemChanges()
      changes.kind = kind
      try open.set(name, to: Secret("s"), changes: changes)
      for field in fields { try open.set(name, to: Secret("f"), field: field) }
    }
    let copied = try copy(of: vault, by: program)
    let (before, after) = (try open.read(), try copied.open.blocking.read())
    for item in before.items() {
      let (secrets, copies) = (
        try before.secrets(of: item), try after.secrets(of: after.item(item.name))
      )
      #expect(copies.main.text == "s", "\(item.name)")
      #expect(copies.fields.keys.sorted() == secrets.fields.keys.sorted(), "\(item.name)")
      #expect(copies.item.kind == item.kind, "\(item.name)")
    }
  }

  /// What XML cannot hold, and what KeePass would replace, is kept beside the texts.
  @Test(arguments: ["x\u{1B}[31mred", "p\u{B}q", "{REF:P@I:AA}", "x\u{FFFE}"])
  func aNoteAndAttributesThatKeePassCannotHoldComeAlong(_ text: String) throws {
    let vault = try InMemoryVault()
    let open = vault.open.blocking
    var changes = ItemChanges()
    changes.note = text
    changes.attributes = ["k": text]
    try open.set(ItemName("a"), to: Secret("s"), changes: changes)
    let copied = try copy(of: vault, by: .keepassxc)
    let back = try copied.open.blocking.read()
    let fields = try back.secrets(of: back.item(ItemName("a"))).fields
    #expect(fields.mapValues(\.text) == ["note": text, "k": text])
  }

  @Test(arguments: Program.allCases)
  func tagsComeBack(program: Program) throws {
    let vault = try InMemoryVault()
    let open = vault.open.blocking
    let tags = [
      ["a"], ["a", "b"], ["two words", "x"], ["a,b", "c;d", "e"], ["a, b"], ["ü", "#1"], [],
    ]
    for (number, tags) in tags.enumerated() {
      var changes = ItemChanges()
      changes.tags = tags
      try open.set(ItemName("i\(number)"), to: Secret("s"), changes: changes)
    }
    let copied = try copy(of: vault, by: program)
    let back = copied.open.blocking
    for item in try open.items() {
      let copy = try back.read().item(item.name)
      #expect(copy.tags.sorted() == item.tags.sorted(), "\(item.name)")
      #expect(try back.read().secrets(of: copy).fields.isEmpty, "\(item.name)")
    }
  }

  @Test func aFieldOfBitwardenThatIsNoListOfTagsStays() throws {
    let reading = try ImportFormat.bitwarden.read(
      Array(
        #"""
        {"encrypted": false, "items": [{"type": 1, "name": "a", "login": {"password": "s"},
          "fields": [{"name": "tags", "value": "hidden", "type": 1}, {"name": "tag", "value": "x", "type": 0}]}]}
        """#.utf8))
    let item = try #require(reading.items.first)
    #expect(item.tags.isEmpty)
    #expect(item.fields.mapValues(\.text) == ["tags": "hidden", "tag": "x"])
  }
}
