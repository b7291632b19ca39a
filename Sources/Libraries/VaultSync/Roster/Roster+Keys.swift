extension Roster {
  /// The newest key that everybody has who is in, and every recovery code.
  var keyOfEveryone: EpochKey? {
    let lacking = Set(missingKeys.map(\.epoch.id) + missingRecoveryKeys.map(\.epoch.id))
    return epochs.map(\.key).filter { !lacking.contains($0.id) }
      .max { ($0.number, $1.id.description) < ($1.number, $0.id.description) }
  }

  /// The record in which a machine says that what was sealed to it as the key of an epoch is none.
  func lack(of stream: StreamID, _ epoch: [UInt8]) -> OpenedRecord? {
    lacks[stream]?.first { $0.epoch == epoch }?.record
  }

  /// What a machine says that it cannot open.
  func lacks(of member: Member) -> [RosterFacts.Lack] { lacks[member.stream] ?? [] }
}
