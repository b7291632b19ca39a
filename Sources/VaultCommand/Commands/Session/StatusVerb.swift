import ArgumentParser
import VaultCredentials

/// `vault status`.
struct StatusVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say what there is, what opens it, and for how long it is open.",
    discussion: "It asks for nothing and opens nothing; no name of an item is in it.")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let vault = try settings.locked()
    let summary = try vault.blocking.summary()
    let session = try vault.blocking.session()
    let open = try? vault.blocking.unlock(with: settings.usesSession ? Doors.sessionOnly : [])
    let slots = try open?.blocking.slots() ?? summary.slots
    let items = try open?.blocking.items()
    let pending = items?.count { $0.publishedCopy == .pending }
    defer {
      for notice in open?.blocking.takeNotices() ?? [] {
        StandardError.note(notice.message, hint: notice.hint)
      }
    }
    if settings.writesJSON {
      try StandardOutput.write([
        ("path", .string(summary.path)), ("id", .string(summary.id)),
        ("generation", .number(Int64(clamping: summary.generation))),
        ("fileSize", .number(Int64(summary.fileSize))), ("session", session.json),
        ("slots", .array(slots.map(\.json))),
        ("items", items.map { .number(Int64($0.count)) } ?? .null),
        ("copiesPending", pending.map { .number(Int64($0)) } ?? .null),
      ])
      return
    }
    var rows = [
      ["vault", StandardOutput.shown(summary.path)],
      ["id", summary.id],
      ["written", "\(summary.generation) times, \(summary.fileSize) bytes"],
      ["opened by", slots.map(\.words).joined(separator: ", ")],
      ["session", session.words],
    ]
    if let items { rows.append(["items", String(items.count)]) }
    if let pending, pending > 0 { rows.append(["copies", "\(pending) still to be made"]) }
    try StandardOutput.write(TextTable.aligned(rows))
  }
}

extension KeySlot {
  /// The slot in words: `passphrase (laptop)`.
  var words: String {
    label.isEmpty ? kind.name : "\(kind.name) (\(StandardOutput.shown(label)))"
  }
}

extension SessionState {
  fileprivate var words: String {
    switch self {
    case .none: "none: the vault is locked"
    case .active(let seconds): "open for \(TimeSpan.text(seconds))"
    case .unavailable(let reason): "not possible: \(reason)"
    }
  }

  fileprivate var json: JSONValue {
    switch self {
    case .none: .object([("state", .string("none"))])
    case .active(let seconds):
      .object([("state", .string("active")), ("secondsLeft", .number(Int64(seconds)))])
    case .unavailable(let reason):
      .object([("state", .string("unavailable")), ("reason", .string(reason))])
    }
  }
}
