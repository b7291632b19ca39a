import VaultSealing

/// What machines do where an admin began an epoch, and what he sealed to one of them is not the key.
///
/// Nobody else can see that, so the machine says it, in a record of a key that it has. Who has the
/// key tells it again: an admin's machine as it tells each key that somebody lacks; and where an
/// admin or owner lacks it, every member, since there may be no other honest admin.
///
/// Documentation/design/sync-format.md, section 5.
struct LackingKeys: Exchanging {
  let exchange: Exchange

  /// Says which keys this machine was told and does not have.
  ///
  /// - Parameter loaded: Gets the record.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func tell(_ loaded: inout LoadedReplica) throws {
    let (own, roster) = (loaded.state.stream, loaded.history.roster())
    guard !roster.hasEarlierRules, roster.isPresent(own) else { return }
    let known = Set(loaded.history.epochs.map(\.id))
    var lacking: [[UInt8]] = []
    for record in loaded.history.ofSpace
    where record.stream != own && roster.authority(of: record) != nil {
      for case .epoch(_, let id, let sealed) in record.content.operations
      where !known.contains(id) && !lacking.contains(id) && sealed.contains(recipient: own) {
        // Once for each time that it was told.
        if roster.lack(of: own, id).map({ $0.knows(record) }) == true { continue }
        lacking.append(id)
      }
    }
    guard !lacking.isEmpty else { return }
    try tell(lacking.map { .lacks(epoch: $0) }, &loaded)
  }

  /// Tells admins and owners the keys that they say they lack, where this machine is no admin's.
  ///
  /// - Parameter loaded: Gets the records.
  /// - Throws: ``SyncError`` with code `.inputOutput`; `SealingError`.
  func answer(_ loaded: inout LoadedReplica) throws {
    let (own, roster) = (loaded.state.stream, loaded.history.roster())
    guard !roster.hasEarlierRules, roster.isPresent(own), !roster.isAdmin(own),
      roster.present.contains(where: { roster.isAdmin($0.stream) && roster.lacksKeys($0.stream) })
    else { return }
    for (epoch, members) in roster.missingKeys {
      for member in members where roster.isAdmin(member.stream) {
        guard let lack = roster.lack(of: member.stream, epoch.id),
          let key = roster.keyOfLack(of: member.stream, epoch.id),
          !isAnswered(lack, epoch, of: member.stream, by: own, loaded)
        else { continue }
        let told = Operation.epoch(
          epoch, of: loaded.state.space, for: [(member.stream.bytes, member.keys.sealing)])
        try tell([told], with: key, &loaded)
      }
    }
  }

  private func isAnswered(
    _ lack: OpenedRecord, _ epoch: EpochKey, of stream: StreamID, by own: StreamID,
    _ loaded: LoadedReplica
  ) -> Bool {
    (loaded.history.streams[own] ?? []).contains { record in
      record.knows(lack)
        && record.content.operations.contains { operation in
          guard case .epoch(_, epoch.id, let sealed) = operation else { return false }
          return sealed.contains(recipient: stream)
        }
    }
  }
}

extension [(recipient: [UInt8], key: [UInt8])] {
  /// Whether a key was sealed to a machine.
  fileprivate func contains(recipient stream: StreamID) -> Bool {
    let (id, short) = (
      stream.bytes, [UInt8](stream.bytes.prefix(Operation.shortRecipientLength))
    )
    return contains { $0.recipient == id || $0.recipient == short }
  }
}
