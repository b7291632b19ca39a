import VaultCredentials
import VaultSealing

/// What an admin's machine does in each run: it lets in who asks in time, ends invitations, and
/// tells keys to those who lack one.
struct Admitting: Exchanging {
  let exchange: Exchange

  /// Ends rights, and begins an epoch where somebody outside has the key, before what was changed
  /// here is written: that goes out in the new key, and says what of these records' past it has not
  /// seen.
  ///
  /// - Parameters:
  ///   - loaded: Gets the records.
  ///   - ending: Operations that a person asked for, which end rights, close codes or begin an
  ///     epoch; never one that gives a right, by which records would count that the vault lacks. Not
  ///     asked in a space of an earlier version, whose members may not understand the order.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.inputOutput`.
  func attendFirst(
    _ loaded: inout LoadedReplica, _ ending: (inout LoadedReplica, Roster) throws -> [Operation]
  ) throws {
    let (roster, own) = (loaded.history.roster(), loaded.state.stream)
    guard roster.isAdmin(own), !roster.hasEarlierRules else { return }
    let codes = try RecoveryCodes(exchange).recoveryOperations(roster, loaded)
    // A code that is closed may have to be invited anew for that.
    var operations = codes.withdrawn.isEmpty ? [] : codes.new + codes.withdrawn
    // What cannot be done yet may be possible once this run has let somebody in; else `attend` says
    // why not.
    operations += (try? ending(&loaded, roster)) ?? []
    // What this machine told, and its vault does not show, stays to be found.
    let isApplied = loaded.state.applied.frontier[own] == loaded.history.frontier[own]
    let known = loaded.history.known
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    // Who lacks the key that these are sealed with would not hear of them.
    if !operations.isEmpty { try tellMissingKeys(roster, &loaded, &writer, known) }
    try endAll(operations.flatMap(\.settled), loaded)
    if !operations.isEmpty { try writer.write(operations, to: &loaded.history, knowing: known) }
    let after = loaded.history.roster()
    // Who has left says nothing more that counts.
    if after.isAdmin(own), after.needsNewEpoch {
      try writer.write([try newEpoch(after, loaded)], to: &loaded.history, knowing: known)
    }
    try replica.keep(writer, &loaded, isApplied: isApplied)
  }

  /// Writes what only an admin can.
  ///
  /// - Parameters:
  ///   - loaded: Gets the records.
  ///   - further: Operations that a person asked for.
  /// - Returns: Whether records of others count now that did not before.
  /// - Throws: What `further` throws; ``SyncError`` with code `.unavailable`, `.inputOutput`.
  func attend(
    _ loaded: inout LoadedReplica, _ further: (inout LoadedReplica, Roster) throws -> [Operation]
  ) throws -> Bool {
    let before = loaded.history.roster()
    // What somebody wrote who is let in now is not in the vault yet: only the claim is known.
    var known = loaded.history.known
    var writer = RecordWriter(keys: loaded.keys.current, stream: loaded.state.stream, time: now())
    let isAdmin = before.isAdmin(loaded.state.stream)
    var isLettingIn = false
    if isAdmin {
      try tellMissingKeys(before, &loaded, &writer, known)
      let recovery = try RecoveryCodes(exchange).recoveryOperations(before, loaded)
      let admissions = try admissions(before, loaded)
      isLettingIn = !admissions.streams.isEmpty
      for stream in admissions.streams { known[stream] = max(known[stream] ?? 0, 1) }
      let all = admissions.operations + recovery.new + recovery.withdrawn
      if !all.isEmpty { try writer.write(all, to: &loaded.history, knowing: known) }
    }
    let operations = try further(&loaded, loaded.history.roster())
    for stream in operations.flatMap(\.admitted) { known[stream] = max(known[stream] ?? 0, 1) }
    if isAdmin { try endAll(operations.flatMap(\.settled), loaded) }
    if !operations.isEmpty {
      try writer.write(operations, to: &loaded.history, knowing: known)
    }
    let after = loaded.history.roster()
    // Whoever has the code of an invitation that has ended opens the keys that there were.
    let isAdminStill = after.isAdmin(loaded.state.stream)
    if isAdminStill, after.needsNewEpoch {
      try writer.write([try newEpoch(after, loaded)], to: &loaded.history, knowing: known)
    }
    // Who was let in by a person, after the invitation had ended, lacks the keys since; who came by
    // one that is used up now lacks the key that this run has begun.
    if isAdminStill, !operations.isEmpty || isLettingIn {
      try tellMissingKeys(loaded.history.roster(), &loaded, &writer, known)
    }
    let isGrown = loaded.history.frontier.contains { stream, sequence in
      guard stream != loaded.state.stream, after.members[stream] != nil else { return false }
      guard before.members[stream]?.isAdmitted == true else { return sequence > 1 }
      // So do earlier records of somebody who may write again.
      return before.limits([stream: sequence]) != after.limits([stream: sequence])
    }
    try replica.keep(writer, &loaded, isApplied: !isGrown)
    return isGrown
  }

  private func tellMissingKeys(
    _ roster: Roster, _ loaded: inout LoadedReplica, _ writer: inout RecordWriter, _ known: Frontier
  ) throws {
    // Those who say that they lack a key read what the key of their word opens.
    for (epoch, members) in roster.missingKeys {
      for member in members where SealingKeyPair.canSeal(to: member.keys.sealing) {
        guard let key = roster.keyOfLack(of: member.stream, epoch.id) else { continue }
        try writer.write(
          [
            .epoch(
              epoch, of: loaded.state.space, for: [(member.stream.bytes, member.keys.sealing)])
          ], to: &loaded.history, knowing: known, with: key)
      }
    }
    let members = roster.missingKeys.map { missing in
      (
        missing.epoch,
        missing.members.filter { roster.lack(of: $0.stream, missing.epoch.id) == nil }
          .map { (id: $0.stream.bytes, publicKey: $0.keys.sealing) }
      )
    }
    let codes = roster.missingRecoveryKeys.map { missing in
      (missing.epoch, missing.codes.map { (id: $0.id, publicKey: $0.keys.sealing) })
    }
    for (epoch, recipients) in members + codes {
      // What nothing can be sealed to lacks the key for ever: that is no record in each run.
      let sealable = recipients.filter { SealingKeyPair.canSeal(to: $0.publicKey) }
      guard let common = roster.keyOfEveryone, !sealable.isEmpty else { continue }
      try writer.write(
        [.epoch(epoch, of: loaded.state.space, for: sealable)], to: &loaded.history,
        knowing: known, with: common)
    }
  }

  /// Who is let in, and which invitations end.
  ///
  /// Those who asked while an invitation held are let in, by the clock of the machine that sees it.
  /// What lies in the store for a code that has ended is overwritten before that is told: a run that
  /// is ended in between does it again.
  private func admissions(
    _ roster: Roster, _ loaded: LoadedReplica
  ) throws -> (operations: [Operation], streams: [StreamID]) {
    let time = now()
    var (written, streams): ([Operation], [StreamID]) = ([], [])
    for invitation in roster.openCodes(where: { !$0.isRecovery }) {
      let new =
        invitation.expires < time
        ? []
        : Array(
          roster.asking(invitation).prefix(max(0, invitation.uses - invitation.accepted.count)))
      streams += new
      if invitation.accepted.count + new.count >= invitation.uses || invitation.expires < time {
        try end(invitation, loaded)
        written.append(
          .settle(invitation: invitation.id, accepted: roster.toName(in: invitation) + new))
      } else if !new.isEmpty, !roster.hasEarlierRules {
        written.append(.admit(invitation: invitation.id, accepted: new))
      }
    }
    return (written, streams)
  }

  /// Overwrites what lies in the store for the codes of invitations that a person ends.
  private func endAll(_ ids: [[UInt8]], _ loaded: LoadedReplica) throws {
    let roster = loaded.history.roster()
    for id in ids {
      guard let invitation = roster.invitations[id], !invitation.isRecovery else { continue }
      try end(invitation, loaded)
    }
  }

  /// Overwrites what lies in the store for an invitation's code.
  private func end(_ invitation: Roster.Invitation, _ loaded: LoadedReplica) throws {
    guard try engine.invitation(invitation.id, in: loaded.state.space) != nil else { return }
    try engine.putInvitation(
      InvitationContent.ended, id: invitation.id, in: loaded.state.space)
  }

  /// A new key for everybody who is in, and for those who may still come: not for a code that those
  /// use up who ask already, which may be somebody else's, too.
  func newEpoch(_ roster: Roster, _ loaded: LoadedReplica) throws -> Operation {
    let number = roster.epochs.map(\.key.number).max() ?? 0
    guard number < .max else {
      throw SyncError(.notAllowed, "the space has no further number for a key")
    }
    let epoch = try EpochKey(number: number + 1, key: SecretBytes.random(count: 32))
    // A home that is put back may have the keys of a machine alone for which another one goes on.
    let members = roster.members.values.filter { $0.last == nil }
      .sorted { $0.stream < $1.stream }.map { ($0.stream.bytes, $0.keys.sealing) }
    let invited = roster.openInvitations(at: now()).filter {
      $0.isRecovery || $0.accepted.count + roster.asking($0).count < $0.uses
    }.map { ($0.id, $0.keys.sealing) }
    return .epoch(epoch, of: loaded.state.space, for: members + invited)
  }
}

extension Roster {
  /// The machines that a record names which ends an invitation: those that came by it and that no
  /// record of its own lets in.
  func toName(in invitation: Invitation) -> [StreamID] {
    hasEarlierRules || invitation.isRecovery ? invitation.accepted : []
  }
}

extension Operation {
  /// Whether it closes an invitation or a recovery code.
  var closesCode: Bool { !settled.isEmpty }

  /// The invitations that it ends.
  fileprivate var settled: [[UInt8]] {
    if case .settle(let invitation, _) = self { [invitation] } else { [] }
  }

  /// The machines that it lets in.
  fileprivate var admitted: [StreamID] {
    switch self {
    case .admit(_, let streams), .settle(_, let streams): streams
    default: []
    }
  }
}
