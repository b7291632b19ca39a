import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultPreferences
import VaultStorage
import VaultTerminal

/// `vault settings`.
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show or change the settings of this vault.",
    discussion: """
      They are sealed in the vault and apply wherever it is opened.

      \(ProgramName.current) settings                   what is set
      \(ProgramName.current) settings session 1h        how long it stays open after it was opened
      \(ProgramName.current) settings session 0         never: every command opens it anew
      \(ProgramName.current) settings session default   fifteen minutes again
      \(ProgramName.current) settings clipboard 20s     when a copied secret is cleared; 0 for never
      \(ProgramName.current) settings log off           no record of who uses secrets; on for one

      Limits of this machine or person, which no vault exceeds, are preferences:

      \(ProgramName.current) defaults describe secrets.vault
      """)

  /// The settings.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case session, clipboard, log
  }

  @Argument(help: "What to set.") var name: Name?

  @Argument(help: "A time, 0, or default; for the log, on or off.") var value: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let seconds = name == .log ? nil : try seconds()
    let isOn = name == .log ? try isOn() : nil
    let (session, clipboard, log) = try settings.withVault { vault in
      if value != nil {
        switch name {
        case .session: try vault.setSession(seconds: seconds)
        case .clipboard: try vault.setClipboard(seconds: seconds)
        case .log: try vault.setUsageLog(isOn ?? true)
        case nil: break
        }
      }
      return (
        try vault.sessionSetting(), try vault.clipboardSetting(),
        try vault.keepsUsageLog() ? "on" : "off"
      )
    }
    let limits = try limits(settings)
    if settings.writesJSON {
      let number = { (seconds: Int?) in seconds.map { JSONValue.number(Int64($0)) } ?? .null }
      try StandardOutput.write([
        ("session", number(session)), ("clipboard", number(clipboard)), ("log", .string(log)),
        ("sessionAtMost", number(limits.session)), ("clipboardAtMost", number(limits.clipboard)),
      ])
      return
    }
    let words: (session: String, clipboard: String) = (
      Self.words(
        session, default: VaultOptions.standardSessionSeconds,
        never: "every command unlocks the vault again", limit: limits.session),
      Self.words(
        clipboard, default: Clipboard.standardSeconds, never: "a copied secret stays",
        limit: limits.clipboard)
    )
    let rows = [["session", words.session], ["clipboard", words.clipboard], ["log", log]]
    if let name, value != nil {
      StandardError.confirmation(
        "\(name.rawValue) is now \(rows.first { $0[0] == name.rawValue }?[1] ?? "")")
    } else {
      try StandardOutput.write(
        TextTable.aligned(rows.filter { name == nil || $0[0] == name?.rawValue }))
    }
  }

  /// Whether uses are to be recorded; `nil` if the line does not say.
  private func isOn() throws -> Bool? {
    switch value {
    case nil: nil
    case "on", "default": true
    case "off": false
    default:
      throw CommandError.usage(
        "the log is on or off", hint: "such as: \(ProgramName.current) settings log off")
    }
  }

  /// The limits of this machine and person.
  private func limits(_ settings: VaultSettings) throws -> (session: Int?, clipboard: Int?) {
    let limits = ProgramPreferences(at: try settings.location())
    do {
      return (
        try limits.seconds(ProgramPreferences.sessionAtMost),
        try limits.seconds(ProgramPreferences.clipboardAtMost)
      )
    } catch {
      StandardError.warning(
        "the limits of this machine cannot be read: \(error.message)",
        hint: ProgramPreferences.hint)
      return (nil, nil)
    }
  }

  /// A time as people say it.
  private static func words(
    _ seconds: Int?, default standard: Int, never: String, limit: Int?
  ) -> String {
    let words =
      switch seconds {
      case nil: "\(Plural.time(standard)) (the default)"
      case 0: "0: \(never)"
      case let seconds?: Plural.time(seconds)
      }
    guard let limit else { return words }
    return "\(words); here \(limit == 0 ? "0" : Plural.time(limit)) at most"
  }

  /// The validated value; `nil` for the default.
  private func seconds() throws -> Int? {
    guard let value, value != "default" else { return nil }
    switch name {
    case .clipboard:
      guard let time = Clipboard.seconds(value) else {
        throw CommandError.usage(
          "the clipboard time must be up to 1h, 0 for never, or default",
          hint: "such as: \(ProgramName.current) settings clipboard 20s")
      }
      return time
    case .session, .log, nil:
      guard let time = TimeSpan.seconds(value), (0...30 * 86_400).contains(time) else {
        throw CommandError.usage(
          "a session must be 0, default, or a duration up to 30d",
          hint: "such as: \(ProgramName.current) settings session 1h"
        )
      }
      return time
    }
  }
}
