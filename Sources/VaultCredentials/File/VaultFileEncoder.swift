import VaultSealing

/// Puts a whole vault file together.
///
/// Documentation/file-format.md, section 1.
enum VaultFileEncoder {
  /// Seals `index` and puts it between header and items.
  ///
  /// - Parameters:
  ///   - header: Slots, vault id, generation and features; its lengths are set here.
  ///   - index: Its items' places in the file are set here.
  ///   - keys: The keys of the epoch.
  ///   - sealedItems: The sealed bytes of every item that is not in the trash, by id.
  /// - Returns: The bytes of the file, the tag of its index, and the index with the places set.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` beyond a limit of the format.
  static func compose(
    header: VaultHeader, index: VaultIndex, keys: VaultKeys, sealedItems: [[UInt8]: [UInt8]]
  ) throws -> (bytes: [UInt8], tag: [UInt8], index: VaultIndex) {
    precondition(!index.isPartial)
    var header = header
    var index = index
    guard index.items.count <= VaultIndex.maximumItems else {
      throw limit("a vault holds at most 20,000 items")
    }
    index.items.sort { $0.id.lexicographicallyPrecedes($1.id) }
    index.tombstones.sort { $0.itemID.lexicographicallyPrecedes($1.itemID) }
    index.withdrawals.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var offset: UInt64 = 0
    for position in index.items.indices where index.items[position].trashed == 0 {
      let sealed = sealedItems[index.items[position].id] ?? []
      index.items[position].offset = offset
      index.items[position].length = UInt32(sealed.count)
      offset += UInt64(sealed.count)
    }
    let composer = try index.composed()
    let padded = try composer.padded(to: Padding.indexLength(composer.count))
    header.indexLength = UInt32(padded.count + AuthenticatedEncryption.overhead)
    header.itemsLength = offset
    let headerBytes = try header.encoded()
    let total = headerBytes.count + Int(header.indexLength) + Int(offset)
    guard headerBytes.count <= VaultHeader.maximumLength,
      header.indexLength <= VaultHeader.maximumIndex, total <= VaultHeader.maximumFile
    else { throw limit("a vault file has at most 64 MiB, and 16 MiB of names and notes") }

    let sealedIndex = try padded.withBytes {
      try AuthenticatedEncryption.seal(
        $0, key: keys.index, context: VaultIndex.context(header: headerBytes))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total)
    bytes += headerBytes
    bytes += sealedIndex
    for item in index.items where item.trashed == 0 { bytes += sealedItems[item.id] ?? [] }
    return (bytes, Array(sealedIndex.suffix(AuthenticatedEncryption.tagLength)), index)
  }

  private static func limit(_ message: String) -> CredentialError {
    CredentialError(
      .cannotCreate, "the vault is full: \(message)",
      hint: "keep some of the items elsewhere", remedies: [.chooseOtherVault])
  }
}
