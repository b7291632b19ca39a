import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultExchange
import VaultSealing
import VaultTerminal

/// `vault export`.
struct ExportCommand: ParsableCommand {
  enum Format: String, CaseIterable { case json, dotenv, pass, keepassxc, bitwarden }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write secrets in a format that other programs read; all but pass in plain text.",
    discussion: """
      Plain text is written only after you confirm, or with --yes. 'pass' writes into a folder made by \
      'pass init', encrypted by gpg for the keys in its .gpg-id. '\(ProgramName.current) backup' keeps \
      everything sealed. In dotenv, the items of a folder are named by their last part, as 'run' names \
      them.

      \(ProgramName.current) export json --out vault.json
      \(ProgramName.current) export dotenv app/ --yes > .env
      \(ProgramName.current) export pass --out ~/.password-store
      """)

  @Argument(
    help: "json, dotenv, pass, keepassxc (XML) or bitwarden (JSON).",
    completion: .list(Format.allCases.map(\.rawValue)))
  var format: String

  @Argument(
    help: ArgumentHelp("Only the items of a folder, app/, or a shell pattern.", valueName: "glob"),
    completion: .live)
  var pattern: String?

  @Flag(help: "In dotenv, name a folder's variables by whole names.")
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
    guard let format = Format(rawValue: format) else {
      throw CommandError.usage(
        "unknown format", hint: "known: \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    if format != .pass, !yes {
      guard let answer = try Prompt.confirm("Write secrets in plain text?", default: false) else {
        throw CommandError.usage(
          "writing secrets in plain text must be confirmed", hint: "use --yes")
      }
      guard answer else { throw ExitStatusOnly(status: .no) }
    }
    try settings.withVault { vault in
      let snapshot = try vault.read()
      let items = try items(snapshot)
      snapshot.record(items.map { Usage($0, field: .all, verb: .export) })
      let progress = ProgressLine("exporting item")
      func show(_ done: Int) { progress.show(done, of: items.count) }
      var left: [ItemName] = []
      switch format {
      case .json: try write(out, JSONExport.document(items, in: snapshot, progress: show))
      case .dotenv:
        let export = try DotenvExport(
          items, in: snapshot, naming: pattern == nil || prefixNames ? .wholeName : .lastPart,
          progress: show)
        export.remarks.forEach(report)
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
        left = try PassFolder(path: out).write(items, in: snapshot, progress: show)
      }
      for name in left {
        StandardError.line(
          "\(ProgramName.current): not exported: \(StandardOutput.shown(name.text)): "
            + (format == .bitwarden
              ? "it has a secret that is not text, which JSON cannot hold"
              : "it has fields, and a secret or field with several lines, "
                + "which a file of pass cannot keep apart"))
      }
      StandardError.note(
        "exported \(Plural.items(items.count - left.count))",
        hint: left.isEmpty ? nil : "'\(ProgramName.current) export json' keeps everything")
      if !left.isEmpty { throw ExitStatusOnly(status: .no) }
    }
  }

  private func items(_ snapshot: VaultSnapshot) throws -> [Item] {
    guard let pattern else { return snapshot.items() }
    guard let selection = try ItemSelection(pattern) else {
      return [try snapshot.item(ItemName(pattern))]
    }
    return try selection.items { snapshot.items(matching: $0) }
  }

  private func report(_ remark: DotenvExport.Remark) {
    switch remark {
    case .leavesOutFields(let name):
      StandardError.note("the other fields of '\(name.text)' cannot be written there")
    case .isReadDifferently(let name, let readers):
      StandardError.note(
        "'\(name.text)' would be read differently by \(readers.joined(separator: " and "))",
        hint: "Documentation/import.md lists the characters that all of them read alike")
    }
  }

  private func write(_ out: String?, _ document: SecretBytes) throws {
    if let out {
      try OutputFile.write(document, to: out)
    } else {
      try StandardOutput.write(document)
    }
  }
}
