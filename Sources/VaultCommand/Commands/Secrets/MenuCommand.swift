import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultOneTimeCodes
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault menu`.
struct MenuCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "menu",
    abstract: "Pick an item in a menu on the display, and copy its secret.",
    discussion: """
      For a key of the desktop. Uses the first of fuzzel, wofi, tofi, bemenu, rofi and dmenu that is \
      installed and fits the display. The program gets the names of items, never a secret.

      \(ProgramName.current) menu
      \(ProgramName.current) menu --field user
      \(ProgramName.current) menu --otp --program 'rofi -dmenu -i -theme solarized'
      """)

  @Option(
    help: ArgumentHelp(
      "The program: one of those above, or a line that reads names from stdin and prints one.",
      valueName: "command"),
    completion: .list(MenuProgram.allCases.map(\.rawValue)))
  var program: String?

  @Option(
    help: ArgumentHelp("Copy this field instead of the secret.", valueName: "name"),
    completion: .live)
  var field: String?

  @Flag(help: "Copy a one-time code instead of the secret.")
  var otp = false

  @OptionGroup(title: "The clipboard") var clipboard: ClipboardChoice

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let request = try clipboard.given.choice()
    let command = try chosenCommand()
    let (name, copy) = try settings.withVault { vault in
      let name = try picked(among: try vault.items().map(\.name), command)
      let target = try request.clipboard(for: vault)
      if otp {
        let reading = try OneTimeCodeReading(of: name, field: field, in: vault, for: .menu)
        return (name, try target.copyAndWarn(reading.code.text))
      }
      let snapshot = try vault.read(only: [name])
      let item = try snapshot.item(name)
      let secret = try snapshot.secret(of: item, field: field).bytes
      snapshot.record([Usage(item, field: .init(field), verb: .menu)])
      return (name, try target.copyAndWarn(secret))
    }
    guard settings.writesJSON else { return copy.tell() }
    try StandardOutput.write(
      [("name", .string(name.text)), ("field", .optional(field))] + copy.members)
  }

  private func picked(among names: [ItemName], _ command: [String]) throws -> ItemName {
    let lines = try SecretBytes(text: names.map { $0.text + "\n" }.joined())
    let result = try ChildProgram.runInstalled(command, input: .bytes(lines))
    let line = try SecretInput.droppingNewline(result.output).text ?? ""
    guard result.isSuccess, !line.isEmpty else { throw CommandError.cancelled }
    let name = try ItemName(line)
    guard names.contains(name) else {
      throw CommandError(.itemNotFound, "what was picked is not an item")
    }
    return name
  }

  /// The program of the line, or the first that is installed and fits the display.
  private func chosenCommand() throws -> [String] {
    let prompt = common.vaultName ?? ProgramName.current
    if let program {
      if let known = MenuProgram(rawValue: program) { return known.command(prompt: prompt) }
      let words = program.unicodeScalars.split(separator: " ").map { String($0) }
      guard !words.isEmpty else {
        throw CommandError.usage("--program is empty", hint: "such as: --program rofi")
      }
      return words
    }
    let candidates = MenuProgram.candidates(variable: ProcessState.variable)
    guard !candidates.isEmpty else {
      throw CommandError(
        .programMissing, "there is no display for a menu",
        hint: "'\(ProgramName.current) get' without a name picks on the terminal")
    }
    guard let found = candidates.first(where: { ProcessState.hasProgram($0.rawValue) }) else {
      throw CommandError(
        .programMissing, "no program for menus is installed",
        hint: "install one of: \(candidates.map(\.rawValue).joined(separator: ", "))")
    }
    return found.command(prompt: prompt)
  }
}
