/// What a piece of text is, shown by colour where there is colour; never by colour alone.
enum TextStyle {
  /// Something failed, is damaged or over.
  case bad
  /// Something should be looked at.
  case doubtful
  /// Something is as it should be.
  case good
  /// What is the same everywhere: labels, ornaments.
  case faint
  /// A folder of names.
  case folder

  // "Select graphic rendition": ECMA-48, 8.3.117. The terminal's own eight colours, which people choose.
  private var code: String {
    switch self {
    case .bad: "1;31"
    case .doubtful: "33"
    case .good: "32"
    case .faint: "2"
    case .folder: "1;34"
    }
  }

  /// The text in this style, if there is colour.
  func applied(to text: String, isColored: Bool) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text as stdout shows it: in a style where there is colour.
  func styled(_ style: TextStyle?) -> String {
    style?.applied(to: self, isColored: StandardOutput.isColored) ?? self
  }
}
