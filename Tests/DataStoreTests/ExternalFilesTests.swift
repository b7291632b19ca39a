import Foundation
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

struct ExternalFilesTests {
  private let rig: MigrationRig
  private let schema = TripSchemas.trip(
    StoredAttribute("name", .string),
    StoredAttribute("map", .data, isOptional: true, isExternal: true))
  private var files: ExternalFiles { ExternalFiles(store: rig.file) }
  private let folder = "app/.default_SUPPORT/_EXTERNAL_DATA"

  init() throws { rig = try MigrationRig(schema, rows: ["INSERT INTO Trip(name) VALUES ('a')"]) }

  private func store(_ bytes: [UInt8]) throws -> ExternalReference {
    try files.transaction(on: rig.connection) { change in
      let reference = try change.publish(bytes)
      try rig.connection.execute("UPDATE Trip SET map=?", [.text(reference.text)])
      return reference
    }
  }

  @Test func aValueComesBackAndItsFileIsForItsOwnerAlone() throws {
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let reference = try store(bytes)
    #expect(try files.read(reference) == bytes)
    #expect(ExternalReference(reference.text) == reference)
    #expect(rig.home.names(in: folder) == [reference.name])
    let path = "\(files.path)/\(reference.name)"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// The row may be anybody's: its length is believed when the file has it.
  @Test(arguments: [Int.max, Int.max - 1, 1 << 62, 1 << 40, 4, 2, 0])
  func aLengthThatIsNotTheFilesTakesNoMemory(length: Int) throws {
    let stored = try store([1, 2, 3])
    let reference = ExternalReference(
      name: stored.name, length: length, checksum: stored.checksum)
    let error = #expect(throws: StorageError.self) { try files.read(reference) }
    #expect(error?.code == .damaged)
    try rig.connection.execute("UPDATE Trip SET map=?", [.text(reference.text)])
    #expect(try files.problems(of: schema, on: rig.connection).count == 1)
  }

  @Test func aTransactionThatFailsLeavesNoFile() throws {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try files.transaction(on: rig.connection) { change in
        _ = try change.publish([1, 2, 3])
        throw Refused()
      }
    }
    #expect(rig.home.names(in: folder) == [])
  }

  @Test func aSweepTakesWhatNoRowNamesAndNothingElse() throws {
    let reference = try store([1])
    for name in [UUID().uuidString, ".new.\(UUID().uuidString)", "theirs.txt"] {
      try Data([1]).write(to: URL(fileURLWithPath: "\(files.path)/\(name)"))
    }
    #expect(try files.problems(of: schema, on: rig.connection).count == 3)
    #expect(try files.sweep(rig.connection) == 2)
    #expect(rig.home.names(in: folder) == [reference.name, "theirs.txt"].sorted())
  }

  @Test func anOpeningSweeps() throws {
    let reference = try store([1])
    try Data([1]).write(to: URL(fileURLWithPath: "\(files.path)/\(UUID().uuidString)"))
    #expect(try rig.migration(to: schema).run(on: rig.connection) == nil)
    #expect(rig.home.names(in: folder) == [reference.name])
  }

  @Test func referencesAreFoundWithoutGoingThroughTheRows() throws {
    let plan = try rig.strings(
      "EXPLAIN QUERY PLAN SELECT map FROM Trip WHERE typeof(map)='text'")
    #expect(plan.joined().contains("USING COVERING INDEX Trip_map_files"))
  }

  @Test func aSweepWaitsForAWriterWhoseRowsAreNotThereYet() throws {
    let (other, _) = try rig.file.open(.write, busyTimeout: .milliseconds(20))
    _ = try store([1])
    try files.transaction(on: rig.connection) { change in
      let reference = try change.publish([2])
      let error = #expect(throws: StorageError.self) { try files.sweep(other) }
      #expect(error?.code == .busy)
      try rig.connection.execute("UPDATE Trip SET map=?", [.text(reference.text)])
    }
    #expect(try files.sweep(other) == 1)
    #expect(try files.problems(of: schema, on: other) == [])
  }

  @Test func damageAndLossAreTold() throws {
    let reference = try store([1, 2, 3])
    let path = "\(files.path)/\(reference.name)"
    try Data([1, 2, 4]).write(to: URL(fileURLWithPath: path))
    #expect(throws: StorageError.self) { try files.read(reference) }
    #expect(try files.problems(of: schema, on: rig.connection).first?.contains("not what") == true)
    try FileManager.default.removeItem(atPath: path)
    #expect(
      try files.problems(of: schema, on: rig.connection)
        == ["the external file \(reference.name) is missing"])
    let copy = "INSERT INTO Trip(name, map) SELECT 'b', map FROM Trip"
    let error = #expect(throws: StorageError.self) { try rig.connection.execute(copy) }
    #expect(error?.code == .constraint)
    try rig.connection.execute("DROP INDEX Trip_map_files")
    try rig.connection.execute(copy)
    #expect(
      try files.problems(of: schema, on: rig.connection).last
        == "two rows name the external file \(reference.name)")
  }

  @Test(arguments: [
    "", "x", "../etc/passwd 1 0123456789abcdef", "\(UUID().uuidString) -1 0123456789abcdef",
    "\(UUID().uuidString) 1 0123", "\(UUID().uuidString.lowercased()) 1 0123456789abcdef",
  ])
  func whatIsNoReferenceIsNone(text: String) { #expect(ExternalReference(text) == nil) }
}
