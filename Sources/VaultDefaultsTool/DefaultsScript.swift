import VaultPreferences
import VaultSealing
import VaultStorage

/// A domain as lines of `defaults write` that recreate it, here and on a Mac.
enum DefaultsScript {
  static func text(
    _ entries: [String: PreferenceValue], domain: String, _ host: PreferenceDomain.Host
  ) -> String {
    let option =
      switch host {
      case .any: ""
      case .current: " -currentHost"
      case .named(let name): " -host \(Quoting.shell(name))"
      }
    return entries.keys.sorted(by: OldStyleWriter.precedes).map { key in
      "defaults\(option) write \(Quoting.shell(domain)) \(Quoting.shell(key)) "
        + "\(argument(entries[key] ?? ""))\n"
    }.joined()
  }

  private static func argument(_ value: PreferenceValue) -> String {
    switch value {
    case .string(let text): return "-string \(Quoting.shell(text))"
    case .boolean(let flag): return "-bool \(flag)"
    case .integer(let number): return "-int \(number)"
    case .float(let number) where number.isFinite: return "-float \(number)"
    case .data(let bytes):
      return "-data '\(Hexadecimal.text(bytes))'"
    default:
      // Only the value: without the three lines before it and the one after it.
      let lines = PropertyList.xml(value).bytes
        .split(separator: 0x0a, omittingEmptySubsequences: false).dropFirst(3).dropLast(2)
      return Quoting.shell(
        String(decoding: Array(lines.joined(separator: [0x0a])), as: UTF8.self))
    }
  }
}
