import Foundation
import Glibc
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// Every write of a migration and of a save with external files fails once, or is the last: before
/// or after, no file missing, none too many.
struct DataStoreFaultTests {
  private let old = TripSchemas.trip(
    StoredAttribute("name", .string), StoredAttribute("photo", .data, isOptional: true),
    StoredAttribute("map", .data, isOptional: true, isExternal: true), version: 1)
  private let new = TripSchemas.trip(
    StoredAttribute("title", .string, isOptional: true, originalName: "name"),
    StoredAttribute("photo", .data, isOptional: true, isExternal: true),
    StoredAttribute("map", .data, isOptional: true), version: 2)

  @Test(arguments: [FaultPlan.Fault.kill, .error(ENOSPC), .error(EIO), .shortWrite])
  func whateverFailsInAMigrationTheStoreIsAsBeforeOrAfter(fault: FaultPlan.Fault) throws {
    var number = 0
    var fired = true
    var outcomes: Set<Int> = []
    while fired {
      number += 1
      try #require(number < 2_000)
      let rig = try MigrationRig(
        old, rows: ["INSERT INTO Trip(name, photo) VALUES ('a', randomblob(3000)), ('b', x'01')"])
      let files = ExternalFiles(store: rig.file)
      try files.transaction(on: rig.connection) { change in
        let reference = try change.publish([UInt8](repeating: 7, count: 3_000))
        try rig.connection.execute("UPDATE Trip SET map=? WHERE _id=2", [.text(reference.text)])
      }
      let photo = try rig.connection.first("SELECT photo FROM Trip WHERE _id=1") {
        $0.bytes(at: 0)
      }
      let plan = FaultPlan(fault, at: number)
      var migration = rig.migration(to: new)
      migration.threshold = 2_000
      SQLiteFaults.withFaults(plan) {
        _ = try? migration.run(on: rig.connection)
        rig.connection.close()
      }
      fired = plan.hasFired
      let (connection, found) = try rig.file.open(.write)
      try files.sweep(connection)
      let version = try #require(found).schema.version.major
      outcomes.insert(version)
      #expect(found?.schema == (version == 1 ? old : new), "call \(number)")
      #expect(try connection.integrityCheck() == [])
      let schema = version == 1 ? old : new
      #expect(try files.problems(of: schema, on: connection) == [], "call \(number)")
      // Then it goes through, and nothing was lost on the way.
      _ = try migration.run(on: connection)
      #expect(
        try connection.strings("SELECT title FROM Trip ORDER BY _id") == ["a", "b"],
        "call \(number)")
      let text = try connection.string("SELECT photo FROM Trip WHERE _id=1") ?? ""
      let bytes = try files.read(#require(ExternalReference(text)))
      #expect(photo == bytes, "call \(number)")
      #expect(try connection.int64("SELECT length(map) FROM Trip WHERE _id=2") == 3_000)
      #expect(try files.problems(of: new, on: connection) == [])
      #expect(rig.home.names(in: "app/.default_SUPPORT/_EXTERNAL_DATA").count == 1)
    }
    #expect(number > (fault == .shortWrite ? 10 : 30))
    #expect(outcomes == (fault == .shortWrite ? [2] : [1, 2]))
  }

  @Test(arguments: [FaultPlan.Fault.kill, .error(ENOSPC), .error(EIO), .shortWrite])
  func whateverFailsInASaveRowsAndFilesAgree(fault: FaultPlan.Fault) throws {
    var number = 0
    var fired = true
    while fired {
      number += 1
      try #require(number < 500)
      let rig = try MigrationRig(old, rows: ["INSERT INTO Trip(name) VALUES ('a'), ('b')"])
      let files = ExternalFiles(store: rig.file)
      let first = try files.transaction(on: rig.connection) { change in
        let reference = try change.publish([1])
        try rig.connection.execute("UPDATE Trip SET map=? WHERE _id=1", [.text(reference.text)])
        return reference
      }
      let plan = FaultPlan(fault, at: number)
      var isDone = false
      SQLiteFaults.withFaults(plan) {
        do {
          try files.transaction(on: rig.connection) { change in
            for (id, bytes) in [(1, [2] as [UInt8]), (2, [3, 4])] {
              let reference = try change.publish(bytes)
              try rig.connection.execute(
                "UPDATE Trip SET map=? WHERE _id=?",
                [.text(reference.text), .integer(Int64(id))])
            }
            change.retire(first)
          }
          isDone = true
        } catch {}
        rig.connection.close()
      }
      fired = plan.hasFired
      let (connection, _) = try rig.file.open(.write)
      try files.sweep(connection)
      #expect(try files.problems(of: old, on: connection) == [], "call \(number)")
      let text = try connection.string("SELECT map FROM Trip WHERE _id=1") ?? ""
      let value = try files.read(#require(ExternalReference(text)))
      #expect(isDone ? value == [2] : [[1], [2]].contains(value), "call \(number)")
      let count = rig.home.names(in: "app/.default_SUPPORT/_EXTERNAL_DATA").count
      #expect(count == (value == [1] ? 1 : 2), "call \(number)")
    }
    #expect(number > (fault == .shortWrite ? 3 : 10))
  }
}
