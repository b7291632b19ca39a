/// The meaning of a piece of text, shown by color, but never by color alone.
package enum TextStyle {
  /// Something failed, is damaged or over.
  case bad
  /// Something should be looked at.
  case doubtful
  /// Something is as it should be.
  case good
  /// Labels and ornaments.
  case faint
  /// A folder of names.
  case folder

  // Select graphic rendition: ECMA-48, 8.3.117. The eight basic colors, which people can configure.
  private var code: String {
    switch self {
    case .bad: "1;31"
    case .doubtful: "33"
    case .good: "32"
    case .faint: "2"
    case .folder: "1;34"
    }
  }

  /// The text in this style, if there is color.
  func applied(to text: String, isColored: Bool) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text in a style, if stdout has color.
  package func styled(_ style: TextStyle?) -> String {
    style?.applied(to: self, isColored: StandardOutput.isColored) ?? self
  }
}
