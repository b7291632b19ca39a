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
    let known = Set(try vault?.items().map(\.name) ?? [])
    var taken: Set<ItemName> = []
    for item in reading.items {
      let total = item.fields.values.reduce(item.main.count) { $0 + $1.count }
      guard total <= Secret.maximumLength else {
        losses.append(ImportReading.Loss(origin: item.origin, reason: "it is longer than 1 MiB"))
        continue
      }
      guard total > 0 else {
        losses.append(ImportReading.Loss(origin: item.origin, reason: "there is nothing in it"))
        continue
      }
      let name = try Self.name(item, prefix: prefix, taken: taken)
      taken.insert(name)
      let action: Action
      if let vault, known.contains(name) {
        action =
          try Self.isSame(item, name, in: vault) ? .same : replaces ? .replace : .exists
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

  /// A name that may be used, and that none in the same file has: a second one gets a number.
  private static func name(
    _ item: ImportedItem, prefix: String, taken: Set<ItemName>
  ) throws -> ItemName {
    let parts = (prefix + item.name).split(separator: "/").map(cleaned).filter { !$0.isEmpty }
    var base = parts.joined(separator: "/")
    if base.isEmpty { base = "untitled" }
    while base.utf8.count > ItemName.maximumLength - 24 { base.removeLast() }
    while base.hasSuffix("/") { base.removeLast() }
    var name = try ItemName(base)
    var number = 2
    while taken.contains(name) {
      name = try ItemName("\(base)~\(number)")
      number += 1
    }
    return name
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

  private static func isSame(
    _ item: ImportedItem, _ name: ItemName, in vault: UnlockedVault.Blocking
  ) throws -> Bool {
    guard try vault.get(name).bytes.isEqual(to: item.main),
      Set(try vault.fields(of: name)) == Set(item.fields.keys)
    else { return false }
    for (field, value) in item.fields
    where !(try vault.get(name, field: field).bytes.isEqual(to: value)) {
      return false
    }
    return true
  }
}
