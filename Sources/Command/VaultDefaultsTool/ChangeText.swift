import FoundationEssentials
import VaultPreferences
import VaultStorage

/// Changes as lines.
enum ChangeText {
  static func time(_ date: Date) -> String {
    CalendarTime(date)?.description ?? "\(date.timeIntervalSince1970)"
  }

  static func line(_ change: PreferenceChange) -> String {
    let place =
      "\(change.transaction)\t\(time(change.date))\t\(Quoting.visible(change.process))"
      + "\t\(name(change.domain))"
    switch change.kind {
    case .makeDomain: return "\(place)\t(domain made)"
    case .removeDomain: return "\(place)\t(domain removed)"
    case .protect: return "\(place)\t(protected)"
    case .unprotect: return "\(place)\t(no longer protected)"
    case .set, .remove:
      guard let key = change.key else { return "\(place)\t(sealed)" }
      return "\(place)\t\(Quoting.json(key))\t\(value(change.old)) -> \(value(change.new))"
    }
  }

  static func lines(_ difference: PreferenceDifference) -> String {
    let place = "\(name(difference.domain))\t\(Quoting.json(difference.key))"
    var lines: [String] = []
    if let old = difference.old { lines.append("- \(place)\t\(JSONText.text(old))") }
    if let new = difference.new { lines.append("+ \(place)\t\(JSONText.text(new))") }
    return lines.joined(separator: "\n")
  }

  private static func name(_ domain: PreferenceDomain) -> String {
    // It may come from another machine or from a file.
    let name = Quoting.visible(DefaultsTarget.displayName(domain.name))
    switch domain.host {
    case .any: return name
    case .current: return "\(name) (this host)"
    case .named(let host): return "\(name) (host \(Quoting.visible(host)))"
    }
  }

  private static func value(_ value: PreferenceValue?) -> String {
    value.map { JSONText.text($0) } ?? "(none)"
  }

  static func json(_ change: PreferenceChange) -> String {
    var members: [(name: String, json: String)] = [
      ("seq", "\(change.sequence)"), ("txn", "\(change.transaction)"),
      ("time", "\(change.date.timeIntervalSince1970)"),
      ("kind", Quoting.json(change.kind.rawValue)),
    ]
    members += place(change.domain)
    if let key = change.key { members.append(("key", Quoting.json(key))) }
    members += values(change.old, change.new)
    members.append(("origin", Quoting.json(change.process)))
    if let undoes = change.undoes { members.append(("undoes", "\(undoes)")) }
    return object(members)
  }

  /// A line that says that changes cannot be told any more.
  static func gap(after sequence: Int64, to last: Int64) -> String {
    object([("kind", Quoting.json("gap")), ("after", "\(sequence)"), ("to", "\(last)")])
  }

  static func json(_ difference: PreferenceDifference) -> String {
    object(
      place(difference.domain) + [("key", Quoting.json(difference.key))]
        + values(difference.old, difference.new))
  }

  /// An object on one line; its values are JSON already.
  private static func object(_ members: [(name: String, json: String)]) -> String {
    var writer = JSONWriter(isPretty: false)
    writer.object(members) { writer, member in
      writer.member(member.name) { $0.literal(member.json) }
    }
    return writer.text
  }

  private static func place(_ domain: PreferenceDomain) -> [(name: String, json: String)] {
    let layer =
      switch domain.host {
      case .any: domain.name == PreferenceDomain.globalName ? "global" : "application"
      case .current, .named:
        domain.name == PreferenceDomain.globalName ? "global-host" : "application-host"
      }
    return [("domain", Quoting.json(domain.name)), ("layer", Quoting.json(layer))]
  }

  private static func values(
    _ old: PreferenceValue?, _ new: PreferenceValue?
  ) -> [(name: String, json: String)] {
    [
      ("old", old.map { JSONText.text($0) } ?? "null"),
      ("new", new.map { JSONText.text($0) } ?? "null"),
    ]
  }
}
