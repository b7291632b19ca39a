import Glibc
import VaultStorage

/// Another program's configuration file, replaced as a whole.
///
/// Its mode stays, and a link to it stays a link.
package struct ConfigurationFile {
  package let path: String
  /// A larger file is nobody's configuration.
  private static let limit = 64 << 20

  package init(path: String) { self.path = path }

  /// Returns the text of the file; empty if it does not exist.
  ///
  /// - Throws: ``CommandError`` with code `configuration-unreadable`.
  package func text() throws -> String {
    guard UserFile.exists(path) else { return "" }
    // Nobody might ever write into a pipe in its place.
    guard (try? System.targetStatus(of: path, in: AT_FDCWD).isRegular) == true,
      let bytes = try? UserFile.bytes(of: path, limit: Self.limit),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw CommandError(
        .configurationUnreadable, "\(path) cannot be read as text",
        hint: "see what it is; a text in another encoding has to be saved as UTF-8")
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
  /// - Parameters:
  ///   - text: Its new text.
  ///   - mode: The mode of a file that is not there yet, less the umask; else it stays.
  /// - Throws: ``CommandError`` with code `cannot-create`.
  package func replace(with text: String, mode: UInt32 = 0o666) throws {
    if UserFile.isLink(path), !UserFile.exists(path) {
      throw CommandError(
        .cannotCreate, "\(path) is a link that leads to nothing: nothing is made there",
        hint: "bring back what it leads to, such as its disk, or remove the link")
    }
    do {
      let target = try UserFile.target(of: path)
      try UserFile.makeFolders(UserFile.folder(of: target))
      try UserFile.replace(target, with: Array(text.utf8), mode: mode)
    } catch {
      // What helps where the disk takes nothing, the report says.
      let isDisk = [EROFS, ENOSPC, EDQUOT].contains(error.errno)
      throw CommandError(
        .cannotCreate, "\(path) cannot be written: \(error.reason)",
        hint: isDisk ? nil : "check that it and its folder are yours")
    }
  }

  /// Removes the file, or the link that is in its place.
  ///
  /// - Throws: ``CommandError`` with code `input-output`.
  package func remove() throws { try Self.remove(path, hint: nil) }

  /// Removes the file whose text is all ours, also at the end of links, as folders of settings that
  /// are kept elsewhere have them: the text does not stay there.
  ///
  /// - Throws: ``CommandError`` with code `input-output`.
  package func removeText() throws {
    let target = target
    try remove()
    if let target {
      try Self.remove(target, hint: "the link to it is gone; take out of it what connecting wrote")
    }
  }

  /// The file that a link in its place leads to; `nil` where there is no link.
  private var target: String? {
    guard UserFile.isLink(path), let target = try? UserFile.target(of: path),
      !target.isSame(as: path)
    else { return nil }
    return target
  }

  /// What ``removeText()`` removes of a text, line by line.
  package func removedLines(of text: String) -> [String] {
    Self.lines(of: text) + (target.map { ["\($0), to which a link leads, is removed, too"] } ?? [])
  }

  private static func remove(_ path: String, hint: String?) throws {
    do {
      try System.unlink(path, in: AT_FDCWD)
    } catch {
      throw CommandError(
        .inputOutput, "\(path) cannot be removed: \(error.reason)", hint: hint)
    }
  }
}
