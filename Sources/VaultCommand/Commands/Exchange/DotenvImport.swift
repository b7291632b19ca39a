import VaultCredentials
import VaultSealing

/// A `.env` file: `NAME=value` lines, `#` comments, `export`, quotes.
///
/// The dialect is the common part of those in use: in single quotes everything is literal; in double quotes
/// `\n`, `\r`, `\t`, `\"`, `\\` and `\$` are escapes; a bare value ends before ` #`, and is otherwise as it
/// stands: `$2a$10$…` survives, and so does a `$NAME`.
package enum DotenvImport {
  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImportFormat.unreadable("it is no UTF-8")
    }
    var reading = ImportReading()
    for entry in entries(text) {
      switch entry {
      case .value(let name, let value):
        var item = ImportedItem(origin: name, name: name, main: try HelperItem.bytes(value))
        item.kind = .secret
        reading.items.append(item)
      case .damaged(let line, let reason): reading.lose("line \(line)", reason)
      }
    }
    return reading
  }

  package enum Entry: Equatable {
    case value(name: String, value: String)
    case damaged(line: Int, reason: String)
  }

  /// What the text holds, in its order.
  package static func entries(_ text: String) -> [Entry] {
    var entries: [Entry] = []
    let lines = text.replacing("\r\n", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var index = 0
    while index < lines.count {
      let number = index + 1
      var line = lines[index].trimmingBlanks
      index += 1
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("export ") { line = String(line.dropFirst(7)).trimmingBlanks }
      guard let equals = line.firstIndex(of: "="), equals > line.startIndex else {
        entries.append(.damaged(line: number, reason: "it is no NAME=value"))
        continue
      }
      let name = line[..<equals].trimmingBlanks
      var value = line[line.index(after: equals)...].trimmingBlanks
      if let quote = value.first, quote == "'" || quote == "\"" {
        // A quoted value may go over several lines, whose blanks are its own.
        value = lines[number - 1]
        value = String(value.drop { $0 != quote })
        var read = quoted(value, quote)
        while read == nil, index < lines.count {
          value += "\n" + lines[index]
          index += 1
          read = quoted(value, quote)
        }
        guard let read else {
          entries.append(.damaged(line: number, reason: "a quote is not closed"))
          index = number
          continue
        }
        entries.append(.value(name: name, value: read))
      } else {
        if let comment = value.firstRange(of: " #") {
          value = value[..<comment.lowerBound].trimmingBlanks
        }
        entries.append(.value(name: name, value: value))
      }
    }
    return entries
  }

  /// The value of a text that begins with a quote; `nil` where the quote is not closed.
  private static func quoted(_ text: String, _ quote: Character) -> String? {
    var value = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      if character == quote { return value }
      guard character == "\\", quote == "\"" else {
        value.append(character)
        continue
      }
      switch rest.popFirst() {
      case "n": value.append("\n")
      case "r": value.append("\r")
      case "t": value.append("\t")
      case "\"": value.append("\"")
      case "\\": value.append("\\")
      case "$": value.append("$")
      case let other?: value += "\\\(other)"
      case nil: return nil
      }
    }
    return nil
  }
}
