import VaultCredentials
import VaultSealing

/// Settles what two machines changed without knowing of each other.
struct Settling: Exchanging {
  let exchange: Exchange

  /// Settles it; see ``SyncedVault/resolve(_:taking:)``.
  func resolve(_ name: ItemName, taking machine: String? = nil) throws -> Item {
    guard let machine else {
      return try vault.blocking.edit { try $0.settle(name) }
    }
    return try files.locked {
      let (state, roster) = try known()
      return try vault.blocking.shared { shared in
        let unsettled = try shared.unsettled(name).map { ($0, Self.choices($0, in: state)) }
        let streams = Set(unsettled.flatMap { $0.1.keys })
        let members = streams.compactMap { roster.members[$0] }.sorted { $0.stream < $1.stream }
        let member: Roster.Member
        do {
          member = try Membership(exchange).find(machine, among: members)
        } catch let error as SyncError where error.code == .deviceNotFound && !members.isEmpty {
          let labels = Set(members.map { roster.shownLabel(of: $0.stream) }).sorted()
          throw SyncError(
            .deviceNotFound, "what met was not written by one machine of that name",
            hint: "it was by \(labels.joined(separator: ", ")); or give the beginning of an id")
        }
        var settled: Item?
        for (one, choices) in unsettled {
          guard let choice = choices[member.stream] else { continue }
          // By the records: a machine may be called otherwise since.
          let taken = (state.folded[one.id]?.lost ?? []).filter {
            $0.machine == member.stream.text
          }
          settled = try shared.settle(one, choice, taking: taken)
        }
        guard let settled else {
          throw SyncError(.deviceNotFound, "the space has no machine of that name")
        }
        return settled
      }
    }
  }

  /// The items as the records have them that the vault was brought to, and who belongs to the
  /// space.
  private func known() throws -> (FoldedSpace, Roster) {
    var loaded = try replica.load()
    let frontier = loaded.state.applied.frontier
    let items: FoldedSpace
    do {
      items = try loaded.history.folded(upTo: frontier)
    } catch {
      // A machine was removed, and with it some of what the base has.
      loaded = try replica.load(usesBase: false)
      items = try loaded.history.folded(upTo: frontier)
    }
    return (items, loaded.history.roster(upTo: frontier))
  }

  /// What taking each machine's change means.
  private static func choices(
    _ unsettled: SharedVault.Unsettled, in state: FoldedSpace
  ) -> [StreamID: VaultEdit.Settlement] {
    guard let item = state.folded[unsettled.id] else { return [:] }
    // Who changed nothing but a note or the like is taken in that alone.
    let others = item.lostWriters.map { ($0, VaultEdit.Settlement.asIs) }
    return choices(unsettled, item, in: state).merging(others) { choice, _ in choice }
  }

  private static func choices(
    _ unsettled: SharedVault.Unsettled, _ item: FoldedItem, in state: FoldedSpace
  ) -> [StreamID: VaultEdit.Settlement] {
    switch unsettled.kind {
    case .property: return [:]
    case .secret: return item.concurrentSecrets.mapValues { .secrets($0) }
    case .name:
      var choices: [StreamID: VaultEdit.Settlement] = [:]
      if let holder = unsettled.holder, let stream = state.folded[holder]?.writtenBy {
        choices[stream] = .holder
      }
      if let stream = item.writtenBy { choices[stream] = .other }
      return choices
    case .removal:
      var choices: [StreamID: VaultEdit.Settlement] = [:]
      for purge in item.purges { choices[purge.record.stream] = .removal }
      for stream in item.editors { choices[stream] = .other }
      return choices
    }
  }
}
