import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault key rotate`.
struct KeyRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Replace the vault key and seal everything anew; old keys stop working.",
    discussion: """
      The only way to shut out somebody who once held a key. Name every key that opens the vault from now \
      on; without an option, it asks for a passphrase.

      \(ProgramName.current) key rotate --keyring --recovery
      """)

  @OptionGroup(title: "The new keys") var new: NewKeyOptions

  @Flag(
    name: [.long, .customShort("n")], help: "Only show which keys stop working, and the new ones.")
  var dryRun = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard !(new.recovery && new.count == 1) else {
      throw CommandError.usage(
        "a recovery code cannot be the only key",
        hint: "also name a key for daily use")
    }
    let source = try new.passphraseSource()
    guard !dryRun else { return try showPlan(settings) }
    let rotated = try settings.withVault { vault in
      try new.withSlots(source, of: settings.locked()) { try vault.rotate(to: $0) }
    }
    try VaultSettings.tellingNotices(of: rotated) { vault in
      var recovery: RecoveryOffer.Made?
      if new.recovery {
        recovery = try new.recoveryOffer(settings, before: "The vault key is a new one.")
          .makeSlot(in: vault)
      }
      if settings.writesJSON {
        try RecoveryOffer.write(recovery, in: vault) {
          [("slots", .array(try vault.slots().map(\.json)))]
        }
      } else {
        let slots = try vault.slots()
        StandardError.note(
          "a new vault key; unlocked by: \(slots.map(\.words).joined(separator: ", "))")
      }
    }
  }

  /// Shows the keys of now and of afterwards; nothing is made.
  private func showPlan(_ settings: VaultSettings) throws {
    let slots = try settings.withVault { try $0.slots() }
    var coming: [String] = []
    if new.keyring { coming.append("the desktop keyring") }
    if let path = new.newKeyFile { coming.append("key file \(StandardOutput.shown(path))") }
    if new.newPassphrase != nil || new.count == 0 { coming.append("a new passphrase") }
    if new.recovery { coming.append("a new recovery code") }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("isDryRun", .bool(true)), ("stopping", .array(slots.map(\.json))),
        ("coming", .strings(coming)),
      ])
    }
    try StandardOutput.write(
      TextTable.aligned(
        slots.map { ["stops", StandardOutput.shown($0.words)] } + coming.map { ["opens", $0] }))
  }
}
