package import VaultSealing

/// A vault file as it lies on disk: its header checked, nothing opened yet.
///
/// The checks come in the order of Documentation/design/file-format.md, section 2: bounds,
/// checksum, versions. Nothing but the header is parsed before the index has authenticated it.
package struct VaultFile: Sendable {
  let header: VaultHeader
  let headerBytes: [UInt8]
  /// The index's tag: which file of this generation it is.
  let tag: Bytes16
  /// Which file it was read from; `nil` for bytes that lay in no vault folder.
  let identity: FileIdentity?
  private let bytes: VaultFileBytes

  /// The index could not be opened with this key.
  struct IndexRejected: Error {}

  init(_ bytes: VaultFileBytes, identity: FileIdentity? = nil) throws {
    self.bytes = bytes
    self.identity = identity
    let length = bytes.count
    guard length >= VaultHeader.fixedLength + VaultHeader.checksumLength else {
      throw VaultHeader.damaged("it is too short")
    }
    guard length <= VaultHeader.maximumFile else {
      throw VaultHeader.damaged("it is larger than any vault may be")
    }
    // One read gets the header of nearly every vault: a slot has some 200 bytes.
    let start = try bytes.read(0..<min(length, 4096))
    let headerLength = try VaultHeader.length(of: start, fileLength: length)
    headerBytes =
      headerLength <= start.count ? Array(start[..<headerLength]) : try bytes.read(0..<headerLength)
    header = try VaultHeader(decoding: headerBytes, fileLength: length)
    guard header.indexLength >= AuthenticatedEncryption.overhead else {
      throw VaultHeader.damaged("its index is too short")
    }
    let end = headerLength + Int(header.indexLength)
    tag = Bytes16(try bytes.read(end - AuthenticatedEncryption.tagLength..<end))
  }

  /// A vault file whose bytes are at hand.
  ///
  /// - Throws: ``CredentialError`` with code `.damaged` or `.newerVersion`.
  package init(bytes: [UInt8]) throws { try self.init(VaultFileBytes(bytes)) }

  /// The same file with all its bytes in memory: the file itself need not stay open.
  func inMemory() throws -> VaultFile {
    try VaultFile(VaultFileBytes(try wholeFile()), identity: identity)
  }

  /// Every byte of the file.
  func wholeFile() throws -> [UInt8] { try bytes.read(0..<bytes.count) }

  /// Where the items begin.
  private var itemsStart: Int { headerBytes.count + Int(header.indexLength) }

  /// Opens the index, which authenticates every byte before it.
  ///
  /// - Throws: ``IndexRejected`` if the key does not open it; ``CredentialError`` with code
  ///   `.damaged` if what it holds cannot be read.
  func openIndex(_ keys: VaultKeys, only wanted: VaultIndex.Wanted? = nil) throws -> VaultIndex {
    try Self.decode(try openedIndex(keys), only: wanted)
  }

  /// Decodes an index that ``openedIndex(_:)`` gave.
  ///
  /// - Throws: ``CredentialError`` with code `.damaged`.
  package static func decode(
    _ padded: SecretBytes, only wanted: VaultIndex.Wanted?
  ) throws -> VaultIndex {
    do {
      return try VaultIndex(decoding: padded, only: wanted)
    } catch let error as FormatError {
      throw VaultHeader.damaged("its index cannot be read", underlying: error)
    }
  }

  /// The index's plaintext, padded; or ``IndexRejected``.
  func openedIndex(_ keys: VaultKeys) throws -> SecretBytes {
    let context = VaultIndex.context(header: headerBytes)
    let start = headerBytes.count + AuthenticatedEncryption.nonceLength
    let nonce = try bytes.read(headerBytes.count..<start)
    do {
      return try AuthenticatedEncryption.open(
        count: itemsStart - start, key: keys.index, nonce: nonce, context: context
      ) { output in try bytes.read(start..<itemsStart, into: &output, at: 0) }
    } catch let error as SealingError where error.code == .authenticationFailed {
      throw IndexRejected()
    }
  }

  /// Refuses a range of items that is not within the file.
  ///
  /// - Parameter range: Counted from the start of the items.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  func checkItems(_ range: Range<UInt64>) throws {
    guard range.upperBound <= header.itemsLength else {
      throw VaultHeader.damaged("an item lies outside the file")
    }
  }

  /// Copies sealed items without a look at their hashes: a writer carries damage over unread.
  ///
  /// - Parameters:
  ///   - range: Counted from the start of the items, as ``checkItems(_:)`` accepts it.
  ///   - output: Where to.
  ///   - offset: From where on.
  /// - Throws: ``CredentialError`` with code `.damaged`, `.inputOutput`.
  func copyItems(
    _ range: Range<UInt64>, to output: inout MutableRawSpan, at offset: Int
  ) throws {
    try bytes.read(
      itemsStart + Int(range.lowerBound)..<itemsStart + Int(range.upperBound), into: &output,
      at: offset)
  }

  /// The sealed bytes of all items, one behind the other.
  func allItems() throws -> [UInt8] {
    try bytes.read(itemsStart..<itemsStart + Int(header.itemsLength))
  }

  private func sealedBytes(of record: ItemRecord) throws -> [UInt8] {
    let (end, overflow) = record.offset.addingReportingOverflow(UInt64(record.length))
    guard !overflow, end <= header.itemsLength else {
      throw damagedItem(record, "it lies outside the file")
    }
    let start = itemsStart + Int(record.offset)
    return try bytes.read(start..<start + Int(record.length))
  }

  /// The secret part of an item: its hash, then its seal.
  func contents(of record: ItemRecord, keys: VaultKeys) throws -> ItemContents {
    let sealed = try sealedBytes(of: record)
    guard try Bytes16(Hash.blake2b(sealed, count: ItemRecord.hashLength)) == record.hash else {
      throw damagedItem(record, "its bytes were changed")
    }
    return try Self.open(
      sealed, record: record, version: record.version, kind: record.kind, vaultID: header.vaultID,
      parent: keys.item)
  }

  /// Opens the sealed bytes of one version of an item.
  static func open(
    _ sealed: [UInt8], record: ItemRecord, version: UInt64, kind: UInt16, vaultID: [UInt8],
    parent: SecretBytes
  ) throws -> ItemContents {
    do {
      return try ItemContents(
        opening: sealed, key: try VaultKeys.key(of: record.id, from: parent),
        context: ItemContents.associatedData(
          vaultID: vaultID, itemID: record.id, version: version, kind: kind))
    } catch let error as SealingError where error.code == .authenticationFailed {
      throw damagedItem(record, "its seal is broken")
    } catch let error as FormatError {
      throw damagedItem(record, "its contents cannot be read", underlying: error)
    }
  }

  static func damagedItem(
    _ record: ItemRecord, _ why: String, underlying: (any Error)? = nil
  ) -> CredentialError {
    CredentialError(
      .damaged, "this item is damaged: \(why)",
      hint: record.earlier.isEmpty ? nil : "an earlier version may be intact",
      remedies: [record.earlier.isEmpty ? .salvage : .showHistory],
      underlying: underlying)
  }

  private func damagedItem(_ record: ItemRecord, _ why: String) -> CredentialError {
    Self.damagedItem(record, why)
  }
}
