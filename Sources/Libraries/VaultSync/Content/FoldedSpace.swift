package import VaultCredentials
import VaultSealing

/// The items of a space as all records together have them: a function of the records, whatever
/// their order.
package struct FoldedSpace: Sendable {
  /// Every item that was ever told, also those that are gone.
  package private(set) var folded: [[UInt8]: FoldedItem] = [:]
  /// The items with the names that the records give them, which two of them may share.
  package private(set) var told: [[UInt8]: SharedItem] = [:]
  /// The items, each with a name of its own.
  package private(set) var items: [SharedItem] = []
  /// When items were removed for good.
  package private(set) var removals: [[UInt8]: Int64] = [:]
  /// What the records behind the history's base bring that no vault may hold, in their order.
  private(set) var refusals: [Refusal] = []

  /// An item of a record that breaks a rule of a vault.
  struct Refusal: Sendable {
    /// The record.
    let record: OpenedRecord
    /// The item's id.
    let id: [UInt8]
    /// What the item is called; `nil` if nobody has said.
    let name: String?
    let breach: ItemRules.Breach
  }

  /// Folds records.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - roster: Whose records count.
  ///   - frontier: How far each stream counts.
  ///   - wanted: The ids of the items that are folded, as if there were no others; `nil` for all.
  /// - Throws: ``SpaceBase/Outdated`` if some of the records that the history's base covers count
  ///   no longer, or the base cannot be read.
  package init(
    _ history: Space, _ roster: Roster, upTo frontier: Frontier,
    only wanted: Set<[UInt8]>? = nil
  ) throws(SpaceBase.Outdated) {
    let records = try history.counted(by: roster, upTo: frontier)
    do {
      if let wanted {
        for id in wanted { folded[id] = try history.base?.items.item(id) }
      } else {
        folded = try history.base?.items.all() ?? [:]
      }
    } catch {
      throw SpaceBase.Outdated()
    }
    var touched: [(record: OpenedRecord, id: [UInt8])] = []
    for record in records {
      for operation in record.content.operations {
        if let wanted, let id = operation.item, !wanted.contains(id) { continue }
        switch operation {
        case .item(let item):
          do throws(ItemRules.Breach) {
            try item.check()
            folded[item.id, default: FoldedItem(id: item.id)].take(item, of: record)
            touched.append((record, item.id))
          } catch {
            refusals.append(Refusal(record: record, id: item.id, name: item.name, breach: error))
          }
        case .purge(let id, let removed):
          folded[id, default: FoldedItem(id: id)].purge(removed, by: record)
        default: break
        }
      }
    }
    for (id, item) in folded {
      if var item = item.item {
        for place in item.concurrent.indices {
          let stream = StreamID(text: item.concurrent[place].machine)
          item.concurrent[place].machine = roster.shownLabel(of: stream)
        }
        item.lost = item.lost.map { lost in
          lost.named(roster.shownLabel(of: lost.machine.flatMap { StreamID(text: $0) }))
        }
        told[id] = item
      }
      if let removed = item.removed { removals[id] = removed }
    }
    for (record, id) in touched {
      guard let breach = folded[id]?.breach else { continue }
      refusals.append(Refusal(record: record, id: id, name: told[id]?.name, breach: breach))
    }
    giveNames(roster)
  }

  /// Of two live items with one name, equal ones become one; else the later gets another name.
  private mutating func giveNames(_ roster: Roster) {
    var names = FreeNames(taken: told.values.filter { $0.trashed == 0 }.map(\.name))
    let groups = Dictionary(grouping: told.values.filter { $0.trashed == 0 }, by: \.name)
    for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
      var kept: [SharedItem] = []
      var places: [[UInt8]: Int] = [:]
      for item in group.sorted(by: Self.isOlder) {
        // Of thousands with one name each is compared with none but its like.
        let mark = group.count > 1 ? item.head.mark : []
        if let twin = places[mark] {
          // The smaller id stays, wherever they meet; with what the other one had beside.
          let isSmaller = item.id.lexicographicallyPrecedes(kept[twin].id)
          var one = isSmaller ? item : kept[twin]
          one.take(isSmaller ? kept[twin] : item)
          kept[twin] = one
        } else {
          places[mark] = kept.count
          kept.append(item)
        }
      }
      for position in kept.indices.dropFirst() {
        let name = kept[position].name
        let label = roster.shownLabel(of: folded[kept[position].id]?.namedBy)
        kept[position].name = names.take("\(name)~\(label)")
        kept[position].attributes[SharedItem.formerNameAttribute] = name
      }
      items += kept
    }
    items += told.values.filter { $0.trashed != 0 }
    items.sort { $0.id.lexicographicallyPrecedes($1.id) }
  }

  private static func isOlder(_ left: SharedItem, _ right: SharedItem) -> Bool {
    left.created == right.created
      ? left.id.lexicographicallyPrecedes(right.id) : left.created < right.created
  }
}

/// Names that nobody has.
private struct FreeNames {
  private var taken: Set<String>
  /// The number from which on a name may be free; all before are taken, and stay so.
  private var next: [String: Int] = [:]

  init(taken: [String]) { self.taken = Set(taken) }

  /// Takes a name, or it with the first number behind it with which nobody has it.
  mutating func take(_ name: String) -> String {
    var number = next[name] ?? 1
    var candidate = name
    while true {
      if number > 1 { candidate = "\(name)-\(number)" }
      number += 1
      guard !taken.insert(candidate).inserted else { break }
    }
    next[name] = number
    return candidate
  }
}

extension Operation {
  /// The item that the operation is about, 16 bytes.
  var item: [UInt8]? {
    switch self {
    case .item(let item): item.id
    case .purge(let id, _): id
    default: nil
    }
  }
}

extension FoldedSpace {
  /// The names that live items have, or would have if they were alone.
  var liveNames: Set<String> {
    Set((Array(told.values) + items).filter { $0.trashed == 0 }.map(\.name))
  }

  /// The items that operations are about.
  func items(of operations: [Operation]) -> [SharedItem] {
    let ids = Set(
      operations.compactMap { operation -> [UInt8]? in
        if case .item(let item) = operation { item.id } else { nil }
      })
    return items.filter { ids.contains($0.id) }
  }
}

// MARK: - What a vault is told

extension FoldedSpace {
  /// The removals for good, for a vault of which is not known what it had seen of the space.
  ///
  /// Whoever removed an item had not seen a value that was never told, whatever the clocks say:
  /// then the removal comes before every change.
  ///
  /// - Parameter vault: The vault.
  /// - Returns: When the items were removed, by id.
  /// - Throws: ``CredentialError`` but for damaged items.
  func removals(toldTo vault: SharedVault) throws -> [[UInt8]: Int64] {
    var removals = removals
    for (id, item) in try vault.items(Set(removals.keys)).items {
      let known = folded[id]?.secrets ?? []
      if !([item.head] + item.earlier).allSatisfy({ $0.hasOnly(known) }) { removals[id] = .min }
    }
    return removals
  }

  /// Takes the removals as ``removals(toldTo:)`` has them for a vault.
  mutating func meet(_ vault: SharedVault) throws { removals = try removals(toldTo: vault) }
}

// MARK: - What is to be told

extension FoldedSpace {
  /// What a vault has that the records do not tell.
  ///
  /// - Parameters:
  ///   - local: The vault's items.
  ///   - unreadable: Items of which nothing is known, so that nothing is told.
  ///   - removed: Items that were removed for good, if not all that the vault lacks were.
  ///   - now: The time, milliseconds since 1970.
  /// - Returns: An operation for each item that differs, in the order of their ids.
  package func changes(
    to local: [[UInt8]: SharedItem], unreadable: Set<[UInt8]>, removed: Set<[UInt8]>? = nil,
    now: Int64
  ) -> [Operation] {
    var operations: [Operation] = []
    for (id, item) in local.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      for change in changes(to: item, from: told[id], of: folded[id]) {
        // An older version may have let in what nobody would take.
        if (try? change.check()) != nil { operations.append(.item(change)) }
      }
    }
    for id in told.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
    where local[id] == nil && !unreadable.contains(id) && removed?.contains(id) ?? true {
      operations.append(.purge(id: id, removed: now))
    }
    return operations
  }

  /// What was changed in a vault that only reads.
  ///
  /// That is what ``changes(to:unreadable:removed:now:)`` would tell, without what is there once it was
  /// given back: items of its own in the trash, and earlier versions.
  ///
  /// - Parameters:
  ///   - local: The vault's items, by id, live and in the trash.
  ///   - unreadable: Items of which nothing is known.
  ///   - removed: Items that were removed for good, if not all that the vault lacks were.
  ///   - now: The time, milliseconds since 1970.
  /// - Returns: An operation for each item.
  func ownChanges(
    in local: [[UInt8]: SharedItem], unreadable: Set<[UInt8]>, removed: Set<[UInt8]>?, now: Int64
  ) -> [Operation] {
    changes(to: local, unreadable: unreadable, removed: removed, now: now).filter { operation in
      guard case .item(let change) = operation else { return true }
      let isGivenBack = told[change.id] == nil && local[change.id].map { $0.trashed != 0 } ?? false
      return !change.changes.isEmpty && !isGivenBack
    }
  }

  /// Whether a vault's item is what the records have: nothing of it is to be told.
  ///
  /// - Parameter local: The item.
  /// - Returns: Whether it is.
  func has(_ local: SharedItem) -> Bool {
    changes(to: local, from: told[local.id], of: folded[local.id]).isEmpty
  }

  /// The change of an item; and further ones with earlier versions that one has no room for.
  func changes(
    to local: SharedItem, from told: SharedItem?, of folded: FoldedItem?
  ) -> [ItemOperation] {
    var operation = ItemOperation(
      id: local.id, created: local.created, modified: local.modified,
      version: local.head.version)
    func tell(_ value: PropertyValue?, _ kind: PropertyKey.Kind, _ name: String = "") {
      operation.changes.append((PropertyKey(kind, name), value))
    }
    let name = ItemRules.mended(local.name)
    // What a person has settled here is told once more: so it knows of the value that lost.
    let open = Set(local.lost.map { PropertyKey($0) })
    let decided =
      local.hasSettledLost ? Set(folded?.lostKeys ?? []).subtracting(open) : []
    if name != told?.name || decided.contains(PropertyKey(.name)) { tell(.text(name), .name) }
    if local.head.kind != told?.head.kind { tell(.number(Int64(local.head.kind)), .kind) }
    if local.note != (told?.note ?? "") || decided.contains(PropertyKey(.note)) {
      tell(.text(local.note), .note)
    }
    if ItemRules.moment(local.expires) != (told?.expires ?? 0)
      || decided.contains(PropertyKey(.expires))
    {
      tell(.number(local.expires), .expires)
    }
    if told == nil || (local.trashed == 0) != (told?.trashed == 0) {
      tell(.number(local.trashed), .trashed)
    }
    // Settled here: the value that is current knows of the other one.
    let settled = local.isMarked || local.trashed != 0 ? [] : Set(folded?.conflicts ?? [])
    if told.map({ !$0.head.main.isEqual(to: local.head.main) }) ?? true
      || settled.contains(PropertyKey(.secret))
    {
      tell(.secret(local.head.main), .secret)
    }
    let former = told?.head.fields ?? [:]
    for name in Set(local.head.fields.keys).union(former.keys).sorted() {
      let (mine, before) = (local.head.fields[name], former[name])
      switch (mine, before) {
      case (let mine?, let before?)
      where mine.isEqual(to: before) && !settled.contains(PropertyKey(.secret, name)):
        continue
      case (nil, nil): continue
      default: tell(mine.map { .secret($0) }, .secret, name)
      }
    }
    for tag in local.tags.symmetricDifference(told?.tags ?? []).sorted() {
      tell(local.tags.contains(tag) ? .number(1) : nil, .tag, tag)
    }
    let attributes = told?.attributes ?? [:]
    for name in Set(local.attributes.keys).union(attributes.keys).sorted()
    where local.attributes[name] != attributes[name]
      || decided.contains(PropertyKey(.attribute, name))
    {
      tell(local.attributes[name].map { .text($0) }, .attribute, name)
    }
    // What took it out of the trash is about to be replaced: then this does.
    if !operation.changes.isEmpty, local.trashed == 0, told?.trashed == 0,
      folded?.hasTrashMark == true
    {
      tell(.number(0), .trashed)
    }
    var earlier = newVersions(of: local, told: folded?.history ?? [])
    // A value that was typed and taken back before anybody heard of it is worth telling by itself.
    if operation.changes.isEmpty {
      let known = folded?.secrets ?? []
      earlier.removeAll { $0.hasOnly(known) }
    }
    var operations: [ItemOperation] = []
    repeat {
      operation.earlier = Self.part(of: &earlier)
      if !operation.changes.isEmpty || !operation.earlier.isEmpty { operations.append(operation) }
      operation.changes = []
    } while !earlier.isEmpty
    return operations
  }

  /// Takes as many of the first versions as one change has room for, at least one.
  private static func part(of versions: inout [SharedItem.Version]) -> [SharedItem.Version] {
    var (count, length) = (0, 0)
    for version in versions {
      length += version.fields.values.reduce(version.main.count) { $0 + $1.count }
      guard count == 0 || length <= maximumEarlier else { break }
      count += 1
    }
    defer { versions.removeFirst(count) }
    return Array(versions.prefix(count))
  }

  /// Most bytes of earlier secrets in one change; a record has its limit.
  private static var maximumEarlier: Int { 4 << 20 }

  private func newVersions(
    of local: SharedItem, told: [SharedItem.Version]
  ) -> [SharedItem.Version] {
    var versions: [SharedItem.Version] = []
    for version in local.earlier.prefix(FoldedItem.historyLimit) {
      if told.contains(where: { $0.hasSameSecrets(as: version) }) { continue }
      // It would not be kept.
      if told.count >= FoldedItem.historyLimit, let last = told.last,
        !FoldedItem.isNewer(version, last)
      {
        continue
      }
      versions.append(version)
    }
    return versions
  }
}

extension PropertyKey {
  /// The property of which a value lost.
  fileprivate init(_ lost: LostValue) {
    switch lost.property {
    case .name: self.init(.name)
    case .note: self.init(.note)
    case .expiry: self.init(.expires)
    case .attribute: self.init(.attribute, lost.attribute)
    }
  }
}

extension SharedItem.Version {
  /// Whether each of its secrets is one of these.
  fileprivate func hasOnly(_ known: [SecretBytes]) -> Bool {
    ([main] + fields.values).allSatisfy { secret in known.contains { $0.isEqual(to: secret) } }
  }
}
