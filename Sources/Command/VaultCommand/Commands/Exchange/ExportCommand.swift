import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultExchange
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault export`.
struct ExportCommand: ParsableCommand {
  enum Format: Equatable {
    case json, dotenv, pass, keepassxc, bitwarden
    case variables(EnvironmentFile)

    /// Whether it is a file of variables.
    var isOfVariables: Bool {
      switch self {
      case .dotenv, .variables: true
      case .json, .pass, .keepassxc, .bitwarden: false
      }
    }

    /// The words for the formats, in the order of the help.
    static let words =
      ["json", "dotenv", "pass", "keepassxc", "bitwarden"]
      + EnvironmentFile.allCases.map(\.rawValue)

    init?(word: String) {
      switch word {
      case "json": self = .json
      case "dotenv": self = .dotenv
      case "pass": self = .pass
      case "keepassxc": self = .keepassxc
      case "bitwarden": self = .bitwarden
      default:
        guard let file = EnvironmentFile(rawValue: word) else { return nil }
        self = .variables(file)
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write secrets in a format that other programs read; all but pass in plain text.",
    discussion: """
      Plain text is written only after you confirm, or with --yes. 'pass' writes into a folder made by \
      'pass init', encrypted by gpg for the keys in its .gpg-id. '\(ProgramName.current) backup' keeps \
      everything sealed. In files of variables, the items of a folder are named by their last part, as \
      'run' names them. dotenv is for programs in general; docker, kubectl, systemd, shell, node and compose \
      are each exactly what that program reads, and leave out what it cannot.

      \(ProgramName.current) export json --out vault.json
      \(ProgramName.current) export dotenv app/ --yes > .env
      \(ProgramName.current) export docker app/ --out app.env
      \(ProgramName.current) export pass --out ~/.password-store
      """)

  @Argument(
    help: """
      json, dotenv, pass, keepassxc (XML), bitwarden (JSON); docker, kubectl, systemd, shell, node or \
      compose, for its file of variables.
      """,
    completion: .list(Format.words))
  var format: String?

  @Argument(
    help: ArgumentHelp("Only the items of a folder, app/, or a shell pattern.", valueName: "glob"),
    completion: .live)
  var pattern: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp("The format, as the first word names it.", valueName: "format"),
    completion: .list(Format.words))
  var formatOption: String?

  @Flag(help: "In files of variables, name a folder's variables by whole names.")
  var prefixNames = false

  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp(
      "The file, which only you can read, '-' for stdout; or the folder of pass.", valueName: "path"
    ),
    completion: .file())
  var out: String?

  @Flag(
    name: [.long, .customShort("y")], help: "Write secrets in plain text without asking.")
  var yes = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let out = out == "-" ? nil : out
    try FormatWord.refuse(
      out, option: "--out",
      instead: "the format is the first word: \(ProgramName.current) export json")
    // With --format, the first word is the folder.
    let (word, pattern) = formatOption.map { ($0, format) } ?? (format, pattern)
    guard formatOption == nil || self.pattern == nil else {
      throw CommandError.usage("the format is given twice", hint: "leave out --format")
    }
    guard let word, let format = Format(word: word) else {
      throw CommandError.usage(
        word == nil ? "the format is missing" : "unknown format",
        hint: word.flatMap { Habit.hint(for: ["export", $0], path: ["export"]) }
          ?? "known: \(Format.words.joined(separator: ", "))")
    }
    if format != .pass, !yes {
      guard let answer = try Prompt.confirm("Write secrets in plain text?", default: false) else {
        throw CommandError.usage(
          "writing secrets in plain text must be confirmed", hint: "use --yes")
      }
      guard answer else {
        StandardError.note("nothing was written")
        throw ExitStatusOnly(status: .no)
      }
    }
    try settings.withVault { vault in
      let snapshot = try vault.read()
      let items = try items(snapshot, pattern, as: format)
      snapshot.record(items.map { Usage($0, field: .all, verb: .export, account: .stated) })
      let progress = ProgressLine("exporting item")
      func show(_ done: Int) { progress.show(done, of: items.count) }
      var left: [ItemName] = []
      var steering: [ItemName] = []
      var nameless: [ItemName] = []
      var others: [(name: ItemName, reason: String)] = []
      let naming: DotenvExport.Naming = pattern == nil || prefixNames ? .wholeName : .lastPart
      switch format {
      case .json: try write(out, JSONExport.document(items, in: snapshot, progress: show))
      case .dotenv:
        let export = try DotenvExport(items, in: snapshot, naming: naming, progress: show)
        steering = report(export.remarks)
        try write(out, export.document)
      case .variables(let file):
        let export = try EnvironmentExport(
          items, in: snapshot, as: file, naming: naming, progress: show)
        left = export.left
        steering = export.steering
        nameless = export.nameless
        reportFields(of: export.withFields)
        try write(out, export.document)
      case .keepassxc: try write(out, KeePassExport.document(items, in: snapshot, progress: show))
      case .bitwarden:
        let export = try BitwardenExport(items, in: snapshot, progress: show)
        left = export.left
        try write(out, export.document)
      case .pass:
        guard let out else {
          throw CommandError.usage("pass needs a folder", hint: "--out ~/.password-store")
        }
        others = try PassFolder(path: out).write(items, in: snapshot, progress: show)
      }
      let missing =
        others + left.map { ($0, Self.reason(format)) }
        + steering.map { ($0, "its variable makes programs run other code or read other files") }
        + nameless.map {
          ($0, "its name has no letter of a variable; the attribute 'variable' gives one")
        }
      for (name, reason) in missing {
        StandardError.line(
          "\(ProgramName.current): not exported: \(StandardOutput.shown(name.text)): \(reason)")
      }
      left += steering + nameless + others.map(\.name)
      StandardError.note(
        "exported \(Plural.items(items.count - left.count))",
        hint: left.isEmpty ? nil : "'\(ProgramName.current) export json' keeps everything")
      if !left.isEmpty { throw ExitStatusOnly(status: .no) }
    }
  }

  /// The items that are meant; only a document that is read back as a whole has the vault's own
  /// records.
  private func items(
    _ snapshot: VaultSnapshot, _ pattern: String?, as format: Format
  ) throws -> [Item] {
    func isMeant(_ item: Item) -> Bool { format == .json || !item.isBookkeeping }
    guard let pattern else { return snapshot.items().filter(isMeant) }
    guard let selection = try ItemSelection(pattern) else {
      return [try snapshot.item(ItemName(pattern))]
    }
    // As `run` names them, and no others.
    if format.isOfVariables {
      return RunFolders.ownFirst(
        try RunFolders.items(of: selection, in: snapshot), of: selection,
        usesWholeNames: prefixNames)
    }
    return try selection.items { snapshot.items(matching: $0).filter(isMeant) }
  }

  /// Why an item cannot be written in a format.
  private static func reason(_ format: Format) -> String {
    switch format {
    case .bitwarden: "it has a secret that is not text, which JSON cannot hold"
    case .variables(let file):
      "no line of such a file makes \(file == .shell ? "every shell" : file.rawValue) read exactly "
        + "this secret"
    default: "the format cannot hold it"
    }
  }

  /// More names than this are counted, not listed.
  private static let mostNames = 20

  /// Says how the file differs from the items.
  ///
  /// - Returns: The items that it leaves out.
  private func report(_ remarks: [DotenvExport.Remark]) -> [ItemName] {
    var left: [ItemName] = []
    var withFields: [ItemName] = []
    var readers: [[String]: [ItemName]] = [:]
    for remark in remarks {
      switch remark {
      case .isLeftOut(let name): left.append(name)
      case .leavesOutFields(let name): withFields.append(name)
      case .isReadDifferently(let name, let others): readers[others, default: []].append(name)
      }
    }
    reportFields(of: withFields)
    let groups = readers.sorted { $0.key.joined() < $1.key.joined() }
    for (number, (others, names)) in groups.enumerated() {
      // One hint is for all of them.
      StandardError.note(
        "\(Self.listed(names)) would be read differently by \(others.joined(separator: " and "))",
        hint: number < groups.count - 1
          ? nil
          : "a form for one program alone: docker, kubectl, systemd, shell, node, compose; "
            + "Documentation/import.md lists the characters that all read alike")
    }
    return left
  }

  private func reportFields(of names: [ItemName]) {
    guard !names.isEmpty else { return }
    StandardError.note("the other fields of \(Self.listed(names)) cannot be written there")
  }

  private static func listed(_ names: [ItemName]) -> String {
    let shown = names.prefix(mostNames).map { "'\(StandardOutput.shown($0.text))'" }
      .joined(separator: ", ")
    return names.count > mostNames ? "\(shown) and \(names.count - mostNames) more" : shown
  }

  private func write(_ out: String?, _ document: SecretBytes) throws {
    if let out {
      try OutputFile.write(document, to: out)
      OutputFile.tell(document.count, in: out)
    } else {
      try StandardOutput.write(document)
    }
  }
}
