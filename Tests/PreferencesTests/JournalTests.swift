import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// What the journal keeps, and that `undo` leads to a state that was, or refuses.
///
/// `VAULT_TEST_SEED` repeats a failure. `VAULT_TEST_ROUNDS` asks for more, and then for transactions
/// of up to 50,000 changes.
struct JournalTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private typealias Contents = [PreferenceDomain: ExactEntries]

  private let home: TemporaryHome
  private let domain = PreferenceDomain("d")

  init() throws { home = try TemporaryHome(inMemory: true) }

  private func open(_ name: String = "vault") throws -> PreferenceDatabase {
    let database = try #require(
      try PreferenceDatabase.open(
        StoreLocation(home: "\(home.path)/\(name)"), mode: .write, process: "test"))
    // No two writes are so quick after each other that they become one.
    var time = Date(timeIntervalSince1970: 1_800_000_000)
    database.now = {
      time += 2
      return time
    }
    return database
  }

  private func entries(_ count: Int, _ value: PreferenceValue) -> [String: PreferenceValue] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", value) })
  }

  // MARK: Undo is whole, or nothing

  /// Values that SQLite or Swift find equal.
  private static let alike: [PreferenceValue] = [
    .real(0), .real(-0.0), "\u{e9}", "e\u{301}",
  ]

  @Test(arguments: [
    (PreferenceValue.real(0), PreferenceValue.real(-0.0)), (.float(-0.0), .float(0)),
    (
      .date(Date(timeIntervalSinceReferenceDate: 0)),
      .date(Date(timeIntervalSinceReferenceDate: -0.0))
    ), ("\u{e9}", "e\u{301}"),
  ])
  func whatSQLiteOrSwiftFindEqualIsUndone(old: PreferenceValue, new: PreferenceValue) throws {
    let database = try open()
    for value in [old, new] {
      try database.transaction { try $0.set(value, "k", in: domain) }
    }
    #expect(try database.undo(.latest(1)).changes.count == 1)
    #expect(try database.value("k", in: domain) == old)
    // And it is a change of another's that an undo would lose.
    let latest = try database.latestSequence()
    try database.transaction { try $0.set(new, "k", in: domain) }
    #expect(throws: PreferenceError.self) { try database.undo([latest]) }
  }

  @Test func anyUndoLeadsToTheStateBeforeOrIsRefused() throws {
    let seed = Self.setting("VAULT_TEST_SEED") ?? UInt64.random(in: 0...UInt64.max)
    let rounds = Self.setting("VAULT_TEST_ROUNDS")
    var randomness = SeededGenerator(seed: seed)
    for round in 0..<(rounds ?? 14) {
      // Short journals are cut often; one round has the limits that everybody has.
      let isWhole = round == 0
      let largest = rounds != nil ? [300, 5_000, 50_000][Int(round % 3)] : isWhole ? 4_000 : 250
      let database = try open("round\(round)")
      if !isWhole {
        database.limitJournal(
          toChanges: .random(in: 50...2_000, using: &randomness),
          bytes: .random(in: 2_000...200_000, using: &randomness))
      }
      let refusals = try play(
        database, steps: isWhole ? 12 : 30, largest: largest, &randomness,
        "seed \(seed), round \(round)")
      #expect(refusals.undone > 0, "seed \(seed), round \(round)")
    }
  }

  private func play(
    _ database: PreferenceDatabase, steps: Int, largest: Int, _ randomness: inout SeededGenerator,
    _ place: String
  ) throws -> (undone: Int, refused: Int) {
    let domains = (0..<Int.random(in: 1...20, using: &randomness)).map { number in
      PreferenceDomain("com.example.d\(number)", host: number % 5 == 4 ? .current : .any)
    }
    // What was before each transaction that was not undone.
    var before: [(state: Contents, time: Date)] = []
    var (undone, refused) = (0, 0)
    for _ in 0..<steps {
      let state = try database.currentState().domains
      if before.isEmpty || Int.random(in: 0..<3, using: &randomness) > 0 {
        let changes = Int.random(in: 1...largest, using: &randomness)
        let time = database.now()
        let number = try database.transaction { transaction in
          try change(transaction, domains, changes, &randomness)
          return transaction.id
        }
        if number != nil { before.append((state, time)) }
        continue
      }
      let count = Int.random(in: 1...min(4, before.count), using: &randomness)
      let wanted = before[before.count - count]
      let undoing: PreferenceDatabase.Undoing =
        Bool.random(using: &randomness) ? .latest(count) : .since(wanted.time)
      let isTried = Bool.random(using: &randomness)
      if try undo(undoing, count, database, isTried: isTried, from: state, to: wanted.state, place)
      {
        before.removeLast(count)
        undone += 1
      } else {
        refused += 1
      }
    }
    return (undone, refused)
  }

  /// - Returns: Whether it was undone; `false` if it was refused.
  private func undo(
    _ undoing: PreferenceDatabase.Undoing, _ count: Int, _ database: PreferenceDatabase,
    isTried: Bool, from state: Contents, to wanted: Contents, _ place: String
  ) throws -> Bool {
    do {
      if isTried {
        #expect(try database.undo(undoing, isDryRun: true).transactions == count, "\(place)")
        #expect(try database.currentState().domains == state, "\(place)")
      }
      #expect(try database.undo(undoing).transactions == count, "\(place)")
      #expect(try database.currentState().domains == wanted, "\(place)")
      return true
    } catch {
      guard error.code == .notFound else { throw error }
      #expect(try database.currentState().domains == state, "\(place)")
      return false
    }
  }

  private func change(
    _ transaction: PreferenceTransaction, _ domains: [PreferenceDomain], _ count: Int,
    _ randomness: inout SeededGenerator
  ) throws {
    var left = count
    while left > 0 {
      let domain = domains.randomElement(using: &randomness) ?? domains[0]
      let part = min(left, Int.random(in: 1...max(1, count), using: &randomness))
      left -= part
      switch Int.random(in: 0..<12, using: &randomness) {
      case 0: _ = try transaction.removeDomain(domain)
      case 1:
        let values = (0..<part).map { ("key\($0)", PreferenceValue.integer(Int64($0))) }
        try transaction.replace(domain, by: Dictionary(uniqueKeysWithValues: values))
      default:
        let start = Int.random(in: 0..<part, using: &randomness)
        for number in start..<(start + part) {
          if Int.random(in: 0..<6, using: &randomness) == 0 {
            _ = try transaction.remove("key\(number)", in: domain)
          } else {
            let value = Int64.random(in: 0..<4, using: &randomness)
            try transaction.set(
              number % 7 == 0
                ? .data([UInt8(value), 0])
                : number % 7 == 1 ? Self.alike[Int(value)] : .integer(value),
              "key\(number)", in: domain)
          }
        }
      }
    }
  }

  @Test func theLatestTransactionIsKeptWholeHoweverLargeItIs() throws {
    let database = try open()
    try database.transaction { try $0.replace(domain, by: entries(25_000, 1)) }
    try database.transaction { try $0.removeDomain(domain) }
    #expect(try database.undo(.latest(1)).changes.count == 25_000)
    #expect(try database.contents(of: domain) == entries(25_000, 1))
  }

  @Test func twoLargeTransactionsAreUndoneTogether() throws {
    let database = try open()
    try database.transaction { try $0.replace(domain, by: entries(8_000, 1)) }
    try database.transaction { try $0.replace(domain, by: entries(8_000, 2)) }
    #expect(try database.undo(.latest(2)).changes.count == 16_000)
    #expect(try database.exists(domain) == false)
  }

  @Test func aTransactionThatIsGoneIsNotSkipped() throws {
    let database = try open()
    let other = PreferenceDomain("other")
    try database.transaction { try $0.set("x", "k", in: other) }
    try database.transaction { try $0.replace(domain, by: entries(12_000, 1)) }
    try database.transaction { try $0.replace(domain, by: entries(12_000, 2)) }
    let error = try #require(throws: PreferenceError.self) { try database.undo(.latest(2)) }
    #expect(error.code == .notFound)
    #expect(error.message.contains("lacks changes of d up to number"))
    #expect(error.message.contains("2027-01-15T"))
    #expect(try database.contents(of: domain) == entries(12_000, 2))
    // What is whole can be undone by its number.
    #expect(try database.undo([1]).count == 1)
    #expect(try database.undo(.latest(1)).changes.count == 12_000)
    #expect(try database.contents(of: domain) == entries(12_000, 1))
  }

  @Test func aTransactionOfWhichAPartIsGoneIsRefusedAlsoByForce() throws {
    let database = try open()
    let other = PreferenceDomain("other")
    let both = try database.transaction { transaction in
      try transaction.set("x", "k", in: other)
      try transaction.set("x", "k", in: domain)
      return transaction.id
    }
    try database.transaction { try $0.replace(domain, by: entries(15_000, 1)) }
    try database.transaction { try $0.replace(domain, by: entries(15_000, 2)) }
    let number = try #require(both)
    for isForced in [false, true] {
      let error = try #require(throws: PreferenceError.self) {
        try database.undo([number], isForced: isForced)
      }
      #expect(error.message.contains("had 4 changes, and the journal has 2 of them"))
    }
    #expect(try database.value("k", in: other) == "x")
  }

  // MARK: Bounds

  @Test func oneDomainsImportWipesNoOthersHistory() throws {
    let database = try open()
    try database.transaction { try $0.set("dark", "theme", in: PreferenceDomain("com.ed")) }
    for value in 1...3 {
      try database.transaction {
        try $0.replace(domain, by: entries(15_000, .integer(Int64(value))))
      }
    }
    #expect(try database.changes(in: PreferenceDomain("com.ed")).map(\.key) == [nil, "theme"])
    #expect(try database.changes(in: domain).count == 15_000)
  }

  @Test func theJournalIsLimitedByBytes() throws {
    let database = try open()
    database.limitJournal(toChanges: 20_000, bytes: 1 << 20)
    for number in 0..<40 {
      try database.transaction {
        try $0.set(
          .data([UInt8](repeating: UInt8(number), count: 100_000)), "k\(number)", in: domain)
      }
    }
    let kept = try database.changes(in: domain)
    #expect((5...10).contains(kept.count))
    #expect(kept.last?.key == "k39")
  }

  @Test func manySmallChangesStayWithinTheLimit() throws {
    let database = try open()
    database.limitJournal(toChanges: 800, bytes: 1 << 20)
    for number in 0..<2_000 {
      try database.transaction { try $0.set(.integer(Int64(number)), "k", in: domain) }
    }
    let kept = try database.changes(in: domain)
    #expect((700...800).contains(kept.count), "\(kept.count)")
    #expect(kept.last?.new == 1_999)
  }

  @Test func changesOlderThanNinetyDaysGo() throws {
    let database = try open()
    var time = Date(timeIntervalSince1970: 1_800_000_000)
    database.now = { time }
    try database.transaction { try $0.set(1, "old", in: PreferenceDomain("com.ed")) }
    time += 100 * 86_400
    try database.transaction { try $0.replace(domain, by: entries(300, 1)) }
    #expect(try database.changes(in: PreferenceDomain("com.ed")).isEmpty)
    #expect(try database.gap(after: 0) == 2)
    let error = try #require(throws: PreferenceError.self) { try database.undo(.latest(2)) }
    #expect(error.message.contains("lacks changes of com.ed"))
  }

  @Test func aReaderThatContinuesLearnsOfAGap() throws {
    let database = try open()
    try database.transaction { try $0.set(1, "k", in: PreferenceDomain("com.ed")) }
    try database.transaction { try $0.replace(domain, by: entries(15_000, 1)) }
    #expect(try database.gap(after: 2) == nil)
    try database.transaction { try $0.replace(domain, by: entries(15_000, 2)) }
    // The import made the domain, too.
    #expect(try database.gap(after: 2) == 15_003)
    #expect(try database.gap(after: 2, in: PreferenceDomain("com.ed")) == nil)
    #expect(try database.gap(after: 15_003) == nil)
  }

  /// The time that undoing takes must not depend on large values beside it; the bytes that it reads
  /// do not lie, however loaded the machine is.
  @Test func undoingDoesNotReadWhatLiesBeside() throws {
    let huge = PreferenceDomain("huge")
    func read(_ withHuge: Bool) throws -> Int {
      let name = withHuge ? "beside" : "alone"
      let database = try open(name)
      try database.transaction { try $0.replace(domain, by: entries(500, 1)) }
      if withHuge {
        try database.transaction { transaction in
          for number in 0..<4 {
            let text = String(repeating: "x", count: 1 << 20)
            try transaction.set(.string(text), "v\(number)", in: huge)
          }
        }
      }
      try database.transaction { try $0.removeDomain(domain) }
      database.close()
      let again = try open(name)
      let start = try readBytes()
      #expect(try again.undo(.latest(1)).changes.count == 500)
      return try readBytes() - start
    }
    let (alone, beside) = (try read(false), try read(true))
    #expect(beside < alone + (3 << 20), "\(alone) and \(beside) bytes")
  }

  /// proc(5), `/proc/thread-self/io`: what this thread's reads returned.
  private func readBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
    return try #require(Int(line.dropFirst("rchar: ".count)))
  }

  // MARK: Stores of earlier versions

  /// A store as version 0.1.0 made it, with these rows in its journal.
  private func makeEarlierStore(_ journal: String) throws {
    let location = home.location
    try #require(try PreferenceDatabase.open(location, mode: .write, process: "test")).close()
    let connection = try SQLiteConnection(path: location.store)
    try connection.executeScript(ModuleSchema.preferences.steps[0])
    try connection.executeScript(
      """
      INSERT INTO modules VALUES ('preferences', 1, 1);
      INSERT INTO preferences_domains(id, name) VALUES (1, 'd');
      INSERT INTO preferences_values VALUES (1, 'a', 'integer', 2), (1, 'b', 'string', 'x');
      \(journal)
      """)
    connection.close()
  }

  @Test func aStoreOfAnEarlierVersionIsReadAndBroughtUpToDate() throws {
    try makeEarlierStore(
      """
      INSERT INTO preferences_journal VALUES
        (1, 1, 1800000000, 'p', 'd', '', NULL, NULL, NULL, 'domain', NULL, NULL),
        (2, 1, 1800000000, 'p', 'd', '', 'a', NULL, NULL, 'integer', 1, NULL),
        (3, 3, 1800000001, 'p', 'd', '', 'a', 'integer', 1, 'integer', 2, NULL),
        (4, 3, 1800000001, 'p', 'd', '', 'b', NULL, NULL, 'string', 'x', NULL);
      """)
    let reader = try #require(
      try PreferenceDatabase.open(home.location, mode: .read, process: "test"))
    #expect(try reader.contents(of: domain) == ["a": 2, "b": "x"])
    #expect(try reader.changes().count == 4)
    #expect(try reader.gap(after: 2) == nil)
    reader.close()
    let database = try open()
    try database.transaction { try $0.set(3, "a", in: domain) }
    #expect(try database.contents(of: domain) == ["a": 3, "b": "x"])
    #expect(try database.undo(.latest(2)).changes.count == 3)
    #expect(try database.contents(of: domain) == ["a": 1])
    #expect(try database.undo(.latest(1)).changes.count == 1)
    #expect(try database.exists(domain) == false)
  }

  @Test func whatAnEarlierVersionLostIsNotTakenForAll() throws {
    try makeEarlierStore(
      """
      INSERT INTO preferences_journal VALUES
        (3, 1, 1800000000, 'p', 'd', '', 'a', NULL, NULL, 'integer', 1, NULL),
        (4, 4, 1800000001, 'p', 'd', '', 'a', 'integer', 1, 'integer', 2, NULL);
      """)
    let database = try open()
    #expect(try database.gap(after: 1) == 2)
    #expect(try database.gap(after: 2) == nil)
    #expect(throws: PreferenceError.self) { try database.undo(.latest(2)) }
    #expect(throws: PreferenceError.self) { try database.undo([1]) }
    #expect(try database.undo(.latest(1)).changes.count == 1)
    #expect(try database.contents(of: domain) == ["a": 1, "b": "x"])
  }

  /// Version 0.1.0 writes the tables of this one by the statements that it has.
  @Test func anEarlierVersionGoesOnWriting() throws {
    let database = try open()
    try database.transaction { try $0.set(1, "a", in: domain) }
    let earlier = try SQLiteConnection(path: home.location.store)
    try earlier.executeScript(
      """
      INSERT INTO preferences_values VALUES (1, 'a', 'integer', 5)
        ON CONFLICT(domain, key) DO UPDATE SET type=excluded.type, value=excluded.value;
      INSERT OR REPLACE INTO preferences_values VALUES (1, 'b', 'integer', 6);
      INSERT INTO preferences_journal VALUES
        (3, 3, 1900000000, 'p', 'd', '', 'a', 'integer', 1, 'integer', 5, NULL),
        (4, 3, 1900000000, 'p', 'd', '', 'b', NULL, NULL, 'integer', 6, NULL);
      """)
    earlier.close()
    #expect(try database.contents(of: domain) == ["a": 5, "b": 6])
    #expect(try database.undo(.latest(1)).changes.count == 2)
    #expect(try database.contents(of: domain) == ["a": 1])
  }
}
