public import FoundationEssentials
public import VaultCredentials
public import VaultSealing

/// The result of bringing a vault and its space together.
public struct SyncReport: Sendable {
  /// What changed in this vault.
  public internal(set) var changes: MergeReport
  /// The number of records that went to the store.
  public internal(set) var sent = 0
  /// The number of records that the store had lost, and has again: this machine's, those of others
  /// that it has, and what its recovery codes open.
  public internal(set) var mended = 0
  /// The number of records that came from it.
  public internal(set) var received = 0
  /// Preference domains that others changed, and that were changed here.
  public internal(set) var domains: [String] = []
  /// Preferences that are too long to travel: each domain and key.
  public internal(set) var tooLong: [String] = []
  /// Machines of which records are still on their way, by their labels.
  public internal(set) var waiting: [String] = []
  /// The streams of these machines.
  var waitingStreams: Set<StreamID> = []
  /// How far streams of others were taken, of which there was more.
  var taken: Frontier = [:]
  /// Streams that do not go on, and why.
  var stops: [RecordHistory.Stop] = []
  /// Streams of which the store shows less than before.
  var rollbacks: Set<StreamID> = []
  /// How many items were looked at to bring the vault and the records together; `nil` for all.
  package var itemsLookedAt: Int?
  /// Whether nothing was written to the store, since it lacks what this machine wrote there.
  package var isBlocked = false
  /// Machines whose records are not taken any more, since what they signed is wrong; the others go
  /// on.
  public internal(set) var stopped: [SyncError] = []
  /// Machines that ask to be let in by an invitation whose time is over, by their labels.
  public internal(set) var asking: [String] = []
  /// What is wrong with the store; everything else was done, but nothing was written to a store that
  /// lacks what this machine wrote there before.
  public internal(set) var problems: [SyncError] = []
  /// The name under which this machine goes on in a part of the space of its own, since its home had
  /// been put back or copied; `nil` in all other runs.
  public internal(set) var successor: String?
  /// Whether this machine has taken other keys, in this run.
  ///
  /// A copy of its home was removed, or has left, that has the ones it had.
  public internal(set) var hasNewKeys = false
  /// What this machine may do from now on; `nil` where that did not change in this run.
  public internal(set) var newRole: SyncRole?
  /// The name that this machine has from now on, since another one that was let in before has the one
  /// it had asked for; `nil` in all other runs.
  public internal(set) var renamed: String?
  /// Machines that go on by copies of this home, by their labels; in one run alone.
  public internal(set) var copies: [String] = []
  /// Machines that go on by copies of other homes, for an admin; in one run alone.
  public internal(set) var copiesOfOthers: [Copy] = []
  /// Machines that went on from the same home before this one did, by their labels; in one run alone.
  ///
  /// Where a home was put back again and again, they are no more.
  public internal(set) var siblings: [String] = []
  /// How many recovery codes of this vault let nobody in any more since this run.
  ///
  /// Somebody was put out who knew them, or this machine has a lower role.
  public internal(set) var closedRecoveryCodes = 0
  /// Machines that came by a recovery code, for an admin; in one run alone.
  public internal(set) var cameByCode: [CameByCode] = []
  /// Machines whose invitation had been used by another one, or whose recovery code had been
  /// withdrawn, by their labels; in one run alone.
  public internal(set) var refused: [String] = []
  /// How old the feed is that this vault follows; `nil` on a machine of the space.
  public internal(set) var feedAge: FeedAge?
  /// Items, or changes of them, that the vault cannot hold and that were left out.
  public internal(set) var refusedItems: [RefusedItem] = []

  /// An item of a record that was left out.
  public struct RefusedItem: Sendable, Equatable {
    /// The machine that wrote it, by its label; `nil` where the vault has no room for it.
    public let machine: String?
    /// What the item is called; `nil` if nobody has said.
    public let name: String?
    /// Which rule it breaks: a sentence without a secret.
    public let reason: String
  }

  /// A machine that goes on by a copy of another one's home.
  public struct Copy: Sendable, Equatable {
    /// What it is called.
    public let label: String
    /// What the other one is called.
    public let original: String
  }

  /// A machine that came by a recovery code, which nobody had to let in.
  public struct CameByCode: Sendable, Equatable {
    /// What it is called.
    public let label: String
    /// The machine in whose vault the code is, or was.
    public let owner: String
  }

  /// Notes what new records brought that was left out.
  mutating func noteRefusals(
    of state: FoldedSpace, after known: Frontier, _ own: StreamID, _ roster: Roster
  ) {
    refusedItems += state.refusals.filter {
      $0.record.sequence > known[$0.record.stream, default: 0]
    }
    .map { refusal in
      // A change of an item that is there does not say what that is called.
      RefusedItem(
        machine: roster.shownLabel(of: refusal.record.stream),
        name: refusal.name ?? state.told[refusal.id]?.name,
        reason: refusal.breach.message)
    }
  }

  /// Adds to the problems that items were left out, once everything else is done.
  mutating func tellRefusals() {
    refusedItems += changes.leftOut.map {
      RefusedItem(machine: nil, name: $0.text, reason: ItemRules.Breach.noRoom.message)
    }
    guard !refusedItems.isEmpty else { return }
    let machines = Set(refusedItems.compactMap(\.machine)).sorted()
    let count = refusedItems.count == 1 ? "1 item" : "\(refusedItems.count) items"
    let origin = machines.isEmpty ? "of the space" : "of \(machines.joined(separator: ", "))"
    problems.append(
      SyncError(
        .itemRefused, "\(count) \(origin) cannot be held by a vault and stayed out",
        hint: "everything else was done; have it changed there, or that machine removed"))
  }
}

/// An invitation: whoever has its code can join.
public struct SyncInvitation: Sendable {
  /// The code: 36 letters and digits in groups.
  ///
  /// Show it to one person, and do not keep it.
  public let text: SecretBytes
  /// What the machine that joins may do.
  public let role: SyncRole
  /// When the code can no longer be used.
  public let expires: Date
  /// How many machines may join by it.
  public let uses: Int
}

/// A machine of a space.
public struct SyncDevice: Sendable {
  /// 32 hex digits.
  public let id: String
  /// What it is called.
  public let label: String
  /// What it may do.
  public let role: SyncRole
  /// Whether it is this one.
  public let isThisMachine: Bool
  /// When it joined, by its own clock.
  public let joined: Date
  /// When it wrote its newest record, by its own clock; not later than now.
  public let lastHeard: Date
  /// Whether it was removed.
  public let isRemoved: Bool
  /// Whether an admin's machine has let it in; of others than this machine always true.
  public let isAdmitted: Bool
  /// The id of the invitation or recovery code by which it came, 32 hex digits; `nil` for the
  /// machine that made the space.
  public let invitation: String?
  /// The machine that made the invitation, or whose vault has the recovery code.
  public let invitedBy: String?
  /// The machine whose record let it in; of a recovery code the one that told the code.
  public let admittedBy: String?
  /// Whether it came by a recovery code of ``invitedBy``, and nobody had to let it in.
  public let cameByRecoveryCode: Bool
}

/// How a vault stands to its space, as far as this machine knows without asking the store.
public struct SyncStatus: Sendable {
  /// Where the store is.
  public let store: String
  /// The space's id, 32 hex digits.
  public let space: String
  /// What this machine is called.
  public let label: String
  /// What it may do; `nil` if it is not in, or no longer.
  public let role: SyncRole?
  /// The number of machines that are in.
  public let devices: Int
  /// The machines that may do everything, who comes first first, by their labels.
  public let owners: [String]
  /// The machines that may let others in and remove them without being owners, by their labels.
  public let admins: [String]
  /// The number of recovery codes that open the space.
  public let recoveryCodes: Int
  /// The number of subscriptions by whose codes the space is read.
  public let subscriptions: Int
  /// The subscription by which this vault follows a feed; `nil` on a machine of the space.
  public let subscription: String?
  /// Whether that subscription has ended, so that nothing comes any more.
  public let isSubscriptionEnded: Bool
  /// How old that feed is; `nil` on a machine of the space.
  public let feedAge: FeedAge?
  /// Own records that the store does not have yet.
  public let unsent: Int
  /// Items that were changed here, and are in no record yet.
  public let changedItems: Int
  /// Preferences that were changed here, and are in no record yet.
  public let changedPreferences: Int
  /// Preference domains that this machine has in the space, sorted.
  public let domains: [String]
  /// Preference domains that others have there, and this machine has not, sorted.
  public let otherDomains: [String]
  /// Machines that have written two histories, with the proofs that this machine has kept.
  public let forks: [SyncFork]
  /// Machines of which records are still on their way, by their labels, since the last run that saw it.
  public let waiting: [String]
  /// Machines whose records are not taken any more, by their labels, since the last run that saw it.
  public let stopped: [String]
  /// When the store answered last; `nil` for never.
  public let lastContact: Date?
}

/// A line of what happened in a space.
public struct SyncLogEntry: Sendable {
  /// What was done.
  public enum Action: String, Sendable {
    /// The space was made.
    case created
    /// A machine joined.
    case joined
    /// A machine whose home was put back or copied goes on in a stream of its own.
    case succeeded
    /// A machine was removed, or left.
    case removed
    /// A machine got another role.
    case role
    /// A machine was let in.
    case admitted
    /// Somebody was invited.
    case invited
    /// A subscription was made.
    case subscribed
    /// A subscription was ended.
    case unsubscribed
    /// An item was added or changed.
    case changed
    /// An item was removed for good.
    case purged
    /// Preferences were changed.
    case preferences
  }

  /// When, by the clock of the machine that did it.
  public let time: Date
  /// The machine that did it: as ``SyncDevice/label`` has it.
  public let device: String
  /// The same as ``SyncDevice/id`` has it.
  public let deviceID: String
  /// What was done.
  public let action: Action
  /// The item, the preference domain, the subscription, or the machine that was removed; `nil` where
  /// there is none, or it is not known.
  public let subject: String?
  /// Of a machine, the same as ``SyncDevice/id`` has it; `nil` for all else.
  public let subjectID: String?
  /// Of an item that was there before, what was changed: `secret`, `field NAME`, `note`, `attribute
  /// NAME`, `tag NAME`, `expiry`, `name`, `trash`, `kind`.
  public let properties: [String]
}
