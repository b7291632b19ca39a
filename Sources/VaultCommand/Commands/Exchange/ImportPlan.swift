import FoundationEssentials
import VaultCredentials
import VaultSealing

/// What an import does with each item, found out before anything is written.
struct ImportPlan {
  enum Action: String {
    /// There was none of the name.
    case new
    /// One is there and gets a new version.
    case replace
    /// One is there with the same secrets.
    case same
    /// One is there with other secrets, and stays.
    case exists
    /// The file has it twice, with the same secrets.
    case twice
  }

  struct Step {
    let item: ImportedItem
    let name: ItemName
    let action: Action
  }

  private(set) var steps: [Step] = []
  private(set) var losses: [ImportReading.Loss]

  init(
    _ reading: ImportReading, prefix: String, replaces: Bool, in vault: UnlockedVault.Blocking?
  ) throws {
    losses = reading.losses
    let known = try vault?.wholeItems()
    // Of items of one name in the file: all of them, since a second one may be the same as the first.
    var taken: [ItemName: ImportedItem] = [:]
    let progress = ProgressLine("comparing item")
    for (number, item) in reading.items.enumerated() {
      progress.show(number, of: reading.items.count)
      let total = item.fields.values.reduce(item.main.count) { $0 + $1.count }
      guard total <= Secret.maximumLength else {
        losses.append(ImportReading.Loss(origin: item.origin, reason: "it is longer than 1 MiB"))
        continue
      }
      guard total > 0 else {
        losses.append(ImportReading.Loss(origin: item.origin, reason: "there is nothing in it"))
        continue
      }
      var twin: ItemName?
      let name = try FreeName.like(Self.preferredName(item, prefix: prefix)) { name in
        guard let other = taken[name] else { return false }
        if other.hasSameSecrets(as: item) { twin = name }
        return twin == nil
      }
      if twin != nil {
        steps.append(Step(item: item, name: name, action: .twice))
        continue
      }
      taken[name] = item
      let action: Action
      if let there = try known?(name) {
        action = Self.isSame(item, as: there) ? .same : replaces ? .replace : .exists
      } else {
        action = .new
      }
      steps.append(Step(item: item, name: name, action: action))
    }
  }

  /// All items that are to be written, for one write.
  var newItems: [NewItem] {
    steps.filter { $0.action == .new || $0.action == .replace }.map { step in
      var changes = ItemChanges()
      changes.kind = step.item.kind
      changes.note = step.item.note
      changes.expires = .some(step.item.expires)
      if !step.item.tags.isEmpty {
        changes.tags = step.item.tags.map { String($0.prefix(60)) }
      }
      if !step.item.attributes.isEmpty { changes.attributes = step.item.attributes }
      return NewItem(
        step.name, main: step.item.main, fields: step.item.fields, changes: changes)
    }
  }

  /// What an item is to be called: its own name without what no name may hold.
  private static func preferredName(_ item: ImportedItem, prefix: String) -> String {
    let parts = (prefix + item.name).split(separator: "/").map(cleaned).filter { !$0.isEmpty }
    return parts.isEmpty ? "untitled" : parts.joined(separator: "/")
  }

  private static func cleaned(_ part: Substring) -> String {
    var result = ""
    for scalar in part.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result.trimmingBlanks
  }

  private static func isSame(_ item: ImportedItem, as known: WholeItem) -> Bool {
    known.main.bytes.isEqual(to: item.main) && known.fields.count == item.fields.count
      && item.fields.allSatisfy { field, value in
        known.fields[field].map { $0.bytes.isEqual(to: value) } ?? false
      }
  }
}
