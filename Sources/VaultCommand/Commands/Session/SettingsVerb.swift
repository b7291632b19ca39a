import ArgumentParser
import VaultCredentials

/// `vault settings`.
struct SettingsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Say or change how this vault behaves.",
    discussion: """
      They are sealed in the vault and hold wherever it is opened.

      vault settings                   what is set
      vault settings session 1h        how long it stays open after it was opened
      vault settings session 0         never: every command opens it anew
      vault settings session default   fifteen minutes again
      """)

  /// What can be set.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case session
  }

  @Argument(help: "What to set.") var name: Name?

  @Argument(help: "A time, 0, or default.") var value: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    var seconds: Int?
    if let value, value != "default" {
      guard let time = value == "0" ? 0 : TimeSpan.seconds(value), (0...30 * 86_400).contains(time)
      else {
        throw CommandError.usage(
          "a session is 0, default, or a time up to 30d", hint: "such as: vault settings session 1h"
        )
      }
      seconds = time
    }
    let session = try settings.withVault { vault in
      if value != nil { try vault.setSession(seconds: seconds) }
      return try vault.sessionSetting()
    }
    if settings.writesJSON {
      try StandardOutput.write([("session", session.map { .number(Int64($0)) } ?? .null)])
    } else if value == nil {
      let words = session.map { $0 == 0 ? "0" : TimeSpan.text($0) } ?? "default"
      try StandardOutput.write(TextTable.aligned([["session", words]]))
    }
  }
}
