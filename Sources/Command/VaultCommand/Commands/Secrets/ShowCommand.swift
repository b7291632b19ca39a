import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault show`.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show everything about an item except its secrets.",
    discussion: """
      Open fields, such as user, url and notes, are shown; of the others and the secret itself a \
      fingerprint: the length and a short keyed hash, enough to recognize it. --reveal shows all of them.

      \(ProgramName.current) show web/github
      \(ProgramName.current) show web/github --copy user
      \(ProgramName.current) show web/github@3 --reveal
      """)

  @Argument(
    help: "The item, or NAME@3 for its version 3; picked from a list if omitted on a terminal.",
    completion: .live)
  var name: String?

  @Flag(help: "Show the secrets, too.")
  var reveal = false

  @Option(
    name: [.long, .customShort("c"), .customLong("clip")],
    help: ArgumentHelp(
      "Show nothing, and put this field on the clipboard for a while; 'secret' for the main secret.",
      valueName: "field"),
    completion: .live)
  var copy: String?

  @Flag(
    help:
      "Draw the secret as a QR code for a phone, or the address of its one-time codes; needs qrencode."
  )
  var qr = false

  @Option(
    help: ArgumentHelp("An earlier version, as NAME@3 has it.", valueName: "number"),
    completion: .live)
  var revision: UInt64?

  @OptionGroup(title: "The clipboard, with --copy") var clipboard: ClipboardChoice

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: ShowRequest {
    ShowRequest(
      name: name, reveal: reveal, copy: copy, qr: qr, revision: revision,
      clipboard: clipboard.given, common: common.given)
  }
}

/// The parsed line of `vault show`.
struct ShowRequest: Equatable, Sendable {
  /// `nil` to let the person pick it.
  var name: String?
  var reveal = false
  var copy: String?
  var qr = false
  var revision: UInt64?
  var clipboard = ClipboardLine()
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    guard [reveal, copy != nil, qr].filter({ $0 }).count <= 1 else {
      throw CommandError.usage(
        "--reveal, --copy and --qr cannot be combined", hint: "give one of them")
    }
    guard copy != nil || !clipboard.isChoiceGiven else {
      throw CommandError.usage("--clear-after and --clipboard need --copy")
    }
    let request = try clipboard.choice()
    // `show --copy web/github`, as pass has it: the only word is the item.
    let only = name == nil ? copy.flatMap { try? ItemName($0) } : nil
    let word = try only == nil ? ItemPicker.named(name) : name
    let given = word.map { ItemName(lookingUp: $0) }
    try ItemName.lookingUp(word.map { [$0] } ?? []) {
      try settings.withVault { vault in
        let isItem = try only.map { try vault.read(only: [$0])[$0] != nil } ?? false
        if only != nil, !isItem { _ = try ItemPicker.named(nil) }
        let chosen = isItem ? only : given
        try Revision.reading(try chosen ?? ItemPicker.pick(in: vault), revision) { name, version in
          try show(name, version, vault, request, settings, copying: isItem ? "secret" : copy)
        }
      }
    }
  }

  private func show(
    _ name: ItemName, _ version: UInt64?, _ vault: UnlockedVault.Blocking,
    _ request: ClipboardRequest, _ settings: VaultSettings, copying copy: String?
  ) throws {
    let snapshot = try vault.read(only: [name])
    let item = try snapshot.item(name)
    let contents = try snapshot.secrets(of: item, version: version)
    if let copy {
      let target = try request.clipboard(for: vault)
      let secret = try contents.secret(named: copy)
      let field = contents.fields[copy] == nil ? nil : copy
      snapshot.record([Usage(item, field: .init(field), verb: .copy, account: .stated)])
      let copied = try target.copyAndWarn(secret.bytes)
      guard settings.writesJSON else { return copied.tell() }
      return try StandardOutput.write(
        [("name", .string(name.text)), ("field", .string(copy))] + copied.members)
    }
    if qr {
      let seed = contents.fields[OneTimeCodeReading.field]
      let field = seed == nil ? nil : OneTimeCodeReading.field
      snapshot.record([Usage(item, field: .init(field), verb: .show, account: .stated)])
      return try QRCode.write((seed ?? contents.main).bytes)
    }
    // The use before this one is what is shown.
    let page = try ItemPage(contents, version, snapshot, isRevealed: reveal)
    if reveal { snapshot.record([Usage(item, field: .all, verb: .show, account: .stated)]) }
    if settings.writesJSON {
      try StandardOutput.write(page.members)
    } else {
      try page.write()
    }
  }
}

extension ItemWithSecrets {
  /// A field by the name that a person gives it; `secret` and `password` are also the main one.
  ///
  /// - Throws: `CredentialError` with code `.fieldNotFound`.
  fileprivate func secret(named name: String) throws -> Secret {
    if let field = fields[name] { return field }
    if ["", "secret", "password"].contains(name) { return main }
    throw CredentialError(
      .fieldNotFound, "the item has no field with that name", remedies: [.showItem])
  }
}
