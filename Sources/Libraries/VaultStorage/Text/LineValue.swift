/// What a person typed for a name or a path, as an error may repeat it.
package enum LineValue {
  /// The text without what may be a secret in another program's line: what stands behind an equals
  /// sign, and before the at sign of an address.
  ///
  /// - Parameter text: A word of the line.
  /// - Returns: The text, safe to show on a terminal.
  package static func shown(_ text: String) -> String {
    if let scheme = text.firstRange(ofBytes: "://"),
      let at = text[scheme.upperBound...].utf8.lastIndex(of: 0x40)
    {
      return Quoting.visible("\(text[..<scheme.upperBound])…\(text[at...])")
    }
    guard let equals = text.utf8.firstIndex(of: 0x3D), equals != text.startIndex else {
      return Quoting.visible(text)
    }
    return Quoting.visible("\(text[..<equals])=…")
  }
}
