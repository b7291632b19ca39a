/// The preferences of a space as all records together have them: a function of the records,
/// whatever their order.
///
/// Each key keeps the changes that no other change of it knows; of several the latest is its value.
package struct FoldedPreferences: Sendable {
  /// A change of one key.
  package struct Head: Sendable {
    let record: OpenedRecord
    package let modified: Int64
    /// A binary property list; `nil` if the key was removed.
    package let value: [UInt8]?

    static func isEarlier(_ left: Head, _ right: Head) -> Bool {
      (left.modified, left.record.stream, left.record.sequence)
        < (right.modified, right.record.stream, right.record.sequence)
    }
  }

  /// One domain.
  package struct Domain: Sendable {
    /// Whether one of the machines that wrote it keeps its values sealed.
    package var isProtected = false
    var heads: [String: [Head]] = [:]

    /// A domain that nobody has written.
    package init() {}

    /// The change whose value a key has; `nil` if there never was one.
    package func winner(_ key: String) -> Head? { heads[key]?.max(by: Head.isEarlier) }

    /// The keys that have a value, with it.
    package var values: [String: [UInt8]] {
      heads.keys.reduce(into: [:]) { $0[$1] = winner($1)?.value }
    }

    mutating func take(_ operation: PreferencesOperation, of record: OpenedRecord) {
      isProtected = isProtected || operation.isProtected
      for change in operation.changes {
        heads[change.key, default: []].removeAll { record.replaces($0.record) }
        heads[change.key, default: []].append(
          Head(record: record, modified: change.modified, value: change.value))
      }
    }
  }

  /// The domains that were ever told.
  package private(set) var domains: [String: Domain] = [:]

  /// Folds records.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - roster: Whose records count.
  ///   - frontier: How far each stream counts.
  /// - Throws: ``SpaceBase/Outdated`` if some of the records that the history's base covers count
  ///   no longer.
  package init(
    _ history: Space, _ roster: Roster, upTo frontier: Frontier
  ) throws(SpaceBase.Outdated) {
    domains = history.base?.preferences ?? [:]
    for record in try history.counted(by: roster, upTo: frontier) {
      for case .preferences(let operation) in record.content.operations {
        domains[operation.domain, default: Domain()].take(operation, of: record)
      }
    }
  }
}

// MARK: - Merging

/// What comes of a domain of this machine and the space's: what this machine takes, and what it has
/// to tell.
package struct PreferenceMerge {
  /// What this machine tells.
  package var told: [PreferencesOperation.Change] = []
  /// What this machine takes, by the streams that wrote it; `nil` for what nobody has written,
  /// since a machine was removed.
  package var taken: [StreamID?: [SyncedPreferenceChange]] = [:]
  /// The values that this machine has afterwards.
  package var values: [String: [UInt8]]

  /// What is merged.
  package struct Sides {
    /// The domain as this machine has it.
    package var local: SyncedDomain
    /// What both were when they were brought together last; `nil` if they never were: then what
    /// this machine lacks was not removed by anybody.
    package var base: FoldedPreferences.Domain?
    /// What a run was bringing this machine to that did not come to its end.
    package var attempt: FoldedPreferences.Domain?
    /// The domain as the space has it.
    package var target: FoldedPreferences.Domain
    /// This machine's stream.
    package let own: StreamID
    /// Milliseconds since 1970.
    package let now: Int64
  }

  /// Merges.
  ///
  /// What only one side has changed is taken or told. What both have changed has the later value,
  /// by the clocks, then by stream. A key that this machine lacks was removed here only if that is
  /// known: a machine that has lost its preferences, and was used since, does not remove what
  /// others have.
  ///
  /// - Parameters:
  ///   - sides: The sides.
  ///   - changed: When keys were changed or removed on this machine, as far as that is known.
  /// - Throws: What `changed` throws.
  package init(_ sides: Sides, changed: () throws -> [String: Int64]) throws {
    let (local, base, target) = (sides.local, sides.base, sides.target)
    values = local.values
    var known: [String: Int64]?
    let keys = Set(local.values.keys).union(target.heads.keys)
      .union((base?.heads ?? [:]).keys).subtracting(local.fixed)
    for key in keys.sorted() {
      let (mine, head) = (local.values[key], target.winner(key))
      guard mine != head?.value else { continue }
      // Nobody typed here what such a run has brought.
      let reached = sides.attempt?.winner(key).flatMap { $0.value == mine ? $0 : nil }
      let before = reached ?? base?.winner(key)
      var isChangedHere = reached == nil && (base == nil ? mine != nil : before?.value != mine)
      let isChangedThere = base == nil ? head != nil : before?.value != head?.value
      var modified = sides.now
      if isChangedHere {
        known = try known ?? changed()
        // Without a base nobody knows that it is new.
        modified = known?[key] ?? (base == nil ? 0 : sides.now)
        // Nobody has removed what was lost with the preferences of this machine.
        if mine == nil, known?[key] == nil { isChangedHere = false }
      }
      let isMine =
        isChangedHere
        && (!isChangedThere
          || head.map { ($0.modified, $0.record.stream) < (modified, sides.own) } ?? true)
      if isMine {
        // A clock that is behind does not make it the earlier one for others.
        let least = head.map { $0.modified == .max ? .max : $0.modified + 1 } ?? .min
        told.append(
          PreferencesOperation.Change(key: key, modified: max(modified, least), value: mine))
      } else {
        taken[head?.record.stream, default: []].append(
          SyncedPreferenceChange(key: key, old: mine, new: head?.value))
        values[key] = head?.value
      }
    }
  }
}
