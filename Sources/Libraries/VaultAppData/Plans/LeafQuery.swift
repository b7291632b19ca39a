import VaultDataStore

/// Finds the rows that a cascading relationship leads to, and says which of them lead nowhere else.
///
/// Those can be deleted as rows: no other object's arrays, rules or links have to be looked at.
struct LeafQuery: Sendable {
  /// The query; its parameter is the owner's key.
  ///
  /// The columns are a row's key, whether it leads nowhere else, and the keys of its ``others``.
  let text: String
  /// The keys of the first and the last of them in their order, out of the index; its parameter is
  /// the owner's key.
  let ends: String
  /// How many there are, and how many of them have a key between two and lead nowhere else.
  ///
  /// Its parameters are the owner's key and the two. `nil` if a row may have ``others``.
  let within: String?
  /// The row's own relationships to one object that is in somebody's array.
  let others: [RelationshipPlan]

  /// `nil` if every row has to be looked at by itself.
  init?(_ relationship: RelationshipPlan) {
    let plan = relationship.destination
    guard relationship.rule == .cascade, !plan.isCustom, plan.family == nil,
      relationship.links.place == .destinations, let inverse = relationship.inverse,
      inverse.entity === plan, inverse.rule == .nullify || inverse.rule == .noAction
    else { return nil }
    let key = "e.\(SQLText.name(StoredEntity.keyColumn))"
    var conditions: [String] = []
    var others: [RelationshipPlan] = []
    for own in plan.relationships where own !== inverse {
      let links = own.links
      switch links.place {
      case .owners where own.rule == .nullify && own.inverse == nil: continue
      case .owners where own.rule == .nullify && own.inverse?.isToMany == true: others.append(own)
      case .owners: conditions.append("e.\(links.destination) IS NULL")
      case .destinations, .joinTable:
        conditions.append(
          "NOT EXISTS (SELECT 1 FROM \(links.table) o WHERE o.\(links.owner)=\(key))")
      }
    }
    let condition = conditions.isEmpty ? "1" : conditions.joined(separator: " AND ")
    let columns = [key, condition] + others.map { "e.\($0.links.destination)" }
    let rows = "FROM \(plan.table) e WHERE e.\(relationship.links.owner)=?"
    text = "SELECT \(columns.joined(separator: ", ")) \(rows)"
    let order = relationship.links.position.map { "e.\($0)" } ?? key
    ends =
      "SELECT (SELECT \(key) \(rows)1 ORDER BY \(order) LIMIT 1), "
      + "(SELECT \(key) \(rows)1 ORDER BY \(order) DESC LIMIT 1)"
    within =
      others.isEmpty
      ? "SELECT count(*), count(CASE WHEN \(key) BETWEEN ?2 AND ?3 AND \(condition) THEN 1 END) "
        + "\(rows)1" : nil
    self.others = others
  }
}
