import VaultDataStore
import VaultStorage

/// A part of a statement: its text with a `?` for each value, and the values in order.
///
/// ```swift
/// let test: SQLFragment = "\(column) = \(value: .integer(1))"
/// ```
struct SQLFragment: ExpressibleByStringInterpolation {
  var text: String
  var values: [SQLiteValue] = []

  init(_ text: String) { self.text = text }
  init(stringLiteral text: String) { self.text = text }

  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    values = stringInterpolation.values
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var values: [SQLiteValue] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 8 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ fragment: SQLFragment) {
      text += fragment.text
      values += fragment.values
    }

    /// A name of the schema, quoted.
    mutating func appendInterpolation(name: String) { text += SQLText.name(name) }

    /// A value, never part of the text.
    mutating func appendInterpolation(value: SQLiteValue) {
      text += "?"
      values.append(value)
    }

    /// Text of this library's own making.
    mutating func appendInterpolation(sql: String) { text += sql }
  }

  static func joined(_ parts: [SQLFragment], by separator: String) -> SQLFragment {
    var result = SQLFragment("")
    for (index, part) in parts.enumerated() {
      if index > 0 { result.text += separator }
      result.text += part.text
      result.values += part.values
    }
    return result
  }
}
