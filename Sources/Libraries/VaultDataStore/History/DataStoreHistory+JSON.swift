package import VaultStorage

extension DataStoreHistory.Transaction {
  /// The transaction with some of its changes, as a document shows it.
  package func json(changes: [DataStoreHistory.Change]) -> JSONValue {
    .object([
      ("id", .number(id)), ("time", .string(DataStoreDate.text(time))),
      ("author", .optional(author)), ("bundle", .string(bundle)), ("process", .string(process)),
      (
        "changes",
        .array(
          changes.map { change in
            .object([
              ("kind", .string(change.kind.rawValue)), ("entity", .string(change.entity)),
              ("firstRow", .number(change.firstRow)), ("count", .number(change.count)),
              ("properties", .strings(change.propertyNames)),
              (
                "tombstone",
                change.tombstone.flatMap { try? JSONValue.parse(Array($0.utf8)) } ?? .null
              ),
            ])
          })
      ),
    ])
  }
}

extension DataStoreHistory.Change {
  /// The names of the properties that an update changed.
  package var propertyNames: [String] {
    guard let properties, case .array(let names)? = try? JSONValue.parse(Array(properties.utf8))
    else { return [] }
    return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }
}
