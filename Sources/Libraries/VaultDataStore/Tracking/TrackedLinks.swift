package import VaultStorage

/// Links that lie in a table of their own: many-to-many, and to-many without an inverse.
package struct TrackedLinks: Sendable, Equatable {
  /// The class that has the relationship, by its ``ClassPath``; of two sides that whose class and
  /// property come first.
  package let owner: String
  /// The relationship's name on the way.
  package let property: String
  /// The class at the other end, by its ``ClassPath``.
  package let destination: String
  package let table: String
  package let ownerColumn: String
  package let destinationColumn: String
  /// The place of the destination in the owner's array.
  package let position: String
  /// The place of the owner in the destination's array, if it has one.
  package let inversePosition: String?
  /// The properties' names here.
  package let ownerProperty: String
  package let destinationProperty: String?

  /// The relationship as one text.
  package var name: String { "\(owner)/\(property)" }

  /// The families of the classes at both ends.
  package var ownerFamily: String { ClassPath.family(of: owner) }
  package var destinationFamily: String { ClassPath.family(of: destination) }

  /// The class at an end.
  package func end(isOwner: Bool) -> String { isOwner ? owner : destination }

  /// Whether objects of a family are at one of the ends.
  package func leads(_ family: String) -> Bool {
    ownerFamily == family || destinationFamily == family
  }
}

extension StoredSchema {
  /// The links that can go to other machines, in the order of their names.
  package func trackedLinks() -> [TrackedLinks] {
    var found: [String: TrackedLinks] = [:]
    for entity in entities {
      for relationship in entity.relationships {
        guard case .join(let join) = relationship.storage,
          let destination = self.entity(relationship.destination)
        else { continue }
        let links = TrackedLinks(
          owner: path(of: entity), property: relationship.wireName,
          destination: path(of: destination), table: join.table, ownerColumn: join.owner,
          destinationColumn: join.destination, position: join.position,
          inversePosition: join.inversePosition, ownerProperty: relationship.name,
          destinationProperty: relationship.inverse)
        if let other = found[join.table],
          (other.owner, other.property) <= (links.owner, links.property)
        {
          continue
        }
        found[join.table] = links
      }
    }
    return found.values.sorted { ($0.owner, $0.property) < ($1.owner, $1.property) }
  }
}

/// Reads and writes the rows of a table of links.
package struct LinkRows {
  package let links: TrackedLinks
  private let connection: SQLiteConnection
  private let table: String
  private let ends: String
  private let places: [String]

  package init(_ links: TrackedLinks, on connection: SQLiteConnection) {
    self.links = links
    self.connection = connection
    table = SQLText.name(links.table)
    ends = "\(SQLText.name(links.ownerColumn))=? AND \(SQLText.name(links.destinationColumn))=?"
    places = [links.position, links.inversePosition].compactMap { $0 }.map(SQLText.name)
  }

  /// The places of a link in the arrays of its two ends.
  package struct Places: Sendable, Equatable {
    package var owner: Int64?
    package var destination: Int64?

    package init(owner: Int64?, destination: Int64?) {
      self.owner = owner
      self.destination = destination
    }
  }

  /// The places of a link; `nil` if there is none.
  package func places(_ owner: Int64, _ destination: Int64) throws -> Places? {
    try connection.first(
      "SELECT \(places.joined(separator: ", ")) FROM \(table) WHERE \(ends)",
      [.integer(owner), .integer(destination)]
    ) { row in
      Places(
        owner: row.isNull(at: 0) ? nil : row.int64(at: 0),
        destination: places.count < 2 || row.isNull(at: 1) ? nil : row.int64(at: 1))
    }
  }

  /// Calls `body` with the keys of each link's ends.
  package func forEach(_ body: (_ owner: Int64, _ destination: Int64) throws -> Void) throws {
    let statement = try connection.prepare(
      "SELECT \(SQLText.name(links.ownerColumn)), \(SQLText.name(links.destinationColumn)) "
        + "FROM \(table)")
    while try statement.step() { try body(statement.int64(at: 0), statement.int64(at: 1)) }
  }

  /// The columns that have keys of a family.
  private func columns(of family: String) -> [String] {
    (links.ownerFamily == family ? [links.ownerColumn] : [])
      + (links.destinationFamily == family ? [links.destinationColumn] : [])
  }

  /// The keys of the ends of each link of a row of a family.
  package func links(
    of key: Int64, _ family: String
  ) throws -> [(owner: Int64, destination: Int64)] {
    let ends = [links.ownerColumn, links.destinationColumn].map(SQLText.name)
    let columns = columns(of: family).map { "\(SQLText.name($0))=?" }
    guard !columns.isEmpty else { return [] }
    var found: [(owner: Int64, destination: Int64)] = []
    try connection.forEachRow(
      "SELECT \(ends.joined(separator: ", ")) FROM \(table) "
        + "WHERE \(columns.joined(separator: " OR "))", columns.map { _ in .integer(key) }
    ) { found.append(($0.int64(at: 0), $0.int64(at: 1))) }
    return found
  }

  /// Makes a link, or gives it other places.
  package func put(_ owner: Int64, _ destination: Int64, at new: Places) throws {
    let values: [SQLiteValue] = [new.owner, new.destination].prefix(places.count).map {
      $0.map { .integer($0) } ?? .null
    }
    let ends: [SQLiteValue] = [.integer(owner), .integer(destination)]
    try connection.execute(
      "UPDATE \(table) SET \(places.map { "\($0)=?" }.joined(separator: ", ")) WHERE \(self.ends)",
      values + ends)
    guard connection.changes == 0 else { return }
    let columns = [links.ownerColumn, links.destinationColumn].map(SQLText.name) + places
    try connection.execute(
      "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES "
        + "(\(columns.map { _ in "?" }.joined(separator: ", ")))", ends + values)
  }

  /// Removes a link.
  package func remove(_ owner: Int64, _ destination: Int64) throws(StorageError) {
    try connection.execute(
      "DELETE FROM \(table) WHERE \(ends)", [.integer(owner), .integer(destination)])
  }

  /// Has the links of one row of a family lead to another one; those that this one has stay as they
  /// are.
  package func move(
    from key: Int64, to other: Int64, _ family: String
  ) throws(StorageError) {
    for column in columns(of: family).map(SQLText.name) {
      try connection.execute(
        "UPDATE OR IGNORE \(table) SET \(column)=? WHERE \(column)=?",
        [.integer(other), .integer(key)])
      try connection.execute("DELETE FROM \(table) WHERE \(column)=?", [.integer(key)])
    }
  }
}
