import VaultSealing

/// A record as a store keeps it: its own bytes, or, for one above 1 MiB, the names of its parts.
///
/// Stores refuse what is large, each from another size on: etcd a request above 1.5 MiB. So the
/// parts of a large record lie where those of snapshots do, and in its own place lies a list of them,
/// of which nothing is believed: whoever puts the parts together checks the record as any other.
///
/// Documentation/design/sync-format.md, section 8.
package enum StoredRecord {
  static let magic = Array("VSP1".utf8)
  /// Bytes before the names of the parts.
  private static let prefixLength = 4 + 32
  /// Most parts of a record.
  private static let maximumCount =
    (SyncRecord.maximumLength + SyncObject.maximumLength - 1) / SyncObject.maximumLength

  /// The bytes that lie in a record's place, and the parts that lie beside it.
  static func stored(
    _ record: [UInt8]
  ) throws(SealingError) -> (bytes: [UInt8], parts: [SyncObject]) {
    guard record.count > SyncObject.maximumLength else { return (record, []) }
    var bytes = magic + (try Hash.blake2b(record))
    var parts: [SyncObject] = []
    for start in stride(from: 0, to: record.count, by: SyncObject.maximumLength) {
      let part = Array(record[start..<min(start + SyncObject.maximumLength, record.count)])
      parts.append(SyncObject(name: try Hash.blake2b(part), bytes: part))
      bytes += parts[parts.count - 1].name
    }
    return (bytes, parts)
  }

  /// The length of ``stored(_:)``'s bytes, by that of the record.
  static func length(ofRecord count: Int) -> Int {
    let parts = (count + SyncObject.maximumLength - 1) / SyncObject.maximumLength
    return parts > 1 ? prefixLength + 32 * parts : count
  }

  /// The names of a record's parts, none if the list is not whole; `nil` for a record that lies in
  /// one.
  static func parts(of bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.starts(with: magic) else { return nil }
    let names = bytes.dropFirst(prefixLength)
    guard names.count.isMultiple(of: 32), names.count / 32 <= maximumCount else { return [] }
    return stride(from: names.startIndex, to: names.endIndex, by: 32).map {
      Array(names[$0..<$0 + 32])
    }
  }

  /// The hash of the record of which a store has these bytes, as the heads name it.
  ///
  /// - Parameter bytes: What lies in its place.
  /// - Returns: 32 bytes; `nil` while the bytes are not whole.
  package static func hash(of bytes: [UInt8]) -> [UInt8]? {
    guard !SyncRecord.isHalf(bytes) else { return nil }
    guard bytes.starts(with: magic) else { return try? Hash.blake2b(bytes) }
    return bytes.count >= prefixLength ? Array(bytes[4..<prefixLength]) : nil
  }
}
