import FoundationEssentials
import VaultCredentials
import VaultStorage
import VaultTerminal

// The status as a table and as members of a JSON object.

extension StatusReport {
  /// The number of live items that have expired.
  private var expired: Int? {
    items.map { items in items.count { $0.expires.map { $0 < Date() } ?? false } }
  }

  private var earlierVersions: Int? { items.map { $0.reduce(0) { $0 + $1.earlierVersions } } }

  private var pending: Int? {
    copies?.pending ?? items.map { $0.count { $0.publishedCopy == .pending } }
  }

  private var published: Int? {
    copies?.current ?? items.map { $0.count { $0.publishedCopy == .published } }
  }

  var rows: [[String]] {
    var rows = [
      ["vault", StandardOutput.shown(summary.path)],
      ["id", summary.id],
      ["written", "\(summary.generation) times, \(summary.fileSize) bytes"],
      ["opened by", slots.map(\.words).joined(separator: ", ")],
      ["now by", opening.words],
      ["session", session.words],
    ]
    if let items {
      rows.append([
        "items",
        "\(items.count), \(trashed ?? 0) in the trash, \(earlierVersions ?? 0) earlier versions, "
          + "\(expired ?? 0) expired",
      ])
    }
    guard let keyring else { return rows + [["keyring", "left alone"]] }
    rows.append(["keyring", keyring.words])
    guard let published, let pending else { return rows }
    let publishing = isPublishing == false ? ["publishing is off"] : []
    var counts = ["\(published) published", "\(pending) still to be done"]
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

  var members: [(String, JSONValue)] {
    [
      ("path", .string(summary.path)), ("id", .string(summary.id)),
      ("generation", .number(Int64(clamping: summary.generation))),
      ("fileSize", .number(Int64(summary.fileSize))), ("session", session.json),
      ("slots", .array(slots.map(\.json))), ("opening", opening.json),
      ("items", .count(items?.count)), ("trash", .count(trashed)),
      ("earlierVersions", .count(earlierVersions)), ("expired", .count(expired)),
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
    ]
  }
}

extension JSONValue {
  fileprivate static func count(_ count: Int?) -> JSONValue {
    count.map { .number(Int64($0)) } ?? .null
  }
}

extension StatusReport.Opening {
  var style: TextStyle {
    switch self {
    case .opens: .good
    case .asks: .doubtful
    case .nothing: .bad
    }
  }

  var words: String {
    switch self {
    case .opens(let door, let slot):
      slot.isEmpty ? door : "\(door) (\(StandardOutput.shown(slot)))"
    case .asks(let what): "\(what), asked for on the terminal"
    case .nothing(let why, let hint):
      hint.map { "nothing: \(why); \($0)" } ?? "nothing: \(why)"
    }
  }

  var json: JSONValue {
    switch self {
    case .opens(let door, let slot):
      .object([("state", .string("opens")), ("door", .string(door)), ("slot", .string(slot))])
    case .asks(let what): .object([("state", .string("asks")), ("for", .string(what))])
    case .nothing(let why, let hint):
      .object([("state", .string("locked")), ("reason", .string(why)), ("hint", .optional(hint))])
    }
  }
}

extension KeySlot {
  /// The slot in words: `passphrase (laptop)`.
  var words: String {
    label.isEmpty ? kind.name : "\(kind.name) (\(StandardOutput.shown(label)))"
  }
}

extension SessionState {
  var words: String {
    switch self {
    case .none: "none"
    case .active(let seconds): "open for \(TimeSpan.text(seconds))"
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
    var parts = [state]
    if let program {
      let process = process.map { " (process \($0), \(owner ?? ""))" } ?? ""
      parts.append(StandardOutput.shown(program) + process)
    }
    if let collection { parts.append("collection \(StandardOutput.shown(collection))") }
    if let isEncrypted { parts.append(isEncrypted ? "encrypted" : "in clear") }
    parts.append(canPrompt ? "can ask on the display" : "cannot ask here")
    return parts.joined(separator: ", ")
  }

  /// The keyring as `--json` writes it.
  var members: [(String, JSONValue)] {
    [
      ("state", .string(state)), ("bus", hasBus.map { .bool($0) } ?? .null),
      ("owner", .optional(owner)), ("process", process.map { .number(Int64($0)) } ?? .null),
      ("program", .optional(program)), ("collection", .optional(collection)),
      ("locked", isLocked.map { .bool($0) } ?? .null),
      ("encrypted", isEncrypted.map { .bool($0) } ?? .null), ("display", .bool(hasDisplay)),
      ("prompt", .bool(canPrompt)), ("message", .optional(message)), ("hint", .optional(advice)),
    ]
  }
}
