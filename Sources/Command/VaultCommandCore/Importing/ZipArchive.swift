import Glibc
package import VaultSealing
import VaultStorage
import VaultTerminal

/// A zip archive, unpacked by `unzip` straight into locked memory; nothing is written to the disk.
package struct ZipArchive {
  package let path: String
  /// The name for `unzip`, which takes it for a pattern.
  private let pattern: String
  private static let limit = 256 << 20
  /// The first bytes of an archive: APPNOTE.TXT, 4.3.7.
  private static let mark: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

  /// The archive at `path`; `nil` if there is another file, or none.
  package init?(_ path: String) {
    guard path != "-", Self.isArchive(path) else { return nil }
    self.path = path
    // Only the last part may be a pattern; a dash in front would be an option.
    let parts = path.parts(at: "/", keepsEmpty: true).map(String.init)
    let name = parts.last.map(Self.literal) ?? path
    let folder = parts.dropLast().joined(separator: "/")
    pattern = parts.count > 1 ? "\(folder)/\(name)" : "./\(name)"
  }

  private static func isArchive(_ path: String) -> Bool {
    guard let file = try? System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    else { return false }
    defer { System.close(file) }
    guard let status = try? System.status(file), status.isRegular else { return false }
    let first = try? SecretBytes(capacity: mark.count) { output in
      try System.read(file, into: &output, at: 0)
    }
    return first?.withBytes { $0.byteCount == mark.count && $0.matches(mark, at: 0..<mark.count) }
      == true
  }

  /// A name as a pattern that matches nothing else.
  private static func literal(_ name: String) -> String {
    var pattern = ""
    for scalar in name.unicodeScalars {
      if "[*?".unicodeScalars.contains(scalar) {
        pattern += "[\(scalar)]"
      } else if scalar == "\\" {
        pattern += "\\\\"
      } else {
        pattern.unicodeScalars.append(scalar)
      }
    }
    return pattern
  }

  /// The paths of all files in the archive.
  ///
  /// - Throws: ``CommandError`` with code `import-unreadable`, `TerminalError` with code
  ///   `.programMissing`.
  package func names() throws -> [String] {
    let run = try ChildProgram.runInstalled(["unzip", "-Z1", pattern], input: .inherited)
    guard run.isSuccess, let list = run.output.text else {
      throw CommandError(
        .importUnreadable, "the archive cannot be read", hint: "try: unzip -t FILE")
    }
    return list.parts(at: "\n").map(String.init).filter { !$0.isEmpty && !$0.hasSuffix("/") }
  }

  /// Returns a file of the archive.
  ///
  /// - Throws: ``CommandError`` with code `import-unreadable` if it is not there or damaged,
  ///   `TerminalError` with code `.programMissing` or `.tooLong`.
  package func contents(of name: String) throws -> SecretBytes {
    let run = try ChildProgram.runInstalled(
      ["unzip", "-p", pattern, Self.literal(name)], input: .inherited, limit: Self.limit)
    guard run.isSuccess else {
      throw CommandError(
        .importUnreadable, "the archive has no readable file '\(name)'",
        hint: "try: unzip -t FILE")
    }
    return run.output
  }
}
