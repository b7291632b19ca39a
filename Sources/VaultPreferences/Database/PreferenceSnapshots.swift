import FoundationEssentials
import VaultStorage

/// All domains at one moment, and what differs between two.
package struct PreferenceSnapshot: Sendable, Equatable {
  package let name: String
  /// Seconds since 1970.
  package let time: Double
  package let sequence: Int64
  package let domains: [PreferenceDomain: [String: PreferenceValue]]
}

/// A key that differs between two moments.
package struct PreferenceDifference: Sendable, Equatable {
  package let domain: PreferenceDomain
  package let key: String
  package let old: PreferenceValue?
  package let new: PreferenceValue?
}

extension PreferenceDatabase {
  /// Everything that can be read now; protected domains are left out.
  package func currentState() throws(PreferenceError) -> PreferenceSnapshot {
    do {
      var state: [PreferenceDomain: [String: PreferenceValue]] = [:]
      // One read transaction, so that all domains are of the same moment.
      let sequence = try store.connection.transaction(.deferred) {
        for domain in try domains() {
          guard let row = try row(of: domain), row.keyID == nil else { continue }
          state[domain] = try contents(of: row)
        }
        return try latestSequence()
      }
      return PreferenceSnapshot(
        name: "", time: now().timeIntervalSince1970, sequence: sequence, domains: state)
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// Keeps the present state under a name; an older one of that name goes.
  package func takeSnapshot(named name: String) throws(PreferenceError) -> PreferenceSnapshot {
    let state = try currentState()
    do {
      try transaction { _ in
        try store.connection.execute(
          "INSERT OR REPLACE INTO preferences_snapshots VALUES (?, ?, ?, ?)",
          [
            .text(name), .real(state.time), .integer(state.sequence),
            .text(Self.text(of: state.domains)),
          ])
      }
    } catch {
      throw PreferenceError.wrapping(error)
    }
    return PreferenceSnapshot(
      name: name, time: state.time, sequence: state.sequence, domains: state.domains)
  }

  /// The snapshots, the oldest first.
  package func snapshots() throws(PreferenceError) -> [PreferenceSnapshot] {
    do {
      guard try hasTables() else { return [] }
      var found: [PreferenceSnapshot] = []
      try store.connection.forEachRow(
        "SELECT name, time, sequence, contents FROM preferences_snapshots ORDER BY time, name"
      ) { row in
        found.append(
          PreferenceSnapshot(
            name: row.string(at: 0), time: row.double(at: 1), sequence: row.int64(at: 2),
            domains: try Self.domains(of: row.string(at: 3))))
      }
      return found
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// The snapshot with this name.
  package func snapshot(named name: String) throws(PreferenceError) -> PreferenceSnapshot {
    guard let found = try snapshots().first(where: { $0.name == name }) else {
      throw PreferenceError(.notFound, "there is no snapshot '\(name)'")
    }
    return found
  }

  /// Removes a snapshot.
  package func removeSnapshot(named name: String) throws(PreferenceError) {
    _ = try snapshot(named: name)
    do {
      try transaction { _ in
        try store.connection.execute(
          "DELETE FROM preferences_snapshots WHERE name=?", [.text(name)])
      }
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// Makes everything as it was, in one transaction that can be undone.
  package func restore(_ snapshot: PreferenceSnapshot) throws(PreferenceError) {
    do {
      try transaction { transaction in
        for domain in try domains() where snapshot.domains[domain] == nil {
          guard let row = try row(of: domain), row.keyID == nil else { continue }
          try transaction.removeDomain(domain)
        }
        for (domain, entries) in snapshot.domains.sorted(by: { $0.key.name < $1.key.name }) {
          if let row = try row(of: domain), row.keyID != nil { continue }
          try transaction.replace(domain, by: entries)
        }
      }
    } catch {
      throw PreferenceError.wrapping(error)
    }
  }

  /// What differs, sorted by domain and key.
  package static func differences(
    from old: PreferenceSnapshot, to new: PreferenceSnapshot
  ) -> [PreferenceDifference] {
    var found: [PreferenceDifference] = []
    let domains = Set(old.domains.keys).union(new.domains.keys)
    for domain in domains.sorted(by: { ($0.name, $0.storedHost) < ($1.name, $1.storedHost) }) {
      let before = old.domains[domain] ?? [:]
      let after = new.domains[domain] ?? [:]
      for key in Set(before.keys).union(after.keys).sorted(by: OldStyleWriter.precedes)
      where before[key] != after[key] {
        found.append(
          PreferenceDifference(domain: domain, key: key, old: before[key], new: after[key]))
      }
    }
    return found
  }

  func removeFromSnapshots(_ domain: PreferenceDomain) throws {
    for snapshot in try snapshots() where snapshot.domains[domain] != nil {
      var domains = snapshot.domains
      domains[domain] = nil
      try store.connection.execute(
        "UPDATE preferences_snapshots SET contents=? WHERE name=?",
        [.text(Self.text(of: domains)), .text(snapshot.name)])
    }
  }

  /// `[{"contents": {…}, "host": "", "name": "com.example"}, …]`.
  private static func text(
    of domains: [PreferenceDomain: [String: PreferenceValue]]
  ) -> String {
    let sorted = domains.sorted {
      ($0.key.name, $0.key.storedHost) < ($1.key.name, $1.key.storedHost)
    }
    return JSONText.text(
      .array(
        sorted.map { domain, entries in
          [
            "name": .string(domain.name), "host": .string(domain.storedHost),
            "contents": .dictionary(entries),
          ]
        }))
  }

  private static func domains(
    of text: String
  ) throws(PreferenceError) -> [PreferenceDomain: [String: PreferenceValue]] {
    let damaged = PreferenceError(.damaged, "a stored snapshot makes no sense")
    guard case .array(let list) = try JSONText.parse(text.utf8) else { throw damaged }
    let current = HostIdentity.current
    var domains: [PreferenceDomain: [String: PreferenceValue]] = [:]
    for case .dictionary(let parts) in list {
      guard case .string(let name)? = parts["name"], case .string(let host)? = parts["host"],
        case .dictionary(let entries)? = parts["contents"]
      else { throw damaged }
      domains[PreferenceDomain(name, storedHost: host, current: current)] = entries
    }
    return domains
  }
}
