import FoundationEssentials
import VaultStorage

/// Taking, comparing and restoring snapshots.
extension PreferenceDatabase {
  /// The current contents; protected domains stay sealed, damaged ones are left out and reported.
  package func currentState() throws(PreferenceError) -> PreferenceSnapshot {
    try PreferenceError.wrapping {
      var plain: [PreferenceDomain: ExactEntries] = [:]
      var sealed: [PreferenceDomain: PreferenceSnapshot.SealedDomain] = [:]
      var missing: Set<PreferenceDomain> = []
      var problems: [String] = []
      // One read transaction, so that all domains are from the same moment.
      let sequence = try store.connection.transaction(.deferred) {
        for domain in try domains() {
          guard let row = try row(of: domain) else { continue }
          do {
            if let keyID = row.keyID {
              sealed[domain] = .init(keyID: keyID, values: try sealedValues(of: row))
            } else {
              plain[domain] = try entries(of: row)
            }
          } catch let error as PreferenceError where error.code == .damaged {
            missing.insert(domain)
            problems.append(error.message)
          }
        }
        return try latestSequence()
      }
      return PreferenceSnapshot(
        name: "", date: now(), sequence: sequence, domains: plain,
        sealed: sealed, missing: missing, problems: problems.sorted())
    }
  }

  private func sealedValues(of row: DomainRow) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    try store.connection.forEachRow(
      "SELECT key, type, value FROM preferences_values WHERE domain=?", [.integer(row.id)]
    ) { values in
      guard case .blob(let bytes)? = values.stored(at: 1)?.value else {
        throw PreferenceError(
          .damaged, "a value of the protected domain \(row.domain.name) is not sealed")
      }
      found[values.string(at: 0)] = bytes
    }
    return found
  }

  /// Opens a snapshot's protected domains as far as a comparison with another snapshot needs it.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot.
  ///   - other: The snapshot to compare it with.
  /// - Returns: The snapshot; what cannot be opened is left out, and named in `problems`.
  package func opening(
    _ snapshot: PreferenceSnapshot, besides other: PreferenceSnapshot
  ) -> PreferenceSnapshot {
    var domains = snapshot.domains
    var problems = snapshot.problems
    // What is now says itself why it lacks something.
    if !snapshot.name.isEmpty {
      for domain in snapshot.missing
      where other.domains[domain] != nil || other.sealed[domain] != nil {
        problems.append(Self.lack(of: domain))
      }
    }
    for (domain, contents) in snapshot.sealed where other.sealed[domain] != contents {
      do {
        let sealer = try sealer(keyID: contents.keyID, of: domain)
        var entries: ExactEntries = [:]
        for (name, bytes) in contents.values {
          let (key, value) = try sealer.open(
            StoredValue(type: StoredValue.sealedType, value: .blob(bytes)), name: name, in: domain)
          entries[ExactText(key)] = value
        }
        domains[domain] = entries
      } catch {
        problems.append(PreferenceError(wrapping: error).message)
      }
    }
    return PreferenceSnapshot(
      name: snapshot.name, date: snapshot.date, sequence: snapshot.sequence, domains: domains,
      sealed: snapshot.sealed, missing: snapshot.missing, problems: problems)
  }

  private static func lack(of domain: PreferenceDomain) -> String {
    "the snapshot does not have the values of the domain \(domain.name), which was there"
  }

  /// Saves the current contents under a name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - isReplacing: Whether a snapshot of that name is replaced.
  /// - Returns: The snapshot.
  /// - Throws: ``PreferenceError`` with code `.conflict` if there is one of that name.
  @discardableResult
  package func takeSnapshot(
    named name: String, isReplacing: Bool = false
  ) throws(PreferenceError) -> PreferenceSnapshot {
    try keep(try currentState(), named: name, isReplacing: isReplacing)
  }

  /// Saves a snapshot that a file had.
  ///
  /// - Throws: The same as ``takeSnapshot(named:isReplacing:)``.
  @discardableResult
  package func keep(
    _ state: PreferenceSnapshot, named name: String, isReplacing: Bool = false
  ) throws(PreferenceError) -> PreferenceSnapshot {
    var sequence = state.sequence
    try PreferenceError.wrapping {
      try transaction { _ in
        let present = try store.connection.first(
          "SELECT time FROM preferences_snapshots WHERE name=?", [.text(name)]
        ) { Date(timeIntervalSince1970: $0.double(at: 0)) }
        if let present, !isReplacing {
          throw PreferenceError(
            .conflict,
            "there is a snapshot '\(name)' of \(CalendarTime(present)?.iso8601 ?? "\(present)")")
        }
        // Clocks go back, and files have their own time: the numbers say what was taken last.
        let last =
          try store.connection.int64("SELECT max(sequence) FROM preferences_snapshots") ?? 0
        sequence = max(sequence, try latestSequence(), last < .max ? last + 1 : last)
        try store.connection.execute(
          "INSERT OR REPLACE INTO preferences_snapshots VALUES (?, ?, ?, ?)",
          [
            .text(name), .real(state.date.timeIntervalSince1970), .integer(sequence),
            .text(SnapshotText.text(state.domains, state.sealed, missing: state.missing)),
          ])
      }
    }
    return PreferenceSnapshot(
      name: name, date: state.date, sequence: sequence, domains: state.domains,
      sealed: state.sealed, missing: state.missing, problems: state.problems)
  }

  /// The snapshots, in the order in which they were taken.
  package func snapshots() throws(PreferenceError) -> [PreferenceSnapshot] {
    try PreferenceError.wrapping {
      guard try hasTables() else { return [] }
      var found: [PreferenceSnapshot] = []
      try store.connection.forEachRow(
        "SELECT name, time, sequence, contents FROM preferences_snapshots "
          + "ORDER BY sequence, time, name"
      ) { row in
        let (plain, sealed, missing) = try SnapshotText.domains(of: row.string(at: 3))
        found.append(
          PreferenceSnapshot(
            name: row.string(at: 0), date: Date(timeIntervalSince1970: row.double(at: 1)),
            sequence: row.int64(at: 2),
            domains: plain, sealed: sealed, missing: missing, problems: []))
      }
      return found
    }
  }

  /// The snapshot with this name.
  ///
  /// - Parameter name: The name; `latest` stands for the one that was taken last, unless one has
  ///   that name.
  /// - Returns: The snapshot.
  /// - Throws: ``PreferenceError`` with code `.notFound`.
  package func snapshot(named name: String) throws(PreferenceError) -> PreferenceSnapshot {
    let all = try snapshots()
    guard
      let found = all.first(where: { $0.name.isSame(as: name) })
        ?? (name == "latest" ? all.last : nil)
    else {
      throw PreferenceError(.notFound, "there is no snapshot '\(name)'")
    }
    return found
  }

  /// Removes a snapshot.
  package func removeSnapshot(named name: String) throws(PreferenceError) {
    let name = try snapshot(named: name).name
    try PreferenceError.wrapping {
      try transaction { _ in
        try store.connection.execute(
          "DELETE FROM preferences_snapshots WHERE name=?", [.text(name)])
      }
    }
  }

  /// Restores all domains, in one transaction that can be undone.
  ///
  /// Keys that the administrator has fixed, and domains that the snapshot does not cover, or that it
  /// does not have any more, are left alone.
  ///
  /// - Parameters:
  ///   - snapshot: The snapshot.
  ///   - isMeant: Whether a domain is; others are left alone, too.
  ///   - isCovered: Whether the snapshot would have a domain if there had been one: it is removed
  ///     then, and else left as it is.
  ///   - isFixed: Whether a key cannot be changed, since another program's administrator has fixed
  ///     it.
  /// - Returns: Which domains were left as they are and why, a sentence for each.
  /// - Throws: ``PreferenceError``.
  package func restore(
    _ snapshot: PreferenceSnapshot, where isMeant: (PreferenceDomain) -> Bool = { _ in true },
    isCovered: (PreferenceDomain) -> Bool = { _ in true },
    isFixed: (String, PreferenceDomain) throws -> Bool = { _, _ in false }
  ) throws(PreferenceError) -> [String] {
    var left: [String] = []
    try PreferenceError.wrapping {
      try transaction { transaction in
        for domain in try domains()
        where snapshot.domains[domain] == nil && isMeant(domain) && isCovered(domain) {
          guard snapshot.sealed[domain] == nil, let row = try row(of: domain) else { continue }
          if snapshot.missing.contains(domain), row.keyID == nil { continue }
          if row.keyID == nil, !row.lacksItsMark {
            let present = try transaction.entries(of: domain) ?? [:]
            let kept = try present.filter { try isFixed($0.key.text, domain) }
            if kept.isEmpty {
              try transaction.removeDomain(domain)
            } else {
              try transaction.replace(domain, by: kept)
            }
          } else {
            left.append("the protected domain \(domain.name) is not in the snapshot")
          }
        }
        for (domain, entries) in snapshot.domains.sorted(by: { $0.key.name < $1.key.name })
        where isMeant(domain) {
          if let row = try row(of: domain), row.keyID != nil || row.lacksItsMark {
            left.append("the domain \(domain.name) was protected after the snapshot")
            continue
          }
          var entries = entries
          let present = try transaction.entries(of: domain) ?? [:]
          let fixed = try fixedKeys(of: domain)
          for key in Set(entries.keys).union(present.keys)
          where try entries[key] != present[key]
            && (fixed[key.text] != nil || isFixed(key.text, domain))
          {
            entries[key] = present[key]
          }
          try transaction.replace(domain, by: entries)
        }
        for (domain, contents) in snapshot.sealed.sorted(by: { $0.key.name < $1.key.name })
        where isMeant(domain) {
          try restore(contents, of: domain, transaction)
        }
        left += try snapshot.missing.filter { try isMeant($0) && row(of: $0)?.keyID == nil }
          .map(Self.lack)
      }
    }
    return left.sorted()
  }

  private func restore(
    _ contents: PreferenceSnapshot.SealedDomain, of domain: PreferenceDomain,
    _ transaction: PreferenceTransaction
  ) throws {
    if let row = try row(of: domain) {
      if row.keyID == contents.keyID {
        for name in try sealedValues(of: row).keys where contents.values[name] == nil {
          _ = try transaction.remove(name: name, in: row)
        }
      } else {
        try transaction.removeDomain(domain)
      }
    }
    if try row(of: domain) == nil { try transaction.make(domain, protectedBy: contents.keyID) }
    for (name, bytes) in contents.values.sorted(by: { $0.key < $1.key }) {
      try transaction.restore(
        StoredValue(type: StoredValue.sealedType, value: .blob(bytes)), name: name, in: domain)
    }
  }

  /// The differences, sorted by domain and key.
  package static func differences(
    from old: PreferenceSnapshot, to new: PreferenceSnapshot
  ) -> [PreferenceDifference] {
    var found: [PreferenceDifference] = []
    let domains = Set(old.domains.keys).union(new.domains.keys)
      .subtracting(old.missing.union(new.missing))
    for domain in domains.sorted(by: { ($0.name, $0.storedHost) < ($1.name, $1.storedHost) }) {
      let before = old.domains[domain] ?? [:]
      let after = new.domains[domain] ?? [:]
      let keys = Set(before.keys).union(after.keys)
        .sorted { OldStyleWriter.precedes($0.text, $1.text) }
      for key in keys where before[key] != after[key] {
        found.append(
          PreferenceDifference(domain: domain, key: key.text, old: before[key], new: after[key]))
      }
    }
    return found
  }

  /// Takes domains out of all snapshots, which keep only that they were there.
  func removeFromSnapshots(_ isMeant: (PreferenceDomain) -> Bool) throws {
    for snapshot in try snapshots() {
      let domains = snapshot.domains.filter { !isMeant($0.key) }
      let sealed = snapshot.sealed.filter { !isMeant($0.key) }
      let cut = Set(snapshot.domains.keys).union(snapshot.sealed.keys).filter(isMeant)
      guard !cut.isEmpty else { continue }
      try store.connection.execute(
        "UPDATE preferences_snapshots SET contents=? WHERE name=?",
        [
          .text(SnapshotText.text(domains, sealed, missing: snapshot.missing.union(cut))),
          .text(snapshot.name),
        ])
    }
  }
}
