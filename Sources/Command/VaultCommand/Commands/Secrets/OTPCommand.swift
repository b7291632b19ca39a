import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultOneTimeCodes
import VaultStorage
import VaultTerminal

/// `vault otp`.
struct OTPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "otp",
    abstract: "Write a one-time code to stdout.",
    discussion: """
      TOTP, HOTP and Steam codes, from the seed that '\(ProgramName.current) set NAME --otp' or an import \
      stored in the item's field otp. The seconds that the code has left go to stderr. The counter of an \
      HOTP code is stored before the code is shown.

      \(ProgramName.current) otp work/github
      \(ProgramName.current) otp work/github --copy
      \(ProgramName.current) read 'secret://work/github?attribute=otp'
      """)

  @Argument(
    help: "The item; picked from a list if omitted on a terminal.", completion: .live)
  var name: String?

  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp("The field with the seed, if not otp.", valueName: "name"),
    completion: .live)
  var field: String?

  @Flag(
    help: "Draw the seed's address as a QR code instead, to enroll a phone; needs qrencode.")
  var qr = false

  @OptionGroup(title: "The clipboard") var clipboard: ClipboardOptions

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: OTPRequest {
    OTPRequest(
      name: name, field: field, qr: qr, clipboard: clipboard.given, common: common.given)
  }
}

/// The parsed line of `vault otp`.
struct OTPRequest: Equatable, Sendable {
  /// `nil` to let the person pick it.
  var name: String?
  var field: String?
  var qr = false
  var clipboard = ClipboardLine()
  var common = CommonOptions()

  func run() throws {
    try FieldLine.checkIsNamed(field)
    let settings = try common.settings()
    let given = try ItemPicker.named(name).map { try ItemName($0) }
    let request = try clipboard.request()
    guard !qr || (request == nil && !settings.writesJSON) else {
      throw CommandError.usage(
        "--qr cannot be combined with --copy or --json", hint: "give one of them")
    }
    var target: Clipboard?
    let (name, reading) = try settings.withVault { vault -> (ItemName, OneTimeCodeReading?) in
      target = try request?.clipboard(for: vault)
      let name = try given ?? ItemPicker.pick(in: vault)
      if qr {
        try QRCode.write(OneTimeCodeReading.address(of: name, field: field, in: vault))
        return (name, nil)
      }
      return (name, try OneTimeCodeReading(of: name, field: field, in: vault, for: .otp))
    }
    guard let reading else { return }
    let (generator, code) = (reading.generator, reading.code)
    if let target {
      let copy = try target.copyAndWarn(code.text)
      guard settings.writesJSON else { return copy.tell() }
      return try StandardOutput.write(
        [("name", .string(name.text)), ("field", .optional(field))] + copy.members)
    }
    let isTimed = generator.kind == .totp
    if settings.writesJSON {
      return try StandardOutput.write([
        ("name", .string(name.text)), ("code", .string(Secret(code.text).text ?? "")),
        ("type", .string(generator.form == .steam ? "steam" : generator.kind.rawValue)),
        ("algorithm", .string(generator.algorithm.rawValue)),
        ("digits", .number(Int64(generator.form.length))),
        ("period", isTimed ? .number(Int64(generator.period)) : .null),
        ("secondsLeft", code.secondsLeft.map(JSONValue.number) ?? .null),
        ("counter", isTimed ? .null : .string(String(generator.counter))),
        ("issuer", .optional(generator.issuer)),
      ])
    }
    try SecretOutput.write(code.text)
    if let seconds = code.secondsLeft {
      StandardError.note("\(seconds) s left of \(generator.period)")
    } else {
      StandardError.note("code \(generator.counter); the next one is \(generator.counter + 1)")
    }
  }
}
