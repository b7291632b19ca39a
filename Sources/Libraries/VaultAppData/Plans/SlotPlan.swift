import VaultDataStore

/// The column of a slot, and how it is read.
struct SlotPlan {
  /// How a column is read.
  enum Kind {
    case integer, real, text, data
    /// A number that may be text, or data that may lie in a file.
    case any
    /// A value that is left in the store until it is asked for: large data, or a sealed one.
    case external
    /// Nothing: links elsewhere, or not kept.
    case none
  }

  let column: String?
  let orderColumn: String?
  let kind: Kind
  /// Whether the value may lie in a file of its own.
  private(set) var isInFiles = false
  /// Whether the value is sealed.
  private(set) var isSealed = false
  /// Whose table the column is in: that of the class at this place of the lineage.
  let depth: Int
  /// The slot with the place in the inverse's array.
  var positionSlot: Int?

  init(column: String, kind: Kind, depth: Int) {
    self.column = column
    self.depth = depth
    self.kind = kind
    orderColumn = nil
  }

  init(_ property: PropertyDescription, _ lineage: [StoredEntity]) {
    let name = property.name
    depth =
      lineage.lastIndex { $0.attribute(name) != nil || $0.relationship(name) != nil }
      ?? lineage.count - 1
    let entity = lineage[depth]
    if let attribute = entity.attribute(property.name) {
      column = attribute.column
      orderColumn = attribute.type == .decimal ? attribute.orderColumn : nil
      kind =
        switch attribute.type {
        case .boolean, .integer: .integer
        case .unsigned: .any
        case .float, .double, .date: .real
        case .decimal, .string, .character, .uuid, .url, .json: .text
        case .data: attribute.isExternal ? .external : .data
        case .transformable: .data
        case .sealed: .external
        }
      isInFiles = attribute.isExternal
      isSealed = attribute.type == .sealed
    } else if case .foreignKey(let name, _) = entity.relationship(property.name)?.storage {
      column = name
      orderColumn = nil
      kind = .integer
    } else {
      column = nil
      orderColumn = nil
      kind = .none
    }
  }
}
