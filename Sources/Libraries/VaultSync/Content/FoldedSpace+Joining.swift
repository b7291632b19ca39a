import VaultCredentials
import VaultSealing

/// What the items of a vault that joins have otherwise than the space.
///
/// Nobody knows what that vault has seen of the space, so what it has replaces nothing: both values
/// stay, on every machine, until somebody settles it. What it lacks was not taken away by anybody.
///
/// Documentation/design/sync-format.md, section 3.
struct JoiningChanges {
  /// Changes that knew nothing of what the space says.
  private(set) var unseen: [Operation] = []
  /// Changes that knew it: the vault has the space's value among its own earlier ones.
  private(set) var seen: [Operation] = []
  /// The items that the space has, too, as the vault has them.
  private(set) var items: [SharedItem] = []

  /// Compares.
  ///
  /// - Parameters:
  ///   - local: The vault's items, by id, live and in the trash.
  ///   - state: The space.
  ///   - records: The records of the space of which the single changes are known.
  init(_ local: [[UInt8]: SharedItem], joining state: FoldedSpace, _ records: [OpenedRecord]) {
    var said: [[UInt8]: [ItemOperation]] = [:]
    for case .item(let change) in records.lazy.flatMap(\.content.operations)
    where local[change.id] != nil {
      said[change.id, default: []].append(change)
    }
    for (id, item) in local.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard let told = state.told[id], let folded = state.folded[id] else { continue }
      items.append(item)
      var comparison = Comparison(item, told, folded, said[id] ?? [])
      comparison.isEqual =
        state.changes(to: item, from: told, of: folded).allSatisfy { change in
          change.changes.allSatisfy { $0.key.kind == .trashed }
        }
      comparison.compare()
      // An older version may have let in what nobody would take.
      if !comparison.unseen.changes.isEmpty, (try? comparison.unseen.check()) != nil {
        unseen.append(.item(comparison.unseen))
      }
      if !comparison.seen.changes.isEmpty, (try? comparison.seen.check()) != nil {
        seen.append(.item(comparison.seen))
      }
    }
  }

  /// One item of the vault beside that of the space.
  private struct Comparison {
    let local: SharedItem
    let told: SharedItem
    let folded: FoldedItem
    let said: [ItemOperation]
    var isEqual = false
    var unseen: ItemOperation
    var seen: ItemOperation

    init(
      _ local: SharedItem, _ told: SharedItem, _ folded: FoldedItem, _ said: [ItemOperation]
    ) {
      (self.local, self.told, self.folded, self.said) = (local, told, folded, said)
      unseen = ItemOperation(
        id: local.id, created: local.created, modified: local.modified,
        version: local.head.version)
      seen = unseen
    }

    mutating func compare() {
      let name = ItemRules.mended(local.name)
      if name != told.name { meet(.name, value: .text(name)) }
      if !local.note.isEmpty, local.note != told.note { meet(.note, value: .text(local.note)) }
      let expires = ItemRules.moment(local.expires)
      if expires != 0, expires != told.expires { meet(.expires, value: .number(local.expires)) }
      for tag in local.tags.subtracting(told.tags).sorted() { meet(.tag, tag, value: .number(1)) }
      for (name, value) in local.attributes.sorted(by: { $0.key < $1.key })
      where told.attributes[name] != value && name != SharedItem.removalAttribute {
        meet(.attribute, name, value: .text(value))
      }
      compareSecrets()
      compareTrash()
    }

    /// Tells a value, unless the space had it and has another one since.
    private mutating func meet(
      _ kind: PropertyKey.Kind, _ name: String = "", value: PropertyValue
    ) {
      let key = PropertyKey(kind, name)
      guard !isOld(key, value) else { return }
      unseen.changes.append((key, value))
    }

    private func isOld(_ key: PropertyKey, _ value: PropertyValue) -> Bool {
      folded.heads[key, default: []].contains { $0.value?.isSame(as: value) ?? false }
        || said.contains { change in
          change.changes.contains { $0.key == key && $0.value?.isSame(as: value) ?? false }
        }
    }

    private mutating func compareSecrets() {
      var (isUnseen, isSeen) = (false, false)
      for name in [""] + local.head.fields.keys.sorted() {
        guard let mine = local.head.value(of: name) else { continue }
        let theirs = told.head.value(of: name)
        let key = PropertyKey(.secret, name)
        let isKnown =
          theirs.map(mine.isEqual(to:)) ?? false || isOld(key, .secret(mine))
          || folded.history.contains { $0.value(of: name)?.isEqual(to: mine) ?? false }
        if isKnown { continue }
        // Somebody here has replaced what the space has.
        let hasSeen =
          theirs.map { theirs in
            local.earlier.contains { $0.value(of: name)?.isEqual(to: theirs) ?? false }
          } ?? false
        if hasSeen, folded.heads[key, default: []].count == 1 {
          seen.changes.append((key, .secret(mine)))
          isSeen = true
        } else {
          unseen.changes.append((key, .secret(mine)))
          isUnseen = true
        }
      }
      guard isUnseen || isSeen, local.head.kind != told.head.kind else { return }
      let kind = (PropertyKey(.kind), PropertyValue?.some(.number(Int64(local.head.kind))))
      if isSeen { seen.changes.append(kind) } else { unseen.changes.append(kind) }
    }

    /// Of a change and the trash the change counts: else nobody would find what somebody has typed.
    private mutating func compareTrash() {
      let isChanged = !unseen.changes.isEmpty || !seen.changes.isEmpty
      switch (local.trashed != 0, told.trashed != 0) {
      case (false, true) where isChanged || local.modified > told.trashed:
        unseen.changes.append((PropertyKey(.trashed), .number(0)))
      case (true, false) where isEqual && told.modified <= local.trashed:
        seen.changes.append((PropertyKey(.trashed), .number(local.trashed)))
      default: break
      }
    }
  }
}

extension SharedItem.Version {
  /// The secret of a field; of the main one under an empty name.
  fileprivate func value(of field: String) -> SecretBytes? {
    field.isEmpty ? main : fields[field]
  }
}

extension PropertyValue {
  /// Whether both are one value.
  fileprivate func isSame(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.text(let one), .text(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.secret(let one), .secret(let other)): one.isEqual(to: other)
    default: false
    }
  }
}
