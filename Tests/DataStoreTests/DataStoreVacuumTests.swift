import Testing
import VaultDataStore
import VaultStorage

/// A store that is written anew.
struct DataStoreVacuumTests {
  private let rig: MigrationRig

  init() throws {
    rig = try MigrationRig(
      TripSchemas.trip(StoredAttribute("name", .string)),
      rows: [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200000) "
          + "INSERT INTO Trip(name) SELECT 'trip ' || i FROM n",
        "DELETE FROM Trip WHERE _id%2=0",
      ])
  }

  private func check() throws {
    #expect(try rig.connection.int64("SELECT count(*) FROM Trip") == 100_000)
    #expect(try rig.connection.integrityCheck() == [])
  }

  @Test func progressIsToldWhileItIsWritten() throws {
    var count = 0
    var vacuum = DataStoreVacuum(file: rig.file)
    vacuum.progress = { count += 1 }
    let report = try vacuum.run(on: rig.connection)
    #expect(count > 0)
    #expect(report.bytesAfter < report.bytesBefore)
    try check()
  }

  @Test func oneThatIsCancelledLeavesTheStoreAsItWas() throws {
    var count = 0
    var vacuum = DataStoreVacuum(file: rig.file)
    vacuum.isCancelled = {
      count += 1
      return count > 1
    }
    let error = #expect(throws: StorageError.self) { _ = try vacuum.run(on: rig.connection) }
    #expect(error?.code == .interrupted)
    #expect(count == 2)
    try check()
    let pages = try rig.connection.int64("PRAGMA freelist_count")
    #expect((pages ?? 0) > 0)
  }
}
