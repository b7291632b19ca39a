package import VaultCredentials
import VaultStorage

extension VaultSnapshot {
  /// Returns the items that say a word somewhere else than in their names.
  ///
  /// The search takes in tags, attributes, notes, and fields that are open, such as user and
  /// address; never the secret or a concealed field. It opens each item, which takes a fifth of a
  /// second for ten thousand.
  ///
  /// - Parameters:
  ///   - text: The word, in any case.
  ///   - query: The other conditions.
  /// - Returns: The items, by name.
  /// - Throws: `CredentialError` with code `.damaged`.
  package func items(saying text: String, matching query: ItemQuery) throws -> [Item] {
    var query = query
    query.text = nil
    let text = text.lowercased()
    func says(_ value: String) -> Bool { value.lowercased().contains(bytes: text) }
    return try items(matching: query).filter { item in
      if says(item.note) || item.tags.contains(where: says)
        || item.attributes.values.contains(where: says)
      {
        return true
      }
      // Of an item in the trash only earlier versions can be read.
      guard item.trashed == nil else { return false }
      return try secrets(of: item).fields.contains { field, value in
        item.isOpen(field: field) && value.text.map(says) == true
      }
    }
  }
}
