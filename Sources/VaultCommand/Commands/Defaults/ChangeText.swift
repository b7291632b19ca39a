import FoundationEssentials
import VaultPreferences
import VaultStorage

/// Changes as lines.
enum ChangeText {
  static func time(_ seconds: Double) -> String {
    CalendarTime(Date(timeIntervalSince1970: seconds))?.description ?? "\(seconds)"
  }

  static func line(_ change: PreferenceChange) -> String {
    let place =
      "\(change.transaction)\t\(time(change.time))\t\(change.process)\t\(name(change.domain))"
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
    let name = DefaultsTarget.displayName(domain.name)
    switch domain.host {
    case .any: return name
    case .current: return "\(name) (this host)"
    case .named(let host): return "\(name) (host \(host))"
    }
  }

  private static func value(_ value: PreferenceValue?) -> String {
    value.map { JSONText.text($0) } ?? "(none)"
  }

  static func json(_ change: PreferenceChange) -> String {
    var parts = [
      "\"seq\":\(change.sequence)", "\"txn\":\(change.transaction)", "\"time\":\(change.time)",
      "\"kind\":\"\(change.kind.rawValue)\"", place(change.domain),
    ]
    if let key = change.key { parts.append("\"key\":\(Quoting.json(key))") }
    parts += values(change.old, change.new)
    parts.append("\"origin\":\(Quoting.json(change.process))")
    if let undoes = change.undoes { parts.append("\"undoes\":\(undoes)") }
    return "{\(parts.joined(separator: ","))}"
  }

  static func json(_ difference: PreferenceDifference) -> String {
    let parts =
      [place(difference.domain), "\"key\":\(Quoting.json(difference.key))"]
      + values(difference.old, difference.new)
    return "{\(parts.joined(separator: ","))}"
  }

  private static func place(_ domain: PreferenceDomain) -> String {
    let layer =
      switch domain.host {
      case .any: domain.name == PreferenceDomain.globalName ? "global" : "application"
      case .current, .named:
        domain.name == PreferenceDomain.globalName ? "global-host" : "application-host"
      }
    return "\"domain\":\(Quoting.json(domain.name)),\"layer\":\"\(layer)\""
  }

  private static func values(_ old: PreferenceValue?, _ new: PreferenceValue?) -> [String] {
    [
      "\"old\":\(old.map { JSONText.text($0) } ?? "null")",
      "\"new\":\(new.map { JSONText.text($0) } ?? "null")",
    ]
  }
}
