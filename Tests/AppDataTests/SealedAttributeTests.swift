import TestSupport
import Testing
import VaultAppData
import VaultCredentials
import VaultStorage

@Model
final class Account {
  enum Kind: String, Codable { case mail, shop }
  struct Question: Codable, Equatable {
    var text = ""
    var answer = ""
  }

  @Attribute(.unique) var name: String
  @Attribute(.encrypt) var password: String
  @Attribute(.encrypt) var pin: Int?
  @Attribute(.encrypt) var limit = 0.5
  @Attribute(.encrypt) var opened = Date(timeIntervalSinceReferenceDate: 0.1)
  @Attribute(.encrypt) var kind = Kind.mail
  @Attribute(.encrypt) var question = Question()
  @Attribute(.encrypt) var codes: [String] = []
  @Attribute(.encrypt, .preserveValueOnDeletion) var hint = ""
  @Attribute(.encrypt, .externalStorage, .preserveValueOnDeletion) var scan: Data?
  @Attribute(.encrypt, .transformable(by: "Turn")) var turn: Turn?
  var note = ""
  @Relationship(deleteRule: .cascade, inverse: \Device.account) var devices: [Device] = []

  init(name: String, password: String) {
    self.name = name
    self.password = password
  }
}

@Model
final class Device {
  @Attribute(.encrypt) var serial: String
  var account: Account?

  init(serial: String) { self.serial = serial }
}

extension Schema.Attribute.Option {
  /// By another name, which the macro does not know.
  static let secret = Self.encrypt
}

@Model
final class UniqueSecret {
  @Attribute(.secret, .unique) var code = ""
  init() {}
}

@Model
final class PairedSecret {
  @Attribute(.secret) var code = ""
  var name = ""
  #Unique<PairedSecret>([\.name, \.code])
  init() {}
}

@Model
final class IndexedSecret {
  @Attribute(.secret) var code = ""
  #Index<IndexedSecret>([\.code])
  init() {}
}

@Model
final class HollowSecret {
  struct Code: Codable { var digits: Int }
  @Attribute(.secret) var code: Code
  init(code: Code) { self.code = code }
}

enum SafeV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Safe.self] }
  @Model final class Safe {
    @Attribute(.encrypt) var code: String
    var plain: String
    init(code: String, plain: String) {
      self.code = code
      self.plain = plain
    }
  }
}

enum SafeV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Safe.self] }
  @Model final class Safe {
    @Attribute(.encrypt, originalName: "code") var combination: String
    @Attribute(.encrypt) var plain: String
    init(combination: String, plain: String) {
      self.combination = combination
      self.plain = plain
    }
  }
}

enum SafePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [SafeV1.self, SafeV2.self] }
  static var stages: [MigrationStage] { [sealing] }
  // One migration at a time: the test's own.
  nonisolated(unsafe) private static var texts: [PersistentIdentifier: String] = [:]
  static let sealing = MigrationStage.custom(
    fromVersion: SafeV1.self, toVersion: SafeV2.self,
    willMigrate: { context in
      for safe in try context.fetch(FetchDescriptor<SafeV1.Safe>()) {
        unsafe texts[safe.persistentModelID] = safe.plain
      }
    },
    didMigrate: { context in
      for safe in try context.fetch(FetchDescriptor<SafeV2.Safe>()) {
        safe.plain = unsafe texts[safe.persistentModelID] ?? ""
      }
    })
}

/// Attributes with `.encrypt`: sealed in the store, and open in the program that has the key.
struct SealedAttributeTests {
  let home: TemporaryHome
  let key: SealingKey

  init() throws {
    home = try TemporaryHome()
    key = SealingKey(try SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    ValueTransformer.setValueTransformer(TurnTransformer(), forName: .init("Turn"))
  }

  func url(_ name: String = "accounts") -> URL {
    URL(fileURLWithPath: "\(home.path)/stores/\(name).store")
  }

  func open(
    _ key: SealingKey?, _ name: String = "accounts"
  ) throws -> (ModelContainer, ModelContext) {
    let container = try ModelContainer(
      for: Account.self, configurations: ModelConfiguration(url: url(name), sealingKey: key))
    return (container, context(container))
  }

  func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  /// An object with the marks that no file may have.
  static let mark = "S3CRET-MARK"

  func full() -> Account {
    let account = Account(name: "mail", password: "\(Self.mark) e\u{301}")
    account.pin = 1234
    account.limit = .infinity
    account.opened = Date(timeIntervalSinceReferenceDate: 12.25)
    account.kind = .shop
    account.question = .init(text: "who", answer: Self.mark)
    account.codes = [Self.mark, ""]
    account.hint = "hint \(Self.mark)"
    account.scan = Data(String(repeating: Self.mark, count: 20_000).utf8)
    account.turn = Turn(degrees: 90)
    return account
  }

  /// The store's database, for a look that the program does not have.
  func database(_ name: String = "accounts") throws -> SQLiteConnection {
    try SQLiteConnection(path: url(name).path)
  }

  /// All files below the store's folder that hold a text, in the clear or as base64.
  func files(with text: String) throws -> [String] {
    let directory = url().deletingLastPathComponent()
    let texts = (0..<3).map { shift in
      // Whatever the place in the group of three bytes, without its ends.
      Data(String(repeating: " ", count: shift).utf8 + Array(text.utf8)).base64EncodedString()
        .dropFirst(shift == 0 ? 0 : 4).dropLast(4)
    }
    let enumerator = FileManager.default.enumerator(atPath: directory.path)
    return try (enumerator?.compactMap { $0 as? String } ?? []).filter { name in
      let path = directory.appendingPathComponent(name)
      let isDirectory =
        (try? path.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
      let bytes = isDirectory ? Data() : try Data(contentsOf: path)
      return ([Substring(text)] + texts).contains { bytes.range(of: Data($0.utf8)) != nil }
    }
  }

  // MARK: Values

  @Test func everyKindOfValueComesBackInAnotherProcess() throws {
    do {
      let (_, context) = try open(key)
      let account = full()
      account.devices = [Device(serial: "serial \(Self.mark)")]
      context.insert(account)
      try context.save()
    }
    // As another process has it: the same bytes, another value.
    let again = SealingKey(try SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    let (_, context) = try open(again)
    let found = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    #expect(Array(found.password.utf8) == Array("\(Self.mark) e\u{301}".utf8))
    #expect(found.pin == 1234)
    #expect(found.limit == .infinity)
    #expect(found.opened == Date(timeIntervalSinceReferenceDate: 12.25))
    #expect(found.kind == .shop)
    #expect(found.question == .init(text: "who", answer: Self.mark))
    #expect(found.codes == [Self.mark, ""])
    #expect(found.hint == "hint \(Self.mark)")
    #expect(found.scan?.count == 20_000 * Self.mark.utf8.count)
    #expect(found.turn?.degrees == 90)
    #expect(found.devices.map(\.serial) == ["serial \(Self.mark)"])
    #expect(try found.opened(\.password) == found.password)
    // Changed, cleared, and a large value made small.
    found.password = "new"
    found.pin = nil
    found.scan = Data([1, 2])
    try context.save()
    let (_, other) = try open(key)
    let changed = try #require(try other.fetch(FetchDescriptor<Account>()).first)
    #expect(changed.password == "new")
    #expect(changed.pin == nil)
    #expect(changed.scan == Data([1, 2]))
    #expect(changed.kind == .shop)
    #expect(try files(with: Self.mark).isEmpty)
  }

  @Test func noFileAndNoTemporaryTableHasAValue() throws {
    let (container, context) = try open(key)
    context.undoManager = UndoManager()
    let account = full()
    account.note = "OPEN-MARK"
    context.insert(account)
    // Pending objects go to temporary tables.
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 1)
    try context.save()
    account.password = "other \(Self.mark)"
    #expect(
      try context.fetch(FetchDescriptor<Account>()).first?.password.hasPrefix("other") == true)
    try context.save()
    // What is not sealed is found, so the rest would be, too.
    #expect(try !files(with: "OPEN-MARK").isEmpty)
    #expect(try files(with: Self.mark).isEmpty)
    context.delete(account)
    try context.save()
    #expect(try files(with: Self.mark).isEmpty)
    context.undoManager?.undo()
    try context.save()
    #expect(try files(with: Self.mark).isEmpty)
    withExtendedLifetime(container) {}
  }

  /// The files that this process has open for its stores, or for SQLite's temporary tables, that
  /// hold a text; also those whose names are gone.
  func openFiles(with text: String) throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
      let path = "/proc/self/fd/\(number)"
      guard let name = try? files.destinationOfSymbolicLink(atPath: path),
        name.hasPrefix(home.path) || name.contains("etilqs"), !name.hasSuffix("-shm"),
        let bytes = try? Data(contentsOf: URL(fileURLWithPath: path))
      else { return nil }
      return bytes.range(of: Data(text.utf8)) == nil ? nil : name
    }
  }

  @Test func aLongTransactionLeavesNothingInAnyFile() throws {
    let (container, context) = try open(key)
    context.undoManager = UndoManager()
    let mark = "L0NG-MARK"
    for isKept in [true, false] {
      try? context.transaction {
        for number in 0..<2_000 {
          let account = Account(name: "O-MARK \(isKept) \(number)", password: "\(mark) \(number)")
          account.hint = "\(mark) hint"
          account.question = .init(text: mark, answer: mark)
          // More than SQLite keeps in memory.
          account.note = String(repeating: "O-MARK ", count: 500)
          if number % 1_000 == 0 {
            account.scan = Data(String(repeating: mark, count: 30_000).utf8)
          }
          context.insert(account)
        }
        // Sorted while it is pending, and once it is written.
        let byName = FetchDescriptor<Account>(sortBy: [SortDescriptor(\.note)])
        _ = try context.fetchIdentifiers(byName)
        try context.save()
        for account in try context.fetch(byName) { account.password = "\(mark) again" }
        try context.save()
        #expect(try !openFiles(with: "O-MARK").isEmpty)
        #expect(try openFiles(with: mark) == [])
        #expect(try files(with: mark).isEmpty)
        if !isKept { throw CancellationError() }
      }
      #expect(try files(with: mark).isEmpty)
    }
    #expect(try !files(with: "O-MARK").isEmpty)
    let copy = url("copy")
    try container.backup(to: copy)
    try container.vacuum()
    #expect(try container.check() == [])
    #expect(try files(with: mark).isEmpty)
    let (_, other) = try open(key, "copy")
    #expect(try other.fetchCount(FetchDescriptor<Account>()) == 2_000)
    var one = FetchDescriptor<Account>(sortBy: [SortDescriptor(\.name)])
    one.fetchLimit = 1
    let first = try #require(try other.fetch(one).first)
    #expect(first.password == "\(mark) again")
    #expect(first.scan?.count == 30_000 * mark.utf8.count)
  }

  @Test func temporaryTablesHaveNothingOfIt() throws {
    // In memory, where every context has the one connection.
    let container = try ModelContainer(
      for: Account.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, sealingKey: key))
    let context = context(container)
    let old = full()
    context.insert(old)
    try context.save()
    old.password = "\(Self.mark) again"
    context.insert(Account(name: "\(Self.mark) name", password: "\(Self.mark) new"))
    #expect(try context.fetchCount(FetchDescriptor<Account>()) == 2)
    let rows = try container.stores[0].withConnection { connection in
      let sqlite = connection.sqlite
      return try sqlite.strings("SELECT name FROM temp.sqlite_schema WHERE type='table'").flatMap {
        table in
        let columns = try sqlite.strings("SELECT name FROM pragma_table_info('\(table)')")
        return try sqlite.strings(
          "SELECT " + columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
            + " FROM temp.\"\(table)\"")
      }
    }
    // What is not sealed is there: the object is the one that was looked for.
    #expect(rows.contains { $0.contains("\(Self.mark) name") })
    let hexadecimal = Self.mark.utf8.map { String($0, radix: 16, uppercase: true) }.joined()
    #expect(!rows.contains { $0.contains("\(Self.mark) new") || $0.contains("\(Self.mark) again") })
    #expect(!rows.contains { $0.contains(hexadecimal) })
  }

  @Test func equalValuesAndCloseLengthsLookDifferentAndAlike() throws {
    let (_, context) = try open(key)
    context.insert(Account(name: "a", password: "same"))
    context.insert(Account(name: "b", password: "same"))
    context.insert(Account(name: "c", password: "of another length"))
    try context.save()
    let sealed = try database().strings("SELECT hex(password) FROM Account")
    #expect(Set(sealed).count == 3)
    #expect(Set(sealed.map(\.count)).count == 1)
  }

  // MARK: Without the key

  @Test func withoutTheKeyEverythingElseIsRead() throws {
    do {
      let (_, context) = try open(key)
      let account = full()
      account.note = "open"
      context.insert(account)
      try context.save()
    }
    let (_, context) = try open(nil)
    let account = try #require(
      try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.note == "open" })).first
    )
    #expect(account.name == "mail")
    // Changes of the rest are saved.
    account.note = "changed"
    try context.save()
    let error = #expect(throws: SwiftDataError.self) { try account.opened(\.password) }
    #expect(error == .sealedAttribute)
    #expect(error?.message.hasPrefix("Account.password of object") == true)
    #expect(error?.message.contains("no sealingKey") == true)
    // A property cannot throw: it shows its default value, and the next save says why.
    #expect(account.password.isEmpty)
    #expect(account.limit == 0.5)
    #expect(account.pin == nil)
    #expect(account.password.isEmpty)
    account.note = "again"
    #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
    try context.save()
    // Nothing can be written to it.
    account.hint = "mine"
    let refused = #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
    #expect(refused?.message.hasPrefix("Account.hint of object") == true)
    context.rollback()
    context.insert(Account(name: "shop", password: "x"))
    #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
    let (_, own) = try open(key)
    let whole = try #require(try own.fetch(FetchDescriptor<Account>()).first)
    #expect(whole.note == "again")
    #expect(whole.hint == "hint \(Self.mark)")
    #expect(whole.pin == 1234)
  }

  /// A change in place is a read of what is shown, and an assignment of what was made of that.
  @Test func aChangeOfWhatIsShownIsNotWrittenOverWhatDoesNotOpen() throws {
    do {
      let (_, context) = try open(key)
      context.insert(full())
      try context.save()
    }
    let (_, context) = try open(SealingKey(try SecretBytes.random(count: 32)))
    let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    account.hint += "x"
    account.codes.append("x")
    account.note = "again"
    for _ in 0..<3 {
      let error = #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
      #expect(error?.message.hasPrefix("Account.codes of object") == true)
      #expect(error?.message.contains("does not open") == true)
      #expect(error?.message.contains("there is 1 other such value") == true)
    }
    func stored() throws -> String? {
      let (_, own) = try open(key)
      return try #require(try own.fetch(FetchDescriptor<Account>()).first).opened(\.hint)
    }
    #expect(try stored() == "hint \(Self.mark)")
    // Whole values, after the error.
    account.hint = "mine"
    account.codes = ["y"]
    try context.save()
    #expect(try account.opened(\.hint) == "mine")
    #expect(throws: SwiftDataError.sealedAttribute) { try stored() }
  }

  @Test func anotherKeyIsTold() throws {
    do {
      let (_, context) = try open(key)
      context.insert(full())
      try context.save()
    }
    let (_, context) = try open(SealingKey(try SecretBytes.random(count: 32)))
    let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    for (path, name) in [(\Account.password, "password"), (\.hint, "hint")] {
      let error = #expect(throws: SwiftDataError.sealedAttribute) { try account.opened(path) }
      #expect(error?.message.hasPrefix("Account.\(name) of object") == true)
      #expect(error?.message.contains("another key") == true)
    }
    let error = #expect(throws: SwiftDataError.sealedAttribute) { try account.opened(\.scan) }
    #expect(error?.message.contains("Account.scan") == true)
    // An upsert does not look at the old values.
    context.insert(Account(name: "mail", password: "mine now"))
    try context.save()
    #expect(try account.opened(\.password) == "mine now")
  }

  // MARK: Moved and changed values

  @Test func valuesMovedBetweenRowsAndPropertiesDoNotOpen() throws {
    do {
      let (_, context) = try open(key)
      for name in ["a", "b"] {
        let account = Account(name: name, password: "password \(name)")
        account.hint = "hint \(name)"
        account.scan = Data(repeating: name.utf8.first ?? 0, count: 150_000)
        context.insert(account)
      }
      try context.save()
    }
    let database = try database()
    // Row 1 has row 2's password, and as hint its own password; the files change places.
    try database.executeScript(
      """
      UPDATE Account SET hint=password WHERE _id=1;
      UPDATE Account SET password=(SELECT password FROM Account WHERE _id=2) WHERE _id=1;
      CREATE TEMP TABLE scans AS SELECT _id, scan FROM Account;
      UPDATE Account SET scan=NULL;
      UPDATE Account SET scan=(SELECT scan FROM scans WHERE scans._id=3-Account._id);
      """)
    let (_, context) = try open(key)
    let found = try context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.name)]))
    func message<Value>(_ path: KeyPath<Account, Value>, of account: Account) -> String {
      let error = #expect(throws: SwiftDataError.sealedAttribute) { try account.opened(path) }
      return error?.message ?? ""
    }
    let first = try #require(found.first)
    #expect(message(\.password, of: first).contains("Account.password of object 1 does not open"))
    #expect(message(\.hint, of: first).contains("Account.hint of object 1 does not open"))
    #expect(message(\.scan, of: first).contains("Account.scan of object 1 does not open"))
    #expect(message(\.scan, of: found[1]).contains("Account.scan of object 2 does not open"))
    #expect(found[1].password == "password b")
    // A value of another store, and a changed one.
    do {
      let (_, other) = try open(key, "other")
      other.insert(Account(name: "a", password: "elsewhere"))
      try other.save()
    }
    let sealed = try #require(
      try self.database("other").string("SELECT hex(password) FROM Account WHERE _id=1"))
    try database.executeScript("UPDATE Account SET password=x'\(sealed)' WHERE _id=1")
    let (_, late) = try open(key)
    let moved = try #require(try late.fetch(FetchDescriptor<Account>()).first { $0.name == "a" })
    #expect(message(\.password, of: moved).contains("does not open"))
    try database.executeScript(
      "UPDATE Account SET password=CAST(substr(password, 1, length(password)-1) || x'00' AS BLOB) "
        + "WHERE _id=2")
    try database.executeScript("UPDATE Account SET hint=x'' WHERE _id=2")
    let cut = try #require(try late.fetch(FetchDescriptor<Account>()).first { $0.name == "b" })
    #expect(message(\.password, of: cut).contains("does not open"))
    #expect(message(\.hint, of: cut).contains("does not open"))
  }

  // MARK: Queries

  @Test func queriesCannotLookAtIt() throws {
    let (_, context) = try open(key)
    let text = "x"
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.password == text }))
    }
    #expect(error?.message.contains("Account.password is sealed") == true)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.pin == nil }))
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Device>(predicate: #Predicate { $0.account?.hint == text }))
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.codes.contains(text) }))
    }
    let sorted = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.password)]))
    }
    #expect(sorted?.message.contains("Account.password is sealed") == true)
    let updated = #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.update(model: Account.self) { $0.set(\.password, to: "x") }
    }
    #expect(updated?.message.contains("Account.password") == true)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.delete(model: Account.self, where: #Predicate { $0.hint == text })
    }
  }

  @Test func aSealedValueIsNeitherUniqueNorIndexed() throws {
    func refusal(_ type: any PersistentModel.Type) -> String? {
      #expect(throws: SwiftDataError.loadIssueModelContainer) {
        try ModelContainer(
          for: Schema([type]),
          configurations: [ModelConfiguration(isStoredInMemoryOnly: true, sealingKey: key)])
      }?.message
    }
    #expect(refusal(UniqueSecret.self) == "UniqueSecret.code is sealed, and cannot be unique")
    #expect(refusal(PairedSecret.self) == "PairedSecret.code is sealed, and cannot be unique")
    #expect(
      refusal(IndexedSecret.self) == "IndexedSecret.code is sealed, and cannot be in an index")
    #expect(refusal(HollowSecret.self)?.contains("needs a default value") == true)
  }
}
