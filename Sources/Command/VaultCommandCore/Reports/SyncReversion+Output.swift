package import VaultStorage
package import VaultSync
import VaultTerminal

extension SyncReversion {
  /// How much is taken back.
  package var count: Int { items.count { $0.outcome != .kept } + preferences.count }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [
      ("device", .string(label)),
      (
        "items",
        .array(
          items.map {
            .object([
              ("name", .string($0.name)), ("outcome", .string($0.outcome.rawValue)),
              ("properties", .strings($0.properties)),
            ])
          })
      ),
      (
        "preferences",
        .array(
          preferences.map { .object([("domain", .string($0.domain)), ("key", .string($0.key))]) })
      ),
      ("unseenRecords", .number(Int64(unseenRecords))),
    ] + (removal?.copyMembers ?? [])
  }

  /// What is taken back as rows, and what is not.
  package var rows: [[String]] {
    items.map { [StandardOutput.shown($0.name), $0.words] }
      + preferences.map {
        ["\(StandardOutput.shown($0.domain)) \(StandardOutput.shown($0.key))", "preference"]
      }
  }
}

extension SyncRemoval {
  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [("device", .string(label)), ("id", .string(id))] + copyMembers
      + (sharesKeysWith.map { [("sharesKeysWith", .string($0))] } ?? [])
  }

  fileprivate var copyMembers: [(String, JSONValue)] {
    [("removedCopies", .strings(removedCopies)), ("copies", .strings(copies))]
  }
}

extension SyncReversion.Item {
  fileprivate var words: String {
    switch outcome {
    case .reverted: properties.map(StandardOutput.shown).joined(separator: ", ")
    case .trashed: "made by it: into the trash"
    case .restored: "removed by it: comes back"
    case .kept: "made by it, changed by others since: stays"
    }
  }
}
