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
  /// What an import notes of the item, see `Item.importMark`.
  package var importMark: String?

  /// Creates a value that changes nothing.
  public init() {}

  /// Whether an item would not be what it is.
  func wouldChange(_ record: ItemRecord) throws -> Bool {
    var changed = record
    try apply(to: &changed)
    return changed != record
  }

  func apply(to record: inout ItemRecord) throws {
    do throws(ItemRules.Breach) { try check(with: record) } catch { throw error.error }
    if let kind { record.kind = kind.rawValue }
    settle(in: &record)
    if let note { record.note = note }
    if let tags {
      record.tags = Set(tags).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    if let attributes = attributes(with: record) { record.attributes = NamedTexts(attributes) }
    if let importMark { record.attributes[ImportMark.attribute] = importMark }
    if !openFields.isEmpty { try mark(openFields, in: &record) }
    if let expires { record.expires = expires?.milliseconds ?? 0 }
  }

  private func check(with record: ItemRecord) throws(ItemRules.Breach) {
    if let note { try ItemRules.check(note: note) }
    if let tags { try ItemRules.check(tags: tags) }
    if let attributes = attributes(with: record) {
      try ItemRules.check(attributes: attributes)
    }
  }

  /// All attributes from now on; what the vault itself writes is not one of those that are set as a
  /// whole.
  private func attributes(with record: ItemRecord) -> [String: String]? {
    guard var attributes else { return nil }
    let own = record.attributes.all.filter { attribute in
      [FieldMarks.attribute, ImportMark.attribute].contains(attribute.name)
        || ItemConflict.isOwn(attribute.name)
    }
    for one in own { attributes[one.name] = attributes[one.name] ?? one.text }
    return attributes
  }

  /// Forgets what lost to a value that is replaced now.
  private func settle(in record: inout ItemRecord) {
    let attributes = attributes.map { NamedTexts($0) }
    let former = record.attributes
    ItemConflict.settle(in: &record.attributes) { lost in
      switch lost.property {
      case .note: note.map { $0 != record.note } ?? false
      case .expiry: expires.map { $0?.milliseconds ?? 0 != record.expires } ?? false
      case .attribute: attributes.map { $0[lost.attribute] != former[lost.attribute] } ?? false
      case .name: false
      }
    }
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
}
