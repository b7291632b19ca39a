import FoundationEssentials
import VaultCredentials
import VaultSealing

/// Takes back what a machine changed since a moment.
struct Reverting: Exchanging {
  let exchange: Exchange

  /// What it would be; see ``SyncedVault/changes(by:since:)``.
  func changes(by device: String, since time: Date) throws -> SyncReversion {
    try files.locked {
      var loaded = try replica.load(usesBase: false)
      let stream = try member(device, loaded.history.roster()).stream
      return try reverting(stream, since: time.milliseconds, &loaded).told
    }
  }

  /// Removes the machine; see ``SyncedVault/remove(_:revertingSince:)``.
  func remove(_ device: String, revertingSince time: Date) throws -> SyncReversion {
    try files.locked {
      var loaded = try replica.load()
      var found: StreamID?
      let report = try SyncRun(exchange).synchronize(&loaded) { loaded, roster in
        let member = try member(device, roster)
        found = member.stream
        guard member.last == nil else {
          try Membership(exchange).checkAdmin(roster, loaded)
          return []
        }
        return try Membership(exchange).removal(of: device, roster, loaded).operations
      }
      try report.checkIsDone()
      guard let stream = found else { throw Replica.copied }
      loaded = try replica.load(usesBase: false)
      let reversion = try reverting(stream, since: time.milliseconds, &loaded)
      guard !reversion.told.isEmpty else { return reversion.told }
      try vault.blocking.shared { shared in
        try shared.takeBack(
          Array(reversion.reverted.keys) + reversion.trashed, to: reversion.items)
      }
      let last = try SyncRun(exchange).synchronize(&loaded) { _, _ in reversion.preferences }
      try last.checkIsDone()
      return reversion.told
    }
  }

  /// Checks it; see ``SyncedVault/checkRemoval(of:)``.
  func checkRemoval(of device: String) throws {
    let loaded = try files.locked { try replica.load() }
    let roster = loaded.history.roster()
    guard try member(device, roster).last == nil else {
      return try Membership(exchange).checkAdmin(roster, loaded)
    }
    _ = try Membership(exchange).removal(of: device, roster, loaded)
  }

  /// A machine that is in, or else one that is out.
  private func member(_ device: String, _ roster: Roster) throws -> Roster.Member {
    do {
      return try Membership(exchange).find(device, among: roster.present)
    } catch let error as SyncError where error.code == .deviceNotFound {
      return try Membership(exchange).find(
        device, among: roster.members.values.filter { $0.successor == nil })
    }
  }

  private func reverting(
    _ stream: StreamID, since moment: Int64, _ loaded: inout LoadedReplica
  ) throws -> Reversion {
    do {
      return try Reversion(loaded.history, of: stream, since: moment, now: now())
    } catch is SpaceBase.Outdated {
      try Resuming(exchange).readFromTheStart(&loaded)
      return try Reversion(loaded.history, of: stream, since: moment, now: now())
    }
  }
}

extension Date {
  /// Since 1970; no number of a record is smaller or larger than this gives.
  fileprivate var milliseconds: Int64 {
    Int64(max(-9e15, min(9e15, timeIntervalSince1970 * 1000)))
  }
}
