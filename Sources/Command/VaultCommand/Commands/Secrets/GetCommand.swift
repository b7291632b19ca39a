import ArgumentParser
package import VaultCommandCore
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
      \(ProgramName.current) get api-token@3
      \(ProgramName.current) get --attribute service=api --attribute account=me
      \(ProgramName.current) get 'secret://database#user'
      """)

  @Argument(
    help: "The item, or NAME@3 for its version 3; picked from a list if omitted on a terminal.",
    completion: .live)
  var name: String?

  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp("The field; the main secret if omitted.", valueName: "name"),
    completion: .live)
  var field: String?

  @Option(
    help: ArgumentHelp("An earlier version, as NAME@3 has it.", valueName: "number"),
    completion: .live)
  var revision: UInt64?

  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp(
      "Write it to a file that only you can read; '-' for stdout.", valueName: "file"),
    completion: .file())
  var out: String?

  @Option(
    help: ArgumentHelp(
      "The item with this attribute, instead of its name; repeatable.", valueName: "name=value"),
    completion: .live)
  var attribute: [String] = []

  @Flag(help: "Draw it as a QR code, for a phone; needs the program qrencode.")
  var qr = false

  @OptionGroup(title: "The clipboard") var clipboard: ClipboardOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request().run() }

  func request() throws -> GetRequest {
    guard name == nil || attribute.isEmpty else {
      throw CommandError.usage("an item has a name, or attributes to find it by", hint: "give one")
    }
    return try GetRequest(
      name: attribute.isEmpty ? ItemPicker.named(name) : nil, attributes: attribute, field: field,
      version: revision, out: out, drawsCode: qr,
      clipboard: clipboard.given, common: common.given)
  }
}

/// The parsed line of `vault get`.
package struct GetRequest: Equatable, Sendable {
  /// `nil` to let the person pick it.
  package var name: String?
  /// The attributes that the item is found by, where it is not named.
  package var attributes: [String] = []
  package var field: String?
  package var version: UInt64?
  package var out: String?
  package var drawsCode = false
  package var clipboard: ClipboardRequest?
  package var settings: VaultSettings

  /// The request of a line.
  ///
  /// - Throws: ``CommandError`` with code `usage` for options that exclude each other.
  init(
    name: String?, attributes: [String] = [], field: String?, version: UInt64?, out: String?,
    drawsCode: Bool,
    clipboard: ClipboardLine, common: CommonOptions
  ) throws {
    try FieldLine.checkIsNamed(field)
    let clipboard = try clipboard.request()
    let settings = try common.settings()
    try FormatWord.refuse(
      out, instead: "JSON: \(ProgramName.current) get NAME --json; the secret alone: without -o")
    let ways = (clipboard == nil ? 0 : 1) + (out == nil ? 0 : 1) + (drawsCode ? 1 : 0)
    guard ways <= 1 else {
      throw CommandError.usage(
        "--copy, --out and --qr cannot be combined", hint: "give one of them")
    }
    guard !(drawsCode && settings.writesJSON) else {
      throw CommandError.usage("--qr and --json cannot be combined", hint: "give one of them")
    }
    self.name = name
    self.attributes = attributes
    self.field = field
    self.version = version
    self.out = out == "-" ? nil : out
    self.drawsCode = drawsCode
    self.clipboard = clipboard
    self.settings = settings
  }

  func run() throws {
    guard let name, name.begins(with: SecretReference.scheme) else { return try get() }
    try named(by: SecretReference(name)).get()
  }

  /// The same request for the item, field and vault of a reference.
  private func named(by reference: SecretReference) throws -> GetRequest {
    guard reference.attribute == nil, reference.encoding == nil, reference.fallback == nil,
      field == nil
    else {
      throw CommandError.usage(
        "get takes the name and the field of a reference",
        hint: "all of it: \(ProgramName.current) read REFERENCE")
    }
    var request = self
    request.name = reference.name
    request.field = reference.field
    request.settings.vaultName = reference.vaultName ?? settings.vaultName
    return request
  }

  private func get() throws {
    let given = name.map { ItemName(lookingUp: $0) }
    var target: Clipboard?
    let found = try ItemName.lookingUp(name.map { [$0] } ?? []) {
      try settings.withVault { vault -> Found in
        target = try clipboard?.clipboard(for: vault)
        func read(_ name: ItemName) throws -> Found {
          try Revision.reading(name, version) {
            try Found(
              name: $0, version: $1, field: field, in: vault, for: target == nil ? .get : .copy)
          }
        }
        func picked() throws -> ItemName {
          let offersCopy = clipboard == nil && out == nil && !drawsCode && !settings.writesJSON
          let picked = try ItemPicker.choose(in: vault, offersCopy: offersCopy)
          if picked.copies { target = try ClipboardRequest().clipboard(for: vault) }
          return picked.name
        }
        do {
          return try read(given ?? attributed(in: vault) ?? picked())
        } catch let error as CredentialError where error.code == .itemNotFound {
          // A person at the terminal sees what the word finds, and takes it or not.
          guard let name, StandardOutput.isTerminal || clipboard != nil,
            let picked = try ItemPicker.pick(in: vault, having: name)
          else { throw error }
          return try read(picked)
        }
      }
    }
    try write(found, to: target)
  }

  /// The only item that has the attributes of the line; `nil` where the line names none.
  private func attributed(in vault: UnlockedVault.Blocking) throws -> ItemName? {
    guard !attributes.isEmpty else { return nil }
    var query = ItemQuery()
    query.attributes = try AttributeList.attributes(attributes)
    let found = try vault.items(matching: query).map(\.name)
    let program = ProgramName.current
    guard let first = found.first else {
      throw CommandError(
        .itemNotFound,
        "no item has \(attributes.count == 1 ? "this attribute" : "these attributes")",
        hint: "an item gets one by: \(program) set NAME --attribute service=api; find by a word: "
          + "\(program) list WORD")
    }
    guard found.count == 1 else {
      let names = found.prefix(5).map { Quoting.visible($0.text) }.joined(separator: ", ")
      throw CommandError.usage(
        "\(found.count) items have \(attributes.count == 1 ? "this attribute" : "these attributes")",
        hint: "name one of them: \(names)\(found.count > 5 ? " …" : ""); or one more --attribute")
    }
    return first
  }

  private func write(_ found: Found, to target: Clipboard?) throws {
    let (name, version, secret) = (found.name, found.version, found.secret)
    if let target {
      let copy = try target.copyAndWarn(secret.bytes)
      guard settings.writesJSON else { return copy.tell() }
      try StandardOutput.write(
        [("name", .string(name.text)), ("field", .optional(field))] + copy.members)
    } else if drawsCode {
      try QRCode.write(secret.bytes)
    } else if let out {
      try OutputFile.write(secret.bytes, to: out)
      OutputFile.tell(secret.bytes.count, in: out)
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

/// A secret that was read, by the name and version that it has.
private struct Found {
  let name: ItemName
  let version: UInt64?
  let secret: Secret

  /// Reads a secret, records that, and says if its item has expired, or another value.
  init(
    name: ItemName, version: UInt64?, field: String?, in vault: UnlockedVault.Blocking,
    for verb: UsageRecord.Verb
  ) throws {
    // One read for both, so that it is the item's own expiry that is told.
    let snapshot = try vault.read(only: [name])
    let item = try snapshot.item(name)
    secret = try snapshot.secret(of: item, field: field, version: version)
    snapshot.record([Usage(item, field: .init(field), verb: verb, account: .stated)])
    self.name = name
    self.version = version
    if item.expires != nil { item.tellIfExpired() }
    item.tellIfConflicting()
  }
}
