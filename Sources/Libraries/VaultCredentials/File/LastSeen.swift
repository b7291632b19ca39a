package import VaultSealing

/// Which file of a vault this machine saw last.
///
/// Documentation/design/file-format.md, section 6.
///
/// It lies in another tree than the vault, so that a data directory put back from a copy is
/// noticed.
package struct LastSeen: Equatable {
  static let length = 76
  private static let magic = Array("VLTs".utf8)

  var vaultID: [UInt8]
  var generation: UInt64
  var tag: Bytes16

  /// Whether `bytes` can be a record at all.
  ///
  /// A power cut may leave the name without its contents, empty or as zeros: the record is not
  /// synced. To take that for no record gives nothing to an attacker, who can remove the file.
  static func isRecord(_ bytes: [UInt8]) -> Bool {
    bytes.count == length && bytes.contains { $0 != 0 }
  }

  /// How a file stands to the record.
  enum Verdict: Equatable {
    case current
    case newer
    case rolledBack(seen: UInt64)
    case forked(seen: UInt64)
  }

  func encoded(key: SecretBytes) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.magic)
    writer.put(vaultID)
    writer.put(generation)
    writer.put(tag)
    return writer.bytes + (try Hash.blake2b(writer.bytes, key: key))
  }

  /// Decodes a record that was made with one of `keys`.
  ///
  /// - Throws: ``CredentialError`` with code `.damaged` if it verifies with none of them.
  package init(decoding bytes: [UInt8], vaultID: [UInt8], keys: [SecretBytes]) throws {
    let forged = CredentialError(
      .damaged, "the record of the last seen vault file does not verify",
      remedies: [.acceptRollback])
    guard bytes.count == Self.length, bytes.starts(with: Self.magic),
      Array(bytes[4..<20]) == vaultID
    else { throw forged }
    let mac = Array(bytes[44...])
    let isAuthentic = try keys.contains { key in
      let expected = try Hash.blake2b(Array(bytes[..<44]), key: key)
      return expected.withRawSpan { left in mac.withRawSpan { ConstantTime.isEqual(left, $0) } }
    }
    guard isAuthentic else { throw forged }
    self.vaultID = vaultID
    generation = bytes[20..<28].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    tag = Bytes16(Array(bytes[28..<44]))
  }

  init(vaultID: [UInt8], generation: UInt64, tag: Bytes16) {
    self.vaultID = vaultID
    self.generation = generation
    self.tag = tag
  }

  /// Compares a file with this record.
  ///
  /// Generation and tag alone would miss a fork whose other branch is longer: the tag seen last
  /// must be among the file's ancestors, as far back as those and the short marks of older ones
  /// reach.
  func verdict(generation: UInt64, tag: Bytes16, index: VaultIndex) -> Verdict {
    if generation < self.generation { return .rolledBack(seen: self.generation) }
    if generation == self.generation {
      return tag == self.tag ? .current : .forked(seen: generation)
    }
    let isAncestor =
      if let oldest = index.ancestors.first, oldest.generation <= self.generation {
        index.ancestors.contains(.init(generation: self.generation, tag: self.tag))
      } else {
        Lineage(of: index)?.contains(generation: self.generation, tag: self.tag) ?? true
      }
    let isMerged = MergedBranches(of: index).all.contains(
      .init(generation: self.generation, tag: self.tag))
    return isAncestor || isMerged ? .newer : .forked(seen: self.generation)
  }
}
