/// The limits of an item, besides the 1 MiB for all its secrets.
///
/// Documentation/design/file-format.md: the counts are two bytes in the file.
package enum ItemLimits {
  /// Further fields.
  package static let fields = 1_000
  /// Bytes of a field's name.
  package static let fieldName = 255
  /// Tags.
  package static let tags = 256
  /// Bytes of a tag.
  package static let tag = 255
  /// Bytes of the note.
  package static let note = 64 << 10
  /// Attributes.
  package static let attributes = 64
  /// Bytes of an attribute's name.
  package static let attributeName = 255
  /// Bytes of an attribute's value.
  package static let attributeValue = 4096

  /// Whether a text can be the name of a field or attribute, a tag, or the label of a slot: nothing
  /// that a terminal or a protocol of lines would act on.
  package static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
  }

  /// Checks the name of a further field.
  ///
  /// - Throws: ``CredentialError`` with code `.invalidName`.
  static func check(fieldName name: String) throws {
    do { try ItemRules.check(fieldName: name) } catch { throw error.error }
  }
}
