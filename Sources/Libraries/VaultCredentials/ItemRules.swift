/// What may be in a vault: the one set of rules for every way into it.
///
/// A person's edit, an import, a file that is merged and a record of a space are checked by the
/// same functions; only what follows differs. An edit is refused. A record of a space costs its
/// item, and nothing else. A name that cannot be one is written in another way (``mended(_:)``), so
/// that the item can be listed, read and removed.
package enum ItemRules {
  /// A rule that something does not keep.
  package enum Breach: Error, Equatable, Sendable {
    case secretTooLong(Int)
    case tooManyFields(Int)
    case fieldNameLength
    case fieldNameNotPlain
    case noteTooLong
    case tooManyTags
    case tagLength
    case tagNotPlain
    case tooManyAttributes
    case attributeLength
    case attributeNameNotPlain
    /// The vault has no room for the item.
    case noRoom

    /// What is wrong, as one sentence without a secret.
    package var message: String {
      switch self {
      case .secretTooLong(let bytes):
        "an item holds at most 1 MiB, this one would have \(bytes) bytes"
      case .tooManyFields(let count):
        "an item holds at most 1,000 fields besides the secret, this one would have \(count)"
      case .fieldNameLength: "the name of a field has 1 to 255 bytes"
      case .fieldNameNotPlain: "the name of a field cannot hold a control character"
      case .noteTooLong: "a note has at most 64 KiB"
      case .tooManyTags: "an item has at most 256 tags"
      case .tagLength: "a tag has at most 255 bytes, and at least one"
      case .tagNotPlain: "a tag cannot hold a control character"
      case .tooManyAttributes: "an item has at most 64 attributes"
      case .attributeLength: "an attribute has at most 255 bytes of name and 4 KiB of value"
      case .attributeNameNotPlain: "an attribute's name cannot hold a control character"
      case .noRoom: "the vault is full"
      }
    }

    /// What can be done about it.
    private var hint: String? {
      switch self {
      case .secretTooLong: "keep large files elsewhere and only their key in the vault"
      case .tooManyFields: "move some of them to another item"
      case .fieldNameNotPlain, .tagNotPlain, .attributeNameNotPlain: "leave it out"
      default: nil
      }
    }

    private var code: CredentialError.Code {
      switch self {
      case .secretTooLong, .tooManyFields, .noRoom: .cannotCreate
      case .fieldNameLength, .fieldNameNotPlain: .invalidName
      default: .invalidValue
      }
    }

    /// The error of an edit that would break the rule.
    package var error: CredentialError { CredentialError(code, message, hint: hint) }
  }

  // MARK: - Parts of an item

  /// Checks how long the secrets of an item are together, and how many there are.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of all values.
  ///   - fields: The number of fields besides the main secret.
  /// - Throws: The rule that is broken.
  package static func check(secretBytes bytes: Int, fields: Int) throws(Breach) {
    guard bytes <= ItemContents.maximumLength else { throw .secretTooLong(bytes) }
    guard fields <= ItemLimits.fields else { throw .tooManyFields(fields) }
  }

  /// Checks the name of a further field.
  package static func check(fieldName name: String) throws(Breach) {
    guard !name.isEmpty, name.utf8.count <= ItemLimits.fieldName else { throw .fieldNameLength }
    guard ItemLimits.isPlain(name) else { throw .fieldNameNotPlain }
  }

  /// Checks a note.
  package static func check(note: String) throws(Breach) {
    guard note.utf8.count <= ItemLimits.note else { throw .noteTooLong }
  }

  /// Checks the tags of an item.
  package static func check(tags: some Collection<String>) throws(Breach) {
    guard tags.count <= ItemLimits.tags else { throw .tooManyTags }
    for tag in tags {
      guard !tag.isEmpty, tag.utf8.count <= ItemLimits.tag else { throw .tagLength }
      guard ItemLimits.isPlain(tag) else { throw .tagNotPlain }
    }
  }

  /// Checks the attributes of an item.
  package static func check(attributes: [String: String]) throws(Breach) {
    guard attributes.count <= ItemLimits.attributes else { throw .tooManyAttributes }
    for (name, value) in attributes.sorted(by: { $0.key.precedes($1.key) }) {
      guard !name.isEmpty, name.utf8.count <= ItemLimits.attributeName,
        value.utf8.count <= ItemLimits.attributeValue
      else { throw .attributeLength }
      guard ItemLimits.isPlain(name) else { throw .attributeNameNotPlain }
    }
  }

  // MARK: - Numbers

  /// The largest number of a version that another machine is believed: beyond it, there would be no
  /// next one.
  package static let maximumVersion: UInt64 = 1 << 62

  /// The number of the version after another one; the last one of all is followed by itself.
  package static func version(after version: UInt64) -> UInt64 {
    version == .max ? version : version + 1
  }

  /// The last millisecond of the year 9999.
  package static let latest: Int64 = 253_402_300_799_999

  /// A time that can be shown and counted with, whatever a record or a file says.
  package static func time(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, 0), latest) }

  /// The same of a time of which 0 says that there is none.
  package static func moment(_ milliseconds: Int64) -> Int64 {
    milliseconds == 0 ? 0 : min(max(milliseconds, 1), latest)
  }
}
