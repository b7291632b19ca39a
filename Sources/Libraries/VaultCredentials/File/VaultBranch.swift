import VaultSealing
import VaultStorage

/// One side of a merge: items and their contents, wherever they come from.
protocol MergeSide {
  /// Records of items, removals, and keys of other drawers.
  var index: VaultIndex { get }
  /// The record of an item, or `nil`.
  func record(_ id: Bytes16) -> ItemRecord?
  /// The newest secret of an item: the current one, or the first one in the trash.
  ///
  /// - Parameter record: A record of this side's index.
  /// - Returns: The contents; `nil` if an item in the trash has its secret elsewhere.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  func contents(of record: ItemRecord) throws -> ItemContents?
  /// An earlier version of an item; `nil` if it is not at hand.
  func contents(of record: ItemRecord, _ earlier: ItemRecord.Earlier) throws -> ItemContents?
}

/// Another file of a vault, opened: a copy that went its own way, a backup, or a common ancestor.
struct VaultBranch: MergeSide {
  let file: VaultFile
  let index: VaultIndex
  let keys: VaultKeys
  /// Sealed earlier versions that a backup brings along, by hash.
  let blobs: [[UInt8]: [UInt8]]
  /// Where this machine keeps earlier versions.
  let history: HistoryReader

  func record(_ id: Bytes16) -> ItemRecord? {
    index.items.position(of: id).map { index.items[$0] }
  }

  /// Generation and tag: which file it is.
  var head: VaultIndex.Ancestor {
    VaultIndex.Ancestor(generation: file.header.generation, tag: file.tag)
  }

  /// Whether this file is `other`, or `other` descends from it.
  func isAncestor(of other: VaultIndex, in file: VaultFile) -> Bool {
    if head == VaultIndex.Ancestor(generation: file.header.generation, tag: file.tag) {
      return true
    }
    return other.descends(from: head)
  }

  func contents(of record: ItemRecord) throws -> ItemContents? {
    guard record.trashed == 0 else {
      return try record.earlier.first.flatMap { try contents(of: record, $0) }
    }
    return try file.contents(of: record, keys: keys)
  }

  func contents(
    of record: ItemRecord, _ earlier: ItemRecord.Earlier
  ) throws -> ItemContents? {
    guard let sealed = try blobs[earlier.hash] ?? history.blob(earlier.hash) else { return nil }
    return try? VaultFile.open(
      sealed, record: record, version: earlier.version, kind: earlier.kind,
      vaultID: file.header.vaultID, parent: try index.dataKey(id: earlier.dataKey))
  }
}

extension ItemRecord {
  /// The number of the newest secret.
  var headVersion: UInt64 { trashed == 0 ? version : earlier.first?.version ?? version }

  /// Whether two records say the same but for where the secret lies and for its copy in the
  /// keyring.
  func isEqual(to other: ItemRecord) -> Bool {
    var (left, right) = (self, other)
    left.forgetPlace()
    right.forgetPlace()
    return left == right
  }

  private mutating func forgetPlace() {
    offset = 0
    copy = .none
    copyHash = .zero
  }
}

extension ItemContents {
  /// A field by its name; the main secret has an empty one.
  subscript(field name: String) -> SecretBytes? { name.isEmpty ? main : fields[name] }
}
