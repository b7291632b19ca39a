import ArgumentParser
import FoundationEssentials
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault status`.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the vault, what unlocks it, and the state of the keyring and its copies.",
    discussion: """
      Never prompts, starts no session and changes nothing; names no items. Ends within six seconds, even \
      if the keyring hangs.

      \(ProgramName.current) status
      \(ProgramName.current) status --json
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: StatusRequest { StatusRequest(common: common.given) }
}

/// The parsed line of `vault status`.
struct StatusRequest: Equatable, Sendable {
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    let status = try StatusReport(settings)
    if settings.writesJSON {
      try StandardOutput.write(JSONValue.document(status.members))
    } else {
      let rows = status.rows
      try StandardOutput.write(
        TextTable.aligned(rows) { row, column in
          column == 0
            ? .faint : rows[row][0] == StatusReport.openingLabel ? status.opening.style : nil
        })
    }
    Notices.tell()
    guard !settings.writesJSON else { return }
    for warning in status.warnings { StandardError.note(warning.message, hint: warning.hint) }
  }
}

/// The state of a vault, determined without a prompt and without changing anything.
struct StatusReport {
  /// The unlock source that works now, or the reason why none does.
  enum Opening {
    case opens(door: UnlockSources.Named, slot: String)
    /// A prompt on the terminal could unlock it; none was shown.
    case asks(KeySlot.Kind)
    case nothing(why: String, hint: String?)
  }

  let summary: VaultSummary
  let session: SessionState
  let slots: [KeySlot]
  let opening: Opening
  /// `nil` if the keyring is not to be used.
  let keyring: KeyringStatus?
  /// `nil` if the vault is locked or the keyring does not answer.
  let copies: CopyReport?
  /// `nil` if the vault is locked, as for all counts.
  let items: [Item]?
  let trashed: Int?
  let isPublishing: Bool?
  /// When the file was last written.
  let modified: Date?
  /// When it was last backed up on this machine.
  let lastBackup: Date?

  init(_ settings: VaultSettings) throws {
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
    isPublishing = try open?.blocking.isPublishing()
    copies = keyring?.message == nil && keyring != nil ? try? open?.blocking.copies() : nil
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
