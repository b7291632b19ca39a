extension Roster {
  /// The newest key that everybody has who is in, and every recovery code.
  var keyOfEveryone: EpochKey? {
    let lacking = Set(missingKeys.map(\.epoch.id) + missingRecoveryKeys.map(\.epoch.id))
    return epochs.map(\.key).filter { !lacking.contains($0.id) }
      .max { ($0.number, $1.id.description) < ($1.number, $0.id.description) }
  }
}
