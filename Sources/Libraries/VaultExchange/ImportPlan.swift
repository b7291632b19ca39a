import FoundationEssentials
public import VaultCredentials
import VaultOneTimeCodes
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
    /// What is to be stored, for a new item or a new version.
    fileprivate let draft: ItemDraft?
  }

  /// The items that a vault can hold, in the order of the file.
  public private(set) var steps: [Step] = []
  /// The parts of the file that cannot be stored.
  public private(set) var losses: [ImportReading.Remark]
  /// The differences between the file and the items, and what was left out without a loss.
  public private(set) var notes: [ImportReading.Remark]
  /// Marks of items that have the same secrets, and no mark or another one, by their names.
  package private(set) var marks: [ItemName: String] = [:]

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
    var list = EntryList()
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
      try list.add(item, preferred: Self.preferredName(item, prefix: prefix))
    }
    let entries = try list.entries(prefix: prefix)
    let matching = try snapshot.map { try ImportMatching(entries, in: $0) }
    var alike = snapshot.map { ImportLikeness($0) }
    var names = ImportNames(snapshot)
    var chosen: [ItemName?] = []
    var renamed = 0
    for place in list.places {
      if let twin = place.twin {
        if let name = chosen[twin] {
          steps.append(Step(item: place.item, name: name, action: .twice, draft: nil))
        }
        continue
      }
      let entry = entries[chosen.count]
      if matching?.unclear.contains(chosen.count) == true {
        losses.append(
          ImportReading.Remark(
            origin: entry.item.origin,
            reason: "it could be one of several items here: name, user and address are the same"))
        chosen.append(nil)
        continue
      }
      let known = matching?.found[chosen.count]
      let name = try known?.name ?? names.next(for: entry.item, like: entry.preferred)
      chosen.append(name)
      if let snapshot, let known {
        if !ImportMatching.ancestors(of: name.text).contains(ImportMatching.normal(entry.preferred))
        {
          renamed += 1
        }
        try add(entry, as: known, in: snapshot, replaces: replaces)
      } else {
        note(entry, named: name, prefix: prefix)
        if let other = try alike?.account(like: entry, prefix: prefix) {
          notes.append(
            ImportReading.Remark(
              origin: entry.item.origin,
              reason: "it may be the account that is here as '\(other.text)', spelled another way: "
                + "both are items now"))
        }
        let draft = Self.draft(entry, named: name)
        steps.append(Step(item: entry.item, name: name, action: .new, draft: draft))
      }
    }
    if renamed > 0 {
      notes.append(
        ImportReading.Remark(
          origin: "names",
          reason: "\(renamed) \(renamed == 1 ? "item has another name" : "items have other names")"
            + " here than in the file, and \(renamed == 1 ? "keeps it" : "keep them")"))
    }
  }

  /// Adds the effect on an item that is in the vault already.
  private mutating func add(
    _ entry: ImportMatching.Entry, as known: Item, in snapshot: VaultSnapshot, replaces: Bool
  ) throws {
    let whole = try snapshot.secrets(of: known)
    var entry = entry
    entry.item.main = Self.counted(entry.item.main, as: whole.main.bytes)
    for (field, value) in whole.fields {
      entry.item.fields[field] = entry.item.fields[field].map { Self.counted($0, as: value.bytes) }
    }
    let former = ImportOrigin(mark: known.importMark)
    // What the file has not, and had not the last time, is the person's own.
    let own = try whole.fields.filter { field, _ in
      try entry.item.fields[field] == nil && former?.had(field: field) != true
    }
    let isSame =
      whole.main.bytes.isEqual(to: entry.item.main)
      && whole.fields.count == entry.item.fields.count + own.count
      && entry.item.fields.allSatisfy { field, value in
        whole.fields[field].map { $0.bytes.isEqual(to: value) } ?? false
      }
    let action: Action = isSame ? .same : replaces ? .replace : .exists
    note(entry, named: known.name, prefix: nil)
    if isSame, former?.mark != entry.origin.mark, Self.mayMark(entry.item) {
      marks[known.name] = entry.origin.mark
    }
    steps.append(
      Step(
        item: entry.item, name: known.name, action: action,
        draft: action == .replace ? Self.draft(entry, of: whole, keeping: own) : nil))
  }

  /// A secret of the file, or the one here where both count the same codes and this is ahead: a
  /// counter never goes back.
  private static func counted(_ read: SecretBytes, as known: SecretBytes) -> SecretBytes {
    guard OneTimeGenerator.isAddress(read), OneTimeGenerator.isAddress(known),
      let new = try? OneTimeGenerator(read), let old = try? OneTimeGenerator(known)
    else { return read }
    return old.isAhead(of: new) ? known : read
  }

  /// Notes what differs between an item and its entry.
  private mutating func note(
    _ entry: ImportMatching.Entry, named name: ItemName, prefix: String?
  ) {
    var reasons = entry.item.adjustments
    // What is behind a taken name needs no note: the list of items shows it.
    if let prefix, !entry.item.hasComposedName {
      let own = prefix + entry.item.name
      if !name.text.isSame(as: own), !name.text.begins(with: own + "~"),
        !name.text.begins(with: own + " (")
      {
        reasons.append("it is named '\(name.text)'")
      }
    }
    notes += reasons.map { ImportReading.Remark(origin: entry.item.origin, reason: $0) }
  }

  /// The items to store, for one edit of the vault.
  public var drafts: [ItemDraft] { steps.compactMap(\.draft) }

  /// A new item.
  private static func draft(_ entry: ImportMatching.Entry, named name: ItemName) -> ItemDraft {
    let item = entry.item
    var changes = ItemChanges()
    changes.kind = item.kind
    changes.note = item.note
    changes.expires = .some(item.expires)
    if !item.tags.isEmpty { changes.tags = item.tags }
    if !item.attributes.isEmpty { changes.attributes = item.attributes }
    changes.openFields = item.openFields
    if mayMark(item) { changes.importMark = entry.origin.mark }
    var draft = ItemDraft(name, main: item.main, fields: item.fields, changes: changes)
    draft.earlier = item.earlier
    return draft
  }

  /// A new version of an item, which keeps what the person has added: tags, attributes, an expiry,
  /// other fields.
  private static func draft(
    _ entry: ImportMatching.Entry, of known: ItemWithSecrets, keeping own: [String: Secret]
  ) -> ItemDraft {
    let item = entry.item
    var changes = ItemChanges()
    changes.note = item.note
    if let expires = item.expires { changes.expires = .some(expires) }
    if !item.tags.isEmpty { changes.tags = Array(Set(known.item.tags + item.tags)) }
    if !item.attributes.isEmpty {
      changes.attributes = known.item.attributes.merging(item.attributes) { $1 }
    }
    changes.openFields = item.openFields.filter { known.fields[$0.key] == nil }
    if mayMark(item) { changes.importMark = entry.origin.mark }
    var draft = ItemDraft(known.item.name, main: item.main, fields: item.fields, changes: changes)
    draft.fields.merge(own) { mine, _ in mine }
    return draft
  }

  /// Whether there is room and use for a mark: a name that says all needs it for fields only.
  private static func mayMark(_ item: ImportedItem) -> Bool {
    item.attributes.count + 2 <= ItemLimits.attributes
      && !(item.isKnownByName && item.fields.isEmpty)
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
    // Without a title it still lies below the prefix.
    let own = prefix + (item.name.trimmingBlanks.isEmpty ? "untitled" : item.name)
    if !item.hasComposedName, (try? ItemName(own)) != nil { return own }
    let parts = own.parts(at: "/").map {
      String($0).replacingControls(with: " ").trimmingBlanks
    }.filter { !$0.isEmpty }
    return parts.isEmpty ? "untitled" : parts.joined(separator: "/")
  }
}

/// The entries of a file, each once.
private struct EntryList {
  /// An entry, or another place of one.
  struct Place {
    let item: ImportedItem
    /// The number of the entry that this is once more.
    var twin: Int?
  }

  private(set) var places: [Place] = []
  private var entries: [(item: ImportedItem, preferred: String, digest: [UInt8])] = []
  /// For items that want the same name: the digest of each, to find one that is there twice.
  private var holders: [String: [[UInt8]: Int]] = [:]

  mutating func add(_ item: ImportedItem, preferred: String) throws {
    let digest = try item.digest()
    guard let twin = holders[preferred]?[digest] else {
      holders[preferred, default: [:]][digest] = entries.count
      entries.append((item, preferred, digest))
      places.append(Place(item: item))
      return
    }
    places.append(Place(item: item, twin: twin))
    // Of two ids the same one is the item's, in whatever order they come.
    if let id = item.sourceID, let other = entries[twin].item.sourceID,
      id.utf8.lexicographicallyPrecedes(other.utf8)
    {
      entries[twin].item.sourceID = id
    }
  }

  func entries(prefix: String) throws -> [ImportMatching.Entry] {
    try entries.map {
      try ImportMatching.Entry(
        $0.item, preferred: $0.preferred, digest: $0.digest, prefix: prefix)
    }
  }
}
