import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Junk costs what it takes to read it: thousands of words of one member, each of which could be
/// compared with each other one, keep nobody busy and change nothing.
///
/// Where the cost grows with the square of their number, or its cube, these tests take hours.
struct FloodTests {
  private static let many = 4000

  /// A space with a reader, a writer or an admin who is hostile, and somebody honest.
  private func space(_ role: SyncRole) throws -> PaperSpace {
    var space = try PaperSpace()
    try space.add("evil", role)
    try space.add("honest", .writer)
    return space
  }

  /// Many operations in some records.
  private func write(
    _ count: Int, in space: inout PaperSpace, _ operation: (Int) -> VaultSync.Operation
  ) throws {
    for start in stride(from: 0, to: count, by: 500) {
      try space.write("evil", (start..<min(start + 500, count)).map(operation))
    }
  }

  private func expectNothingChanged(_ space: PaperSpace, since before: [String]) {
    #expect(PaperSpace.everything(of: space.roster) == before)
    #expect(space.history.stops.isEmpty)
  }

  private func number(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * $0)) : 0 }
  }

  @Test(arguments: [SyncRole.reader, .writer])
  func invitationsAndAdmissions(_ role: SyncRole) throws {
    var space = try space(role)
    let before = PaperSpace.everything(of: space.roster)
    let code = try #require(space.codes["evil"])
    let stream = try #require(space.people["evil"]?.stream)
    try write(Self.many, in: &space) { _ in
      .invite(
        invitation: code.id, keys: code.keys.publicKeys, role: .owner, uses: 9, expires: 1 << 40)
    }
    try write(Self.many, in: &space) { _ in .admit(invitation: code.id, accepted: [stream]) }
    expectNothingChanged(space, since: before)
  }

  /// An invitation is called as its keys say: nobody makes one of another's name.
  @Test func invitationsOfOneName() throws {
    var space = try space(.admin)
    try space.invite("open", by: "founder", .writer)
    let before = PaperSpace.everything(of: space.roster)
    let code = try #require(space.codes["open"])
    let other = try #require(space.people["evil"]?.keys.publicKeys)
    try write(Self.many, in: &space) { _ in
      .invite(invitation: code.id, keys: other, role: .writer, uses: 9, expires: 1 << 40)
    }
    expectNothingChanged(space, since: before)
    try space.claim("friend", by: "open")
    try space.admit("friend", by: "founder", code: "open")
    #expect(space.members.contains("friend writer"))
  }

  @Test func rolesOfAReader() throws {
    var space = try space(.reader)
    let before = PaperSpace.everything(of: space.roster)
    let stream = try #require(space.people["honest"]?.stream)
    for number in 0..<Self.many / 4 {
      try space.write("evil", [.role(stream, number % 2 == 0 ? .reader : .owner)])
    }
    expectNothingChanged(space, since: before)
  }

  /// What an admin says counts, each time; two admins did not know of each other.
  @Test(arguments: [1, 2]) func rolesOfAdmins(_ admins: Int) throws {
    var space = try space(.admin)
    try space.add("other", .admin)
    let stream = try #require(space.people["honest"]?.stream)
    let before = space.counts
    for author in ["evil", "other"].prefix(admins) {
      for number in 0..<Self.many / 4 {
        try space.write(
          author, [.role(stream, number % 2 == 0 ? .reader : .writer)], knowing: before)
      }
    }
    #expect(space.members.contains { $0.hasPrefix("honest ") && !$0.contains("†") })
    try space.remove("evil", by: "founder")
    try space.setRole(.reader, of: "honest", by: "founder")
    #expect(space.members.contains("honest reader"))
  }

  @Test func snapshotsAndRetirements() throws {
    var space = try space(.writer)
    let before = PaperSpace.everything(of: space.roster)
    let own = try #require(space.people["evil"]?.stream)
    for _ in 0..<Self.many / 10 {
      let snapshot = SnapshotOperation(frontier: space.history.frontier, chunks: [])
      try space.write("evil", [.snapshot(snapshot)])
      let number = UInt64(space.counts["evil"] ?? 0)
      try space.write("evil", [.retire(own, sequence: number)])
    }
    try write(Self.many, in: &space) { .retire(own, sequence: UInt64(1000 + $0)) }
    expectNothingChanged(space, since: before)
    #expect(space.roster.retirements.isEmpty)
  }

  @Test func keysThatNobodyTold() throws {
    var space = try space(.reader)
    let before = PaperSpace.everything(of: space.roster)
    try write(5 * Self.many, in: &space) { .lacks(epoch: number($0, count: 16)) }
    try write(Self.many, in: &space) {
      .epoch(number: UInt32($0 % 9), id: number($0, count: 16), sealed: [])
    }
    expectNothingChanged(space, since: before)
  }

  @Test func recordsOfOthers() throws {
    var space = try space(.reader)
    let before = PaperSpace.everything(of: space.roster)
    let bytes = try #require(space.people["founder"]?.records.first?.bytes)
    try write(Self.many, in: &space) { _ in .held(bytes) }
    expectNothingChanged(space, since: before)
    #expect(space.history.records.heldRecords().count == 1)
  }

  /// A home that goes on in one stream after the other, or again and again from one copy.
  @Test(arguments: ["chain", "fan"]) func homes(_ form: String) throws {
    var space = try space(.reader)
    let before = try #require(space.people["honest"]?.stream)
    var last = "evil"
    for number in 0..<300 {
      try space.succeed("s\(number)", of: last, knowing: ["evil": 1].merging([last: 1]) { $1 })
      if form == "chain" { last = "s\(number)" }
    }
    let roster = space.roster
    #expect(roster.members[before]?.last == nil)
    #expect(roster.present.allSatisfy { $0.stream == before || $0.role != .writer })
    // A line has an end.
    #expect(roster.members.count == (form == "chain" ? 3 + 256 : 3 + 300))
  }
}
