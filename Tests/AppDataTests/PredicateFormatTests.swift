import Testing
import VaultAppData

/// The format language of `NSPredicate`, beside the same conditions as `#Predicate`.
struct PredicateFormatTests {
  let crew: Crew

  init() throws { crew = try Crew() }

  private func names(_ predicate: Predicate<Person>) throws -> [PersistentIdentifier] {
    try crew.context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
      .sorted { "\($0)" < "\($1)" }
  }

  private func same(
    _ format: String, _ arguments: (any Sendable)?..., as predicate: Predicate<Person>,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let read = try PredicateFormat(format, arguments: arguments)
    #expect(
      try names(read.predicate()) == names(predicate), "\(format)", sourceLocation: location)
  }

  @Test func comparisonsAreThoseOfPredicates() throws {
    let nobody: String? = nil
    try same("name == %@", "Anna", as: #Predicate { $0.name == "Anna" })
    try same("nickname != 'a'", as: #Predicate { $0.nickname != "a" })
    try same("nickname == nil", as: #Predicate { $0.nickname == nobody })
    try same("nickname = %@", nobody, as: #Predicate { $0.nickname == nobody })
    try same("age > %d && age =< 0x10", 3, as: #Predicate { $0.age > 3 && $0.age <= 16 })
    try same("age BETWEEN {-2, %d}", 5, as: #Predicate { $0.age >= -2 && $0.age <= 5 })
    try same("NOT age BETWEEN %@", [1, 5], as: #Predicate { !($0.age >= 1 && $0.age <= 5) })
    try same("height > %f or ratio < 1", 0.5, as: #Predicate { $0.height > 0.5 || $0.ratio < 1 })
    try same("balance >= 1", as: #Predicate { $0.balance >= 1 })
    try same("big > 3", as: #Predicate { $0.big > 3 })
    try same("isActive == YES AND flag != NO", as: #Predicate { $0.isActive && $0.flag != false })
    try same("age + 2 * 3 > 9", as: #Predicate { $0.age + 6 > 9 })
    try same("(age - 1) * 2 < age", as: #Predicate { ($0.age - 1) * 2 < $0.age })
    try same("TRUEPREDICATE AND mood == 'sad'", as: #Predicate { $0.mood.rawValue == "sad" })
    try same("FALSEPREDICATE OR age == 1", as: #Predicate { $0.age == 1 })
    try same("%K == %@", "team.title", "Red", as: #Predicate { $0.team?.title == "Red" })
    try same("address.zip != nil", as: #Predicate { $0.address.zip != nil })
  }

  @Test func whatIsNilIsLessThanNothing() throws {
    let all = try crew.context.fetchCount(FetchDescriptor<Person>())
    let less = try names(PredicateFormat("score < 1000000").predicate()).count
    let not = try names(PredicateFormat("NOT score < 1000000").predicate()).count
    #expect(less + not == all && not > 0)
  }

  @Test func textsAndLists() throws {
    try same("name BEGINSWITH %@", "A", as: #Predicate { $0.name.starts(with: "A") })
    try same("name CONTAINS 'n'", as: #Predicate { $0.name.contains("n") })
    try same("name LIKE 'A*'", as: #Predicate { $0.name.starts(with: "A") })
    try same("name MATCHES %@", "A.*", as: #Predicate { $0.name.starts(with: "A") })
    try same(
      "name ==[c] 'ANNA'",
      as: #Predicate { $0.name.caseInsensitiveCompare("Anna") == .orderedSame })
    let wanted = ["Anna", ""]
    try same("name IN %@", wanted, as: #Predicate { wanted.contains($0.name) })
    try same("age IN {1, 2, 3}", as: #Predicate { [1, 2, 3].contains($0.age) })
    try same("'n' IN name", as: #Predicate { $0.name.contains("n") })
    try same("%@ IN tags", "a", as: #Predicate { $0.tags.contains("a") })
  }

  @Test func relationshipsToMany() throws {
    try same("ANY pets.weight > 1", as: #Predicate { $0.pets.contains { $0.weight > 1 } })
    try same("ALL pets.isTame == YES", as: #Predicate { $0.pets.allSatisfy { $0.isTame } })
    try same("NONE pets.weight > 1", as: #Predicate { !$0.pets.contains { $0.weight > 1 } })
    try same(
      "ANY clubs.fee < 5",
      as: #Predicate { $0.clubs.contains { if let fee = $0.fee { fee < 5 } else { false } } })
    try same("pets.@count >= 2", as: #Predicate { $0.pets.count >= 2 })
    try same(
      "SUBQUERY(pets, $p, $p.weight > 0 AND $p.isTame == 1).@count == 1",
      as: #Predicate { $0.pets.filter { $0.weight > 0 && $0.isTame }.count == 1 })
    try same("team == nil", as: #Predicate { $0.team == nil })
    let team = try #require(try crew.context.fetch(FetchDescriptor<Squad>()).first)
    let id = team.persistentModelID
    try same("team == %@", id, as: #Predicate { $0.team?.persistentModelID == id })
    try same("team IN %@", [id], as: #Predicate { $0.team?.persistentModelID == id })
    let person = try #require(try crew.context.fetch(FetchDescriptor<Person>()).first)
    let all = try PredicateFormat("SELF == %@", person.persistentModelID).predicate(
      for: Person.self)
    #expect(try names(all) == [person.persistentModelID])
    #expect(try all.evaluate(person))
    #expect(try !PredicateFormat("name == 'nobody'").predicate(for: Person.self).evaluate(person))
    let sums = try PredicateFormat("pets.@sum.weight > 2").predicate(for: Person.self)
    let heavy = try crew.context.fetch(FetchDescriptor<Person>())
      .filter { $0.pets.reduce(0) { $0 + $1.weight } > 2 }
    #expect(Set(try names(sums)) == Set(heavy.map(\.persistentModelID)))
  }

  @Test(arguments: [
    ("name ==", "character 8: a value is missing"), ("name", "character 1: a comparison is"),
    ("(age > 1", "character 9: ')'"), ("name = 'x", "character 8: the text"),
    ("name ==[z] 'x'", "character 9: 'z'"), ("age > 1 2", "character 9: this does not"),
    ("$x == 1", "character 1: $x has no value"), ("name NOT IN {1}", "character 6: NOT stands"),
    ("name UTI-EQUALS 'a'", "character 6: UTI-EQUALS"), ("a := 1", "character 3: an assignment"),
    ("age == %@", "character 8: there is no argument"), ("like == 1", "character 1: 'like'"),
    ("FETCH(a, b, c) == 1", "character 1: FETCH"), ("age ** 2 == 4", "character 5: '**'"),
    ("age § 1", "character 5: '§'"), ("ANY pets", "character 1: a comparison"),
  ])
  func whatCannotBeReadSaysWhere(format: String, message: String) {
    let error = #expect(throws: SwiftDataError.self) { try PredicateFormat(format) }
    #expect(
      error == .invalidPredicateFormat && error?.message.hasPrefix(message) == true,
      "\(error?.message ?? "")")
  }

  @Test(arguments: [
    ("nmae == 'a'", "character 1: Person has no stored property 'nmae': 'name'?"),
    ("pets.weight > 1", "character 6: 'weight' belongs to each of many"),
    ("age == 'x'", "character 8: a value of String"), ("ANY name == 'a'", "character 5: ANY"),
    ("median:(pets.weight) > 1", "character 1: median: is not supported"),
    ("name MATCHES '('", "character 14: this is not a regular expression"),
    ("pets.@distinctUnionOfObjects == 1", "character 6: @distinctUnionOfObjects"),
  ])
  func whatTheStoreCannotAnswerSaysWhere(format: String, message: String) throws {
    let read = try PredicateFormat(format)
    let error = #expect(throws: SwiftDataError.self) { try names(read.predicate()) }
    #expect(
      error == .unsupportedPredicate && error?.message.hasPrefix(message) == true,
      "\(error?.message ?? "")")
  }

  @Test func argumentsAreNeverParsed() throws {
    let attack = "' OR 1 == 1 OR name == '"
    #expect(try names(PredicateFormat("name == %@", attack).predicate()).isEmpty)
    #expect(throws: SwiftDataError.invalidPredicateFormat) { try PredicateFormat("a == 1", 2) }
    #expect(throws: SwiftDataError.invalidPredicateFormat) { try PredicateFormat("a == '%@'", "x") }
    #expect(throws: SwiftDataError.invalidPredicateFormat) { try PredicateFormat("a == %d", "x") }
    let deep = String(repeating: "(", count: 5_000)
    #expect(throws: SwiftDataError.invalidPredicateFormat) { try PredicateFormat(deep) }
  }
}
