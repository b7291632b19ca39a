import FoundationEssentials
public import VaultCredentials
import VaultSealing
import VaultStorage

/// The effect of an import on each item, known before anything is written.
///
/// A plan gives every item a valid and unique name and compares it with the vault. Items whose
/// secrets are in the vault already need no write; an item whose name is taken by other secrets is
/// left alone, unless the plan replaces.
///
/// ```swift
/// let reading = try ImportFormat.bitwarden.read(bytes)
/// let plan = try ImportPlan(reading, into: try await vault.read(), prefix: "bitwarden/")
/// try await vault.edit { edit in
///   for draft in plan.drafts { try edit.store(draft) }
/// }
/// ```
public struct ImportPlan: Sendable {
  /// The effect on one item.
  public enum Action: String, Sendable {
    /// No item of the vault has the name.
    case new
    /// An item of the name has other secrets and gets a new version.
    case replace
    /// An item of the name has the same secrets.
    case same
    /// An item of the name has other secrets and stays as it is.
    case exists
    /// The file has the item twice, with the same secrets.
    case twice
  }

  /// An item with its final name and its effect.
  public struct Step: Sendable {
    /// The item as it was read, with valid tags.
    public let item: ImportedItem
    /// The item's name in the vault.
    public let name: ItemName
    /// The effect on the vault.
    public let action: Action
  }

  /// The items that a vault can hold, in the order of the file.
  public private(set) var steps: [Step] = []
  /// The parts of the file that cannot be stored.
  public private(set) var losses: [ImportReading.Remark]
  /// The differences between the file and the items, and what was left out without a loss.
  public private(set) var notes: [ImportReading.Remark]

  /// Plans an import.
  ///
  /// - Parameters:
  ///   - reading: The items.
  ///   - snapshot: The vault as it is; `nil` for one that does not exist yet.
  ///   - prefix: The beginning of all names, such as `old/`.
  ///   - replaces: Whether items with other secrets get a new version.
  ///   - progress: Called before each item with the number of those before it.
  /// - Throws: `CredentialError` with code `.damaged`, or `.invalidName` if `prefix` cannot begin a
  ///   name; `SealingError` with code `.outOfMemory`.
  public init(
    _ reading: ImportReading, into snapshot: VaultSnapshot?, prefix: String = "",
    replaces: Bool = false, progress: (Int) -> Void = { _ in }
  ) throws {
    (losses, notes) = (reading.losses, reading.notes)
    var names = FreeNames()
    // For items that want the same name: the digest of each, to find one that is in the file twice.
    var holders: [String: [[UInt8]: ItemName]] = [:]
    for (number, read) in reading.items.enumerated() {
      var item = read
      progress(number)
      func lose(_ reason: String) {
        losses.append(ImportReading.Remark(origin: item.origin, reason: reason))
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
      // A number behind a taken name needs no note: the list of items shows it.
      let own = prefix + item.name
      if !item.hasComposedName, !name.text.isSame(as: own), !name.text.begins(with: own + "~") {
        reasons.append("it is named '\(name.text)'")
      }
      notes += reasons.map { ImportReading.Remark(origin: item.origin, reason: $0) }
      let action: Action
      if let snapshot, let known = snapshot[name] {
        action =
          try Self.isSame(item, as: snapshot.secrets(of: known))
          ? .same : replaces ? .replace : .exists
      } else {
        action = .new
      }
      steps.append(Step(item: item, name: name, action: action))
    }
  }

  /// The items to store, for one edit of the vault.
  public var drafts: [ItemDraft] {
    steps.filter { $0.action == .new || $0.action == .replace }.map { step in
      var changes = ItemChanges()
      changes.kind = step.item.kind
      changes.note = step.item.note
      changes.expires = .some(step.item.expires)
      if !step.item.tags.isEmpty {
        changes.tags = step.item.tags
      }
      if !step.item.attributes.isEmpty { changes.attributes = step.item.attributes }
      changes.openFields = step.item.openFields
      return ItemDraft(
        step.name, main: step.item.main, fields: step.item.fields, changes: changes)
    }
  }

  /// Returns the reason why an item cannot be stored, or `nil`.
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

  /// Returns the item's own name, made valid.
  private static func preferredName(_ item: ImportedItem, prefix: String) -> String {
    let own = prefix + item.name
    if !item.hasComposedName, (try? ItemName(own)) != nil { return own }
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
