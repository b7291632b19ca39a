import FoundationEssentials
import VaultCredentials
import VaultSealing

/// Takes back what a machine changed since a moment.
struct Reverting: Exchanging {
  let exchange: Exchange

  /// What it would be; see ``SyncedVault/changes(by:copies:since:)``.
  func changes(
    by device: String, withCopies copies: Bool, since time: Date
  ) throws -> SyncReversion {
    try files.locked {
      var loaded = try replica.load(usesBase: false)
      let roster = loaded.history.roster()
      let stream = try Membership(exchange).findOne(device, roster).stream
      var line = roster.line(of: stream)
      if copies {
        line += roster.allDescendants(of: stream).filter { $0 != loaded.state.stream }
      }
      return try reverting(line, since: time.milliseconds, &loaded).told
    }
  }

  /// Takes the store's records; see ``SyncedVault/fetch(acceptingRollback:)``.
  func fetch(acceptingRollback: Bool) throws {
    guard mirror == nil else { throw Following.onlyReads }
    try files.locked {
      var loaded = try replica.load()
      var report = SyncReport(changes: MergeReport.unchanged)
      let heads = try engine.heads(in: loaded.state.space)
      _ = try Resuming(exchange).fetch(heads, orBeginAgain: &loaded, &report)
      loaded.state.epochs = loaded.history.epochs
      loaded.state.rest = nil
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
      if !acceptingRollback, let problem = report.problems.first { throw problem }
    }
  }

  /// Removes the machine; see ``SyncedVault/remove(_:copies:revertingSince:)``.
  func remove(
    _ device: String, withCopies copies: Bool, revertingSince time: Date
  ) throws -> SyncReversion {
    try files.locked {
      var loaded = try replica.load()
      var found: [StreamID] = []
      var removed: Membership.Removal?
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        guard found.isEmpty else { return [] }
        let member = try Membership(exchange).findOne(device, roster)
        var removal = Membership.Removal(stream: member.stream)
        if member.last == nil || copies {
          removal = try Membership(exchange).removal(
            of: member.stream.text, roster, loaded, withCopies: copies)
        } else {
          try Membership(exchange).checkAdmin(roster, loaded)
        }
        found = roster.line(of: member.stream)
        if copies {
          found += roster.allDescendants(of: member.stream).filter { $0 != loaded.state.stream }
        }
        removed = removal
        return removal.operations
      }
      let report = try SyncRun(exchange).synchronizeClosing(&loaded, with: operations)
      try report.checkIsDone()
      guard let removed else { throw Replica.copied }
      let removal = try Membership(exchange).takeOtherKeys(afterRemovalOf: removed, &loaded)
      loaded = try replica.load(usesBase: false)
      let reversion = try reverting(found, since: time.milliseconds, &loaded)
      var told = reversion.told
      told.removal = removal
      guard !told.isEmpty else { return told }
      try vault.blocking.shared { shared in
        try shared.takeBack(
          Array(reversion.reverted.keys) + reversion.trashed, to: reversion.items)
      }
      let last = try SyncRun(exchange).synchronize(&loaded) { _, _ in reversion.preferences }
      try last.checkIsDone()
      return told
    }
  }

  /// Checks it; see ``SyncedVault/checkRemoval(of:copies:)``.
  func checkRemoval(of device: String, withCopies copies: Bool) throws {
    let loaded = try files.locked { try replica.load() }
    let roster = loaded.history.roster()
    guard try copies || Membership(exchange).findOne(device, roster).last == nil else {
      return try Membership(exchange).checkAdmin(roster, loaded)
    }
    _ = try Membership(exchange).removal(of: device, roster, loaded, withCopies: copies)
  }

  private func reverting(
    _ line: [StreamID], since moment: Int64, _ loaded: inout LoadedReplica
  ) throws -> Reversion {
    do {
      return try Reversion(loaded.history, of: line, since: moment, now: now())
    } catch is SpaceBase.Outdated {
      try Resuming(exchange).readFromTheStart(&loaded)
      return try Reversion(loaded.history, of: line, since: moment, now: now())
    }
  }
}

extension Date {
  /// Since 1970; no number of a record is smaller or larger than this gives.
  fileprivate var milliseconds: Int64 {
    Int64(max(-9e15, min(9e15, timeIntervalSince1970 * 1000)))
  }
}
