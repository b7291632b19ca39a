/// The names under which an edit leaves something to be done in the keyring.
///
/// They are marked in the ledger before the file that makes it necessary is written: a command that
/// ends in between leaves a mark too many, which costs one look, and never one too few.
struct CopyChanges {
  /// Names to be marked, and hashes of what the keyring holds under them as far as the ledger may
  /// not know.
  private(set) var marked: [String: [[UInt8]]] = [:]
  /// Names of copies that are up to date by an older version's account.
  private(set) var settled: [String: [UInt8]] = [:]
  /// Whether secrets that the keyring could not hold are tried again.
  var retriesUnpublishable = false

  var isEmpty: Bool { marked.isEmpty && settled.isEmpty && !retriesUnpublishable }
  var names: Set<String> { Set(marked.keys) }

  /// Marks a name; `hash` is that of a copy which the keyring holds under it.
  mutating func mark(_ name: String, hash: [UInt8]? = nil) {
    marked[name, default: []] += [hash].compactMap { $0 }
  }

  /// Takes over what the index of an older version says of copies.
  mutating func takeOver(_ index: VaultIndex) {
    guard index.carriesCopies else { return }
    for withdrawal in index.withdrawals { mark(withdrawal.name, hash: withdrawal.copyHash) }
    for record in index.items where record.trashed == 0 {
      switch record.copy {
      case .none: break
      case .pending: mark(record.name, hash: record.copyHash.bytes)
      case .published: settled[record.name] = record.copyHash.bytes
      }
    }
  }
}

extension VaultIndex {
  /// Whether the index holds what older versions noted of copies, which is in the ledger now.
  var carriesCopies: Bool {
    !withdrawals.isEmpty || items.haveCopies
  }

  /// Leaves in the index only which items are to have a copy.
  mutating func dropCopies() {
    guard carriesCopies else { return }
    withdrawals = []
    items.dropCopies()
  }
}
