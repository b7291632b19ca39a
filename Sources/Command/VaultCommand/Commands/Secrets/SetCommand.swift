import ArgumentParser
import FoundationEssentials
import VaultCommandCore
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
    abstract: "Store a secret, or change what is known of an item.",
    discussion: """
      Asks for the secret twice. The previous version is kept; an equal secret makes no new one. A secret \
      is never given on the command line. For an item that exists, options such as --tag and --field \
      user=bob alone change just that: the secret stays.

      \(ProgramName.current) set api-token
      printf %s "$TOKEN" | \(ProgramName.current) set work/github --stdin
      \(ProgramName.current) set tls/key --file key.pem
      \(ProgramName.current) set database --generate --length 32
      \(ProgramName.current) set work/github --otp
      \(ProgramName.current) set web/new --field user=bob --field url=example.com --generate --copy
      \(ProgramName.current) set web/new --tag shop --expires 90d
      """)

  @Argument(help: "The item.", completion: .live)
  var name: String

  // Accepted here so that no message repeats a secret that was typed as a second word.
  @Argument(help: .hidden)
  var surplus: [String] = []

  @Flag(help: "Read it from stdin; the final newline of a single line is dropped.")
  var stdin = false

  @Option(
    help: ArgumentHelp("Read it from a file, exactly; '-' for stdin.", valueName: "path"),
    completion: .file())
  var file: String?

  @Flag(help: "With --stdin: keep a final newline.")
  var exact = false

  @Flag(help: "Store a secret of no bytes, too.")
  var allowEmpty = false

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

  @OptionGroup(title: "Fields") var fields: FieldOptions

  @OptionGroup(title: "With --generate") var generation: GenerationOptions

  @OptionGroup(title: "The clipboard, with --generate") var clipboard: ClipboardOptions

  @OptionGroup(title: "Details") var details: ItemDetailOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  static let neverOnTheLine =
    "a secret is never given on the command line: every user can read it there, "
    + "and the shell keeps it in its history"

  func run() throws { try request().run() }

  /// What the line asks for.
  ///
  /// - Throws: ``CommandError`` with code `usage` for options that exclude each other.
  func request() throws -> SetRequest {
    guard surplus.isEmpty else {
      throw CommandError.usage(
        Self.neverOnTheLine,
        hint: surplus.allSatisfy { $0.unicodeScalars.contains("=") }
          ? "what is no secret: --field user=bob; what is one is asked for: --field pin"
          : "leave it out to be asked for it, or use --stdin or --file PATH")
    }
    guard [stdin, file != nil, generate].filter({ $0 }).count <= 1 else {
      throw CommandError.usage(
        "--stdin, --file and --generate cannot be combined", hint: "give one of them")
    }
    guard !(generate && otp) else {
      throw CommandError.usage(
        "the seed of one-time codes comes from the service", hint: "leave --generate out")
    }
    guard generate || !(generation.isGiven || show || clipboard.copy) else {
      throw CommandError.usage(
        "options for a generated password, without --generate", hint: "add --generate")
    }
    var request = SetRequest(
      name: name, stdin: stdin, file: file, exact: exact, allowEmpty: allowEmpty, show: show,
      otp: otp, fields: fields.given, details: details.given, common: common.given)
    try request.checkFields(hasSource: request.hasSource || generate)
    request.recipe = generate ? try generation.recipe() : nil
    request.clipboard = try clipboard.request()
    return request
  }
}

/// The parsed line of `vault set`.
struct SetRequest: Equatable, Sendable {
  var name: String
  var stdin = false
  var file: String?
  var exact = false
  var allowEmpty = false
  var show = false
  var otp = false
  /// How the password is made, for a generated one.
  var recipe: PasswordRecipe?
  var clipboard: ClipboardRequest?
  var fields = FieldLine()
  var details = ItemDetailLine()
  var common = CommonOptions()

  /// Refuses one source for several fields.
  fileprivate func checkFields(hasSource: Bool) throws {
    guard !hasSource || fields.asked.count <= 1 else {
      throw CommandError.usage(
        "one source cannot be the secret of several fields",
        hint: "leave it out to be asked for each of them")
    }
  }

  func run() throws {
    try checkFields(hasSource: hasSource)
    let asked = fields.asked
    let settings = try common.settings()
    if stdin || file == "-", settings.usesStandardInput {
      throw CommandError.usage(
        "what unlocks the vault and the secret cannot both come from stdin",
        hint: "give the passphrase as file:PATH or fd:N, the key file by its path")
    }
    try settings.checkIsOfThisVault(name)
    let name = try ItemName(name)
    let changes = try details.changes()
    // What can be refused before a vault is made for it.
    _ = try fields.marks()
    if Self.isAssignment(name), try !settings.locked().blocking.exists() {
      try refuseAssignment(name, nil)
    }
    if !fields.assigned.isEmpty, try !settings.locked().blocking.exists() {
      _ = try fields.assignments(for: nil)
    }
    // Read before anything is opened or created, so that a missing or too long secret changes
    // nothing.
    let given = try recipe?.makePassword() ?? givenSecret()
    if let given { try refuseEmpty(given) }
    let seed = try otp ? given.map { try address(of: $0, name) } : nil
    try settings.withVaultMade { vault in
      // Where nothing is asked for, the edit alone reads the vault.
      let item =
        hasSource && fields.assigned.isEmpty ? nil : try vault.read(only: [name])[name]
      try refuseAssignment(name, item)
      var secrets = SecretChanges()
      secrets.fields = try fields.assignments(for: item)
      let secret: SecretBytes?
      if hasSource {
        var value = try seed ?? given ?? askedSeed()
        if otp, seed == nil { value = try address(of: value, name) }
        try refuseEmpty(value)
        let field = asked.first ?? (otp ? OneTimeCodeReading.field : nil)
        secrets.put(value, in: field)
        secret = value
      } else {
        secret = try ask(for: asked, of: name, item, into: &secrets)
      }
      let target = try clipboard?.clipboard(for: vault)
      let change = try store(secrets, in: name, changes, vault)
      if show, let secret, !settings.writesJSON { try SecretOutput.write(secret) }
      let copy = try secret.flatMap { try target?.copyAndWarn($0) }
      try report(change, secrets, secret, recipe, copy, settings)
    }
  }

  /// Whether the line says where the secret comes from.
  fileprivate var hasSource: Bool { stdin || file != nil || recipe != nil || otp }

  /// Refuses `TOKEN=s3cr3t`, the assignment of other programs, as the name of a new item: the value
  /// would stand in every list of names.
  ///
  /// An item that has such a name is changed as any other, and one is made where the secret comes
  /// from elsewhere.
  private func refuseAssignment(_ name: ItemName, _ item: Item?) throws {
    guard item == nil, !hasSource, Self.isAssignment(name) else { return }
    throw CommandError.usage(
      SetCommand.neverOnTheLine,
      hint: "\(ProgramName.current) set NAME asks for it; change the one that was typed; "
        + "a name with '=' takes its secret by --stdin or --file PATH")
  }

  private static func isAssignment(_ name: ItemName) -> Bool {
    name.text.utf8.contains(UInt8(ascii: "="))
  }

  /// Asks for what the line names: the fields, or the main secret if it names nothing else.
  ///
  /// - Returns: The main secret, or the only field; `nil` if there is none or are several.
  private func ask(
    for asked: [String?], of name: ItemName, _ item: Item?, into secrets: inout SecretChanges
  ) throws -> SecretBytes? {
    var asked = asked
    if asked.isEmpty {
      let changesOthers =
        details.isGiven || !secrets.fields.isEmpty || !fields.open.isEmpty
        || !fields.conceal.isEmpty
      if item != nil, changesOthers { return nil }
      asked = [nil]
    }
    var last: SecretBytes?
    for field in asked {
      let typed =
        if let field { try fields.ask(for: field, of: name, item) } else {
          try askedSecret(name, item)
        }
      guard let typed else { throw Self.noTerminal }
      try refuseEmpty(typed)
      secrets.put(typed, in: field)
      last = typed
    }
    return asked.count == 1 ? last : nil
  }

  /// Stores everything in one edit, which one `undo` takes back.
  private func store(
    _ secrets: SecretChanges, in name: ItemName, _ changes: ItemChanges,
    _ vault: UnlockedVault.Blocking
  ) throws -> ItemChange {
    try vault.change { edit in
      let item = edit[name]
      var changes = try details.merged(into: changes, for: item)
      changes.openFields = try fields.marks()
      if let same = try edit.unchanged(name, secrets, changes) { return same }
      // A new item that has only a seed.
      if otp, item == nil, changes.kind == nil { changes.kind = .otp }
      // A damaged item takes a new main secret.
      if let main = secrets.main, secrets.fields.isEmpty, (try? edit.secret(of: name)) == nil {
        return try edit.set(name, to: main, changes: changes)
      }
      return try edit.change(name, secrets, changes: changes)
    }
  }

  /// The form in which a seed is stored.
  private func address(of text: SecretBytes, _ name: ItemName) throws -> SecretBytes {
    try OneTimeCodeReading.telling {
      try OneTimeGenerator(text).address(from: text, label: name.text)
    }
  }

  /// Refuses a secret of no bytes, or of a line's end alone, as `echo` writes it: more often than not,
  /// the program before the pipe has failed.
  private func refuseEmpty(_ secret: SecretBytes) throws {
    guard !allowEmpty, secret.count <= 2 else { return }
    let isEmptyLine = secret.withBytes { bytes in
      (0..<bytes.byteCount).allSatisfy { bytes.byte(at: $0) == 0x0A || bytes.byte(at: $0) == 0x0D }
    }
    guard secret.count == 0 || isEmptyLine && !exact else { return }
    throw CommandError(
      .emptySecret, "the secret is empty: nothing was stored",
      hint: "check where it comes from; if it is to be empty: --allow-empty")
  }

  private func givenSecret() throws -> SecretBytes? {
    if let file, file != "-" {
      return try SecretInput.read(file: file, limit: Secret.maximumLength)
    }
    guard stdin || file == "-" else { return nil }
    if ProcessState.isTerminal(0) {
      throw CommandError.usage(
        "stdin is the terminal, which would show the secret", hint: "leave --stdin out")
    }
    let secret = try SecretInput.read(0, limit: Secret.maximumLength + 1)
    guard !exact, !otp, file == nil, SecretText.isSingleLine(secret) else {
      return try limited(secret)
    }
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

  private static var noTerminal: CommandError {
    .usage("there is no terminal to ask for the secret", hint: "use --stdin or --file PATH")
  }

  private func askedSecret(_ name: ItemName, _ item: Item?) throws -> SecretBytes? {
    let shown = Sanitizer.visible(name.text)
    if let item, !OutputOptions.isQuiet {
      Prompt.tell(
        "\(shown) exists (version \(item.version), \(item.modified.relative(to: Date()))); the old one is kept."
      )
    }
    return try Prompt.newSecret("Secret for \(shown)")
  }

  private func askedSeed() throws -> SecretBytes {
    // An invalid seed is reported at once, before it has to be typed again.
    guard let seed = try Prompt.secret("Seed or otpauth:// address") else { throw Self.noTerminal }
    return seed
  }

  /// The number of lines of a text that has several, for a person to compare.
  private static func lines(of secret: SecretBytes) -> String {
    guard SecretText.isPrintable(secret) else { return "" }
    let lines = secret.withBytes { bytes in
      let newlines = (0..<bytes.byteCount).count { bytes.byte(at: $0) == 0x0A }
      let isEnded = bytes.byteCount > 0 && bytes.byte(at: bytes.byteCount - 1) == 0x0A
      return newlines + (isEnded ? 0 : 1)
    }
    return lines > 1 ? "\(Plural.lines(lines)), " : ""
  }

  private func report(
    _ change: ItemChange, _ secrets: SecretChanges, _ secret: SecretBytes?,
    _ recipe: PasswordRecipe?, _ copy: Clipboard.Copy?, _ settings: VaultSettings
  ) throws {
    for oddity in recipe == nil ? secret.map(SecretText.oddities) ?? [] : [] {
      StandardError.note("the secret may not be what you meant: \(oddity)")
    }
    if settings.writesJSON {
      var members: [(String, JSONValue)] = [
        ("name", .string(change.item.name.text)), ("isNew", .bool(change.isNew)),
        ("isChanged", .bool(change.isChanged)),
        ("version", .number(Int64(clamping: change.item.version))),
        ("length", .number(Int64(change.fingerprint.length))),
        ("fingerprint", .string(change.fingerprint.hash)),
        ("fields", .strings(secrets.fields.keys.sorted())),
      ]
      if let recipe { members += [("bits", .real(recipe.shownBits))] }
      if show { members += [("secret", .string(secret.flatMap { Secret($0).text } ?? ""))] }
      return try StandardOutput.write(members + (copy?.members ?? []))
    }
    recipe?.tell()
    if StandardError.isTerminal || recipe != nil { tell(change, secrets, secret) }
    copy?.tell()
  }

  private func tell(_ change: ItemChange, _ secrets: SecretChanges, _ secret: SecretBytes?) {
    let version = change.isNew ? "" : ", version \(change.item.version)"
    let fingerprint =
      "\(Plural.bytes(change.fingerprint.length)), "
      + (secret.map(Self.lines) ?? "") + "fingerprint \(change.fingerprint.hash)"
    let names = secrets.fields.keys.sorted().map(Sanitizer.visible)
    let parts: [String]
    switch (secrets.main, names.count) {
    case _ where !change.isChanged: return StandardError.note("unchanged\(version)")
    case (nil, 0): return StandardError.note("changed; the secret is as before")
    case (nil, 1) where secret != nil: parts = [fingerprint]
    case (nil, _): parts = names
    default: parts = [fingerprint] + names
    }
    StandardError.note("stored\(version): \(parts.joined(separator: ", "))")
  }
}

extension SecretChanges {
  /// Puts a secret into a field, or makes it the main one.
  mutating func put(_ secret: SecretBytes, in field: String?) {
    if let field { fields[field] = Secret(secret) } else { main = Secret(secret) }
  }
}
