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
  ///   - former: The file that the index was read from, whose items are carried over.
  ///   - sealed: The sealed bytes of items that are sealed anew, by id.
  /// - Returns: The bytes of the file, the tag of its index, and the index's plaintext.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` beyond a limit of the format, `.damaged`
  ///   if an item lies outside the file.
  static func compose(
    header: VaultHeader, index: VaultIndex, keys: VaultKeys, former: VaultFile?,
    sealed: [Bytes16: [UInt8]]
  ) throws -> (bytes: [UInt8], tag: [UInt8], opened: SecretBytes) {
    precondition(!index.isPartial)
    var header = header
    var index = index
    guard index.items.count <= VaultIndex.maximumItems else {
      throw limit("a vault holds at most 20,000 items")
    }
    let parts = index.items.arrange(sealed: sealed)
    index.tombstones.sort { $0.itemID < $1.itemID }
    index.withdrawals.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var items: [[UInt8]] = []
    for part in parts {
      switch part {
      case .new(let bytes): items.append(bytes)
      case .kept(let range): items.append(try former?.sealedBytes(range) ?? [])
      }
    }
    let itemsLength = items.reduce(0) { $0 + $1.count }
    let opened = try index.encoded()
    header.indexLength = UInt32(opened.count + AuthenticatedEncryption.overhead)
    header.itemsLength = UInt64(itemsLength)
    let headerBytes = try header.encoded()
    let total = headerBytes.count + Int(header.indexLength) + itemsLength
    guard headerBytes.count <= VaultHeader.maximumLength, total <= VaultHeader.maximumFile else {
      throw tooLarge
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(total)
    bytes += headerBytes
    bytes += try opened.withBytes {
      try AuthenticatedEncryption.seal(
        $0, key: keys.index, context: VaultIndex.context(header: headerBytes))
    }
    let tag = Array(bytes.suffix(AuthenticatedEncryption.tagLength))
    for item in items { bytes += item }
    return (bytes, tag, opened)
  }

  /// The error of a vault that has no room for more.
  static var tooLarge: CredentialError {
    limit("a vault file has at most 64 MiB, and 16 MiB of names and notes")
  }

  private static func limit(_ message: String) -> CredentialError {
    CredentialError(
      .cannotCreate, "the vault is full: \(message)",
      hint: "keep some of the items elsewhere", remedies: [.chooseOtherVault])
  }
}
