package import VaultPreferences
import VaultStorage

/// One key of a TOML file with keys and values, changed in its place: comments, blank lines and the
/// order of all others stay.
///
/// Each edit is proved: the new text is read, and taken only if it says what was wanted and nothing
/// else.
package enum TOMLEdit {
  /// The text with a key's value, or without the key.
  ///
  /// - Parameters:
  ///   - document: TOML.
  ///   - key: A key of the document itself.
  ///   - value: The value; `nil` removes the key.
  /// - Returns: The new text.
  /// - Throws: ``PreferenceError`` with code `.syntax` if the text cannot be read, `.lossy` if the
  ///   key is written in a way that cannot be changed alone.
  package static func setting(
    _ document: [UInt8], _ key: String, to value: PreferenceValue?
  ) throws(PreferenceError) -> [UInt8] {
    guard case .dictionary(var wanted) = try TOMLText.parse(document) else { return document }
    let isThere = wanted[key] != nil
    wanted[key] = value
    var lines = String(decoding: document, as: UTF8.self).parts(at: "\n", keepsEmpty: true)
      .map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    // A file from Windows keeps its ends of lines.
    let end = lines.first?.utf8.last == 0x0d ? "\r" : ""
    let new = value.map { TOMLWriter.line(key, $0) }
    func proved(_ candidate: [String]) -> [UInt8]? {
      let bytes = Array(candidate.map { "\($0)\n" }.joined().utf8)
      guard let read = try? TOMLText.parse(bytes), read == .dictionary(wanted) else { return nil }
      return bytes
    }
    guard isThere else {
      guard let new else { return document }
      // Behind the last key that stands before the first table.
      let table = lines.firstIndex { $0.utf8.first { $0 > 0x20 } == UInt8(ascii: "[") }
      var last = table ?? lines.count
      while last > 0, table != nil, isBlankOrComment(lines[last - 1]) { last -= 1 }
      for place in [last, table ?? lines.count, 0] {
        var candidate = lines
        candidate.insert(new + end, at: place)
        if let bytes = proved(candidate) { return bytes }
      }
      throw PreferenceError(.lossy, "\(key) cannot be added to the file")
    }
    let places = try TOMLText.places(of: document).filter { $0.name.key == nil }
    guard let line = places.first(where: { $0.name.domain == key })?.line, line <= lines.count
    else {
      throw PreferenceError(.lossy, "\(key) was not found in the file")
    }
    let start = line - 1
    for last in start..<lines.count {
      // With the end of its line, where that is not only a line feed.
      let comment = comment(of: lines[last])
      for suffix in comment.isEmpty ? [end] : [" \(comment)", end] {
        var candidate = lines
        candidate.replaceSubrange(start...last, with: new.map { [$0 + suffix] } ?? [])
        if let bytes = proved(candidate) { return bytes }
      }
    }
    throw PreferenceError(
      .lossy, "\(key) is written in a way that cannot be changed alone; edit the file")
  }

  private static func isBlankOrComment(_ line: String) -> Bool {
    let first = line.utf8.first { $0 > 0x20 }
    return first == nil || first == UInt8(ascii: "#")
  }

  /// The comment at the end of a line; a number sign in a text is none, as far as a line tells.
  private static func comment(of line: String) -> String {
    var quote: UInt8?
    var isEscaped = false
    for index in line.utf8.indices {
      let byte = line.utf8[index]
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        isEscaped = true
      } else if byte == quote {
        quote = nil
      } else if quote == nil {
        if byte == UInt8(ascii: "#") { return String(line[index...]) }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
      }
    }
    return ""
  }
}
