import FoundationEssentials
package import VaultCredentials
package import VaultStorage
import VaultSync
package import VaultTerminal

// The status as a table and as members of a JSON object.

extension StatusReport {
  /// The number of live items that have expired.
  private var expired: Int? {
    items.map { items in items.count { $0.expires.map { $0 < Date() } ?? false } }
  }

  /// The days before an item expires in which it counts as expiring.
  private static let warningDays = 14

  /// The number of live items that expire soon.
  private var expiring: Int? {
    let now = Date()
    let end = now.addingTimeInterval(Double(Self.warningDays) * 86_400)
    return items.map { items in
      items.count { $0.expires.map { $0 >= now && $0 < end } ?? false }
    }
  }

  /// Something that a person or a monitor should know.
  package struct Warning {
    package let code: String
    package let message: String
    package let hint: String?
  }

  /// What deserves attention, most urgent first; the codes are never renamed.
  package var warnings: [Warning] {
    var warnings: [Warning] = []
    if slots.count == 1 {
      warnings.append(
        Warning(
          code: "single-slot", message: VaultNotice.singleSlotWords,
          hint: Advice.text(nil, [.addRecoveryCode])))
    }
    let clear = ClearKeyring(
      opensVault: slots.contains { $0.kind == .keyring }, hasCopies: hasCopies)
    if let clear, keyring?.keepsInClear == true {
      warnings.append(
        Warning(
          code: ClearKeyring.code, message: clear.message,
          hint: Advice.text(clear.hint, clear.remedies)))
    }
    // Where something else opens the vault and no copies are kept, nobody misses the keyring.
    if let keyring, let message = keyring.message, needsKeyring {
      warnings.append(
        Warning(code: "keyring-\(keyring.state)", message: message, hint: keyring.advice))
    }
    if let expired, expired > 0 {
      warnings.append(
        Warning(
          code: "items-expired",
          message: "\(Plural.items(expired)) \(expired == 1 ? "has" : "have") expired",
          hint: "list them: \(ProgramName.current) list --expired"))
    }
    if let expiring, expiring > 0 {
      let verb = expiring == 1 ? "expires" : "expire"
      warnings.append(
        Warning(
          code: "items-expiring",
          message: "\(Plural.items(expiring)) \(verb) within \(Self.warningDays) days",
          hint: "list them: \(ProgramName.current) list --expiring \(Self.warningDays)d"))
    }
    if let breaking = copies?.breaking, !breaking.isEmpty {
      warnings.append(
        Warning(
          code: VaultNotice.Code.copyBreaksKeyring.rawValue,
          message: VaultNotice.breakingWords(breaking.count),
          hint: Advice.text(nil, [.synchronizeCopies])))
    }
    if let pending, pending > copies?.breaking.count ?? 0 {
      warnings.append(
        Warning(
          code: VaultNotice.Code.copiesPending.rawValue,
          message: "\(Plural.copies(pending)) in the keyring still to be brought up to date",
          hint: Advice.text(nil, [.synchronizeCopies])))
    }
    if let changed = copies?.changedByOthers.count, changed > 0 {
      warnings.append(
        Warning(
          code: VaultNotice.Code.copyChanged.rawValue,
          message: "\(Plural.copies(changed)) in the keyring changed by other programs",
          hint: Advice.text(nil, [.takeCopies])))
    }
    if let failure = sync?.failure {
      warnings.append(
        Warning(
          code: failure, message: "the vault was not synchronized",
          hint: "see why: \(ProgramName.current) sync now"))
    }
    return warnings
  }

  /// Whether the keyring opens the vault, has copies of it, or nothing else opens it now.
  private var needsKeyring: Bool {
    if slots.contains(where: { $0.kind == .keyring }) || isPublishing == true { return true }
    if case .opens = opening { return false }
    return true
  }

  /// Whether items get copies in the keyring, or some have one, as far as is known.
  private var hasCopies: Bool {
    isPublishing == true || items?.contains { $0.publishedCopy != .none } == true
  }

  private var earlierVersions: Int? { items.map { $0.reduce(0) { $0 + $1.earlierVersions } } }

  private var pending: Int? {
    copies?.pending ?? items.map { $0.count { $0.publishedCopy == .pending } }
  }

  private var published: Int? {
    copies?.current ?? items.map { $0.count { $0.publishedCopy == .published } }
  }

  /// The label of the row that says what opens the vault at this moment.
  package static let openingLabel = "now"

  package var rows: [[String]] {
    var rows = [
      ["vault", StandardOutput.shown(summary.path)],
      ["id", summary.id],
      [
        "revision",
        "\(summary.generation), \(Plural.bytes(summary.fileSize))"
          + (modified.map { ", \(Timestamp.text($0))" } ?? ""),
      ],
      ["last backup", lastBackup.map { Timestamp.text($0) } ?? "never on this machine"],
      ["unlocked by", slots.map(\.words).joined(separator: ", ")],
      [Self.openingLabel, opening.words],
      ["session", session.words],
    ]
    if let items {
      rows.append([
        "items",
        "\(items.count), \(trashed ?? 0) in the trash, "
          + "\(Plural.earlierVersions(earlierVersions ?? 0)), \(expired ?? 0) expired, "
          + "\(expiring ?? 0) expiring",
      ])
    }
    if let sync { rows.append(["sync", sync.words(at: Date(), conflicts: conflicts)]) }
    guard let keyring else { return rows + [["keyring", "not used"]] }
    rows.append(["keyring", keyring.words])
    guard let published, let pending else { return rows }
    if isPublishing == false, published == 0, pending == 0, copies == nil {
      return rows + [["copies", "off"]]
    }
    let publishing = isPublishing == false ? ["off"] : []
    var counts = ["\(published) up to date", "\(pending) to be written"]
    if let copies {
      counts.append("\(copies.changedByOthers.count) changed by others")
      if !copies.missing.isEmpty { counts.append("\(copies.missing.count) missing") }
      if !copies.foreign.isEmpty {
        counts.append("\(copies.foreign.count) of others with the same name")
      }
      if !copies.leftovers.isEmpty { counts.append("\(copies.leftovers.count) left behind") }
    }
    return rows + [["copies", (publishing + counts).joined(separator: ", ")]]
  }

  /// The members of `--json`, with the version of the program.
  package func members(version: String) -> [(String, JSONValue)] {
    [
      ("version", .string(version)),
      ("path", .string(summary.path)), ("id", .string(summary.id)),
      ("generation", .number(Int64(clamping: summary.generation))),
      ("fileSize", .number(Int64(summary.fileSize))),
      ("modified", .optional(modified.map { Timestamp.text($0) })),
      ("lastBackup", .optional(lastBackup.map { Timestamp.text($0) })), ("session", session.json),
      ("slots", .array(slots.map(\.json))), ("opening", opening.json),
      ("items", .count(items?.count)), ("trash", .count(trashed)),
      ("earlierVersions", .count(earlierVersions)), ("expired", .count(expired)),
      ("expiring", .count(expiring)),
      ("keyring", keyring.map { .object($0.members) } ?? .null),
      (
        "copies",
        .object([
          ("publishing", isPublishing.map(JSONValue.bool) ?? .null),
          ("published", .count(published)), ("pending", .count(pending)),
          ("changedByOthers", .count(copies?.changedByOthers.count)),
          ("missing", .count(copies?.missing.count)), ("foreign", .count(copies?.foreign.count)),
          ("leftovers", .count(copies?.leftovers.count)),
        ])
      ),
      ("sync", sync?.json(conflicts: conflicts) ?? .null),
      ("warnings", .array(warnings.map(\.json) + Notices.warnings)),
    ]
  }
}

extension StatusReport.Warning {
  fileprivate var json: JSONValue {
    .object([
      ("code", .string(code)), ("message", .string(message)),
      ("hint", .optional(hint.map(HintLine.located))),
    ])
  }
}

extension JSONValue {
  fileprivate static func count(_ count: Int?) -> JSONValue {
    count.map { .number(Int64($0)) } ?? .null
  }
}

extension StatusReport.Opening {
  package var style: TextStyle {
    switch self {
    case .opens: .good
    case .asks: .doubtful
    case .nothing: .bad
    }
  }

  var words: String {
    switch self {
    case .opens(let door, let slot):
      "unlocked by \(door.name)" + (slot.isEmpty ? "" : " (\(StandardOutput.shown(slot)))")
    case .asks(let kind): "locked: asks for the \(kind.words)"
    case .nothing(let why, let hint):
      hint.map { "locked: \(why); \($0)" } ?? "locked: \(why)"
    }
  }

  var json: JSONValue {
    switch self {
    case .opens(let door, let slot):
      .object([
        ("state", .string("opens")), ("door", .string(door.code)),
        ("slot", .optional(slot.isEmpty ? nil : slot)),
      ])
    case .asks(let kind): .object([("state", .string("asks")), ("for", .string(kind.name))])
    case .nothing(let why, let hint):
      .object([
        ("state", .string("locked")), ("reason", .string(why)),
        ("hint", .optional(hint.map(HintLine.located))),
      ])
    }
  }
}

extension KeySlot {
  /// The slot as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("id", .string(id)), ("kind", .string(kind.name)), ("label", .string(label)),
      ("memoryMiB", .number(Int64(memoryMiB))), ("passes", .number(Int64(passes))),
    ])
  }

  /// The slot in words: `passphrase (laptop)`.
  package var words: String {
    label.isEmpty || label == kind.name
      ? kind.words : "\(kind.words) (\(StandardOutput.shown(label)))"
  }
}

extension SessionState {
  /// What ends a session before its time.
  private static var end: String {
    SessionWatch.isRunning(in: ProcessState.variable("XDG_RUNTIME_DIR"))
      ? ", or until you log out" : ""
  }

  var words: String {
    switch self {
    case .none: "none"
    case .active(let seconds): "unlocked for \(TimeSpan.text(seconds))\(Self.end)"
    case .unavailable(let reason): "not possible: \(reason)"
    }
  }

  var json: JSONValue {
    switch self {
    case .none: .object([("state", .string("none"))])
    case .active(let seconds):
      .object([("state", .string("active")), ("secondsLeft", .number(Int64(seconds)))])
    case .unavailable(let reason):
      .object([("state", .string("unavailable")), ("reason", .string(reason))])
    }
  }
}

extension KeyringStatus {
  /// State, program, connection and display in one line.
  var words: String {
    // Where there is no desktop, there is nothing more to say.
    if hasBus == false { return "no desktop session" }
    var parts = [state]
    if let program {
      let process = process.map { " (process \($0), \(owner ?? ""))" } ?? ""
      parts.append(StandardOutput.shown(program) + process)
    }
    if let collection { parts.append("collection \(StandardOutput.shown(collection))") }
    if let isEncrypted { parts.append(isEncrypted ? "encrypted" : "not encrypted") }
    if keepsInClear == true { parts.append("no password: kept on the disk in clear") }
    parts.append(canPrompt ? "can ask on the display" : "cannot ask here")
    return parts.joined(separator: ", ")
  }

  /// The keyring as `--json` writes it.
  package var members: [(String, JSONValue)] {
    [
      ("state", .string(state)), ("bus", hasBus.map { .bool($0) } ?? .null),
      ("owner", .optional(owner)), ("process", process.map { .number(Int64($0)) } ?? .null),
      ("program", .optional(program)), ("collection", .optional(collection)),
      ("locked", isLocked.map { .bool($0) } ?? .null),
      ("encrypted", isEncrypted.map { .bool($0) } ?? .null), ("display", .bool(hasDisplay)),
      ("keepsInClear", keepsInClear.map { .bool($0) } ?? .null),
      ("prompt", .bool(canPrompt)), ("message", .optional(message)),
      ("hint", .optional(advice.map(HintLine.located))),
    ]
  }
}
