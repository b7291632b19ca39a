import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault read`.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Write what a reference points to.",
    discussion: """
      A reference is secret://NAME[?OPTIONS][#FIELD], in another vault secret://@VAULT/NAME. Its options, \
      joined by &: attribute=fingerprint|expiry|otp, json=a.b for a member of a JSON secret, \
      encoding=base64|hex|url|json|shell|pgpass|netrc|ini, default=TEXT.

      \(ProgramName.current) read secret://work/github#user
      """)

  @Argument(
    help: ArgumentHelp("The reference.", valueName: "reference"), completion: .live)
  var reference: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: ReadRequest { ReadRequest(reference: reference, common: common.given) }
}

/// The parsed line of `vault read`.
struct ReadRequest: Equatable, Sendable {
  var reference: String
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    let reference = try SecretReference(reference)
    let reading = ReferenceReading(settings)
    let value = try reading.value(of: reference)
    try reading.throwIfMissing()
    guard let value else { return }
    reading.recordUses()
    if settings.writesJSON {
      let text = Secret(value).text
      return try StandardOutput.write([
        ("name", .string(reference.name)), ("field", .optional(reference.field)),
        ("encoding", .string(text == nil ? "base64" : "utf-8")),
        ("value", .string(try text ?? Base64.encoded(value).text ?? "")),
      ])
    }
    try SecretOutput.write(value)
  }
}
