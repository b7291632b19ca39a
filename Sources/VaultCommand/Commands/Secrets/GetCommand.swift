import ArgumentParser
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault get`.
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Write a secret to stdout, or put it on the clipboard.",
    discussion: """
      Writes exactly its bytes, with a newline only on a terminal. --copy uses the clipboard of the \
      display, or over SSH that of your terminal, and clears it after 45 seconds.

      \(ProgramName.current) get api-token
      \(ProgramName.current) get database --field user
      \(ProgramName.current) get tls/key --out key.pem
      \(ProgramName.current) get api-token --copy
      """)

  @Argument(help: "The item.", completion: .live)
  var name: String

  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp("The field; the main secret if omitted.", valueName: "name"),
    completion: .live)
  var field: String?

  @Option(
    help: ArgumentHelp("An earlier version.", valueName: "number"), completion: .live)
  var version: UInt64?

  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp("Write it to a file that only you can read.", valueName: "file"),
    completion: .file())
  var out: String?

  @OptionGroup(title: "The clipboard") var clipboard: ClipboardOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request().run() }

  func request() throws -> GetRequest {
    let clipboard = try clipboard.request()
    guard clipboard == nil || out == nil else {
      throw CommandError.usage("--copy and --out cannot be combined", hint: "give one of them")
    }
    return GetRequest(
      name: name, field: field, version: version, out: out, clipboard: clipboard,
      settings: try common.settings())
  }
}

/// The parsed line of `vault get`.
package struct GetRequest: Equatable, Sendable {
  package var name: String
  package var field: String?
  package var version: UInt64?
  package var out: String?
  package var clipboard: ClipboardRequest?
  package var settings: VaultSettings

  package init(
    name: String, field: String? = nil, version: UInt64? = nil, out: String? = nil,
    clipboard: ClipboardRequest? = nil, settings: VaultSettings
  ) {
    self.name = name
    self.field = field
    self.version = version
    self.out = out
    self.clipboard = clipboard
    self.settings = settings
  }

  func run() throws {
    let name = try ItemName(name)
    var target: Clipboard?
    let secret = try settings.withVault { vault in
      target = try clipboard?.clipboard(for: vault)
      return try vault.get(name, field: field, version: version)
    }
    if let target {
      let copy = try target.copyAndWarn(secret.bytes)
      guard settings.writesJSON else { return copy.tell() }
      try StandardOutput.write(
        [("name", .string(name.text)), ("field", .optional(field))] + copy.members)
    } else if let out {
      try OutputFile.write(secret.bytes, to: out)
    } else if settings.writesJSON {
      try StandardOutput.write([
        ("name", .string(name.text)), ("field", .optional(field)),
        ("version", version.map { .number(Int64(clamping: $0)) } ?? .null),
        ("encoding", .string(secret.text == nil ? "base64" : "utf-8")),
        ("secret", .string(try secret.text ?? Base64.encoded(secret.bytes).text ?? "")),
      ])
    } else {
      try SecretOutput.write(secret.bytes)
    }
  }
}
