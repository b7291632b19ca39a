import FoundationEssentials
import VaultStorage

/// Values as TOML 1.0, one a line, as ``TOMLText`` reads them again without loss.
///
/// What TOML has no form for is an inline table with one `$` key, as in ``JSONText``: `{ "$data" =
/// "…" }`, `$float`, `$uid`, `$unsigned`, and `$date` with a fraction of a second.
package enum TOMLWriter {
  /// A document of one domain's keys.
  ///
  /// - Parameter value: A dictionary.
  /// - Returns: UTF-8.
  /// - Throws: ``PreferenceError`` with code `.lossy` if it would be too large to be read.
  package static func document(_ value: PreferenceValue) throws(PreferenceError) -> [UInt8] {
    guard case .dictionary(let entries) = value else { return [] }
    return try bytes(
      entries.keys.sorted(by: OldStyleWriter.precedes).map { line($0, entries[$0] ?? "") })
  }

  /// The lines as a document.
  package static func bytes(_ lines: [String]) throws(PreferenceError) -> [UInt8] {
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    guard bytes.count <= TOMLText.sizeLimit else {
      throw PreferenceError(
        .lossy,
        "TOML of more than 1 MiB, which could not be read again; JSON and property lists have no limit. "
          + "Nothing was written.")
    }
    if let line = lines.first(where: { depth(of: $0) > depthLimit }) {
      let key = line.firstRange(ofBytes: " = ").map { String(line[..<$0.lowerBound]) } ?? ""
      throw PreferenceError(
        .lossy,
        "\(key): TOML of more than \(depthLimit) arrays and tables inside each other, which could not be "
          + "read again; JSON and property lists hold them. Nothing was written.")
    }
    return bytes
  }

  /// What toml++ reads (`TOML_MAX_NESTED_VALUES`), less what the document itself takes.
  private static let depthLimit = 250

  /// How many arrays and tables of a line are inside each other.
  private static func depth(of line: String) -> Int {
    var (depth, most, isQuoted, isEscaped) = (0, 0, false, false)
    for byte in line.utf8 {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = isQuoted
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if !isQuoted { depth += 1 }
        most = max(most, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isQuoted { depth -= 1 }
      default: break
      }
    }
    return most
  }

  /// The line that begins a table.
  package static func header(_ name: String) -> String { "[\(quoted(name))]" }

  /// The line that begins a table in another one.
  static func header(_ outer: String, _ name: String) -> String { "[\(key(outer)).\(key(name))]" }

  /// A key with its value.
  package static func line(_ key: String, _ value: PreferenceValue) -> String {
    "\(self.key(key)) = \(text(value))"
  }

  private static func key(_ key: String) -> String {
    let isBare =
      !key.isEmpty
      && key.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
      }
    return isBare ? key : quoted(key)
  }

  private static func text(_ value: PreferenceValue) -> String {
    switch value {
    case .string(let text): return quoted(text)
    case .integer(let number): return String(number)
    case .unsignedInteger(let number): return tagged("$unsigned", quoted(String(number)))
    case .boolean(let flag): return flag ? "true" : "false"
    case .real(let number): return real(number)
    case .float(let number):
      return tagged("$float", number.isFinite ? "\(number)" : real(Double(number)))
    case .data(let bytes): return tagged("$data", quoted(Base64Text.encode(bytes)))
    case .uid(let number):
      return tagged(
        "$uid", Int64(exactly: number).map { String($0) } ?? text(.unsignedInteger(number)))
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      if seconds == seconds.rounded(.down), seconds.bitPattern != (-0.0).bitPattern,
        let time = CalendarTime(date)?.iso8601, time.utf8.count == "2001-01-01T00:00:00Z".utf8.count
      {
        return time
      }
      return tagged("$date", real(seconds))
    case .array(let elements): return "[\(elements.map(text).joined(separator: ", "))]"
    case .dictionary(let entries):
      if entries.count == 1, let (key, value) = entries.first, key.begins(with: "$") {
        // As a pair: as a table it would be read as a tagged value.
        return tagged("$dictionary", text(.array([.string(key), value])))
      }
      guard !entries.isEmpty else { return "{}" }
      let members = entries.keys.sorted(by: OldStyleWriter.precedes).map { key in
        "\(self.key(key)) = \(text(entries[key] ?? ""))"
      }
      return "{ \(members.joined(separator: ", ")) }"
    }
  }

  private static func tagged(_ tag: String, _ text: String) -> String { "{ \"\(tag)\" = \(text) }" }

  private static func real(_ number: Double) -> String {
    number.isNaN ? "nan" : number.isFinite ? "\(number)" : number < 0 ? "-inf" : "inf"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
