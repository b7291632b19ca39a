import FoundationEssentials

/// A file of another program that is changed as a whole: its mode stays, and a link to it stays a link.
struct ConfigurationFile {
  let path: String

  /// What it holds; empty where it is missing.
  ///
  /// - Throws: ``CommandError`` with code `configuration-unreadable`.
  func text() throws -> String {
    guard FileManager.default.fileExists(atPath: path) else { return "" }
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(data: data, encoding: .utf8)
    else {
      throw CommandError(
        .configurationUnreadable, "\(path) cannot be read as text")
    }
    return text
  }

  /// Replaces it; its folder is made where it is missing.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create`.
  func replace(with text: String) throws {
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
