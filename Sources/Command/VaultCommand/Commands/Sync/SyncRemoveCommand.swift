import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault sync remove`.
struct SyncRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a machine: it reads nothing that is written from now on.",
    discussion: """
      What it has read it has read: 'list --exposed-to' names what to change. What it changed stays, unless \
      --since says from when on to revert it: that is shown, and asked, before it is done; what others changed \
      since stays. It may be said of a machine that is out already.

      Anyone with a copy of a home can go on from it as a machine of its own, and as many. --copies removes all \
      that go on from the home of that machine, in one step, also one of an honest person: invite that one again.

      \(ProgramName.current) sync remove desktop
      \(ProgramName.current) sync remove desktop --copies
      \(ProgramName.current) sync remove desktop --since 2026-01-31T18:00:00Z
      """)

  @Argument(help: "Its name, or the beginning of its id.")
  var device: String

  @Option(
    help: ArgumentHelp(
      "Also revert what it changed since this time ago, or this date.", valueName: "time"))
  var since: String?

  @Flag(help: "Also remove all machines that go on from copies of its home.")
  var copies = false

  @Flag(
    name: [.long, .customShort("n")], help: "With --since, only show what would be reverted.")
  var dryRun = false

  @Flag(name: [.long, .customShort("y")], help: "With --since, do not ask.")
  var yes = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard let since else {
      guard !dryRun, !yes else {
        throw CommandError.usage(
          "--dry-run and --yes are about what --since reverts",
          hint:
            "such as: \(ProgramName.current) sync remove \(Quoting.typed(device)) --since 7d --dry-run"
        )
      }
      let removal = try settings.withSpace { try $0.remove(device, copies: copies) }
      if settings.writesJSON { try StandardOutput.write(removal.members) }
      return Self.tell(removal)
    }
    let moment = try Timestamp.moment(since: since)
    let reversion = try settings.withSpace { space in
      // What was changed here goes out behind the removal.
      try space.fetch(acceptingRollback: settings.acceptsRollback)
      let found = try space.changes(by: device, copies: copies, since: moment)
      guard !dryRun else { return found }
      try space.checkRemoval(of: device, copies: copies)
      if !yes, !found.isEmpty { try confirm(found, settings) }
      return try space.remove(device, copies: copies, revertingSince: moment)
    }
    if settings.writesJSON {
      return try StandardOutput.write(
        reversion.members + (dryRun ? [("isDryRun", .bool(true))] : []))
    }
    let nothing = "nothing that it changed since then still stands"
    if dryRun {
      if reversion.rows.isEmpty { StandardError.note(nothing, hint: nil) }
      try StandardOutput.write(TextTable.aligned(reversion.rows))
      return tellUnseen(reversion)
    }
    let count = reversion.count
    StandardError.note(
      count == 0
        ? nothing
        : "reverted: \(Plural.changes(count))",
      hint: count == 0 ? nil : Self.wayBack(of: reversion))
    tellUnseen(reversion)
    if let removal = reversion.removal { Self.tell(removal) }
  }

  private func confirm(_ found: SyncReversion, _ settings: VaultSettings) throws {
    guard !settings.isUnattended, !settings.writesJSON, Prompt.isPossible else {
      let line =
        "\(ProgramName.current) sync remove \(Quoting.typed(device))\(copies ? " --copies" : "")"
        + " --since \(Quoting.typed(since ?? ""))"
      throw CommandError.usage(
        "this would revert \(Plural.changes(found.count)), and nobody can be asked",
        hint: "see them: \(line) --dry-run; do it: \(line) --yes")
    }
    try StandardOutput.write(TextTable.aligned(found.rows))
    tellUnseen(found)
    let label = StandardOutput.shown(found.label)
    try ItemQuestion.confirm("Remove \(label), and revert this?", default: false)
  }

  private func tellUnseen(_ reversion: SyncReversion) {
    let count = reversion.unseenRecords
    guard count > 0 else { return }
    StandardError.note(
      "\(Plural.records(count)) of it that changed something "
        + "\(count == 1 ? "says that it is" : "say that they are") older, and no other machine knew "
        + "\(count == 1 ? "it" : "them") by then",
      hint:
        "look at '\(ProgramName.current) sync log', and give an earlier time if its clock is not to be believed"
    )
  }

  /// How to have again what was reverted: items and preferences each have an undo of their own.
  private static func wayBack(of reversion: SyncReversion) -> String {
    let lines =
      (reversion.items.contains { $0.outcome != .kept } ? ["\(ProgramName.current) undo"] : [])
      + (reversion.preferences.isEmpty ? [] : ["\(ProgramName.current) defaults undo"])
    return "to have them again: \(lines.joined(separator: "; "))"
  }

  private static func tell(_ removal: SyncRemoval) {
    let shown = StandardOutput.shown(removal.label)
    let exposed =
      "what it could read and should be changed: "
      + "\(ProgramName.current) list --exposed-to \(Quoting.typed(removal.name))"
    if let other = removal.sharesKeysWith.map({ StandardOutput.shown($0) }) {
      StandardError.warning(
        "\(shown) is out; but as a copy of \(other)'s home it has the keys of \(other), and reads on "
          + "until \(other) has taken other ones",
        hint: "now on \(other): \(ProgramName.current) sync now; then here the same; \(exposed)")
    } else {
      StandardError.note(
        "\(shown) is out: it can read nothing that is written from now on", hint: exposed)
    }
    if let first = removal.removedCopies.first {
      StandardError.note(
        "out with it, as going on from copies of its home: "
          + (removal.removedCopies.count == 1
            ? StandardOutput.shown(first) : "\(removal.removedCopies.count) machines"),
        hint: "one that is yours joins again by an invitation, after it has left")
    }
    if let first = removal.copies.first {
      let isOne = removal.copies.count == 1
      // Whoever makes them makes more than anybody reads.
      let shown = removal.copies.prefix(4).map { StandardOutput.shown($0) }
        .joined(separator: ", ")
      StandardError.warning(
        isOne
          ? "\(StandardOutput.shown(first)) goes on from a copy of its home, and stays in"
          : "\(removal.copies.count) machines go on from copies of its home, and stay in: \(shown)"
            + (removal.copies.count > 4 ? " …" : ""),
        hint: "if nobody knows \(isOne ? "it" : "them"): \(ProgramName.current) sync remove "
          + "\(Quoting.typed(removal.name)) --copies")
    }
    if let owner = removal.recoveryCodeOf.map({ StandardOutput.shown($0) }) {
      StandardError.note(
        "it came by a recovery code of \(owner), which "
          + (removal.isRecoveryCodeClosed
            ? "lets nobody in any more" : "\(owner) closes with its next run"),
        hint: "make another on \(owner): \(ProgramName.current) key add --recovery")
    }
    guard removal.hasNewKeys else { return }
    StandardError.note(
      "it was a copy of this home: this machine has taken keys that the copy lacks", hint: nil)
  }
}
