import Glibc
import VaultStorage

/// The files of gnome-keyring's keyrings, also of earlier ones that somebody has put aside.
enum KeyringFiles {
  /// What a file with an item for a vault's key contains: the value of `service`, and its MD5.
  ///
  /// In an encrypted keyring the attributes of items stand as the MD5 of their values
  /// (gkm-secret-binary.c), in one without a password as they are.
  private static let marks = ["vault-key", "133632a7587558c15b66beb6e792ec7c"]
  private static let (maximumFiles, maximumSize) = (64, 16 << 20)

  /// The files that hold the key of a vault, whichever it is, by their paths.
  ///
  /// - Parameter folders: Where to look; what cannot be read is passed over.
  /// - Returns: The paths, the newest file first.
  static func withVaultKeys(in folders: [String] = KeyringProtection.folders()) -> [String] {
    var found: [(path: String, modified: Int64)] = []
    for folder in Set(folders) {
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

  private static func holdsMark(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return marks.contains { text.firstRange(ofBytes: $0) != nil }
  }
}
