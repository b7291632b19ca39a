import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

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
  private(set) var notes: [ImportReading.Loss]

  init(
    _ reading: ImportReading, prefix: String, replaces: Bool, in vault: UnlockedVault.Blocking?
  ) throws {
    (losses, notes) = (reading.losses, reading.notes)
    let known = try vault?.wholeItems()
    var names = FreeNames()
    // Of items that want one name: what each holds, since a later one may be the same as any of them.
    var holders: [String: [[UInt8]: ItemName]] = [:]
    let progress = ProgressLine("comparing item")
    for (number, read) in reading.items.enumerated() {
      var item = read
      progress.show(number, of: reading.items.count)
      func lose(_ reason: String) {
        losses.append(ImportReading.Loss(origin: item.origin, reason: reason))
      }
      for reason in item.adjustTags() { lose(reason) }
      if let reason = Self.refusal(of: item) {
        lose(reason)
        continue
      }
      let preferred = Self.preferredName(item, prefix: prefix)
      let digest = try item.digest()
      if let twin = holders[preferred]?[digest] {
        steps.append(Step(item: item, name: twin, action: .twice))
        continue
      }
      let name = try names.next(like: preferred)
      holders[preferred, default: [:]][digest] = name
      var reasons = item.adjustments
      // A number behind a name that is taken is not worth a word: the list of items shows it.
      let own = prefix + item.name
      if !item.isNamedByUs, !name.text.isSame(as: own), !name.text.begins(with: own + "~") {
        reasons.append("it is called '\(name.text)'")
      }
      notes += reasons.map { ImportReading.Loss(origin: item.origin, reason: $0) }
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
  var newItems: [ItemDraft] {
    steps.filter { $0.action == .new || $0.action == .replace }.map { step in
      var changes = ItemChanges()
      changes.kind = step.item.kind
      changes.note = step.item.note
      changes.expires = .some(step.item.expires)
      if !step.item.tags.isEmpty {
        changes.tags = step.item.tags
      }
      if !step.item.attributes.isEmpty { changes.attributes = step.item.attributes }
      return ItemDraft(
        step.name, main: step.item.main, fields: step.item.fields, changes: changes)
    }
  }

  /// Why an item cannot be stored; `nil` where it can.
  private static func refusal(of item: ImportedItem) -> String? {
    let total = item.fields.values.reduce(item.main.count) { $0 + $1.count }
    if total > Secret.maximumLength { return "it is longer than 1 MiB" }
    if total == 0, !item.mayBeEmpty { return "there is nothing in it" }
    if item.fields.count > ItemLimits.fields { return "it has more than 1,000 fields" }
    if item.tags.count > ItemLimits.tags { return "it has more than 256 tags" }
    if let note = item.note, note.utf8.count > ItemLimits.note {
      return "its note is longer than 64 KiB"
    }
    if item.attributes.count > ItemLimits.attributes { return "it has more than 64 attributes" }
    for (name, value) in item.attributes
    where name.isEmpty || name.utf8.count > ItemLimits.attributeName
      || value.utf8.count > ItemLimits.attributeValue || !ItemLimits.isPlain(name)
    {
      return "an attribute is longer than 4 KiB, or its name cannot be one"
    }
    return nil
  }

  /// What an item is to be called: its own name, or that without what no name may hold.
  private static func preferredName(_ item: ImportedItem, prefix: String) -> String {
    let own = prefix + item.name
    if !item.isNamedByUs, (try? ItemName(own)) != nil { return own }
    let parts = own.parts(at: "/").map {
      String($0).replacingControls(with: " ").trimmingBlanks
    }.filter { !$0.isEmpty }
    return parts.isEmpty ? "untitled" : parts.joined(separator: "/")
  }

  private static func isSame(_ item: ImportedItem, as known: ItemWithSecrets) -> Bool {
    known.main.bytes.isEqual(to: item.main) && known.fields.count == item.fields.count
      && item.fields.allSatisfy { field, value in
        known.fields[field].map { $0.bytes.isEqual(to: value) } ?? false
      }
  }
}
