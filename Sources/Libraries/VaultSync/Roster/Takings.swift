/// What takes roles from one machine: removals, and other roles, of each author in the order in which
/// he wrote them.
///
/// What an author's record knows his later ones know as well: so of what one author says the first that
/// counts ends a role earliest, and the search for it ends there.
struct Takings {
  /// A removal, or another role.
  struct Taking {
    let record: OpenedRecord
    /// The last record that the machine writes before.
    let end: UInt64
    /// The role that is given; `nil` for a removal.
    let role: SyncRole?
    /// The place of its author, if he was an admin or owner when he wrote it, as far as is decided; and
    /// whether he comes before all that the machine has then.
    fileprivate(set) var authority: Seniority?
    fileprivate(set) var outranks = false
  }

  /// What one author says.
  struct Sayings {
    let author: StreamID
    fileprivate(set) var removals: [Taking] = []
    fileprivate(set) var roles: [Taking] = []
    /// How many of the author's rights were looked at.
    fileprivate(set) var rightsSeen = 0

    /// Looks at the rights that an author has by now.
    ///
    /// Rights are decided in the order of their places, so that the first one that covers a record is
    /// the one that it was written by, and stays so.
    ///
    /// - Parameters:
    ///   - rights: The author's rights to say something of others.
    ///   - outranks: Whether a place comes before all that the machine has after one of its records.
    mutating func learn(
      _ rights: [Tenure], outranks: (_ place: Seniority, _ number: UInt64) -> Bool
    ) {
      for right in rights[rightsSeen...] {
        Self.learn(right, &removals, outranks)
        Self.learn(right, &roles, outranks)
      }
      rightsSeen = rights.count
    }

    private static func learn(
      _ right: Tenure, _ takings: inout [Taking], _ outranks: (Seniority, UInt64) -> Bool
    ) {
      let first = takings.firstIndex(ofMonotonic: {
        $0.record.sequence > right.start && $0.record.knows(right.since)
      })
      for place in first..<takings.endIndex {
        guard takings[place].record.sequence <= right.end else { break }
        guard takings[place].authority == nil else { continue }
        takings[place].authority = right.key
        takings[place].outranks = outranks(right.key, takings[place].end)
      }
    }

    /// What may end a role, the earliest first: all removals, and of the other roles the lower ones of
    /// which who gave it did not know.
    ///
    /// - Parameters:
    ///   - tenure: The role.
    ///   - claim: Only what was said without knowing this record; `nil` for all.
    ///   - ends: Whether one of them ends it.
    /// - Returns: The first that does of the removals, and of the others.
    func first(
      against tenure: Tenure, without claim: OpenedRecord?, where ends: (Taking) -> Bool
    ) -> [Taking] {
      let removal = removals.prefix { !($0.record.knows(claim)) }.first(where: ends)
      let known = tenure.since.past[author, default: 0]
      let start = roles.firstIndex(ofMonotonic: { $0.record.sequence > known })
      let role = roles[start...].prefix { !($0.record.knows(claim)) }.first { taking in
        taking.role.map { $0 < tenure.role } ?? false && ends(taking)
      }
      return [removal, role].compactMap(\.self)
    }
  }

  private(set) var all: [Sayings]

  /// What is said of a machine.
  init(_ facts: RosterFacts, of stream: StreamID) {
    var byAuthor: [StreamID: Sayings] = [:]
    for removal in facts.removals[stream] ?? [] where removal.end > 0 {
      let author = removal.record.stream
      byAuthor[author, default: Sayings(author: author)].removals.append(
        Taking(record: removal.record, end: removal.end, role: nil))
    }
    for change in facts.roles[stream] ?? [] where change.end > 0 {
      let author = change.record.stream
      byAuthor[author, default: Sayings(author: author)].roles.append(
        Taking(record: change.record, end: change.end, role: change.role))
    }
    all = Array(byAuthor.values)
    for place in all.indices {
      all[place].removals.sort { $0.record.sequence < $1.record.sequence }
      all[place].roles.sort { $0.record.sequence < $1.record.sequence }
    }
  }

  /// Looks at the rights that authors have by now.
  mutating func learn(
    _ rights: (StreamID) -> [Tenure], outranks: (_ place: Seniority, _ number: UInt64) -> Bool
  ) {
    for place in all.indices {
      let known = rights(all[place].author)
      guard all[place].rightsSeen < known.count else { continue }
      all[place].learn(known, outranks: outranks)
    }
  }
}

extension OpenedRecord {
  fileprivate func knows(_ other: OpenedRecord?) -> Bool { other.map(knows) ?? false }
}
