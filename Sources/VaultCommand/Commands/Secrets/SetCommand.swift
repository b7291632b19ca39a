import ArgumentParser
import FoundationEssentials
import VaultCredentials
import VaultOneTimeCodes
import VaultPasswords
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault set`.
struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Store a secret; asks for it twice.",
    discussion: """
      The previous version is kept. A secret is never given on the command line.

      \(ProgramName.current) set api-token
      printf %s "$TOKEN" | \(ProgramName.current) set work/github --stdin
      \(ProgramName.current) set tls/key --file key.pem
      \(ProgramName.current) set database --generate --length 32
      \(ProgramName.current) set work/github --otp
      """)

  @Argument(help: "The item.", completion: .live)
  var name: String

  // Accepted here so that no message repeats a secret that was typed as a second word.
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
    name: [.long, .customShort("f")],
    help: ArgumentHelp("The field to set; the main secret if omitted.", valueName: "name"),
    completion: .live)
  var field: String?

  @Flag(
    help:
      "Generate it, and report its strength; '\(ProgramName.current) help generate' lists the options."
  )
  var generate = false

  @Flag(help: "With --generate: write it to stdout, too.")
  var show = false

  @Flag(
    help:
      "The seed of one-time codes, as an otpauth:// address or base32; stored in the field otp.")
  var otp = false

  @OptionGroup(title: "With --generate") var generation: GenerationOptions

  @OptionGroup(title: "Details") var details: ItemDetailOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    guard surplus.isEmpty else {
      throw CommandError.usage(
        "a secret is never given on the command line: every user can read it there, "
          + "and the shell keeps it in its history",
        hint: "leave it out to be asked for it, or use --stdin or --file PATH")
    }
    guard [stdin, file != nil, generate].filter({ $0 }).count <= 1 else {
      throw CommandError.usage(
        "--stdin, --file and --generate cannot be combined", hint: "give one of them")
    }
    guard !(generate && otp) else {
      throw CommandError.usage(
        "the seed of one-time codes comes from the service", hint: "leave --generate out")
    }
    guard generate || !(generation.isGiven || show) else {
      throw CommandError.usage(
        "options for a generated password, without --generate", hint: "add --generate")
    }
    let recipe = generate ? try generation.recipe() : nil
    let settings = try common.settings()
    if stdin, settings.passphrase?.usesStandardInput == true {
      throw CommandError.usage(
        "the passphrase and the secret cannot both come from stdin",
        hint: "give the passphrase as file:PATH or fd:N")
    }
    let name = try ItemName(name)
    let changes = try details.changes()
    // Read before anything is opened or created, so that a missing or too long secret changes
    // nothing.
    let given = try recipe?.makePassword() ?? givenSecret()
    let seed = try otp ? given.map { try address(of: $0, name) } : nil
    try settings.withVaultMade { vault in
      var secret = try seed ?? given ?? asked(name)
      if otp, seed == nil { secret = try address(of: secret, name) }
      let change = try vault.set(
        name, to: Secret(secret), field: field ?? (otp ? OneTimeCodeReading.field : nil),
        changes: try details.merged(
          into: try withKind(changes, name, in: vault), for: name, in: vault))
      if show, !settings.writesJSON { try SecretOutput.write(secret) }
      try report(change, secret, recipe, settings)
    }
  }

  /// The form in which a seed is stored.
  private func address(of text: SecretBytes, _ name: ItemName) throws -> SecretBytes {
    try OneTimeCodeReading.telling {
      try OneTimeGenerator(text).address(from: text, label: name.text)
    }
  }

  /// Sets the kind of a new item that has only a seed.
  private func withKind(
    _ changes: ItemChanges, _ name: ItemName, in vault: UnlockedVault.Blocking
  ) throws -> ItemChanges {
    guard otp, changes.kind == nil else { return changes }
    do {
      _ = try vault.item(name)
      return changes
    } catch let error as CredentialError where error.code == .itemNotFound {
      var changes = changes
      changes.kind = .otp
      return changes
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
    guard !exact, !otp, SecretText.isSingleLine(secret) else { return try limited(secret) }
    StandardError.note("dropped the newline at the end; --exact keeps it")
    return try limited(SecretInput.droppingNewline(secret))
  }

  private func limited(_ secret: SecretBytes) throws -> SecretBytes {
    guard secret.count <= Secret.maximumLength else {
      throw CommandError(
        .tooLong, "a secret has at most 1 MiB",
        hint: "keep large files elsewhere and only their key in the vault")
    }
    return secret
  }

  private func asked(_ name: ItemName) throws -> SecretBytes {
    let question = "Secret for \(Sanitizer.visible(name.text))" + (field == nil ? "" : ", field")
    // An invalid seed is reported at once, before it has to be typed again.
    let typed =
      otp ? try Prompt.secret("Seed or otpauth:// address") : try Prompt.newSecret(question)
    guard let secret = typed else {
      throw CommandError.usage(
        "there is no terminal to ask for the secret", hint: "use --stdin or --file PATH")
    }
    return secret
  }

  private func report(
    _ change: ItemChange, _ secret: SecretBytes, _ recipe: PasswordRecipe?,
    _ settings: VaultSettings
  ) throws {
    for oddity in recipe == nil ? SecretText.oddities(of: secret) : [] {
      StandardError.note("the secret may not be what you meant: \(oddity)")
    }
    if settings.writesJSON {
      var members: [(String, JSONValue)] = [
        ("name", .string(change.item.name.text)), ("isNew", .bool(change.isNew)),
        ("version", .number(Int64(clamping: change.item.version))),
        ("length", .number(Int64(change.fingerprint.length))),
        ("fingerprint", .string(change.fingerprint.hash)),
      ]
      if let recipe { members += [("bits", .real(recipe.shownBits))] }
      if show { members += [("secret", .string(Secret(secret).text ?? ""))] }
      return try StandardOutput.write(members)
    }
    recipe?.tell()
    if StandardError.isTerminal || recipe != nil {
      let version = change.isNew ? "" : ", version \(change.item.version)"
      StandardError.note(
        "stored\(version): \(change.fingerprint.length) bytes, fingerprint \(change.fingerprint.hash)"
      )
    }
  }
}
