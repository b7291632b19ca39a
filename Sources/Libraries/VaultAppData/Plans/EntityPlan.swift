package import VaultDataStore
import VaultStorage

/// The mapping of a model class to its table, with its SQL; made once.
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
  /// Store and class, as the identifiers of rows have them.
  let place: RowPlace
  /// Whether the store is one of the program's own.
  let isCustom: Bool
  /// One for each property of the class, inherited ones first, then one for each column of
  /// positions.
  let slots: [SlotPlan]
  /// The classes that inherit from one another, with this one; `nil` for a class that has neither
  /// superclass nor subclass among the container's.
  private(set) var family: EntityFamily?
  var relationships: [RelationshipPlan] = []
  /// By property; `nil` for an attribute.
  var relationshipByProperty: [RelationshipPlan?] = []
  /// Relationships of others to this entity that have no inverse here.
  var incoming: [RelationshipPlan] = []
  let keys: KeyAllocator
  let signal: SaveSignal
  /// Seals and opens the store's sealed attributes.
  let sealer: AttributeSealer
  /// Which columns of the store hold text in another form than the composed one.
  let textForms: TextForms
  /// What no two objects may share.
  let uniqueness: [UniqueGroup]

  /// The kind of each slot: an array without strings, for the loop over rows.
  let kinds: [SlotPlan.Kind]

  /// Slots with a column of the class's own table, in the order of the statements' parameters.
  let bound: [Int]
  /// Those of them with a column for their order, whose parameters come after the others.
  let ordered: [Int]
  /// Whether a slot has a column for its order, inherited ones with the others.
  let hasOrder: Bool
  /// Whether a slot's value is sealed.
  let hasSealed: Bool
  /// Slots whose values may lie in files.
  let external: [Int]
  /// Slots whose values the history keeps when the row is deleted.
  let preserved: [Int]

  var slotCount: Int { kinds.count }

  /// The class's entity is the last of the lineage, after those that it inherits from.
  init(
    index: Int, description: ModelDescription, lineage: [StoredEntity], store: Int,
    storeIdentifier: String, isCustom: Bool = false, keys: KeyAllocator, signal: SaveSignal,
    sealer: AttributeSealer, textForms: TextForms = TextForms()
  ) {
    self.index = index
    name = description.entityName
    self.description = description
    let depth = lineage.count - 1
    stored = lineage[depth]
    self.store = store
    self.storeIdentifier = storeIdentifier
    place = RowPlace(store: storeIdentifier, entity: name)
    self.isCustom = isCustom
    self.keys = keys
    self.signal = signal
    self.sealer = sealer
    self.textForms = textForms
    var slots = description.properties.map { SlotPlan($0, lineage) }
    for property in description.properties {
      let depth = slots[property.index].depth
      if case .foreignKey(_, let position?) = lineage[depth].relationship(property.name)?.storage {
        slots[property.index].positionSlot = slots.count
        slots.append(SlotPlan(column: position, kind: .integer, depth: depth))
      }
    }
    self.slots = slots
    kinds = slots.map(\.kind)
    bound = slots.indices.filter { slots[$0].column != nil && slots[$0].depth == depth }
    ordered = slots.indices.filter { slots[$0].orderColumn != nil && slots[$0].depth == depth }
    hasOrder = slots.contains { $0.orderColumn != nil }
    hasSealed = slots.contains(where: \.isSealed)
    external = slots.indices.filter { slots[$0].isInFiles }
    preserved = description.properties.filter { property in
      property.attribute?.options.contains(.preserveValueOnDeletion) == true
        && slots[property.index].column != nil
    }.map(\.index)
    uniqueness = lineage.enumerated().flatMap { depth, stored in
      let unique =
        stored.attributes.filter(\.isUnique).map { [$0.name] } + stored.uniqueConstraints
      return unique.enumerated().map { number, names in
        UniqueGroup(
          depth: depth, number: number,
          slots: names.compactMap { description.index(named: $0) })
      }
    }
  }

  /// Notes which classes inherit from one another; called once, before the SQL is made.
  func join(_ family: EntityFamily) { self.family = family }

  // MARK: SQL

  /// The class's own table, where its own properties are.
  private(set) lazy var table = SQLText.name(stored.table)
  /// What queries read the objects from, with all that they inherit: the table, or a query of
  /// several.
  private(set) lazy var source = family?.source(of: self) ?? table
  /// The columns of the class's own table: the key, the class of a row where there are several,
  /// then those of the slots.
  private(set) lazy var columns: [String] =
    [StoredEntity.keyColumn] + (hasClassColumn ? [StoredEntity.classColumn] : [])
    + bound.compactMap { slots[$0].column }
  /// The tables that an object's row is in, the root's first.
  private(set) lazy var parts = makeParts()
  private(set) lazy var selection = selection(prefix: "")
  /// The number of columns in the selection.
  private(set) lazy var selectionCount =
    family?.selection(of: self).count ?? columns.count - slots.count { $0.kind == .external }
  private(set) lazy var selectByKey =
    "SELECT \(selection) FROM \(source) WHERE \(StoredEntity.keyColumn)=?"
  private(set) lazy var selectByKeys =
    "SELECT \(selection) FROM \(source) WHERE \(StoredEntity.keyColumn) IN "
    + "(SELECT value FROM json_each(?))"
  private(set) lazy var insertion = insertion(rows: 1)
  /// How many rows ``insertions`` takes: the keys' counter is written once for a statement, and
  /// older builds of SQLite take 999 parameters (sqlite.org/limits.html).
  private(set) lazy var rowsAtOnce = max(1, min(16, 999 / (columns.count + ordered.count)))
  private(set) lazy var insertions = insertion(rows: rowsAtOnce)
  private(set) lazy var deletion =
    "DELETE FROM \(table) WHERE \(StoredEntity.keyColumn)=?"

  /// Reads one column of a row by its key; `nil` for a slot without a column.
  func selectColumn(_ index: Int) -> String? {
    slots[index].column.map {
      "SELECT \(SQLText.name($0)) FROM \(table(of: index)) WHERE \(StoredEntity.keyColumn)=?"
    }
  }

  /// The key and what is read with a row.
  func selection(prefix: String, of wanted: Set<Int>? = nil) -> String {
    if let family {
      return family.selection(of: self).map { prefix + $0 }.joined(separator: ", ")
    }
    let left = slots.indices.filter { index in
      slots[index].kind == .external || wanted?.contains(index) == false
    }
    let large = left.compactMap { slots[$0].column }
    return columns.filter { !large.contains($0) }.map { prefix + SQLText.name($0) }.joined(
      separator: ", ")
  }

  private func insertion(rows: Int) -> String {
    let all = columns + ordered.compactMap { slots[$0].orderColumn }
    let names = all.map(SQLText.name).joined(separator: ", ")
    let marks = "(\(Array(repeating: "?", count: all.count).joined(separator: ", ")))"
    let values = Array(repeating: marks, count: rows).joined(separator: ", ")
    return "INSERT INTO \(table)(\(names)) VALUES \(values)"
  }

  /// The relationship of a slot; `nil` for an attribute.
  func relationship(_ index: Int) -> RelationshipPlan? {
    index < relationshipByProperty.count ? relationshipByProperty[index] : nil
  }

  /// Whether a slot holds a related row's key, or a place in an array.
  func isLink(_ index: Int) -> Bool {
    index >= description.properties.count || relationshipByProperty[index] != nil
  }

  /// Changes some slots of a row, all of one table; the key is the last parameter.
  func update(_ changed: [Int]) -> String {
    let columns =
      changed.compactMap { slots[$0].column } + changed.compactMap { slots[$0].orderColumn }
    let assignments = columns.map { "\(SQLText.name($0))=?" }.joined(separator: ", ")
    let table = changed.first.map(table(of:)) ?? table
    return "UPDATE \(table) SET \(assignments) WHERE \(StoredEntity.keyColumn)=?"
  }

  /// Makes every text now, so that contexts on several threads only read.
  func prepare() {
    _ = (
      table, source, columns, parts, selection, selectionCount, selectByKey, selectByKeys, deletion
    )
    _ = (insertion, rowsAtOnce, insertions)
    for relationship in relationships { relationship.prepare() }
  }
}
