/// Breaks lines at blanks, so that a terminal does not break them inside words.
package enum LineWrap {
  /// Where what follows a break begins.
  private static let indent = "  "

  /// `text` in lines of at most `columns` columns; a longer word keeps a line of its own.
  ///
  /// - Parameters:
  ///   - text: The text, without newlines.
  ///   - columns: The width of the terminal; `nil` to break nothing.
  ///   - used: The columns that are taken on the first line.
  /// - Returns: The text with newlines.
  package static func wrapped(_ text: String, to columns: Int?, after used: Int = 0) -> String {
    guard let columns, columns > 2 * indent.utf8.count, used + DisplayWidth.of(text) > columns
    else { return text }
    var result = ""
    var width = used
    var isFirst = true
    for word in text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false) {
      let word = String(word)
      let added = DisplayWidth.of(word) + (isFirst ? 0 : 1)
      if !isFirst, !word.isEmpty, width + added > columns, width > indent.utf8.count {
        result += "\n\(indent)\(word)"
        width = indent.utf8.count + added - 1
      } else {
        result += isFirst ? word : " \(word)"
        width += added
      }
      isFirst = false
    }
    return result
  }

  /// `text` in lines of at most `columns` columns, each of which begins where the first one does.
  ///
  /// A word that has no room there stands on a line of its own, further to the left, so that it can be
  /// copied whole.
  ///
  /// - Parameters:
  ///   - text: The text, without newlines.
  ///   - columns: The width of the terminal; `nil` to break nothing.
  ///   - used: The columns that are taken before it.
  /// - Returns: The text with newlines.
  package static func hanging(_ text: String, to columns: Int?, after used: Int) -> String {
    guard let columns, used + DisplayWidth.of(text) > columns else { return text }
    let isRoomy = columns >= used + 16
    let margin = isRoomy ? used : indent.utf8.count
    var result = ""
    var width = used
    for word in text.unicodeScalars.split(separator: " ") {
      let word = String(word)
      let length = DisplayWidth.of(word)
      let blank = result.isEmpty || width == margin ? 0 : 1
      if width + blank + length <= columns {
        result += (blank == 1 ? " " : "") + word
        width += blank + length
      } else {
        let left =
          margin + length <= columns
          ? margin : indent.utf8.count + length <= columns ? indent.utf8.count : 0
        result += "\n" + String(repeating: " ", count: left) + word
        width = left + length
      }
    }
    return result
  }
}
