/// A role that a machine has for some of its records: from when it was given to when it was taken.
struct Tenure: Sendable {
  let role: SyncRole
  /// Who comes before whom.
  let key: Seniority
  /// The record that gives it: of a machine that makes a space its first one.
  let since: OpenedRecord
  /// The number of the record before the first one that it is for.
  let start: UInt64
  /// The number of the last record that it is for; `UInt64.max` while nobody has ended it.
  var end: UInt64 = .max

  /// Whether a record was written in it, by a writer who knew that he had it.
  func covers(_ record: OpenedRecord) -> Bool {
    record.sequence > start && record.sequence <= end && record.knows(since)
  }
}

/// The order in which those who say who belongs to a space come before each other.
///
/// It is total, and nobody can take a place before somebody who came before him: what one lets in
/// knows, and so is deeper than, what let him in. So what an earlier one says never depends on what
/// a later one says, and the roster is judged in one pass.
struct Seniority: Sendable, Comparable {
  private let role: SyncRole
  private let depth: UInt64
  private let grant: [UInt8]
  private let claim: [UInt8]
  /// Of a machine that stands for another one: its place among those right before that one, and so on.
  private var line: [Place] = []

  private struct Place: Sendable, Comparable {
    /// The number of the record that invites a recovery code; the last number for a successor, so
    /// that a recovery code comes before who has a machine's home.
    let invite: UInt64
    let depth: UInt64
    let claim: [UInt8]

    static func < (left: Place, right: Place) -> Bool {
      if left.invite != right.invite { return left.invite < right.invite }
      if left.depth != right.depth { return left.depth < right.depth }
      return left.claim.lexicographicallyPrecedes(right.claim)
    }
  }

  /// The place that a record gives.
  ///
  /// - Parameters:
  ///   - role: Owners come before admins, and these before all others.
  ///   - record: What gives it.
  ///   - claim: The first record of the machine that gets it.
  init(_ role: SyncRole, since record: OpenedRecord, of claim: OpenedRecord) {
    self.role = role
    depth = record.depth
    grant = record.hash
    self.claim = claim.hash
  }

  /// The place right before this one, for who came by its recovery code: of several the earlier
  /// code, and then the earlier claim, is first.
  func before(_ invite: OpenedRecord, _ claim: OpenedRecord) -> Seniority {
    before(Place(invite: invite.sequence, depth: claim.depth, claim: claim.hash))
  }

  /// The place right before this one, for a machine that goes on for it: behind those of its recovery
  /// codes.
  func before(successor claim: OpenedRecord) -> Seniority {
    before(Place(invite: .max, depth: claim.depth, claim: claim.hash))
  }

  private func before(_ place: Place) -> Seniority {
    var before = self
    before.line.append(place)
    return before
  }

  static func == (left: Seniority, right: Seniority) -> Bool { !(left < right || right < left) }

  static func < (left: Seniority, right: Seniority) -> Bool {
    if left.role != right.role { return left.role > right.role }
    if left.depth != right.depth { return left.depth < right.depth }
    if left.grant != right.grant { return left.grant.lexicographicallyPrecedes(right.grant) }
    if left.claim != right.claim { return left.claim.lexicographicallyPrecedes(right.claim) }
    for (one, other) in zip(left.line, right.line) where one != other { return one < other }
    // Who stands for somebody comes right before him.
    return left.line.count > right.line.count
  }
}
