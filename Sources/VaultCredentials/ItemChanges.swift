public import FoundationEssentials

/// Changes to what is known of an item besides its secrets; `nil` leaves a property as it is.
public struct ItemChanges: Sendable {
  /// The purpose of the item.
  public var kind: Item.Kind?
  /// A free text about the item; an empty text removes it.
  public var note: String?
  /// All tags of the item.
  public var tags: [String]?
  /// All attributes of the item.
  public var attributes: [String: String]?
  /// The time when the secret expires; `.some(nil)` for never.
  public var expires: Date??
  /// Fields that are open from now on, such as a user name (`true`), or concealed (`false`).
  ///
  /// See ``Item/isOpen(field:)``. A field need not exist yet.
  public var openFields: [String: Bool] = [:]

  /// Creates a value that changes nothing.
  public init() {}

  /// Whether an item would not be what it is.
  func wouldChange(_ record: ItemRecord) throws -> Bool {
    var changed = record
    try apply(to: &changed)
    return changed != record
  }

  func apply(to record: inout ItemRecord) throws {
    if let kind { record.kind = kind.rawValue }
    if let note {
      guard note.utf8.count <= ItemLimits.note else { throw Self.tooLong("a note", "64 KiB") }
      record.note = note
    }
    if let tags {
      guard tags.count <= ItemLimits.tags else { throw Self.tooLong("an item", "256 tags") }
      for tag in tags {
        guard !tag.isEmpty, tag.utf8.count <= ItemLimits.tag else {
          throw Self.tooLong("a tag", "255 bytes, and at least one")
        }
        guard ItemLimits.isPlain(tag) else { throw Self.notPlain("a tag") }
      }
      record.tags = Set(tags).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    if var attributes {
      // What the vault itself writes is not one of the attributes that are set as a whole.
      for own in [FieldMarks.attribute] + ItemConflict.all {
        attributes[own] = attributes[own] ?? record.attributes[own]
      }
      guard attributes.count <= ItemLimits.attributes else {
        throw Self.tooLong("an item's attributes", "64 entries")
      }
      for (name, value) in attributes {
        guard !name.isEmpty, name.utf8.count <= ItemLimits.attributeName,
          value.utf8.count <= ItemLimits.attributeValue
        else { throw Self.tooLong("an attribute", "255 bytes of name and 4 KiB of value") }
        guard ItemLimits.isPlain(name) else { throw Self.notPlain("an attribute's name") }
      }
      record.attributes = NamedTexts(attributes)
    }
    if !openFields.isEmpty { try mark(openFields, in: &record) }
    if let expires { record.expires = expires?.milliseconds ?? 0 }
  }

  private func mark(_ fields: [String: Bool], in record: inout ItemRecord) throws {
    var marks = FieldMarks(record.attributes)
    for (field, isOpen) in fields {
      try ItemLimits.check(fieldName: field)
      marks.mark(field, asOpen: isOpen)
    }
    guard (marks.text?.utf8.count ?? 0) <= ItemLimits.attributeValue else {
      throw Self.tooLong("the list of fields that are open or concealed", "4 KiB")
    }
    record.attributes[FieldMarks.attribute] = marks.text
  }

  private static func tooLong(_ what: String, _ limit: String) -> CredentialError {
    CredentialError(.invalidValue, "\(what) has at most \(limit)")
  }

  private static func notPlain(_ what: String) -> CredentialError {
    CredentialError(
      .invalidValue, "\(what) cannot hold a control character", hint: "leave it out")
  }
}
