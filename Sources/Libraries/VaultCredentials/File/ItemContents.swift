package import VaultSealing

/// The secret part of an item: its fields.
///
/// Documentation/design/file-format.md, section 5.
package struct ItemContents: Sendable {
  static let maximumLength = 1 << 20

  /// The main secret.
  var main: SecretBytes
  /// Further fields.
  var fields: SecretFields

  init(main: SecretBytes, fields: SecretFields = SecretFields()) {
    self.main = main
    self.fields = fields
  }

  static func associatedData(
    vaultID: [UInt8], itemID: Bytes16, version: UInt64, kind: UInt16
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(Array("VLT1/item".utf8))
    writer.put(vaultID)
    writer.put(itemID)
    writer.put(version)
    writer.put(kind)
    return writer.bytes
  }

  /// Seals the contents as the current version of an item.
  ///
  /// The seal is bound to the record's id, version and kind. `parent` is the key that the item's
  /// own key is derived from: K_item, or a data key.
  func sealed(as record: ItemRecord, vaultID: [UInt8], parent: SecretBytes) throws -> [UInt8] {
    try sealed(
      key: try VaultKeys.key(of: record.id, from: parent),
      context: Self.associatedData(
        vaultID: vaultID, itemID: record.id, version: record.version, kind: record.kind))
  }

  private func sealed(key: SecretBytes, context: [UInt8]) throws -> [UInt8] {
    let total = fields.all.reduce(main.count) { $0 + $1.value.count }
    do throws(ItemRules.Breach) {
      try ItemRules.check(secretBytes: total, fields: fields.all.count)
    } catch { throw error.error }
    var composer = SecretBuilder()
    composer.put(UInt16(fields.all.count + 1))
    try put("", main, into: &composer)
    for field in fields.all { try put(field.name, field.value, into: &composer) }
    let padded = try composer.padded(to: Padding.itemLength(composer.count))
    return try padded.withBytes {
      try AuthenticatedEncryption.seal($0, key: key, context: context)
    }
  }

  private func put(_ name: String, _ value: SecretBytes, into composer: inout SecretBuilder) throws
  {
    var writer = ByteWriter()
    try writer.str16(name)
    writer.put(UInt32(value.count))
    composer.put(writer.bytes)
    composer.put(value)
  }

  /// Opens what ``sealed(key:context:)`` made.
  ///
  /// - Throws: `SealingError` with code `.authenticationFailed`; a format error for contents that a
  ///   key holder wrote wrongly.
  package init(opening sealed: [UInt8], key: SecretBytes, context: [UInt8]) throws {
    let padded = try AuthenticatedEncryption.open(sealed, key: key, context: context)
    self = try padded.withBytes { try ItemContents(decoding: $0) }
  }

  private init(decoding padded: RawSpan) throws {
    guard let length = Padding.unpaddedLength(padded),
      padded.byteCount == Padding.itemLength(length)
    else { throw FormatError.notCanonical("padding of an item", at: padded.byteCount) }
    let bytes = padded.extracting(0..<length)
    var cursor = ByteCursor()
    let count = try cursor.u16(in: bytes)
    var main: SecretBytes?
    fields = SecretFields()
    for _ in 0..<count {
      let start = cursor.offset
      let name = try cursor.str16(in: bytes)
      let range = try cursor.range(Int(cursor.u32(in: bytes)), in: bytes)
      let value = try SecretBytes(copying: bytes.extracting(range))
      if main == nil {
        guard name.isEmpty else { throw FormatError.notCanonical("no main field", at: start) }
        main = value
      } else {
        // The empty name is the main field's, which stands first.
        guard !name.isEmpty, fields.append(value, named: name) else {
          throw FormatError.notCanonical("order of fields", at: start)
        }
      }
    }
    guard let main, cursor.offset == length else {
      throw FormatError.notCanonical("bytes after the fields", at: cursor.offset)
    }
    self.main = main
  }
}
