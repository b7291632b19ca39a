import FoundationEssentials
import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Whether a subscription may be called so.
  package static func isNewSubscription(_ name: String) -> Bool {
    Operation.isNewLabel(name) && name.utf8.count <= SubscriptionName.maximumLength
  }

  /// Makes a subscription: a key pair of a group that reads the space by a mirror of it.
  ///
  /// Brings the vault and its space together first. The code is nowhere but in the result. Nobody can
  /// join by it: who has it has no stream, and is no machine of the space.
  ///
  /// ```swift
  /// let code = try laptop.subscribe("shops")
  /// print("for \(code.name): \(code.text.count) characters, to be handed on in private")
  /// ```
  ///
  /// - Parameters:
  ///   - name: What it is called: 1 to 24 bytes of letters, digits, dots, hyphens, underscores.
  ///   - seconds: For how long, 1 to 3,650 days in seconds; `nil` for until it is removed.
  /// - Returns: The code.
  /// - Throws: ``SyncError`` with code `.notAllowed` unless this machine is an admin, for a name that
  ///   cannot be used or is taken, and in a space of an earlier version; `.invitation` for a number
  ///   out of range; what ``synchronize(acceptingRollback:)`` throws.
  public func subscribe(_ name: String, seconds: Int? = nil) throws -> SyncSubscriptionCode {
    guard Self.isNewSubscription(name) else {
      throw SyncError(
        .notAllowed,
        "a subscription's name has 1 to 24 letters, digits, dots, hyphens and underscores, and no hyphen in front",
        hint: "choose another name")
    }
    guard seconds.map((1...3650 * 86_400).contains) ?? true else {
      throw SyncError(.invitation, "a subscription is for 3,650 days at most")
    }
    let expires = seconds.map { now() + Int64($0) * 1000 } ?? .max
    return try files.locked {
      var loaded = try replica.load()
      let code = try SubscriptionCode.random(for: loaded.state.space)
      let keys = code.keys(called: name)
      let id = try InvitationCode.id(of: keys)
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        try Membership(exchange).checkAdmin(roster, loaded)
        guard !roster.hasEarlierRules else {
          throw SyncError(
            .notAllowed, "this space was made by a version that has no subscriptions",
            hint: "make another space, and subscriptions in that")
        }
        guard !roster.subscriptions.contains(where: { !$0.isSettled && $0.subscription == name })
        else {
          throw SyncError(
            .notAllowed, "the space has a subscription of that name",
            hint: "remove that one first, or choose another name")
        }
        // 'list --exposed-to' asks for both by their names.
        guard !roster.members.values.contains(where: { $0.label == name }) else {
          throw SyncError(
            .notAllowed, "a machine of the space has that name, or had it",
            hint: "choose another name")
        }
        return [
          .invite(invitation: id, keys: keys, role: .reader, uses: 1, expires: expires)
        ]
      }
      do {
        try SyncRun(exchange).synchronize(&loaded, also: operations).checkIsDone()
      } catch {
        try? Keeping(exchange).withdraw(id)
        throw error
      }
      return SyncSubscriptionCode(name: name, text: code.text, expires: Self.date(expires))
    }
  }

  /// The subscriptions of the space, as far as this machine knows, the oldest first; those that were
  /// ended at the end.
  ///
  /// - Returns: The subscriptions.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public func subscriptions() throws -> [SyncSubscription] {
    let roster = try files.reading { try replica.look() }.history.roster()
    return roster.subscriptions.compactMap { Self.described($0, roster) }
      .sorted { ($0.isEnded ? 1 : 0, $0.made, $0.id) < ($1.isEnded ? 1 : 0, $1.made, $1.id) }
  }

  /// Ends a subscription: nobody reads by its code what is written from now on.
  ///
  /// Brings the vault and its space together first, and begins an epoch. What was read was read:
  /// ``items(exposedTo:)`` names what to change.
  ///
  /// - Parameter name: What it is called, or the beginning of its id.
  /// - Returns: The subscription.
  /// - Throws: ``SyncError`` with code `.deviceNotFound` for none of that name, or several;
  ///   `.notAllowed` unless this machine is an admin; what ``synchronize(acceptingRollback:)`` throws.
  @discardableResult
  public func endSubscription(_ name: String) throws -> SyncSubscription {
    try files.locked {
      var loaded = try replica.load()
      var ended: [UInt8]?
      func operations(_ loaded: inout LoadedReplica, _ roster: Roster) throws -> [Operation] {
        guard ended == nil else { return [] }
        try Membership(exchange).checkAdmin(roster, loaded)
        let found = try roster.subscription(name)
        ended = found.id
        return found.isSettled ? [] : [.settle(invitation: found.id, accepted: [])]
      }
      try Keeping(exchange).saying { roster in
        ended.flatMap { roster.invitations[$0] }?.isSettled ?? false
      } _: {
        try SyncRun(exchange).synchronizeClosing(&loaded, with: operations)
      }
      let roster = loaded.history.roster()
      guard let found = ended.flatMap({ roster.invitations[$0] }),
        let described = Self.described(found, roster)
      else { throw Replica.copied }
      return described
    }
  }

  private static func described(
    _ invitation: Roster.Invitation, _ roster: Roster
  ) -> SyncSubscription? {
    guard let name = invitation.subscription else { return nil }
    return SyncSubscription(
      name: name, id: Hexadecimal.text(invitation.id),
      madeBy: roster.shownLabel(of: invitation.inviter),
      made: Date(timeIntervalSince1970: Double(invitation.record.content.time) / 1000),
      expires: date(invitation.expires), isEnded: invitation.isSettled)
  }

  private static func date(_ milliseconds: Int64) -> Date? {
    milliseconds == .max ? nil : Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}

extension Roster {
  /// All subscriptions, also those that were ended.
  var subscriptions: [Invitation] {
    invitations.values.filter { $0.subscription != nil }
      .sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }

  /// The one subscription that a person means: by its name or the beginning of its id, those first
  /// that are open.
  ///
  /// - Throws: ``SyncError`` with code `.deviceNotFound`.
  func subscription(_ name: String) throws -> Invitation {
    let named = subscriptions.filter { $0.subscription == name }
    let found =
      named.isEmpty && name.utf8.count >= 6
      ? subscriptions.filter { Hexadecimal.text($0.id).hasPrefix(name) } : named
    let open = found.filter { !$0.isSettled }
    let meant = open.isEmpty ? found : open
    guard let first = meant.first else {
      throw SyncError(.deviceNotFound, "the space has no subscription of that name")
    }
    guard meant.count == 1 || open.isEmpty else {
      let ids = meant.prefix(4).map { String(Hexadecimal.text($0.id).prefix(8)) }
      throw SyncError(
        .deviceNotFound, "the space has \(meant.count) subscriptions of that name",
        hint: "give the beginning of its id: \(ids.joined(separator: ", "))"
          + (meant.count > ids.count ? " …" : ""))
    }
    return first
  }
}
