import VaultSealing

/// Which keys of epochs count, and who was told them.
enum EpochTelling {
  /// The epochs that admins told.
  ///
  /// A number follows one that its author knew, so that nobody can use up all of them.
  ///
  /// - Parameters:
  ///   - facts: What the records say.
  ///   - known: The keys that this machine has.
  ///   - isCounted: Whether a record was written by an admin.
  /// - Returns: The epochs whose keys are known, each with who was told it.
  static func epochs(
    _ facts: RosterFacts, known: [EpochKey], where isCounted: (OpenedRecord) -> Bool
  ) -> [Roster.Epoch] {
    var epochs = known.map { Roster.Epoch(key: $0, recipients: [], records: []) }
    var counted: [(record: OpenedRecord, number: UInt32)] = []
    for told in facts.epochs where isCounted(told.record) {
      let before = counted.filter { told.record.knows($0.record) }.map(\.number).max() ?? 0
      guard told.number >= 1, told.number - 1 <= before else { continue }
      counted.append((told.record, told.number))
      guard
        let position = epochs.firstIndex(where: {
          $0.key.number == told.number && $0.key.id == told.id
        })
      else { continue }
      epochs[position].records.append(told.record)
      epochs[position].recipients.insert(told.record.stream.bytes)
      epochs[position].recipients.formUnion(told.recipients)
    }
    // A key that no admin told is none to write with.
    epochs.removeAll { $0.records.isEmpty }
    return epochs
  }
}
