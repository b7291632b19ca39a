import ArgumentParser
import FoundationEssentials
import VaultCredentials
import VaultSealing

/// `vault set`.
struct SetVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Keep a secret; asks for it twice.",
    discussion: """
      The version before is kept. The secret is never given on the command line.

      vault set api-token
      printf %s "$TOKEN" | vault set work/github --stdin
      vault set tls/key --file key.pem
      """)

  @Argument(help: "The item.", completion: .live)
  var name: String

  // Caught here so that a secret which was typed as a second word is not repeated by a message.
  @Argument(help: .hidden)
  var surplus: [String] = []

  @Flag(help: "Read it from stdin; the final newline of a single line is dropped.")
  var stdin = false

  @Option(
    help: ArgumentHelp("Read it from a file, exactly.", valueName: "path"), completion: .file())
  var file: String?

  @Flag(help: "With --stdin: keep a final newline.")
  var exact = false

  @Option(
    help: ArgumentHelp("Set one of its further fields.", valueName: "name"), completion: .live)
  var field: String?

  @OptionGroup(title: "What is known of it") var details: ItemDetailOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    guard surplus.isEmpty else {
      throw CommandError.usage(
        "a secret is never given on the command line: every user can read it there, "
          + "and the shell keeps it in its history",
        hint: "leave it out to be asked for it, or use --stdin or --file PATH")
    }
    guard !(stdin && file != nil) else {
      throw CommandError.usage(
        "--stdin and --file are two sources at once", hint: "give one of them")
    }
    let settings = try common.settings()
    if stdin, settings.passphrase?.usesStandardInput == true {
      throw CommandError.usage(
        "the passphrase and the secret cannot both come from stdin",
        hint: "give the passphrase as file:PATH or fd:N")
    }
    let name = try ItemName(name)
    let changes = try details.changes()
    // Read before anything is opened or made: what is too long or not there changes nothing.
    let given = try givenSecret()
    try settings.withVaultMade { vault in
      let secret = try given ?? asked(name)
      let change = try vault.set(
        name, to: Secret(secret), field: field,
        changes: try details.merged(into: changes, for: name, in: vault))
      try report(change, secret, settings)
    }
  }

  private func givenSecret() throws -> SecretBytes? {
    if let file { return try SecretInput.read(file: file, limit: Secret.maximumLength) }
    guard stdin else { return nil }
    if ProcessState.isTerminal(0) {
      throw CommandError.usage(
        "stdin is the terminal, which would show the secret", hint: "leave --stdin out")
    }
    let secret = try SecretInput.read(0, limit: Secret.maximumLength + 1)
    guard !exact, SecretText.isSingleLine(secret) else { return try limited(secret) }
    StandardError.note("dropped the newline at the end; --exact keeps it")
    return try limited(SecretInput.droppingNewline(secret))
  }

  private func limited(_ secret: SecretBytes) throws -> SecretBytes {
    guard secret.count <= Secret.maximumLength else {
      throw CommandError(
        "too-long", "a secret has at most 1 MiB",
        hint: "keep large files elsewhere and only their key in the vault", status: .cannotCreate)
    }
    return secret
  }

  private func asked(_ name: ItemName) throws -> SecretBytes {
    let question = "Secret for \(Sanitizer.visible(name.text))" + (field == nil ? "" : ", field")
    guard let secret = try Prompt.newSecret(question) else {
      throw CommandError.usage(
        "there is no terminal to ask for the secret", hint: "use --stdin or --file PATH")
    }
    return secret
  }

  private func report(
    _ change: ItemChange, _ secret: SecretBytes, _ settings: VaultSettings
  ) throws {
    for oddity in SecretText.oddities(of: secret) {
      StandardError.note("the secret may not be what was meant: \(oddity)")
    }
    if settings.writesJSON {
      try StandardOutput.write([
        ("name", .string(change.item.name.text)), ("isNew", .bool(change.isNew)),
        ("version", .number(Int64(clamping: change.item.version))),
        ("length", .number(Int64(change.fingerprint.length))),
        ("fingerprint", .string(change.fingerprint.hash)),
      ])
    } else if StandardError.isTerminal {
      let version = change.isNew ? "" : ", version \(change.item.version)"
      StandardError.note(
        "stored\(version): \(change.fingerprint.length) bytes, fingerprint \(change.fingerprint.hash)"
      )
    }
  }
}
