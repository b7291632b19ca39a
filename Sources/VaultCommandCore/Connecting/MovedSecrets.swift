package import VaultCredentials
package import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// What was moved out of files, so that it can go back: one item of the vault, since the entries of a
/// file name accounts.
///
/// A word for each program lies beside the vaults, in the state folder: so `disconnect` opens the vault
/// only where there is something to restore.
package enum MovedSecrets {
  private static let client = "moved"

  // MARK: - What there is

  private static func item(in snapshot: VaultSnapshot) -> Item? {
    var query = ItemQuery()
    query.attributes = ["client": client]
    return snapshot.items(matching: query).first
  }

  /// What was moved, the oldest first.
  private static func entries(in snapshot: VaultSnapshot) throws -> [ClearTextEntry] {
    guard let item = item(in: snapshot), let text = try snapshot.secret(of: item).text else {
      return []
    }
    return ClearTextEntry.entries(in: text)
  }

  /// Notes what was moved.
  static func add(_ entries: [ClearTextEntry], to vault: UnlockedVault.Blocking) throws {
    let snapshot = try vault.read()
    var all = try self.entries(in: snapshot)
    for entry in entries {
      all.removeAll { $0.path.isSame(as: entry.path) && $0.entry.isSame(as: entry.entry) }
      all.append(entry)
    }
    try write(all, to: vault, snapshot)
  }

  private static func write(
    _ entries: [ClearTextEntry], to vault: UnlockedVault.Blocking, _ snapshot: VaultSnapshot
  ) throws {
    let known = item(in: snapshot)
    guard !entries.isEmpty else {
      if let known { try vault.remove(known.name) }
      return
    }
    let text = ClearTextEntry.text(of: entries)
    var changes = ItemChanges()
    changes.kind = .secret
    changes.attributes = ["client": client]
    changes.note =
      "What 'connect --move' and 'import home' took out of files; 'disconnect' puts it back."
    let name = try known?.name ?? FreeName.like("moved-files") { snapshot[$0] != nil }
    let draft = ItemDraft(name, main: try SecretBytes(text: text), changes: changes)
    try vault.edit { _ = try $0.store(draft) }
  }

  // MARK: - Back

  /// What came of one that was to go back.
  package struct Restored {
    package let entry: ClearTextEntry
    /// Why it stays in the vault alone; `nil` for one that is in its file again.
    package let problem: String?
  }

  /// Puts secrets back into the files that they were taken out of, as they are in the vault now.
  ///
  /// - Parameters:
  ///   - vault: The vault, in which they stay.
  ///   - isWanted: Which ones.
  /// - Returns: What was restored, and the programs of which something is left to restore.
  /// - Throws: What reading and writing throw.
  package static func restore(
    from vault: UnlockedVault.Blocking, where isWanted: (ClearTextEntry) -> Bool
  ) throws -> (restored: [Restored], left: Set<ClearTextProgram>) {
    let snapshot = try vault.read()
    let items = Dictionary(snapshot.items().map { ($0.id, $0) }) { one, _ in one }
    let all = try entries(in: snapshot)
    var restored: [Restored] = []
    for entry in all where isWanted(entry) {
      restored.append(
        Restored(entry: entry, problem: try restore(entry, items[entry.item], in: snapshot)))
    }
    let back = restored.filter { $0.problem == nil }.map(\.entry)
    let left = all.filter { !back.contains($0) }
    if !back.isEmpty { try write(left, to: vault, snapshot) }
    return (restored, Set(left.map(\.program)))
  }

  /// Puts one secret back; returns why it cannot be, or `nil`.
  private static func restore(
    _ entry: ClearTextEntry, _ item: Item?, in snapshot: VaultSnapshot
  ) throws -> String? {
    // The vault may be shared: nobody else says which files are written here.
    guard entry.program.paths({ ProcessState.variable($0) }).contains(entry.path) else {
      return "that is no file of \(entry.program.rawValue) on this machine"
    }
    guard let item else { return "its item is not there any more" }
    let whole = try snapshot.secrets(of: item)
    guard let main = whole.main.text else { return "its secret is not text" }
    let value = ClearTextValue(
      entry: entry.entry, main: main, fields: whole.fields.compactMapValues(\.text),
      attributes: item.attributes)
    let file = ConfigurationFile(path: entry.path)
    do {
      let before = try file.text()
      let after = try entry.program.adding(value, to: before)
      // A file that is made for secrets is for its owner alone.
      if !after.isSame(as: before) { try file.replace(with: after, mode: 0o600) }
      return nil
    } catch let error as ProtocolError {
      return error.message
    }
  }

  // MARK: - The marks

  /// The programs of which a vault may have something to restore.
  package static func marked(_ settings: VaultSettings) throws -> Set<ClearTextProgram> {
    let text = try ConfigurationFile(path: markPath(settings)).text()
    return Set(ConfigurationFile.lines(of: text).compactMap { ClearTextProgram(rawValue: $0) })
  }

  /// Notes for which programs a vault may have something to restore.
  package static func mark(_ programs: Set<ClearTextProgram>, _ settings: VaultSettings) throws {
    let file = ConfigurationFile(path: try markPath(settings))
    let text = programs.map(\.rawValue).sorted().map { "\($0)\n" }.joined()
    guard try !file.text().isSame(as: text) else { return }
    if text.isEmpty { try file.remove() } else { try file.replace(with: text, mode: 0o600) }
  }

  private static func markPath(_ settings: VaultSettings) throws -> String {
    let name = settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
    return try settings.location().state + "/moved" + (name.map { ".\($0)" } ?? "")
  }
}
