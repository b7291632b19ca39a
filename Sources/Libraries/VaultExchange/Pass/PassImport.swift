import VaultCredentials
public import VaultSealing

/// An item of a password store, from its decrypted file.
///
/// A store is a folder with a file for each secret, encrypted by gpg; passwordstore.org.
public enum PassImport {
  /// Returns the item of a file.
  ///
  /// - Parameters:
  ///   - name: The file's path below the store, without `.gpg`.
  ///   - secret: The decrypted file.
  /// - Returns: The item: the first line is the main secret, the others are fields and notes.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  public static func item(_ name: String, _ secret: SecretBytes) throws -> ImportedItem {
    // What gopass 1.10 wrote is no password followed by lines.
    if GopassImport.isMarked(secret), !PassEntry.isWhole(secret), secret.text != nil {
      return try GopassImport.item(name, secret)
    }
    let entry = try PassEntry(file: secret)
    var item = ImportedItem(origin: name, name: name, main: entry.main)
    item.fields = entry.fields
    item.mayBeEmpty = true
    item.isKnownByName = true
    if PassEntry.isPEM(secret) {
      item.kind = .certificate
    } else if PassEntry.isWhole(secret) {
      item.kind = .secret
    }
    item.remarkOnWindows()
    return item
  }
}
