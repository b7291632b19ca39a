import Synchronization
package import VaultDataStore
import VaultStorage

/// How the models of one class lie in a container's store; made once, its SQL too.
package final class EntityPlan: @unchecked Sendable {
  // Immutable once the container has been made; `keys` and `signal` guard themselves.

  /// The place among the container's entities.
  let index: Int
  let name: String
  package let description: ModelDescription
  package let stored: StoredEntity
  /// The place of the configuration among the container's.
  let store: Int
  let storeIdentifier: String
  /// One for each property of the class, then one for each column of positions.
  let slots: [SlotPlan]
  var relationships: [RelationshipPlan] = []
  /// By property; `nil` for an attribute.
  var relationshipByProperty: [RelationshipPlan?] = []
  /// Relationships of others to this entity that have no inverse here.
  var incoming: [RelationshipPlan] = []
  let keys: KeyAllocator
  let signal: SaveSignal
  /// The columns of constraints, each with the slots that it compares.
  let uniqueness: [[Int]]

  /// How each slot is read: an array without strings, for the loop over rows.
  let kinds: [SlotPlan.Kind]

  /// Slots with a column, in the order of the statements' parameters.
  let bound: [Int]
  /// Slots with a column for their order, whose parameters come after the others.
  let ordered: [Int]
  /// Slots whose values may lie in files.
  let external: [Int]

  var slotCount: Int { kinds.count }

  init(
    index: Int, description: ModelDescription, stored: StoredEntity, store: Int,
    storeIdentifier: String, keys: KeyAllocator, signal: SaveSignal
  ) {
    self.index = index
    name = description.entityName
    self.description = description
    self.stored = stored
    self.store = store
    self.storeIdentifier = storeIdentifier
    self.keys = keys
    self.signal = signal
    var slots = description.properties.map { SlotPlan($0, stored) }
    for property in description.properties {
      if case .foreignKey(_, let position?) = stored.relationship(property.name)?.storage {
        slots[property.index].positionSlot = slots.count
        slots.append(SlotPlan(column: position, kind: .integer))
      }
    }
    self.slots = slots
    kinds = slots.map(\.kind)
    bound = slots.indices.filter { slots[$0].column != nil }
    ordered = slots.indices.filter { slots[$0].orderColumn != nil }
    external = slots.indices.filter { slots[$0].kind == .external }
    let unique =
      stored.attributes.filter(\.isUnique).map { [$0.name] } + stored.uniqueConstraints
    uniqueness = unique.map { $0.compactMap { description.index(named: $0) } }
  }

  // MARK: SQL

  private(set) lazy var table = SQLText.name(stored.table)
  /// The key, then the columns of the slots that have one.
  private(set) lazy var columns: [String] =
    [StoredEntity.keyColumn] + slots.compactMap(\.column)
  private(set) lazy var selection = selection(prefix: "")
  /// How many columns the selection has.
  private(set) lazy var selectionCount = columns.count - slots.count { $0.kind == .external }
  private(set) lazy var selectByKey =
    "SELECT \(selection) FROM \(table) WHERE \(StoredEntity.keyColumn)=?"
  private(set) lazy var selectByKeys =
    "SELECT \(selection) FROM \(table) WHERE \(StoredEntity.keyColumn) IN "
    + "(SELECT value FROM json_each(?))"
  private(set) lazy var insertion = insertion(rows: 1)
  /// How many rows ``insertions`` takes: the keys' counter is written once for a statement, and
  /// older builds of SQLite take 999 parameters (sqlite.org/limits.html).
  private(set) lazy var rowsAtOnce = max(1, min(16, 999 / (1 + bound.count + ordered.count)))
  private(set) lazy var insertions = insertion(rows: rowsAtOnce)
  private(set) lazy var deletion =
    "DELETE FROM \(table) WHERE \(StoredEntity.keyColumn)=?"

  /// The key and what is read with a row.
  func selection(prefix: String, of wanted: Set<Int>? = nil) -> String {
    let left = slots.indices.filter { index in
      slots[index].kind == .external || wanted?.contains(index) == false
    }
    let large = left.compactMap { slots[$0].column }
    return columns.filter { !large.contains($0) }.map { prefix + SQLText.name($0) }.joined(
      separator: ", ")
  }

  private func insertion(rows: Int) -> String {
    let all = columns + slots.compactMap(\.orderColumn)
    let names = all.map(SQLText.name).joined(separator: ", ")
    let marks = "(\(Array(repeating: "?", count: all.count).joined(separator: ", ")))"
    let values = Array(repeating: marks, count: rows).joined(separator: ", ")
    return "INSERT INTO \(table)(\(names)) VALUES \(values)"
  }

  /// Whether a slot holds a related row's key, or a place in an array.
  func isLink(_ index: Int) -> Bool {
    index >= description.properties.count || relationshipByProperty[index] != nil
  }

  /// Changes some slots of a row; the key is the last parameter.
  func update(_ changed: [Int]) -> String {
    let columns =
      changed.compactMap { slots[$0].column } + changed.compactMap { slots[$0].orderColumn }
    let assignments = columns.map { "\(SQLText.name($0))=?" }.joined(separator: ", ")
    return "UPDATE \(table) SET \(assignments) WHERE \(StoredEntity.keyColumn)=?"
  }

  /// Makes every text now, so that contexts on several threads only read.
  func prepare() {
    _ = (table, columns, selection, selectionCount, selectByKey, selectByKeys, deletion)
    _ = (insertion, rowsAtOnce, insertions)
  }
}

/// What one slot is in the file.
struct SlotPlan {
  /// How a column is read.
  enum Kind {
    case integer, real, text, data
    /// A number that may be text, or data that may lie in a file.
    case any
    /// Data that is left in the file until it is asked for.
    case external
    /// Nothing: links elsewhere, or not kept.
    case none
  }

  let column: String?
  let orderColumn: String?
  let kind: Kind
  /// The slot with the place in the inverse's array.
  var positionSlot: Int?

  init(column: String, kind: Kind) {
    self.column = column
    self.kind = kind
    orderColumn = nil
  }

  init(_ property: PropertyDescription, _ entity: StoredEntity) {
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
        }
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

/// A relationship with both of its ends resolved.
final class RelationshipPlan: @unchecked Sendable {
  // Immutable once the container has been made.

  enum Storage {
    case foreignKey
    /// In the destination's foreign key.
    case inverse
    case join(StoredJoin)
  }

  unowned let entity: EntityPlan
  unowned let destination: EntityPlan
  let property: PropertyDescription
  let stored: StoredRelationship
  let storage: Storage
  var inverse: RelationshipPlan?

  var index: Int { property.index }
  var isToMany: Bool { stored.isToMany }
  var isRequired: Bool { !isToMany && !stored.isOptional }
  var rule: StoredRelationship.DeleteRule { stored.deleteRule }
  var label: String { "\(entity.name).\(property.name)" }

  init(
    _ property: PropertyDescription, _ stored: StoredRelationship, entity: EntityPlan,
    destination: EntityPlan
  ) {
    self.property = property
    self.stored = stored
    self.entity = entity
    self.destination = destination
    storage =
      switch stored.storage {
      case .foreignKey: .foreignKey
      case .inverse: .inverse
      case .join(let join): .join(join)
      }
  }

  var join: StoredJoin? {
    if case .join(let join) = storage { join } else { nil }
  }

  /// Of the two sides of a join, the one under which pairs are noted.
  var isLeading: Bool {
    guard let inverse else { return true }
    return (entity.index, index) <= (inverse.entity.index, inverse.index)
  }
}

/// Raised by every save in the process that other contexts may have to take in.
final class SaveSignal: Sendable {
  private let count = Atomic<UInt64>(0)

  var value: UInt64 { count.load(ordering: .acquiring) }
  func raise() { count.add(1, ordering: .acquiringAndReleasing) }
}
