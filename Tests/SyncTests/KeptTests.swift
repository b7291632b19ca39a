import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What a run could not bring to the store is said to be kept; an invitation that nobody has seen is
/// not.
struct KeptTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  /// Runs `body` while the store can be read and not written, and takes the error.
  private func failing(_ body: (SyncedVault) throws -> Void) throws -> SyncError {
    let reading = try SyncedVault(laptop.vault, engine: ReadOnlyEngine(engine: engine))
    return try #require(#expect(throws: SyncError.self) { try body(reading) })
  }

  @Test func aRemovalThatTheStoreDidNotTakeIsSaidToBeKept() throws {
    let error = try failing { try $0.remove("desktop") }
    #expect(error.code == .unavailable && error.message.contains("the next run carries it out"))
    try first.synchronize()
    #expect(try first.devices().filter { !$0.isRemoved }.map(\.label) == ["laptop"])
  }

  @Test func aRoleAndAKeyThatTheStoreDidNotTakeAreSaidToBeKept() throws {
    let role = try failing { try $0.setRole(.reader, of: "desktop") }
    #expect(role.message.contains("is kept here"))
    let key = try failing { try $0.rotate() }
    #expect(key.message.contains("is kept here"))
    try first.synchronize()
    #expect(try first.devices().first { $0.label == "desktop" }?.role == .reader)
  }

  /// Where the store cannot even be read nothing is kept, and nothing is said of it.
  @Test func nothingIsKeptWhereTheStoreIsAway() throws {
    engine.isAway = true
    let error = #expect(throws: SyncError.self) { try first.remove("desktop") }
    #expect(error?.message.contains("kept") == false)
    engine.isAway = false
    try first.synchronize()
    #expect(try first.devices().filter { !$0.isRemoved }.count == 2)
  }

  @Test func anInvitationThatNobodyHasSeenIsClosed() throws {
    _ = try failing { _ = try $0.invite() }
    try first.synchronize()
    let known = try KnownSpace(laptop)
    let roster = Roster(known.history.records, upTo: known.history.frontier)
    let open = roster.invitations.values.filter { !$0.isSettled }
    #expect(open.isEmpty && roster.invitations.count == 2)
    #expect(try first.synchronize().sent == 0)
  }
}

/// A store that can be read and not written, as one on a full or read-only disk; or one that takes
/// what it is given, and whose answer to records is lost.
struct ReadOnlyEngine: SyncEngine {
  let engine: MemoryEngine
  /// Whether it takes everything all the same.
  var takesAll = false

  private static let full = SyncError(.unavailable, "the store takes nothing")
  private static let lost = SyncError(.unavailable, "the answer is lost")

  var isEventual: Bool { engine.isEventual }
  func spaces() throws -> [SpaceID] { try engine.spaces() }
  func heads(in space: SpaceID) throws -> [StreamHead] { try engine.heads(in: space) }
  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    try engine.records(of: stream, in: space, after: sequence, limit: limit)
  }
  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    if takesAll {
      try engine.append(records, head: head, in: space)
      throw Self.lost
    }
    if !records.isEmpty { throw Self.full }
  }
  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try engine.invitation(id, in: space)
  }
  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    guard takesAll else { throw Self.full }
    try engine.putInvitation(bytes, id: id, in: space)
  }
  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try engine.object(name, in: space)
  }
  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    guard takesAll else { throw Self.full }
    try engine.put(objects, in: space)
  }
}
