import VaultSealing

/// Puts a whole vault file together.
///
/// Documentation/design/file-format.md, section 1.
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
  /// - Throws: ``CredentialError`` with code `.cannotCreate` beyond a limit of the format,
  ///   `.damaged` if an item lies outside the file.
  static func compose(
    header: VaultHeader, index: VaultIndex, keys: VaultKeys, former: VaultFile?,
    sealed: [Bytes16: [UInt8]]
  ) throws -> (bytes: [UInt8], tag: Bytes16, opened: SecretBytes) {
    precondition(!index.isPartial)
    var header = header
    var index = index
    guard index.items.count <= VaultIndex.maximumItems else { throw tooMany }
    let parts = index.items.arrange(sealed: sealed)
    index.tombstones.sort { $0.itemID < $1.itemID }
    index.withdrawals.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for case .kept(let range) in parts { try former?.checkItems(range) }
    let itemsLength = parts.reduce(0) { $0 + $1.count }
    let opened = try index.encoded()
    header.indexLength = UInt32(opened.count + AuthenticatedEncryption.overhead)
    header.itemsLength = itemsLength
    let headerBytes = try header.encoded()
    let start = headerBytes.count + Int(header.indexLength)
    guard headerBytes.count <= VaultHeader.maximumLength,
      itemsLength <= UInt64(VaultHeader.maximumFile - start)
    else { throw tooLarge }
    // One buffer, in which the index is sealed and into which the items are read.
    let bytes = try opened.withBytes { plaintext in
      try AuthenticatedEncryption.seal(
        plaintext, key: keys.index, context: VaultIndex.context(header: headerBytes),
        after: headerBytes, before: Int(itemsLength)
      ) { output in
        var offset = start
        for part in parts {
          switch part {
          case .new(let sealed): sealed.withRawSpan { output.write($0, at: offset) }
          case .kept(let range):
            guard let former else { preconditionFailure("items of no file") }
            try former.copyItems(range, to: &output, at: offset)
          }
          offset += Int(part.count)
        }
      }
    }
    return (bytes, Bytes16(Array(bytes[start - AuthenticatedEncryption.tagLength..<start])), opened)
  }

  /// The error of a vault that is to hold more items than it may.
  static var tooMany: CredentialError { limit("it holds at most 20,000 items") }

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
