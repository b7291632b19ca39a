import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultRedaction
import VaultSealing
import VaultTerminal

/// The secrets that `vault redact` and `vault run --mask` look for.
enum MaskedSecrets {
  /// The secrets of items, references, folders and patterns; without any, all of the vault.
  ///
  /// Of an item, that is its main secret and its concealed fields.
  static func named(_ words: [String], _ settings: VaultSettings) throws -> [SecretBytes] {
    let reading = ReferenceReading(settings)
    guard !words.isEmpty else {
      let snapshot = try reading.snapshot(of: nil)
      return try snapshot.items().flatMap { try secrets(of: $0, in: snapshot) }
    }
    let (folders, names) = try RunFolders.split(words)
    let references = try names.map { try SecretReference(nameOrReference: $0) }
    try reading.open(references, readsAll: true)
    reading.keepsSecrets = true
    var found: [SecretBytes] = []
    for reference in references {
      let snapshot = try reading.snapshot(of: reference.vaultName)
      if reference.field == nil, reference.attribute == nil,
        let item = snapshot[try ItemName(reference.name)]
      {
        found += try secrets(of: item, in: snapshot)
      } else {
        _ = try reading.value(of: reference)
      }
    }
    try reading.throwIfMissing()
    for (snapshot, items) in try folders.items(reading) {
      for item in items { found += try secrets(of: item, in: snapshot) }
    }
    return found + reading.secrets
  }

  private static func secrets(
    of item: Item, in snapshot: VaultSnapshot
  ) throws -> [SecretBytes] {
    let all = try snapshot.secrets(of: item)
    return [all.main.bytes]
      + all.fields.filter { !item.isOpen(field: $0.key) }.map { $0.value.bytes }
  }

  /// Says how many secrets are too short to be looked for.
  static func tellUnmasked(_ secrets: [SecretBytes]) {
    let count = secrets.count { $0.count > 0 && !SecretTable.isFound($0) }
    guard count > 0 else { return }
    StandardError.note(
      "\(count == 1 ? "1 secret is" : "\(count) secrets are") shorter than "
        + "\(SecretTable.shortestSecret) bytes and not masked")
  }
}
