import Testing
import VaultAppData

/// The SQL of the usual predicates: what an index can answer stays a plain comparison.
struct PredicateSQLTests {
  let context: ModelContext

  init() throws { (_, context) = try memory(Person.self, Squad.self, Pet.self, Club.self) }

  private func expect(
    _ predicate: Predicate<Person>, _ text: String, values: Int,
    location: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let sql = try context.sql(of: FetchDescriptor(predicate: predicate))
    #expect(
      sql.text == "FROM \"Person\" AS t0\(text) ORDER BY t0.\"_id\"", sourceLocation: location)
    #expect(sql.values == values, sourceLocation: location)
  }

  @Test func aComparisonIsAComparison() throws {
    try expect(#Predicate { $0.age > 3 }, " WHERE (t0.\"age\" > ?)", values: 1)
    try expect(#Predicate { $0.name == "a" }, " WHERE (t0.\"name\" = ?)", values: 1)
    try expect(#Predicate { $0.nickname == "a" }, " WHERE (t0.\"nickname\" IS ?)", values: 1)
    try expect(#Predicate { $0.nickname != nil }, " WHERE (t0.\"nickname\" IS NOT NULL)", values: 0)
  }

  @Test func theIdentityOfARelatedModelNeedsNoJoin() throws {
    let squad = Squad("a")
    context.insert(squad)
    let id = squad.persistentModelID
    try expect(
      #Predicate { $0.team?.persistentModelID == id }, " WHERE (t0.\"team_id\" IS ?)", values: 1)
    try expect(#Predicate { $0.team == nil }, " WHERE (t0.\"team_id\" IS NULL)", values: 0)
  }

  @Test func aPropertyOfARelatedModelIsJoinedOnce() throws {
    try expect(
      #Predicate { $0.team?.title == "a" || $0.team?.city == nil },
      " LEFT JOIN \"Squad\" AS t1 ON t1.\"_id\" = t0.\"team_id\" "
        + "WHERE ((t1.\"title\" IS ?) OR (t1.\"city\" IS NULL))", values: 1)
  }

  @Test func aListIsAQueryOfItsOwn() throws {
    try expect(
      #Predicate { $0.pets.contains { $0.isTame } },
      " WHERE EXISTS (SELECT 1 FROM \"Pet\" AS t1 WHERE t1.\"owner_id\" = t0.\"_id\" "
        + "AND t1.\"isTame\")", values: 0)
  }

  @Test func aListOfValuesIsOneParameter() throws {
    let names = ["a", "b", "c"]
    try expect(
      #Predicate { names.contains($0.name) },
      " WHERE (t0.\"name\" IN (SELECT value FROM json_each(?)))", values: 1)
  }

  @Test func thePrefixOfATextIsARange() throws {
    try expect(
      #Predicate { $0.name.starts(with: "ab") },
      " WHERE (t0.\"name\" >= ? AND t0.\"name\" < ? AND vault_starts(t0.\"name\", ?))", values: 3)
  }
}
