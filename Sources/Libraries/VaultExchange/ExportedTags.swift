import VaultStorage

/// How tags are written for programs that have none, or that separate them by commas and semicolons.
enum ExportedTags {
  /// The field with the tags that a list can hold, with commas between them.
  static let list = "tags"
  /// The field with one tag that a list would take for several.
  static let single = "tag"

  /// Splits tags by whether a list can hold them.
  static func split(_ tags: [String]) -> (list: [String], alone: [String]) {
    (tags.filter { !isSeveral($0) }, tags.filter(isSeveral))
  }

  /// The tags of a visible field; `nil` if it is another field.
  static func read(_ field: String, _ value: String) -> [String]? {
    field.isSame(as: list) ? KeePassImport.tags(value) : readSingle(field, value).map { [$0] }
  }

  /// The tag of a field that holds one; `nil` if it is another field.
  static func readSingle(_ field: String, _ value: String) -> String? {
    field.isSame(as: single) && isSeveral(value) ? value : nil
  }

  private static func isSeveral(_ tag: String) -> Bool {
    tag.utf8.contains(UInt8(ascii: ",")) || tag.utf8.contains(UInt8(ascii: ";"))
  }
}
