import FoundationEssentials

/// Another program's configuration file, replaced as a whole.
///
/// Its mode stays, and a link to it stays a link.
package struct ConfigurationFile {
  package let path: String

  /// Returns the text of the file; empty if it does not exist.
  ///
  /// - Throws: ``CommandError`` with code `configuration-unreadable`.
  package func text() throws -> String {
    guard FileManager.default.fileExists(atPath: path) else { return "" }
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(data: data, encoding: .utf8)
    else {
      throw CommandError(
        .configurationUnreadable, "\(path) cannot be read as text")
    }
    return text
  }

  /// The lines of a text, without the empty ones.
  package static func lines(of text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: Array($0), as: UTF8.self) }
  }

  /// Replaces the file, and creates its folder if needed.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create`.
  package func replace(with text: String) throws {
    let target = URL(filePath: path).resolvingSymlinksInPath()
    let manager = FileManager.default
    do {
      let mode = try? manager.attributesOfItem(atPath: target.path)[.posixPermissions]
      try manager.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: target, options: .atomic)
      if let mode {
        try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path)
      }
    } catch {
      throw CommandError(
        .cannotCreate, "\(path) cannot be written",
        hint: "check that it and its folder are yours")
    }
  }
}
