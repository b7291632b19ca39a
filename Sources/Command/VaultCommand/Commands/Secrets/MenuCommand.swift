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
      installed and fits the display. The program gets names, users, hosts and tags of items, never a secret.

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
    try FieldLine.checkIsNamed(field)
    let settings = try common.settings()
    let request = try clipboard.given.choice()
    let command = try chosenCommand()
    let (name, copy) = try settings.withVault { vault in
      let name = try picked(in: vault, command)
      let target = try request.clipboard(for: vault)
      if otp {
        let reading = try OneTimeCodeReading(of: name, field: field, in: vault, for: .menu)
        return (name, try target.copyAndWarn(reading.code.text))
      }
      let snapshot = try vault.read(only: [name])
      let item = try snapshot.item(name)
      let secret = try snapshot.secret(of: item, field: field).bytes
      snapshot.record([Usage(item, field: .init(field), verb: .menu, account: .stated)])
      return (name, try target.copyAndWarn(secret))
    }
    guard settings.writesJSON else { return copy.tell() }
    try StandardOutput.write(
      [("name", .string(name.text)), ("field", .optional(field))] + copy.members)
  }

  /// The item whose line the program prints: its name, and behind it what one may look for.
  private func picked(
    in vault: UnlockedVault.Blocking, _ command: [String]
  ) throws -> ItemName {
    let snapshot = try vault.readInPlace()
    let items = snapshot.items()
    var names: [String: ItemName] = [:]
    var text = ""
    for (item, line) in zip(items, try ItemPicker.lines(of: items, in: snapshot)) {
      let tags = item.tags.map { "#\(Sanitizer.visible($0))" }.joined(separator: " ")
      let details = [line.detail, tags].filter { !$0.isEmpty }.joined(separator: "  ")
      var shown = details.isEmpty ? item.name.text : "\(item.name.text)   \(details)"
      // A name that another one's line looks like stands alone.
      if names[shown] != nil || snapshot[ItemName(lookingUp: shown)] != nil {
        shown = item.name.text
      }
      names[shown] = item.name
      text += shown + "\n"
    }
    let lines = try SecretBytes(text: text)
    let result = try ChildProgram.runInstalled(command, input: .bytes(lines))
    let line = try SecretInput.droppingNewline(result.output).text ?? ""
    guard result.isSuccess, !line.isEmpty else { throw CommandError.cancelled }
    // Some programs print what was typed, or the name alone.
    let typed = ItemName(lookingUp: line)
    guard let name = names[line] ?? (snapshot[typed] != nil ? typed : nil) else {
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
