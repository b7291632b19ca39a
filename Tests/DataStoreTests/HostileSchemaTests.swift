import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// A store's metadata is text that its maker chose: names in it stay names in every statement.
struct HostileSchemaTests {
  @Test func namesInAStoresMetadataRunNoSQLWhenItIsMigrated() throws {
    let home = try TemporaryHome()
    let victim = "\(home.path)/victim.db"
    let bank = try SQLiteConnection(path: victim, mode: .readWriteCreate)
    defer { bank.close() }
    try bank.execute("CREATE TABLE account(owner TEXT)")
    // The quote has a combining mark behind it: as a Character it is none.
    let evil =
      "x\"\u{301}; ATTACH '\(victim)' AS b; INSERT INTO b.account VALUES('attacker'); --"
    let name = StoredAttribute("name", .string)
    let rig = try MigrationRig(
      TripSchemas.trip(
        name, StoredAttribute(evil, .string, isOptional: true),
        StoredAttribute("y" + evil, .string, isOptional: true)),
      rows: ["INSERT INTO Trip(name) VALUES ('Oslo')"])
    // One column is renamed, the other goes.
    try rig.migrate(
      to: TripSchemas.trip(
        name, StoredAttribute("plain", .string, isOptional: true, originalName: evil)))
    #expect(try rig.strings("SELECT name, plain IS NULL FROM Trip") == ["Oslo|1"])
    #expect(try bank.int64("SELECT count(*) FROM account") == 0)
  }

  @Test func aStatementOfAMigrationIsOneStatement() throws {
    let connection = try SQLiteConnection()
    #expect(throws: StorageError.self) {
      try connection.execute("CREATE TABLE a(x); CREATE TABLE b(x)")
    }
    #expect(try connection.strings("SELECT name FROM sqlite_schema") == [])
  }
}
