import Glibc
import VaultStorage

/// The files of gnome-keyring's keyrings, also of earlier ones that somebody has put aside.
enum KeyringFiles {
  /// What a file with an item for a vault's key contains: the value of `service`, and its MD5.
  ///
  /// In an encrypted keyring the attributes of items stand as the MD5 of their values
  /// (gkm-secret-binary.c), in one without a password as they are.
  private static let marks = ["vault-key", "133632a7587558c15b66beb6e792ec7c"]
  private static let (maximumFiles, maximumSize, maximumFolders) = (64, 16 << 20, 8)

  /// The files that hold the key of a vault, whichever it is, by their paths.
  ///
  /// - Parameter folders: Where to look; what cannot be read is passed over.
  /// - Returns: The paths, the newest file first.
  static func withVaultKeys(in folders: [String] = KeyringProtection.folders()) -> [String] {
    var found: [(path: String, modified: Int64)] = []
    for folder in Set(folders.flatMap { [$0] + besides($0) }) {
      for name in ((try? UserFile.names(in: folder)) ?? []).prefix(maximumFiles) {
        let path = "\(folder)/\(name)"
        guard let status = try? System.targetStatus(of: path, in: AT_FDCWD), status.isRegular,
          let bytes = try? UserFile.bytes(of: path, limit: maximumSize),
          holdsMark(bytes)
        else { continue }
        found.append((path, status.modified))
      }
    }
    return found.sorted { ($1.modified, $0.path) < ($0.modified, $1.path) }.map(\.path)
  }

  /// How a file that holds the key of a vault becomes the keyring again.
  ///
  /// - Parameter files: What ``withVaultKeys(in:)`` found.
  /// - Returns: One sentence; `nil` without a file.
  static func hint(for files: [String]) -> String? {
    guard let newest = files.first else { return nil }
    guard !isUnreadable(newest) else {
      return "a vault's key is in \(newest), which the keyring cannot read: \(repairHint(newest))"
    }
    let more = files.count > 1 ? " (or \(files.dropFirst().joined(separator: ", ")))" : ""
    let isInClear = contents(newest)?.starts(with: KeyringProtection.clearStart) ?? false
    return "a vault's key is in \(newest)\(more): make it the keyring's file again, "
      + (isInClear
        ? "and log in anew" : "log in anew, and give the password that it had then")
  }

  /// A keyring's file that the keyring's program cannot read, so that it is as if it were not there.
  ///
  /// - Parameter folders: The folders of the program.
  /// - Returns: The path, first of one that holds a vault's key; and whether it holds one.
  static func unreadable(in folders: [String]) -> (path: String, holdsVaultKey: Bool)? {
    let found: [(path: String, holdsVaultKey: Bool)] = folders.flatMap { folder in
      ((try? UserFile.names(in: folder)) ?? []).sorted().filter { $0.ends(with: ".keyring") }
        .prefix(maximumFiles).compactMap { name in
          let path = "\(folder)/\(name)"
          guard let bytes = contents(path), !KeyringProtection.isReadable(bytes) else { return nil }
          return (path, holdsMark(bytes))
        }
    }
    return found.first { $0.holdsVaultKey } ?? found.first
  }

  /// Whether the file of a keyring is there and its program cannot read it.
  static func isUnreadable(_ path: String) -> Bool {
    contents(path).map { !KeyringProtection.isReadable($0) } ?? false
  }

  /// What helps with such a file.
  ///
  /// - Parameter path: The file.
  /// - Returns: One sentence.
  static func repairHint(_ path: String) -> String {
    "a secret of several lines breaks a keyring without a password: keep a copy of the file, take out "
      + "the lines that have no '=' and no '[' at their beginning, and log in anew; or put "
      + "\(path) back from a backup"
  }

  private static func contents(_ path: String) -> [UInt8]? {
    guard let status = try? System.targetStatus(of: path, in: AT_FDCWD), status.isRegular else {
      return nil
    }
    return try? UserFile.bytes(of: path, limit: maximumSize)
  }

  /// Folders into which somebody may have put the whole folder, or files of it: beside it with the same
  /// beginning of their names, as `keyrings.bak`, and in it.
  private static func besides(_ folder: String) -> [String] {
    func folders(in parent: String, _ isWanted: (String) -> Bool) -> [String] {
      ((try? UserFile.names(in: parent)) ?? []).filter(isWanted).map { "\(parent)/\($0)" }
        .filter { (try? System.targetStatus(of: $0, in: AT_FDCWD).isDirectory) == true }
    }
    let (parent, name) = (UserFile.folder(of: folder), String(folder.lastComponent))
    let beside = folders(in: parent) { $0.begins(with: name) && !$0.isSame(as: name) }
    return ([folder] + beside.prefix(maximumFolders)).flatMap { place in
      (place == folder ? [] : [place]) + folders(in: place) { _ in true }.prefix(maximumFolders)
    }
  }

  private static func holdsMark(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return marks.contains { text.firstRange(ofBytes: $0) != nil }
  }
}
