package import VaultStorage

/// The rule for files that open a vault, key files and files with a passphrase: nobody else may
/// read or write them.
///
/// A file belongs to the user or to root, and nobody else has a right to it. Directly in a
/// service's `$CREDENTIALS_DIRECTORY` its group may read it: there systemd keeps files of root with
/// an access list for the service's user, whose mask stat(2) shows as the group's rights.
/// systemd.exec(5), acl(5).
///
/// What counts is the file that was opened, by whichever links: Kubernetes puts links before its
/// files.
package enum GuardedFile {
  /// Where systemd puts a service's credentials.
  package static let credentialsVariable = "CREDENTIALS_DIRECTORY"

  /// Refuses an open file that others can get at.
  ///
  /// - Parameters:
  ///   - status: Of the open file, which is a regular one.
  ///   - path: How it was reached.
  ///   - what: What to call it.
  /// - Throws: ``CredentialError`` with code `.unsafeFile`.
  package static func check(
    _ status: System.FileStatus, path: String, what: String
  ) throws(CredentialError) {
    guard status.owner == System.effectiveUser || status.owner == 0 else {
      throw CredentialError(
        .unsafeFile, "the \(what) \(path) belongs to another user",
        hint: "use a file of your own, or one of root's")
    }
    let others: UInt32 = isCredential(path) ? 0o027 : 0o077
    guard status.permissions & others == 0 else {
      throw CredentialError(
        .unsafeFile, "others may read or change the \(what) \(path)", hint: "run: chmod 600 \(path)"
      )
    }
  }

  /// Whether a file lies directly in `$CREDENTIALS_DIRECTORY`, by its path.
  private static func isCredential(_ path: String) -> Bool {
    let slash = UInt8(ascii: "/")
    guard let folder = StoreLocation.variable(credentialsVariable), folder.utf8.first == slash,
      path.utf8.first == slash
    else { return false }
    func parts(_ text: String) -> [[UInt8]] { text.utf8.split(separator: slash).map(Array.init) }
    return parts(path).dropLast() == parts(folder)[...]
  }
}
