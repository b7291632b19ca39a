import ArgumentParser
import VaultCommandCore
import VaultCredentials
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
      """)

  /// The settings.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case session, clipboard
  }

  @Argument(help: "What to set.") var name: Name?

  @Argument(help: "A time, 0, or default.") var value: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let seconds = try seconds()
    let (session, clipboard) = try settings.withVault { vault in
      if value != nil {
        switch name {
        case .session: try vault.setSession(seconds: seconds)
        case .clipboard: try vault.setClipboard(seconds: seconds)
        case nil: break
        }
      }
      return (try vault.sessionSetting(), try vault.clipboardSetting())
    }
    if settings.writesJSON {
      let number = { (seconds: Int?) in seconds.map { JSONValue.number(Int64($0)) } ?? .null }
      try StandardOutput.write([("session", number(session)), ("clipboard", number(clipboard))])
      return
    }
    let words = { (seconds: Int?) in
      seconds.map { $0 == 0 ? "0" : TimeSpan.text($0) } ?? "default"
    }
    if let name, value != nil {
      StandardError.confirmation(
        "\(name.rawValue) is now \(words(name == .session ? session : clipboard))")
    } else {
      let rows = [["session", words(session)], ["clipboard", words(clipboard)]]
      try StandardOutput.write(
        TextTable.aligned(rows.filter { name == nil || $0[0] == name?.rawValue }))
    }
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
    case .session, nil:
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
