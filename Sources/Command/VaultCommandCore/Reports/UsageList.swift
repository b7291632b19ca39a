package import VaultCredentials
package import VaultStorage

/// The records of the log with what became of their items.
package struct UsageList {
  package struct Row {
    package let record: UsageRecord
    /// The item's name now; `nil` if it was removed for good.
    package let name: String?

    package var subject: String {
      guard record.itemID != nil else { return "-" }
      guard let name else { return "\(record.subject) (removed)" }
      return name == record.itemName ? record.subject : "\(record.subject) (now \(name))"
    }

    package var members: [(String, JSONValue)] {
      record.members + [("currentName", record.itemID == nil ? .null : .optional(name))]
    }
  }

  package let rows: [Row]
  package let isKept: Bool

  /// The records of an item: of the one with that name now, also in the trash, and of each that had
  /// it when it was used.
  package init(in snapshot: VaultSnapshot, of name: ItemName?) throws {
    var trash = ItemQuery()
    trash.isInTrash = true
    let items = snapshot.items() + snapshot.items(matching: trash)
    var names: [String: String] = [:]
    for item in items { names[item.id] = item.name.text }
    isKept = snapshot.keepsUsageLog
    let records = try snapshot.usage().filter { record in
      guard let name else { return true }
      guard let id = record.itemID else { return false }
      return names[id] == name.text || record.itemName == name.text
    }
    if let name, records.isEmpty, !names.values.contains(name.text) {
      // The error that names what may have been meant.
      _ = try snapshot.item(name)
    }
    rows = records.map { Row(record: $0, name: $0.itemID.flatMap { names[$0] }) }
  }
}
