package import FoundationEssentials
package import VaultCredentials
import VaultStorage
import VaultTerminal

/// Items that were not used for a time, as far as the log of uses reaches back.
package struct UnusedItems {
  private let snapshot: VaultSnapshot
  private let since: Date

  /// Items not used since a time; says so where the log does not reach back to it.
  package init(_ snapshot: VaultSnapshot, since: Date) throws {
    self.snapshot = snapshot
    self.since = since
    let beginning = try snapshot.usageLogBeginning()
    if !snapshot.keepsUsageLog {
      StandardError.note(
        "the log of uses is off: what was used since then is not known",
        hint: "switch it on: \(ProgramName.current) settings log on")
    } else if let beginning, beginning > since {
      StandardError.note(
        "the log of uses begins at \(Timestamp.text(beginning)): what was used before is not known")
    } else if beginning == nil {
      StandardError.note("there is no log of uses yet: what was used is not known")
    }
  }

  /// Those of `items` that were not used, and are old enough.
  package func among(_ items: [Item]) throws -> [Item] {
    let uses = try snapshot.lastUses(of: items)
    return items.filter { item in max(item.created, uses[item.id]?.time ?? item.created) < since }
  }
}
