import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault audit`.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Find equal, weak, old and expired secrets, and a vault without a way back.",
    discussion: """
      Names items, but shows no secret. Passwords are rated as 'init' rates a passphrase; long texts, \
      tokens and keys are not rated. Nothing is changed, and nothing leaves the machine; only with --breaches \
      online are the first five digits of each password's hash sent, by curl.

      \(ProgramName.current) audit
      \(ProgramName.current) audit --only weak,equal
      \(ProgramName.current) audit --older-than 180d --exit-code
      \(ProgramName.current) audit --breaches online
      """)

  private static let topics = Audit.Topic.allCases.map(\.rawValue)

  @Option(
    help: ArgumentHelp(
      "Only these, separated by commas: \(topics.joined(separator: ", ")).", valueName: "topics"),
    completion: .list(topics))
  var only: [String] = []

  @Option(help: ArgumentHelp("What counts as old; 365d by default.", valueName: "time"))
  var olderThan: String?

  @Option(help: ArgumentHelp("What counts as expiring soon; 14d by default.", valueName: "time"))
  var expiring: String?

  @Option(
    help: ArgumentHelp(
      "Also look up leaked passwords: online, an address, or a downloaded file or folder.",
      valueName: "list"), completion: .file())
  var breaches: String?

  @Flag(help: "Exit with status 1 if anything is found.")
  var exitCode = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let breaches = try breaches.map { try BreachList($0) }
    let audit = Audit(
      topics: try chosenTopics(canLookUp: breaches != nil),
      maximumAge: try Self.time(olderThan, "--older-than", otherwise: 365 * 86_400),
      horizon: try Self.time(expiring, "--expiring", otherwise: 14 * 86_400), now: Date(),
      breaches: breaches)
    let locked = try settings.locked(asksNobody: true)
    let lastBackup = try locked.blocking.lastBackup()
    let (findings, count) = try settings.withVault { vault in
      let snapshot = try vault.read()
      return (
        try audit.findings(
          in: snapshot, slots: vault.slots(), lastBackup: lastBackup,
          isKeyringInClear: settings.usesKeyring
            && locked.blocking.keyringStatus().keepsInClear == true,
          ownership: SpaceKnown.ownership(of: vault), leftovers: Leftovers.found()),
        snapshot.items().count
      )
    }
    if settings.writesJSON {
      try StandardOutput.write([
        ("items", .number(Int64(count))), ("findings", .array(findings.map(\.json))),
      ])
    } else {
      try write(findings)
      StandardError.note(Self.summary(findings.count, count))
    }
    if exitCode, !findings.isEmpty { throw ExitStatusOnly(status: .no) }
  }

  private func chosenTopics(canLookUp: Bool) throws -> Set<Audit.Topic> {
    let words = only.flatMap { $0.unicodeScalars.split(separator: ",").map { String($0) } }
    guard !only.isEmpty else { return Set(Audit.Topic.allCases) }
    let topics = words.compactMap(Audit.Topic.init(rawValue:))
    guard !topics.isEmpty, topics.count == words.count else {
      throw CommandError.usage(
        "--only takes what to look for", hint: "known: \(Self.topics.joined(separator: ", "))")
    }
    guard canLookUp || !topics.contains(.breached) else {
      throw CommandError.usage(
        "leaked passwords are looked up in a list",
        hint: "say in which: --breaches online, or a downloaded file")
    }
    return Set(topics)
  }

  private static func time(
    _ text: String?, _ option: String, otherwise: Int
  ) throws -> TimeInterval {
    guard let text else { return TimeInterval(otherwise) }
    guard let seconds = TimeSpan.seconds(text) else {
      throw CommandError.usage("\(option) must be a duration", hint: "such as: \(option) 90d")
    }
    return TimeInterval(seconds)
  }

  /// A window of fewer columns gets lines in place of a table.
  private static let tableColumns = 72

  private func write(_ findings: [Audit.Finding]) throws {
    if let columns = StandardOutput.columns, columns < Self.tableColumns {
      return try writeLines(findings, columns)
    }
    var rows: [[String]] = []
    var styles: [TextStyle?] = []
    for finding in findings {
      let names = finding.items.map { StandardOutput.shown($0.name.text) }
      let style: TextStyle =
        [.breached, .expired, .vault].contains(finding.topic) ? .bad : .doubtful
      // One line for each name: equal secrets may be in many items.
      rows.append([finding.topic.rawValue, names.first ?? finding.code, finding.message])
      styles.append(style)
      for name in names.dropFirst() {
        rows.append(["", name])
        styles.append(nil)
      }
      guard let hint = finding.hint else { continue }
      rows.append(["", "", "hint: \(HintLine.located(hint))"])
      styles.append(nil)
    }
    try StandardOutput.write(
      TextTable.aligned(rows) { row, column in column == 0 ? styles[row] : nil })
  }

  private func writeLines(_ findings: [Audit.Finding], _ columns: Int) throws {
    for finding in findings {
      let names = finding.items.map { StandardOutput.shown($0.name.text) }
      try StandardOutput.line(
        LineWrap.wrapped(
          "\(finding.topic.rawValue): \((names.isEmpty ? [finding.code] : names).joined(separator: ", "))",
          to: columns))
      for text in [finding.message] + (finding.hint.map { ["hint: \(HintLine.located($0))"] } ?? [])
      {
        try StandardOutput.line(LineWrap.wrapped("  \(text)", to: columns))
      }
    }
  }

  private static func summary(_ findings: Int, _ items: Int) -> String {
    let among = "\(items) item\(items == 1 ? "" : "s")"
    return findings == 0
      ? "nothing found in \(among)"
      : "\(findings) finding\(findings == 1 ? "" : "s") in \(among)"
  }
}
