/// The mark of an item two of whose values met in a merge.
///
/// An attribute that says which version has the value that is not current. It goes when the item
/// gets a new secret. Documentation/file-format.md, section 4.
enum ItemConflict {
  /// The attribute with the version's number, decimal.
  static let attribute = "vault:conflict"

  /// The version with the other value; `nil` without a conflict.
  static func version(in attributes: NamedTexts) -> UInt64? {
    attributes[attribute].flatMap { UInt64($0) }
  }

  /// Marks an item.
  static func mark(_ record: inout ItemRecord, _ version: UInt64) {
    record.attributes[attribute] = String(version)
  }

  /// Has the mark of an item that took over the other side's history name a version that is there.
  static func check(_ record: inout ItemRecord) {
    guard let version = version(in: record.attributes) else { return }
    if record.earlier.contains(where: { $0.version == version }) { return }
    record.attributes[attribute] = record.earlier.first.map { String($0.version) }
  }
}
