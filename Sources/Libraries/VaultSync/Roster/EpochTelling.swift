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
    var epochs = known.map { Roster.Epoch(key: $0, recipients: [], tellings: []) }
    var places: [Name: Int] = [:]
    for (place, epoch) in epochs.enumerated() {
      let name = Name(number: epoch.key.number, id: epoch.key.id)
      places[name] = places[name] ?? place
    }
    var counted = Numbers()
    for told in facts.epochs where isCounted(told.record) {
      let before = counted.highest(knownTo: told.record)
      guard told.number >= 1, told.number - 1 <= before else { continue }
      counted.add(told.number, of: told.record)
      guard let position = places[Name(number: told.number, id: told.id)] else { continue }
      epochs[position].tellings.append(
        Roster.Epoch.Telling(record: told.record, recipients: told.recipients))
      epochs[position].recipients.insert(told.record.stream.bytes)
      epochs[position].recipients.formUnion(told.recipients)
    }
    // A key that no admin told is none to write with.
    epochs.removeAll { $0.tellings.isEmpty }
    return epochs
  }

  private struct Name: Hashable {
    let number: UInt32
    let id: [UInt8]
  }

  /// The numbers of epochs that count, by who told them: what a record knows of each stream is all
  /// up to one of its records.
  private struct Numbers {
    /// Records of a stream in order, each with the highest number up to there.
    private var streams: [StreamID: [(sequence: UInt64, highest: UInt32)]] = [:]

    /// Adds a number that comes after those of all records that this one knows.
    mutating func add(_ number: UInt32, of record: OpenedRecord) {
      let last = streams[record.stream]?.last?.highest ?? 0
      streams[record.stream, default: []].append((record.sequence, max(last, number)))
    }

    /// The highest number that a record's writer knew; 0 for none.
    func highest(knownTo record: OpenedRecord) -> UInt32 {
      var highest: UInt32 = 0
      for (stream, numbers) in streams {
        guard let end = record.past[stream] else { continue }
        let unknown = numbers.firstIndex(ofMonotonic: { $0.sequence > end })
        if unknown > 0 { highest = max(highest, numbers[unknown - 1].highest) }
      }
      return highest
    }
  }
}
