/// Names of tables and columns that SQLite takes for one, told apart.
///
/// Swift tells `url` from `URL`, and a class may have a property `owner_id` beside its relationship
/// `owner`. The usual name goes to one of them; the others get `NAME_2` and so on. A schema without
/// such names is left as it is.
extension StoredSchema {
  /// Gives each table and each column a name that no other one has, whatever its case.
  package mutating func tellNamesApart() {
    var tables = TakenNames()
    for index in entities.indices { entities[index].table = tables.take(entities[index].table) }
    var joins: [Set<String>: String] = [:]
    // A query reads a row of a class with those that it inherits from.
    for index in entities.indices.sorted(by: { depth(of: $0) < depth(of: $1) }) {
      let inherited = lineage(of: entities[index]).dropFirst().flatMap(\.ownColumns)
      entities[index].tellColumnsApart(from: inherited)
    }
    for index in entities.indices {
      for place in entities[index].relationships.indices {
        let relationship = entities[index].relationships[place]
        guard case .join(var links) = relationship.storage else { continue }
        // Both sides of a relationship have the same table.
        var sides: Set = ["\(entities[index].name).\(relationship.name)"]
        if let inverse = relationship.inverse {
          sides.insert("\(relationship.destination).\(inverse)")
        }
        let table = joins[sides] ?? tables.take(links.table)
        joins[sides] = table
        links.table = table
        entities[index].relationships[place].storage = .join(links: links)
      }
    }
  }

  private func depth(of index: Int) -> Int { lineage(of: entities[index]).count }
}

extension StoredEntity {
  fileprivate mutating func tellColumnsApart(from inherited: [String]) {
    var columns = TakenNames([Self.keyColumn, Self.classColumn] + inherited)
    // A decimal needs two names; then every property its own; what is beside it comes last.
    let order = attributes.indices.sorted { left, right in
      let (first, second) = (attributes[left], attributes[right])
      let isFirst = first.type == .decimal
      return isFirst == (second.type == .decimal) ? first.name < second.name : isFirst
    }
    for index in order {
      let usual = attributes[index]
      attributes[index].column = columns.take(usual.column) { name in
        var named = usual
        named.column = name
        return named.columns.filter { $0 != name }
      }
    }
    for index in relationships.indices.sorted(by: {
      relationships[$0].name < relationships[$1].name
    }) {
      guard case .foreignKey(let column, let position) = relationships[index].storage else {
        continue
      }
      let key = columns.take(column)
      relationships[index].storage = .foreignKey(
        column: key, position: position.map { columns.take($0) })
    }
  }
}

extension StoredAttribute {
  /// The column, and what is beside it.
  var columns: [String] { type == .decimal ? [column, orderColumn] : [column] }
}

extension StoredEntity {
  /// The columns of its properties in its own table.
  package var ownColumns: [String] {
    attributes.flatMap(\.columns)
      + relationships.flatMap { relationship in
        guard case .foreignKey(let column, let position) = relationship.storage else {
          return [] as [String]
        }
        return [column] + [position].compactMap { $0 }
      }
  }

  /// Whether its own table has a column that SQLite takes for this one.
  func hasColumn(_ name: String) -> Bool {
    ownColumns.contains { $0.foldedByASCII == name.foldedByASCII }
  }
}

/// Names that are used, regardless of the case of ASCII letters, as SQLite compares them.
private struct TakenNames {
  private var names: Set<String>

  init(_ names: [String] = []) { self.names = Set(names.map(\.foldedByASCII)) }

  /// The name, or the first `name_2`, `name_3`, … that is free, with what belongs to it.
  mutating func take(_ name: String, with others: (String) -> [String] = { _ in [] }) -> String {
    var found = name
    var number = 2
    while !([found] + others(found)).allSatisfy({ !names.contains($0.foldedByASCII) }) {
      found = "\(name)_\(number)"
      number += 1
    }
    names.formUnion(([found] + others(found)).map(\.foldedByASCII))
    return found
  }
}

extension String {
  /// The name as SQLite compares it: it folds the case of ASCII letters, and of no others.
  var foldedByASCII: String {
    String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}
