extension Roster {
  /// The newest key that everybody has who is in, and every recovery code.
  var keyOfEveryone: EpochKey? {
    // What a machine says that it lacks is told to it apart: its word takes the key from nobody.
    let missing = missingKeys.filter { missing in
      missing.members.contains { lack(of: $0.stream, missing.epoch.id) == nil }
    }
    let lacking = Set(missing.map(\.epoch.id) + missingRecoveryKeys.map(\.epoch.id))
    return epochs.map(\.key).filter { !lacking.contains($0.id) }
      .max { ($0.number, $1.id.description) < ($1.number, $0.id.description) }
  }

  /// The record in which a machine says that what was sealed to it as the key of an epoch is none.
  func lack(of stream: StreamID, _ epoch: [UInt8]) -> OpenedRecord? {
    lacks[stream]?[epoch]
  }

  /// Whether a machine says that it cannot open some key.
  func lacksKeys(_ stream: StreamID) -> Bool { lacks[stream] != nil }

  /// The key by which a machine reads what is told to it that says it lacks another one: that of the
  /// record in which it said so.
  func keyOfLack(of stream: StreamID, _ epoch: [UInt8]) -> EpochKey? {
    guard let lack = lack(of: stream, epoch) else { return nil }
    return epochs.map(\.key).first { $0.id == lack.epoch }
  }
}
