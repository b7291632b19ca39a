import VaultPreferences
import VaultSealing
import VaultStorage

/// A domain as lines of `defaults write` that recreate it, here and on a Mac.
struct DefaultsScript {
  private(set) var text = ""
  /// What the lines change, a sentence for each.
  private(set) var losses: [String] = []
  /// The numbers of 32 bits that get 64, a sentence for each.
  private(set) var widened: [String] = []
  /// What no line can hold, a sentence for each.
  private(set) var impossible: [String] = []

  /// The longest argument of a line: Linux ends one at 128 KiB, and quoting makes it longer.
  private static let longestArgument = 100 << 10

  init(
    _ entries: [String: PreferenceValue], domain: String, _ host: PreferenceDomain.Host
  ) {
    let option =
      switch host {
      case .any: ""
      case .current: " -currentHost"
      case .named(let name): " -host \(Quoting.shell(name))"
      }
    for key in entries.keys.sorted(by: OldStyleWriter.precedes) {
      let value = entries[key] ?? ""
      if Self.hasNUL(.dictionary([key: value])) {
        impossible.append("\(Quoting.json(key)) holds a NUL, which no shell can pass on")
        continue
      }
      let (argument, changed, wider) = Self.argument(value)
      losses += changed
      if argument.utf8.count <= Self.longestArgument, key.utf8.count <= Self.longestArgument {
        widened += wider
        text +=
          "defaults\(option) write \(Quoting.shell(domain)) \(Quoting.shell(key)) \(argument)\n"
      } else {
        add(key, value, "defaults\(option) import \(Quoting.shell(domain)) -")
      }
    }
  }

  /// Adds a value that is too long for an argument: as a property list on stdin.
  private mutating func add(_ key: String, _ value: PreferenceValue, _ line: String) {
    let document = PropertyList.xml(.dictionary([key: value]))
    losses += document.losses
    widened += document.widened
    let lines = String(decoding: document.bytes, as: UTF8.self)
    // No line of the document is the mark: one of text has no tag, and the mark changes until.
    var mark = "END"
    while lines.contains(bytes: mark) { mark += "_" }
    text += "\(line) <<'\(mark)'\n\(lines)\(lines.hasSuffix("\n") ? "" : "\n")\(mark)\n"
  }

  private static func hasNUL(_ value: PreferenceValue) -> Bool {
    switch value {
    case .string(let text): text.utf8.contains(0)
    case .array(let elements): elements.contains(where: hasNUL)
    case .dictionary(let entries):
      entries.contains { $0.key.utf8.contains(0) || hasNUL($0.value) }
    default: false
    }
  }

  private static func argument(
    _ value: PreferenceValue
  ) -> (text: String, losses: [String], widened: [String]) {
    switch value {
    case .string(let text): return ("-string \(Quoting.shell(text))", [], [])
    case .boolean(let flag): return ("-bool \(flag)", [], [])
    case .integer(let number): return ("-int \(number)", [], [])
    case .float(let number) where number.isFinite: return ("-float \(number)", [], [])
    case .data(let bytes): return ("-data '\(Hexadecimal.text(bytes))'", [], [])
    default:
      // Only the value: without the three lines before it and the one after it.
      let document = PropertyList.xml(value)
      let lines = document.bytes
        .split(separator: 0x0a, omittingEmptySubsequences: false).dropFirst(3).dropLast(2)
      let text = String(decoding: Array(lines.joined(separator: [0x0a])), as: UTF8.self)
      return (Quoting.shell(text), document.losses, document.widened)
    }
  }
}
