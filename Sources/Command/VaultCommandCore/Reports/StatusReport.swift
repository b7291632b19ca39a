package import FoundationEssentials
import Glibc
package import VaultCredentials
import VaultStorage
package import VaultSync
import VaultTerminal

/// The state of a vault, determined without a prompt and without changing anything.
package struct StatusReport {
  /// The unlock source that works now, or the reason why none does.
  package enum Opening {
    case opens(door: UnlockSources.Named, slot: String)
    /// A prompt on the terminal could unlock it; none was shown.
    case asks(KeySlot.Kind)
    case nothing(why: String, hint: String?)
  }

  package let summary: VaultSummary
  package let session: SessionState
  package let slots: [KeySlot]
  package let opening: Opening
  /// `nil` if the keyring is not to be used.
  package let keyring: KeyringStatus?
  /// `nil` if the vault is locked or the keyring does not answer.
  package let copies: CopyReport?
  /// `nil` if the vault is locked, as for all counts.
  package let items: [Item]?
  package let trashed: Int?
  package let isPublishing: Bool?
  /// When the file was last written.
  package let modified: Date?
  /// When it was last backed up on this machine.
  package let lastBackup: Date?
  /// `nil` if the vault is locked, or belongs to no space.
  package let sync: SyncOverview?
  /// The number of items with two values that met.
  package let conflicts: Int

  package init(_ settings: VaultSettings) throws {
    let vault = try settings.locked(asksNobody: true)
    summary = try vault.blocking.summary()
    session = try vault.blocking.session()
    modified = (try? System.status(of: summary.path, in: AT_FDCWD)).map {
      Date(timeIntervalSince1970: Double($0.changed / 1_000_000_000))
    }
    lastBackup = try vault.blocking.lastBackup().map {
      Date(timeIntervalSince1970: Double($0) / 1000)
    }
    // First, so that a hung keyring is waited for only once.
    keyring = settings.usesKeyring ? vault.blocking.keyringStatus() : nil
    let (open, opening) = try Self.open(vault, settings, slots: summary.slots)
    self.opening = opening
    slots = try open?.blocking.slots() ?? summary.slots
    items = try open?.blocking.items()
    var trash = ItemQuery()
    trash.isInTrash = true
    trashed = try open?.blocking.items(matching: trash).count
    let location = try settings.location()
    sync = try open.flatMap {
      try SyncedVault.overview(
        of: $0, preferences: StoredPreferences(location: location, keys: $0.blocking))
    }
    var conflicting = ItemQuery()
    conflicting.isConflicting = true
    conflicts = sync == nil ? 0 : try open?.blocking.items(matching: conflicting).count ?? 0
    isPublishing = try open?.blocking.isPublishing()
    copies = keyring?.isLocked == false ? try? open?.blocking.copies() : nil
    Notices.collect()
  }

  private static func open(
    _ vault: LockedVault, _ settings: VaultSettings, slots: [KeySlot]
  ) throws -> (UnlockedVault?, Opening) {
    var failure: CredentialError?
    for door in UnlockSources(settings: settings, vault: vault).withoutAsking() {
      do {
        let open = try vault.blocking.unlock(with: [door.source])
        Notices.watch(open)
        return (open, .opens(door: door, slot: open.openedBy.slotLabel))
      } catch let error as CredentialError {
        switch error.code {
        case .damaged, .weakSlot, .newerVersion: throw error
        // This source had no key, which is not the reason to report.
        case .locked where error.underlying == nil && failure != nil: continue
        default: failure = error
        }
      }
    }
    let kinds = slots.map(\.kind)
    for kind in [KeySlot.Kind.passphrase, .recovery]
    where Prompt.isPossible && kinds.contains(kind) { return (nil, .asks(kind)) }
    return (
      nil, .nothing(why: failure?.message ?? "nothing is at hand", hint: failure?.advice)
    )
  }
}
