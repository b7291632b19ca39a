import VaultDataStore
import VaultStorage

/// The classes of a container that inherit from one another, from their root on.
///
/// An object is a row in the table of its class and one, with the same key, in that of each class
/// above it; the root's table says of which class it is. A context has one record for a key of the
/// family, whatever its class.
final class EntityFamily: @unchecked Sendable {
  // Immutable once the container has been made.

  /// A class, which holds the family.
  private struct Member {
    unowned let plan: EntityPlan
  }

  /// A superclass before its subclasses.
  private let members: [Member]
  private let places: [String: Int]
  /// By member: the places of a class and of those that it inherits from, the root's first.
  private let lineages: [[Int]]
  /// By the class that is read, then by the class of the row: the columns of its slots.
  private var layouts: [Int: [Int: [Int]]] = [:]
  /// Whether one of the classes leads to others.
  private(set) var hasRelationships = false

  /// - Parameters:
  ///   - plans: All classes of the family.
  ///   - schema: The store's.
  init(_ plans: [EntityPlan], _ schema: StoredSchema) {
    func depth(_ plan: EntityPlan) -> Int { schema.lineage(of: plan.stored).count }
    let sorted = plans.sorted { (depth($0), $0.name) < (depth($1), $1.name) }
    let places = Dictionary(
      sorted.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.places = places
    members = sorted.map { Member(plan: $0) }
    var lineages: [[Int]] = []
    for (place, plan) in sorted.enumerated() {
      let parent = plan.stored.superentity.flatMap { places[$0] }
      lineages.append((parent.map { lineages[$0] } ?? []) + [place])
    }
    self.lineages = lineages
  }

  /// The class that all others inherit from, whose table counts the keys.
  var root: EntityPlan { members[0].plan }

  /// The class with a name; `nil` if it is in another family.
  func plan(named name: String) -> EntityPlan? { places[name].map { members[$0].plan } }

  /// A class, and before it those that it inherits from.
  func lineage(of plan: EntityPlan) -> [EntityPlan] {
    (places[plan.name].map { lineages[$0] } ?? []).map { members[$0].plan }
  }

  /// The classes below a class.
  func descendants(of plan: EntityPlan) -> [EntityPlan] {
    guard let place = places[plan.name] else { return [] }
    return lineages.indices.filter { $0 != place && lineages[$0].contains(place) }
      .map { members[$0].plan }
  }

  // MARK: Reading

  /// The columns that are read of a class's rows, as ``source(of:)`` names them: the key, the row's
  /// class, and the values of the class, of those above it and of those below.
  func selection(of plan: EntityPlan) -> [String] {
    [StoredEntity.keyColumn, StoredEntity.classColumn].map(SQLText.name)
      + columns(of: plan).compactMap { column in
        column.isRead ? SQLText.name(column.name) : nil
      }
  }

  /// Every column of a class's rows, large and sealed ones with the others.
  func allColumns(of plan: EntityPlan) -> [String] {
    [StoredEntity.keyColumn, StoredEntity.classColumn].map(SQLText.name)
      + columns(of: plan).map { SQLText.name($0.name) }
  }

  /// A query of the rows of a class and of those below it, each as one row.
  ///
  /// Tables are named without a schema, so that pending rows take their place.
  func source(of plan: EntityPlan) -> String {
    let lineage = lineage(of: plan)
    let key = SQLText.name(StoredEntity.keyColumn)
    func alias(_ plan: EntityPlan) -> String { "c\(places[plan.name] ?? 0)" }
    let root = alias(lineage[0])
    var parts = ["\(root).\(key)", "\(root).\(SQLText.name(StoredEntity.classColumn))"]
    for column in columns(of: plan) {
      let name = SQLText.name(column.name)
      let own = SQLText.name(column.column)
      parts.append("\(alias(column.owner)).\(own)" + (name == own ? "" : " AS \(name)"))
      if let order = column.order {
        parts.append("\(alias(column.owner)).\(SQLText.name(order))")
      }
    }
    var from = "\(lineage[0].table) AS \(root)"
    for other in lineage.dropFirst() {
      from += " JOIN \(other.table) AS \(alias(other)) ON \(alias(other)).\(key) = \(root).\(key)"
    }
    for other in descendants(of: plan) where !other.bound.isEmpty {
      from +=
        " LEFT JOIN \(other.table) AS \(alias(other)) ON \(alias(other)).\(key) = \(root).\(key)"
    }
    return "(SELECT \(parts.joined(separator: ", ")) FROM \(from))"
  }

  /// The columns of a row's slots, where it was read as a row of its class or of one above it.
  func layout(of plan: EntityPlan, as seen: EntityPlan) -> [Int] {
    layouts[seen.index]?[plan.index] ?? Array(repeating: 0, count: plan.slotCount)
  }

  /// Makes what is looked up for every row; called once, when all classes are known.
  func prepare() {
    hasRelationships = members.contains { !$0.plan.relationships.isEmpty }
    for member in members {
      let seen = member.plan
      var numbers: [Column.Place: Int] = [:]
      for column in columns(of: seen) where column.isRead {
        // The key and the class come first.
        numbers[column.place] = numbers.count + 2
      }
      for plan in [seen] + descendants(of: seen) {
        let lineage = lineage(of: plan)
        layouts[seen.index, default: [:]][plan.index] = plan.slots.map { slot in
          guard let column = slot.column else { return 0 }
          return numbers[Column.Place(owner: lineage[slot.depth].index, column: column)] ?? 0
        }
      }
    }
  }

  private struct Column {
    struct Place: Hashable {
      let owner: Int
      let column: String
    }

    let owner: EntityPlan
    let column: String
    /// The name in the query: the column's own, with its class where that is below.
    let name: String
    let order: String?
    /// Whether it is read with the row.
    let isRead: Bool

    var place: Place { Place(owner: owner.index, column: column) }
  }

  private func columns(of plan: EntityPlan) -> [Column] {
    func columns(_ owner: EntityPlan, isBelow: Bool) -> [Column] {
      owner.bound.compactMap { index in
        let slot = owner.slots[index]
        return slot.column.map { column in
          Column(
            owner: owner, column: column, name: isBelow ? "\(owner.name).\(column)" : column,
            order: isBelow ? nil : slot.orderColumn, isRead: slot.kind != .external)
        }
      }
    }
    return lineage(of: plan).flatMap { columns($0, isBelow: false) }
      + descendants(of: plan).flatMap { columns($0, isBelow: true) }
  }
}

/// The part of an object's row that lies in the table of one class.
struct TablePart {
  /// The class.
  unowned let entity: EntityPlan
  /// The slots of the object's own class that have a column there, in their order.
  let bound: [Int]
  /// Those of them with a column for their order.
  let ordered: [Int]
}

/// Properties that, taken together, no two objects may share.
struct UniqueGroup {
  /// Whose constraint it is: that of the class at this place of the lineage.
  let depth: Int
  /// The place among the constraints of that class.
  let number: Int
  let slots: [Int]
}

extension EntityPlan {
  /// Whether the table says of which class a row is.
  var hasClassColumn: Bool { family?.root === self }

  /// The class whose table counts the keys, and whose place in a context's tables the rows have.
  var root: EntityPlan { family?.root ?? self }

  func makeParts() -> [TablePart] {
    guard let family else { return [TablePart(entity: self, bound: bound, ordered: ordered)] }
    return family.lineage(of: self).enumerated().map { depth, entity in
      let own = slots.indices.filter { slots[$0].column != nil && slots[$0].depth == depth }
      return TablePart(
        entity: entity, bound: own, ordered: own.filter { slots[$0].orderColumn != nil })
    }
  }

  /// The table with a slot's column.
  func table(of index: Int) -> String { entity(atDepth: slots[index].depth).table }

  /// The class at a place of the lineage.
  func entity(atDepth depth: Int) -> EntityPlan {
    family.map { $0.lineage(of: self)[depth] } ?? self
  }

  /// The number of classes that it inherits from.
  var ancestorCount: Int { family.map { $0.lineage(of: self).count - 1 } ?? 0 }

  /// The superclass.
  var superplan: EntityPlan? {
    ancestorCount == 0 ? nil : entity(atDepth: ancestorCount - 1)
  }

  /// Whether it is a class, or inherits from it.
  func descends(from other: EntityPlan) -> Bool {
    self === other || family?.lineage(of: self).contains { $0 === other } == true
  }

  /// Whether a key of an object of a class may be one of this class's.
  func isRelated(to name: String) -> Bool { self.name == name || family?.plan(named: name) != nil }

  /// Whether other classes inherit from it.
  var hasSubclasses: Bool { family?.descendants(of: self).isEmpty == false }
}
