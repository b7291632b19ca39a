import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault ssh`.
struct SSHCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh",
    abstract: "Make, import and show keys of ssh.",
    discussion: """
      '\(ProgramName.current) ssh-agent' has ssh and git sign with them.

      \(ProgramName.current) ssh keygen github
      \(ProgramName.current) ssh import work ~/.ssh/id_ed25519
      \(ProgramName.current) ssh public github
      """,
    subcommands: [SSHKeygenCommand.self, SSHImportCommand.self, SSHPublicCommand.self])
}

/// `vault ssh keygen`.
struct SSHKeygenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Make a key of ssh and store it; prints the public key.",
    discussion: """
      The private key is never on the disk but in the vault.

      \(ProgramName.current) ssh keygen github
      \(ProgramName.current) ssh keygen old-server --type rsa4096 --comment me@laptop
      """)

  @Argument(help: "The item; it must be a new one.")
  var name: String

  @Option(
    help: "ed25519, rsa4096 or ecdsa-p256; ed25519 if omitted.",
    completion: .list(SSHKeyRequest.kinds))
  var type = "ed25519"

  @Option(help: ArgumentHelp("What follows the public key; the item's name if omitted."))
  var comment: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    guard SSHKeyRequest.kinds.contains(type) else {
      throw CommandError.usage(
        "unknown kind of key", hint: "known: \(SSHKeyRequest.kinds.joined(separator: ", "))")
    }
    let settings = try common.settings()
    let name = try ItemName(name)
    let comment = try SSHKeyStoring.checked(comment ?? name.text)
    try settings.withVaultMade { vault in
      try SSHKeyStoring.refuse(name, in: vault)
      let key = try SSHKeyRequest.make(kind: type, comment: comment)
      try SSHKeyStoring.store(key, as: name, in: vault)
      try SSHKeyStoring.tell(key, name, settings)
    }
  }
}

/// `vault ssh import`.
struct SSHImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store a private key of ssh that is in a file; prints the public key.",
    discussion: """
      OpenSSH's own format, with a passphrase or without, and PEM: PKCS #1, SEC 1, PKCS #8. In the vault it \
      has no passphrase of its own. The file stays; remove it when the key works from the vault.

      \(ProgramName.current) ssh import work ~/.ssh/id_ed25519
      """)

  @Argument(help: "The item; it must be a new one.")
  var name: String

  @Argument(help: "The file with the private key; '-' for stdin.", completion: .file())
  var file: String

  @Option(help: ArgumentHelp("What follows the public key; the file's own if omitted."))
  var comment: String?

  @Option(
    help: ArgumentHelp(
      "The key's passphrase: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND; asks if omitted.",
      valueName: "source"))
  var keyPassphrase: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let name = try ItemName(name)
    let source = try keyPassphrase.map { try SecretSource($0) }
    if file == SecretInput.standardInput, settings.usesStandardInput || keyPassphrase == "stdin" {
      throw CommandError.usage(
        "the key and a passphrase cannot both come from stdin",
        hint: "give the passphrase as file:PATH or fd:N")
    }
    let comment = try comment.map { try SSHKeyStoring.checked($0) } ?? ""
    let text = try SecretInput.read(file: file, limit: SSHKeyRequest.maximumFile)
    var passphrase = try source?.read(for: "--key-passphrase")
    let key: SSHKeyRequest.Key
    do {
      key = try SSHKeyRequest.read(text, passphrase: passphrase, comment: comment)
    } catch let error as CommandError where error.code == .sshKeyEncrypted {
      passphrase = try Prompt.secret("Passphrase of the key")
      guard let passphrase else { throw error }
      key = try SSHKeyRequest.read(text, passphrase: passphrase, comment: comment)
    }
    try settings.withVaultMade { vault in
      try SSHKeyStoring.refuse(name, in: vault)
      try SSHKeyStoring.store(key, as: name, in: vault)
      try SSHKeyStoring.tell(key, name, settings)
    }
    guard file != SecretInput.standardInput, !settings.writesJSON else { return }
    StandardError.note(
      "\(StandardOutput.shown(file)) still has the key",
      hint: "when the vault's works: rm \(StandardOutput.shown(Quoting.shell(file)))")
  }
}

/// `vault ssh public`.
struct SSHPublicCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "public",
    abstract: "Print public keys, as authorized_keys and .pub files have them.",
    discussion: """
      \(ProgramName.current) ssh public github
      \(ProgramName.current) ssh public github > ~/.ssh/github.pub
      """)

  @Argument(help: "The items; all keys if omitted.", completion: .live)
  var names: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let names = try names.map { try ItemName($0) }
    let keys = try settings.withVault { vault in
      try SSHKeyRequest.publicKeys(in: vault.read(), names: names)
    }
    if settings.writesJSON {
      return try StandardOutput.write("keys", keys) { writer, key in
        writer.object { object in
          object.next("name", .string(key.item.name.text))
          object.next("publicKey", .string(key.line))
        }
      }
    }
    for key in keys { try StandardOutput.line(key.line) }
    if keys.isEmpty, StandardError.isTerminal {
      StandardError.note(
        "the vault has no key of ssh", hint: "\(ProgramName.current) ssh keygen NAME")
    }
  }
}

/// What `ssh keygen` and `ssh import` do with a key.
enum SSHKeyStoring {
  /// The comment, if it may stand in a line.
  static func checked(_ comment: String) throws -> String {
    guard comment.utf8.count <= 255, ItemLimits.isPlain(comment) else {
      throw CommandError.usage(
        "a comment is a line of at most 255 bytes", hint: "for example: --comment me@laptop")
    }
    return comment
  }

  /// Refuses a name that is taken: a key in the place of another one would lock somebody out.
  static func refuse(_ name: ItemName, in vault: UnlockedVault.Blocking) throws {
    guard try vault.read(only: [name])[name] == nil else {
      throw CommandError(
        .itemExists, "\(StandardOutput.shown(name.text)) is there already",
        hint: "use another name, or rename that one: \(ProgramName.current) rename "
          + StandardOutput.shown(Quoting.shell(name.text)) + " NEW")
    }
  }

  static func store(
    _ key: SSHKeyRequest.Key, as name: ItemName, in vault: UnlockedVault.Blocking
  ) throws {
    var changes = ItemChanges()
    changes.kind = .sshKey
    changes.attributes = [SSHKeyRequest.publicKeyAttribute: key.publicKey]
    var secrets = SecretChanges()
    secrets.main = Secret(key.secret)
    _ = try vault.change { [changes, secrets] edit in
      guard edit[name] == nil else {
        throw CommandError(.itemExists, "\(StandardOutput.shown(name.text)) is there already")
      }
      return try edit.change(name, secrets, changes: changes)
    }
  }

  static func tell(
    _ key: SSHKeyRequest.Key, _ name: ItemName, _ settings: VaultSettings
  ) throws {
    if settings.writesJSON {
      return try StandardOutput.write([
        ("name", .string(name.text)), ("type", .string(key.type)),
        ("fingerprint", .string(key.fingerprint)), ("publicKey", .string(key.publicKey)),
      ])
    }
    try StandardOutput.line(key.publicKey)
  }
}
