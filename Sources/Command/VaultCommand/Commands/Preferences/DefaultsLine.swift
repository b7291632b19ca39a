import VaultCommandCore
import VaultCredentials
import VaultDefaultsTool
import VaultSealing
import VaultStorage
import VaultTerminal

/// A line of `vault defaults`, recognized before the argument parser.
struct DefaultsLine: Equatable {
  /// The common options before the verb, which select the store.
  private(set) var settings = VaultSettings()
  private let words: [String]

  /// The line, if its verb is `defaults`; common options may stand before it.
  init?(_ arguments: [String]) {
    let (leading, rest) = CommandLineParsing.leadingOptions(arguments)
    guard rest.first == DefaultsCommand.verbName else { return nil }
    words = Array(rest.dropFirst())
    guard let read = VaultSettings(plain: leading) ?? (try? VaultSettings(parsing: leading)) else {
      return nil
    }
    settings = read
  }

  func run() throws {
    if words == ["--help"] || words == ["-h"] {
      return try StandardOutput.line(DefaultsCommand.help)
    }
    // Under a link, `defaults --version` is ours to answer.
    if words == ["--version"] { return try StandardOutput.line(VaultTool.version) }
    var failure: (any Error)?
    let status = Self.tool(settings) { failure = $0 }.run(words)
    if let failure { throw failure }
    if status != .done { throw ExitStatusOnly(status: ExitStatus(code: status.rawValue)) }
  }

  /// What runs a line.
  ///
  /// - Parameters:
  ///   - settings: Which store, and what opens the vault.
  ///   - failed: Is called where stdout cannot be written.
  /// - Returns: The tool.
  static func tool(_ settings: VaultSettings, failed: @escaping (any Error) -> Void) -> DefaultsTool
  {
    DefaultsTool(
      location: { try settings.location() },
      streams: DefaultsTool.Streams(
        output: { bytes in
          do { try StandardOutput.write(bytes) } catch { failed(error) }
        },
        error: { bytes in
          // A name may hold control characters that a terminal would act on.
          let lines = String(decoding: bytes, as: UTF8.self)
            .parts(at: "\n", keepsEmpty: true)
          StandardError.write(lines.map { Sanitizer.visible(String($0)) }.joined(separator: "\n"))
        },
        input: { try StandardInput.all() }),
      keys: {
        let vault = try settings.locked()
        guard try vault.blocking.exists() else { return nil }
        return try vault.blocking.unlock(
          with: UnlockSources(settings: settings, vault: vault).sources()
        )
        .blocking
      }, following: settings.synchronizingPreferences,
      ownSchemas: ProgramPreferences.schemas, origin: { CallingProgram.name },
      program: ProgramName.current,
      message: { ($0 as? any CodedError)?.message ?? "\($0)" })
  }
}
