import VaultSealing
import VaultStorage

/// What is to go for good when the next vault file is in place: written before that, and removed
/// when nothing of it is left, so that a purge that was killed is finished by whoever comes next.
///
/// Documentation/design/file-format.md, section 6.
struct PurgeMark: Equatable {
  private static let magic = Array("VLTp".utf8)
  private static let hashLength = ItemRecord.hashLength
  private static let headLength = 45

  var vaultID: [UInt8]
  /// The file without what is to go.
  var head: VaultIndex.Ancestor
  /// Whether the blobs go from the log and the last good copy, too.
  var isErasing: Bool
  /// Blobs of the store that this file does not name any more.
  var hashes: [[UInt8]]

  init(vaultID: [UInt8], head: VaultIndex.Ancestor, isErasing: Bool, hashes: [[UInt8]]) {
    self.vaultID = vaultID
    self.head = head
    self.isErasing = isErasing
    self.hashes = hashes
  }

  /// Decodes a mark; `nil` if the bytes are none.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count >= Self.headLength, bytes.starts(with: Self.magic),
      (bytes.count - Self.headLength) % Self.hashLength == 0
    else { return nil }
    vaultID = Array(bytes[4..<20])
    let generation = bytes[20..<28].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    head = VaultIndex.Ancestor(generation: generation, tag: Bytes16(Array(bytes[28..<44])))
    isErasing = bytes[44] != 0
    hashes = stride(from: Self.headLength, to: bytes.count, by: Self.hashLength).map {
      Array(bytes[$0..<$0 + Self.hashLength])
    }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.magic)
    writer.put(vaultID)
    writer.put(head.generation)
    writer.put(head.tag)
    writer.put(UInt8(isErasing ? 1 : 0))
    for hash in hashes { writer.put(hash) }
    return writer.bytes
  }
}

extension VaultFolder {
  /// Finishes a purge that was killed between the vault's file and what lies beside it; the caller
  /// holds the lock.
  ///
  /// Without a mark, and where its file never came into place, nothing is removed. A blob that the
  /// file names again stays.
  ///
  /// - Parameters:
  ///   - file: The vault file in place.
  ///   - index: Its index, with all items.
  ///   - history: The blobs.
  ///   - directory: The vault's folder.
  /// - Returns: Whether nothing of it is left; false if another program reads the store, whose log
  ///   then still has it.
  /// - Throws: ``CredentialError``.
  func finishPurge(
    _ file: VaultFile, _ index: VaultIndex, _ history: HistoryStore, in directory: Directory
  ) throws -> Bool {
    guard let mark = try purgeMark(in: directory) else { return true }
    let head = VaultIndex.Ancestor(generation: file.header.generation, tag: file.tag)
    var isGone = true
    if mark.vaultID == file.header.vaultID, mark.head == head || index.descends(from: mark.head) {
      try removePrevious(in: directory)
      let named = Set(index.items.flatMap { $0.earlier.map(\.hash) })
      var store: Store?
      isGone = try history.remove(
        mark.hashes.filter { !named.contains($0) }, in: &store, erasing: mark.isErasing)
    }
    try removePurgeMark(in: directory)
    return isGone
  }
}
