import Synchronization
import VaultSealing
import VaultStorage

// Copies that were made while the keyring had a password, and that it cannot keep without one.

extension UnlockedVault {
  /// The names of copies that the ledger knows as made, and that make a keyring without a password
  /// unreadable at the next login, or come back from it as another text.
  ///
  /// The keyring is asked only where a file of a keyring begins as text, and there are such copies.
  ///
  /// - Parameter snapshot: The vault.
  /// - Returns: The names, in order; none where the keyring has a password, or cannot be asked.
  /// - Throws: ``CredentialError``: what reading throws.
  func breakingCopies(in snapshot: VaultSnapshot) throws -> [String] {
    guard locked.options.usesKeyring, KeyringProtection.isSomeKeyringInClear() else { return [] }
    let ledger = try ledger()
    let marks = try ledger.marks()
    guard marks.values.contains(CopyLedger.settled) else { return [] }
    let names = try snapshot.index.publishedRecords().values.filter { record in
      guard try marks[ledger.place(of: record.name)] == CopyLedger.settled else { return false }
      // What is damaged is another matter, and its check's.
      return (try? snapshot.contents(of: record))?.main.isBrokenByText == true
    }.map(\.name).sorted()
    guard !names.isEmpty, locked.keyring.probe(openingSession: false).protection == .inClear else {
      return []
    }
    return names
  }

  /// Marks such copies, so that they are withdrawn now.
  ///
  /// - Parameter snapshot: The vault.
  /// - Returns: Their names.
  /// - Throws: ``CredentialError``: what reading and writing throw.
  func markBreakingCopies(in snapshot: VaultSnapshot) throws -> Set<String> {
    let names = try breakingCopies(in: snapshot)
    try ledger().mark(Dictionary(names.map { ($0, []) }, uniquingKeysWith: { $1 }))
    return Set(names)
  }

  /// Warns once of such copies where the keyring has opened the vault: who only reads learns it, too.
  ///
  /// What writes withdraws them before, and the status and a check name them.
  func warnOfBreakingCopies() {
    guard openedBy.source == .keyring,
      !hasSoughtBreakingCopies.exchange(true, ordering: .relaxed),
      KeyringProtection.isSomeKeyringInClear()
    else { return }
    // A warning is no reason for what was asked to fail.
    guard let snapshot = try? snapshot(), let names = try? breakingCopies(in: snapshot),
      !names.isEmpty
    else { return }
    note([.copiesBreaking(names)])
  }
}

extension VaultNotice {
  /// What a notice, the status and a check say of copies that a keyring without a password cannot
  /// keep.
  ///
  /// - Parameter count: How many there are.
  /// - Returns: One sentence.
  package static func breakingWords(_ count: Int) -> String {
    "the keyring has lost its password: at the next login "
      + Plural.of(count, "copy of this vault's", "copies of this vault's")
      + " can make it unreadable, with the secrets of every program"
  }

  static func copiesBreaking(_ names: [String]) -> VaultNotice {
    VaultNotice(
      .copyBreaksKeyring, breakingWords(names.count) + ": " + CopyNotices.joined(names),
      hint: "withdraw what the keyring cannot keep before you log out",
      remedies: [.synchronizeCopies])
  }
}
