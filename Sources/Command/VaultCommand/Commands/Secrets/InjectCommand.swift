import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault inject`.
struct InjectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inject",
    abstract: "Fill in the references in a template.",
    discussion: """
      {{ secret://NAME }} becomes the secret; everything else stays as it is, byte for byte. \\{{ keeps a \
      reference from being filled. Missing items are listed with their places before anything is written.

      \(ProgramName.current) inject --in config.yaml.tpl --out config.yaml
      \(ProgramName.current) inject < site.conf.tpl | ssh server 'cat > site.conf'
      \(ProgramName.current) inject --in config.yaml.tpl --dry-run
      """)

  @Option(
    name: [.customLong("in"), .customShort("i")],
    help: ArgumentHelp("The template; stdin if omitted.", valueName: "file"), completion: .file())
  var template: String?

  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp(
      "Write the result to this file instead of stdout, all or nothing.", valueName: "file"),
    completion: .file())
  var out: String?

  @Option(
    help: ArgumentHelp("The permissions of that file, in octal.", valueName: "mode"))
  var mode = "0600"

  @Flag(
    name: [.long, .customShort("n")],
    help: "List the references in the template; opens no vault and writes nothing.")
  var dryRun = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  private static let limit = 64 << 20
  /// The names of stdout.
  private static let standardOutput = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

  func run() throws {
    let settings = try common.settings()
    let mode = try permissions()
    try FormatWord.refuse(
      out, option: "--out", instead: "the template decides the format, and stdout is the default")
    let input = template == "-" ? nil : template
    let output = out.flatMap { Self.standardOutput.contains($0) ? nil : $0 }
    if settings.writesJSON, output == nil, !dryRun {
      throw CommandError.usage(
        "the filled template goes to stdout, so JSON cannot go there",
        hint: "name a file with --out, or leave --json out")
    }
    let bytes = try read(input, settings)
    let template = try Template(bytes)
    if dryRun { return try tell(template, settings) }
    let filled = try ReferenceFilling(template, of: input, settings)
    guard let output else { return try filled.writeToStandardOutput(bytes) }
    if let input { try Self.refuseSameFile(input, output) }
    var size = 0
    try OutputFile.write(to: output, mode: mode) { file throws(System.Failure) in
      try filled.write(bytes) { span throws(System.Failure) in
        try System.writeAll(file, span)
        size += span.byteCount
      }
    }
    if template.references.isEmpty { StandardError.note("the template has no references") }
    if !settings.writesJSON { OutputFile.tell(size, in: output) }
    guard settings.writesJSON else { return }
    try StandardOutput.write([
      ("path", .string(output)), ("size", .number(Int64(size))),
      ("references", .number(Int64(template.references.count))),
    ])
  }

  private func permissions() throws -> UInt32 {
    guard let mode = UInt32(mode, radix: 8), mode <= 0o777, mode & 0o400 != 0 else {
      throw CommandError.usage(
        "--mode must be an octal mode that lets you read the file", hint: "such as: --mode 0640")
    }
    return mode
  }

  private func read(_ path: String?, _ settings: VaultSettings) throws -> [UInt8] {
    guard let path else {
      if ProcessState.isTerminal(0) {
        throw CommandError.usage(
          "there is no template: stdin is the terminal",
          hint: "\(ProgramName.current) inject --in FILE")
      }
      if settings.usesStandardInput {
        throw CommandError.usage(
          "what unlocks the vault and the template cannot both come from stdin",
          hint: "name the template with --in FILE")
      }
      return try StandardInput.all()
    }
    guard !ProcessState.isClosedInput(path) else { throw TerminalError.closedInput }
    do {
      let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY)
      defer { System.close(file) }
      if let bytes = try System.readAll(file, expected: 65_536, limit: Self.limit) { return bytes }
    } catch {
      throw CommandError(
        error.errno == ENOENT ? .fileNotFound : .inputUnreadable,
        error.errno == ENOENT
          ? "the template \(LineValue.shown(path)) does not exist"
          : "the template \(LineValue.shown(path)) cannot be read: \(error.reason)",
        hint: "check the path of --in")
    }
    throw CommandError(
      .tooLong, "the template is longer than 64 MiB")
  }

  private static func refuseSameFile(_ input: String, _ output: String) throws {
    guard let file = try? System.open(input, in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY) else {
      return
    }
    defer { System.close(file) }
    let source = try? System.status(file)
    let target = try? System.status(of: output, in: AT_FDCWD)
    if let source, let target, source.inode == target.inode, source.device == target.device {
      throw CommandError.usage(
        "the output would replace the template", hint: "give --out another name")
    }
  }

  private func tell(_ template: Template, _ settings: VaultSettings) throws {
    guard settings.writesJSON else {
      let rows = template.references.map { entry in
        [entry.position.text, StandardOutput.shown(entry.reference.text)]
      }
      if rows.isEmpty { StandardError.note("the template has no references") }
      return try StandardOutput.write(TextTable.aligned(rows))
    }
    let references = template.references.map { entry -> JSONValue in
      .object([
        ("line", .number(Int64(entry.position.line))),
        ("column", .number(Int64(entry.position.column))),
        ("reference", .string(entry.reference.text)),
        ("vault", .optional(entry.reference.vaultName)), ("name", .string(entry.reference.name)),
        ("field", .optional(entry.reference.field)),
        ("hasDefault", .bool(entry.reference.fallback != nil)),
      ])
    }
    try StandardOutput.write([("references", .array(references))])
  }
}
