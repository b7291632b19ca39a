import VaultSealing

/// Merges another file of a vault into an edit: item by item, property by property.
///
/// Documentation/design/merging.md has the rules. A value that a person typed is never dropped:
/// where two meet, the later one is current and the other one an earlier version.
struct VaultMerge {
  let theirs: any MergeSide
  /// The common ancestor, if it is at hand.
  let base: (any MergeSide)?
  var report: MergeReport
  /// What the items are to be called: names are given out when all of them are known.
  private var names: [Bytes16: String] = [:]
  /// Items that only the other file had.
  private var fromTheirs: Set<Bytes16> = []
  /// Items that come out of the trash: another one may have taken their name.
  private var fromTrash: Set<Bytes16> = []
  /// Items that either side removed for good.
  private var removedHere: [Bytes16: VaultIndex.Tombstone] = [:]
  private var removedThere: [Bytes16: VaultIndex.Tombstone] = [:]
  /// The room that is left in the vault, for a merge that leaves out what does not fit; `nil` for
  /// one that fails as a whole then.
  private var room: VaultRoom?
  /// Whether an earlier merge had no room for something: what is not here was not removed then.
  private let leavesOut: Bool
  /// Whether the other side is what a space has, of which others know: what is here alone was told
  /// nobody.
  private let isSpace: Bool

  init(
    _ theirs: any MergeSide, base: (any MergeSide)?, relation: MergeReport.Relation,
    room: VaultRoom? = nil, leavesOut: Bool = false, isSpace: Bool = false
  ) {
    self.theirs = theirs
    self.base = base
    self.room = room
    self.leavesOut = leavesOut
    self.isSpace = isSpace
    report = MergeReport(relation)
    report.hasBase = base != nil
  }

  /// Merges everything.
  mutating func run(in edit: inout VaultEdit) throws {
    let ours = edit.index.items.indices.map { edit.index.items.id(at: $0) }
    removedHere = Self.byID(edit.index.tombstones)
    removedThere = Self.byID(theirs.index.tombstones)
    for (done, record) in theirs.index.items.enumerated() {
      edit.vault.locked.options.tell(.sealing, done, of: theirs.index.items.count)
      do {
        if let position = edit.index.items.position(of: record.id) {
          try mergeItem(at: position, with: record, in: &edit)
        } else {
          try insertItem(record, in: &edit)
        }
      } catch let error as CredentialError where error.code == .damaged {
        report.damaged.append(ItemName(stored: record.name))
      }
    }
    let known = Set(theirs.index.items.map(\.id))
    for id in ours where !known.contains(id) { try removeItem(id, in: &edit) }
    try giveNames(in: &edit)
    takeTombstones(in: &edit)
    takeDataKeys(in: &edit)
    report.sort()
  }

  private static func byID(
    _ tombstones: [VaultIndex.Tombstone]
  ) -> [Bytes16: VaultIndex.Tombstone] {
    Dictionary(tombstones.map { ($0.itemID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: - Items that one side lacks

  /// Takes an item that only the other file has.
  private mutating func insertItem(_ record: ItemRecord, in edit: inout VaultEdit) throws {
    let before = base?.record(record.id)
    let removal = removedHere[record.id]
    // What an earlier run had no room for was not removed by anybody.
    let wasRemovedHere = removal != nil || (before != nil && !leavesOut)
    if wasRemovedHere, !wasChanged(record, since: before, removal) { return }
    if room == nil, edit.index.items.count >= VaultIndex.maximumItems {
      throw VaultFileEncoder.tooMany
    }
    guard let contents = try theirs.contents(of: record) else {
      report.missingVersions += 1
      return
    }
    guard room?.takes(record, contents) ?? true else {
      report.leftOut.append(ItemName(stored: record.name))
      return
    }
    var copy = record
    copy.earlier = []
    copy.copy = .none
    copy.copyHash = .zero
    copy.trashed = 0
    copy.attributes.removeAll(where: ItemConflict.isOfOneFile)
    // Two live items never share a name: it gets its own when all are known.
    copy.name = Self.provisionalName(record.id)
    copy.version = record.headVersion
    edit.index.items.append(copy)
    if removal != nil { edit.index.tombstones.removeAll { $0.itemID == record.id } }
    let position = edit.index.items.count - 1
    names[record.id] = record.name
    fromTheirs.insert(record.id)
    for earlier in record.earlier.reversed() where earlier.version != copy.version {
      try keep(earlier, of: record, as: earlier.version, at: position, in: &edit)
    }
    try edit.seal(contents, at: position)
    let name = ItemName(stored: record.name)
    if wasRemovedHere {
      try trash(at: position, since: edit.now, in: &edit)
      edit[position].attributes[ItemConflict.removal] = "1"
      report.conflicts.append(.init(.removal, name))
    } else if record.trashed != 0 {
      try trash(at: position, since: record.trashed, in: &edit)
    } else {
      report.added.append(name)
      report.noteVariable(name, record)
    }
  }

  /// Removes an item that the other side removed for good, if this side did not change it since.
  private mutating func removeItem(_ id: Bytes16, in edit: inout VaultEdit) throws {
    guard let position = edit.index.items.position(of: id) else { return }
    let before = base?.record(id)
    let removal = removedThere[id]
    guard removal != nil || before != nil else { return }
    let record = edit[position]
    let name = ItemName(stored: record.name)
    if wasChanged(record, since: before, removal) {
      guard record.trashed == 0 else { return }
      try edit.moveToTrash(at: position)
      edit[position].attributes[ItemConflict.removal] = "1"
      report.conflicts.append(.init(.removal, name))
    } else {
      edit.withdrawCopy(at: position)
      if record.trashed == 0, record.copy != .none { edit.removedCopies.insert(record.name) }
      edit.purge(at: position)
      if record.trashed == 0 { report.removed.append(name) }
    }
  }

  /// Whether an item was changed after the state in which the other side removed it.
  private func wasChanged(
    _ record: ItemRecord, since before: ItemRecord?, _ removal: VaultIndex.Tombstone?
  ) -> Bool {
    if let before { return !record.isEqual(to: before) && record.modified != before.modified }
    guard let removal else { return true }
    return record.modified > removal.removed
  }

  // MARK: - Items that both sides have

  private mutating func mergeItem(
    at position: Int, with other: ItemRecord, in edit: inout VaultEdit
  ) throws {
    let ours = edit[position]
    guard !ours.isEqual(to: other) else { return }
    let before = base?.record(other.id)
    // Only this side changed it.
    if let before, before.isEqual(to: other) { return }
    let needed = try room == nil ? nil : theirs.contents(of: other)
    guard room?.takes(other, needed, inPlaceOf: ours) ?? true else {
      report.leftOut.append(ItemName(stored: ours.name))
      return
    }
    let choice = ThreeWay(ours, other)
    let wasLive = ours.trashed == 0
    let isLive = Self.isLive(ours, other, before)
    if ours.trashed != 0, isLive {
      try edit.takeOutOfTrash(at: position, version: nil)
      fromTrash.insert(other.id)
    }
    let conflict = try mergeSecrets(at: position, ours, other, before, choice, in: &edit)
    try mergeProperties(at: position, ours, other, before, choice, in: &edit)
    // The other side's trash, out of which it comes here.
    if isLive { edit[position].attributes[ItemConflict.removal] = nil }
    if let conflict { ItemConflict.mark(&edit[position], conflict) }
    ItemConflict.check(&edit[position])
    names[other.id] = choice.value(ours.name, other.name, base: before?.name)
    let name = ItemName(stored: names[other.id] ?? ours.name)
    if !isLive {
      if edit[position].trashed == 0 {
        if edit[position].copy != .none { edit.removedCopies.insert(ours.name) }
        try edit.moveToTrash(at: position)
        report.removed.append(name)
      }
      return
    }
    if let conflict { report.conflicts.append(.init(.secret, name, version: conflict)) }
    let known = ItemConflict.lost(in: ours.attributes)
    for lost in ItemConflict.lost(in: edit[position].attributes) where !known.contains(lost) {
      report.conflicts.append(.init(.property, name, machine: lost.machine, lost: lost))
    }
    report.noteVariable(name, edit[position], before: wasLive ? ours : nil)
    if !wasLive {
      report.added.append(name)
    } else if !edit[position].isEqual(to: ours) || name.text != ours.name {
      report.changed.append(name)
    }
  }

  /// An item lives where one side changed it and the other put it into the trash.
  private static func isLive(
    _ ours: ItemRecord, _ theirs: ItemRecord, _ before: ItemRecord?
  ) -> Bool {
    if (ours.trashed == 0) == (theirs.trashed == 0) { return ours.trashed == 0 }
    let (live, trashed) = ours.trashed == 0 ? (ours, theirs) : (theirs, ours)
    if let before {
      // It came back from a trash that both knew.
      if before.trashed != 0 { return true }
      return !live.isEqual(to: before) && live.modified != before.modified
    }
    return live.modified > trashed.trashed
  }

  /// Merges the secrets of an item.
  ///
  /// - Returns: The version with the value that is not current, if two met.
  private mutating func mergeSecrets(
    at position: Int, _ ours: ItemRecord, _ other: ItemRecord, _ before: ItemRecord?,
    _ choice: ThreeWay, in edit: inout VaultEdit
  ) throws -> UInt64? {
    guard let their = try theirs.contents(of: other) else {
      // It is in the trash there; here is what was put into it, or something newer.
      if ours.headVersion < other.headVersion { report.missingVersions += 1 }
      return nil
    }
    let record = edit[position]
    let mine: ItemContents
    do {
      mine =
        record.trashed == 0
        ? try edit.contents(at: position)
        : try record.earlier.first.map { try edit.earlierContents(of: record, $0) } ?? their
    } catch let error as CredentialError where error.code == .damaged {
      // What cannot be read here is whole there.
      try edit.addVersion(at: position, their, keepsEarlier: false) { record in
        record.version = max(record.version, other.headVersion)
        record.kind = other.kind
      }
      return nil
    }
    let known = try before.flatMap { try base?.contents(of: $0) }
    // One side's newest secret is among the earlier ones of the other: that is the ancestor.
    let ancestor =
      try known
      ?? (hasSeen(record, their, in: other, edit)
        ? their : theyHaveSeen(ours, mine, in: other) ? mine : nil)
    let merged = MergedContents(
      mine, their, base: ancestor, theirsIsLater: choice.theirsIsLater)
    guard record.trashed == 0 else {
      let additions = try additions(of: other, to: record, [mine], in: edit)
      let theirsIsNewer = merged.contents.isEqual(to: their)
      try keep(additions, inTrashAt: position, theirsIsNewer: theirsIsNewer, in: &edit)
      // Both have it: then it is the one that restoring takes.
      if theirsIsNewer, !mine.isEqual(to: their),
        let place = try edit[position].earlier.firstIndex(where: {
          try edit.earlierContents(of: edit[position], $0).isEqual(to: their)
        }), place > 0
      {
        let version = edit[position].earlier.remove(at: place)
        edit[position].earlier.insert(version, at: 0)
      }
      return nil
    }
    let additions = try additions(of: other, to: record, [mine, merged.contents], in: edit)
    guard !additions.isEmpty || !mine.isEqual(to: merged.contents) else { return nil }
    let isNewer =
      merged.contents.isEqual(to: their) && !merged.losesOurs && other.headVersion > ours.version
      && additions.allSatisfy { $0.version > ours.version }
    try edit.keepAsEarlier(at: position)
    var numberOfTheirs: UInt64 = 0
    if isNewer {
      for addition in additions {
        try keep(addition, as: addition.version, at: position, in: &edit)
      }
      edit[position].version = other.headVersion
      edit[position].device = other.device
    } else {
      var number = max(ours.version, other.headVersion)
      for addition in additions {
        number = ItemRules.version(after: number)
        try keep(addition, as: number, at: position, in: &edit)
        if addition.isHead { numberOfTheirs = number }
      }
      edit[position].version = ItemRules.version(after: number)
      edit[position].device = edit.index.device
    }
    edit[position].modified = max(ours.modified, other.modified)
    if choice.theirsIsLater || isNewer { edit[position].kind = other.kind }
    try edit.seal(merged.contents, at: position)
    edit.copyIsOutdated(at: position)
    if merged.losesTheirs {
      // The value may have been one of ours before.
      let earlier = edit[position].earlier
      return try numberOfTheirs != 0
        ? numberOfTheirs
        : earlier.first { try edit.earlierContents(of: edit[position], $0).isEqual(to: their) }?
          .version
    }
    return merged.losesOurs ? ours.version : nil
  }

  /// A version of the other side's item that is to be kept here, too.
  private struct Addition {
    let contents: ItemContents
    let version: UInt64
    let written: Int64
    let kind: UInt16
    /// Whether it is the newest one.
    var isHead = false
  }

  /// The secrets that the other side's item has, or had, and ours has not; oldest first.
  private mutating func additions(
    of other: ItemRecord, to ours: ItemRecord, _ current: [ItemContents], in edit: VaultEdit
  ) throws -> [Addition] {
    var known = current
    for earlier in ours.earlier {
      if let contents = try? edit.earlierContents(of: ours, earlier) { known.append(contents) }
    }
    let limit = edit.historyLimit
    var additions: [Addition] = []
    for earlier in other.earlier.dropFirst(other.trashed == 0 ? 0 : 1).reversed() {
      // One blob; numbers say nothing, since each side numbers by itself.
      let isHere = ours.earlier.contains { $0.hash == earlier.hash }
      // What is older than all that is kept here was kept here once, or would not be now.
      let isTooOld =
        ours.earlier.count >= limit && earlier.written <= ours.earlier.last?.written ?? 0
      if isHere || isTooOld { continue }
      guard let contents = try theirs.contents(of: other, earlier) else {
        if earlier.version > ours.version { report.missingVersions += 1 }
        continue
      }
      guard !known.contains(where: contents.isEqual(to:)) else { continue }
      known.append(contents)
      additions.append(
        Addition(
          contents: contents, version: earlier.version, written: earlier.written,
          kind: earlier.kind))
    }
    if let head = try theirs.contents(of: other), !known.contains(where: head.isEqual(to:)) {
      additions.append(
        Addition(
          contents: head, version: other.headVersion, written: other.modified, kind: other.kind,
          isHead: true))
    }
    return additions
  }

  /// Keeps versions of an item in the trash; the first one is what restoring takes.
  private func keep(
    _ additions: [Addition], inTrashAt position: Int, theirsIsNewer: Bool,
    in edit: inout VaultEdit
  ) throws {
    guard let last = additions.last, let newest = edit[position].earlier.first else { return }
    let staysNewest = !(theirsIsNewer && last.isHead)
    if staysNewest { edit[position].earlier.removeFirst() }
    var number = edit[position].version
    for addition in additions {
      number = ItemRules.version(after: number)
      try keep(addition, as: number, at: position, in: &edit)
    }
    if staysNewest { edit[position].earlier.insert(newest, at: 0) }
    edit[position].version = number
  }

  private func keep(
    _ addition: Addition, as number: UInt64, at position: Int, in edit: inout VaultEdit
  ) throws {
    try keep(
      addition.contents, written: addition.written, kind: addition.kind, as: number, at: position,
      in: &edit)
  }

  /// Whether our item has the other side's newest secret among its earlier versions.
  private func hasSeen(
    _ ours: ItemRecord, _ their: ItemContents, in other: ItemRecord, _ edit: VaultEdit
  ) throws -> Bool {
    guard ours.headVersion > other.headVersion,
      let earlier = ours.earlier.first(where: { $0.version == other.headVersion })
    else { return false }
    if earlier.written == other.modified { return true }
    return try edit.earlierContents(of: ours, earlier).isEqual(to: their)
  }

  /// Whether the other item has our newest secret among its earlier versions.
  private func theyHaveSeen(
    _ ours: ItemRecord, _ mine: ItemContents, in other: ItemRecord
  ) throws -> Bool {
    guard ours.version < other.headVersion,
      let earlier = other.earlier.first(where: { $0.version == ours.version })
    else { return false }
    // The first version of an item is one and the same, whatever else was changed since.
    if earlier.written == ours.modified || ours.version == 1 { return true }
    return try theirs.contents(of: other, earlier)?.isEqual(to: mine) ?? false
  }

  private func mergeProperties(
    at position: Int, _ ours: ItemRecord, _ other: ItemRecord, _ before: ItemRecord?,
    _ choice: ThreeWay, in edit: inout VaultEdit
  ) throws {
    let marks = ItemConflict.attribute
    var (mine, their, former) = (ours.attributes, other.attributes, before?.attributes)
    mine.removeAll(where: ItemConflict.isOfOneFile)
    their.removeAll(where: ItemConflict.isOfOneFile)
    former?.removeAll(where: ItemConflict.isOfOneFile)
    let flag = choice.value(
      ours.attributes[marks], other.attributes[marks], base: before.map { $0.attributes[marks] })
    edit[position].note = choice.value(
      ours.note, other.note, base: before?.note, orNone: "")
    edit[position].expires = choice.value(
      ours.expires, other.expires, base: before?.expires, orNone: 0)
    edit[position].tags = choice.elements(ours.tags, other.tags, base: before?.tags)
    edit[position].attributes = choice.texts(mine, their, base: former)
    edit[position].attributes[marks] = flag
    edit[position].attributes[ItemConflict.origins] = ours.attributes[ItemConflict.origins]
    let lost = choice.lost(ours, other, base: before, taken: edit[position])
    ItemConflict.keep(
      ItemConflict.lost(in: ours.attributes) + lost, in: &edit[position].attributes)
    edit[position].attributes[ItemConflict.settled] = ours.attributes[ItemConflict.settled]
    if !edit[position].isEqual(to: ours) {
      edit[position].modified = max(ours.modified, other.modified)
    }
  }

  // MARK: - Earlier versions

  private mutating func keep(
    _ earlier: ItemRecord.Earlier, of record: ItemRecord, as number: UInt64, at position: Int,
    in edit: inout VaultEdit
  ) throws {
    guard let contents = try theirs.contents(of: record, earlier) else {
      report.missingVersions += 1
      return
    }
    try keep(
      contents, written: earlier.written, kind: earlier.kind, as: number, at: position, in: &edit)
  }

  private func keep(
    _ contents: ItemContents, written: Int64, kind: UInt16, as number: UInt64, at position: Int,
    in edit: inout VaultEdit
  ) throws {
    let earlier = try edit.earlier(contents, number, kind, written: written, at: position)
    edit[position].earlier.insert(earlier, at: 0)
    edit.trimHistory(at: position)
  }

  private func trash(at position: Int, since time: Int64, in edit: inout VaultEdit) throws {
    edit[position].name = names[edit[position].id] ?? edit[position].name
    try edit.moveToTrash(at: position)
    edit[position].trashed = time
  }

  // MARK: - Names

  /// A name that no item has, and that none keeps.
  private static func provisionalName(_ id: Bytes16) -> String {
    "\u{1}" + Hexadecimal.text(id.bytes)
  }

  /// Gives every item that the merge touched its name; of two with one name, the one that was made
  /// later gets another.
  private mutating func giveNames(in edit: inout VaultEdit) throws {
    // First all at once, so that two that exchanged their names do not meet.
    for (id, name) in names {
      guard let position = edit.index.items.position(of: id), edit[position].trashed == 0,
        edit[position].name != name || fromTrash.contains(id)
      else {
        if let position = edit.index.items.position(of: id) { edit[position].name = name }
        names[id] = nil
        continue
      }
      edit.withdrawCopy(at: position)
      edit[position].name = Self.provisionalName(id)
    }
    for (id, name) in names.sorted(by: { $0.key < $1.key }) {
      guard let position = edit.index.items.position(of: id) else { continue }
      let wanted = ItemName(stored: name)
      guard let holder = edit.position(of: wanted) else {
        self.name(position, name, in: &edit)
        continue
      }
      try meet(position, holder, wanted, in: &edit)
    }
  }

  /// Gives a live item its name, and asks for its copy in the keyring.
  private func name(_ position: Int, _ name: String, in edit: inout VaultEdit) {
    edit[position].name = name
    if fromTheirs.contains(edit[position].id) {
      edit.publishCopy(at: position)
    } else {
      edit.copyIsOutdated(at: position)
    }
  }

  /// Settles two live items that have one name.
  private mutating func meet(
    _ new: Int, _ holder: Int, _ name: ItemName, in edit: inout VaultEdit
  ) throws {
    let (left, right) = (edit[new], edit[holder])
    if fromTheirs.contains(left.id),
      try edit.contents(at: new).isEqual(to: edit.contents(at: holder))
    {
      // One item that was made twice: the smaller id stays, here and wherever else they meet. Of one
      // that nobody was told nobody knows the id: that of the space stays, which others may be changing.
      let isUntold = isSpace && theirs.index.items.position(of: right.id) == nil
      let (kept, dropped) =
        isUntold || left.id < right.id ? (left.id, right.id) : (right.id, left.id)
      report.added.removeAll { $0 == name }
      report.variables.removeAll { $0.item == name }
      if let position = edit.index.items.position(of: kept),
        let other = edit.index.items.position(of: dropped)
      {
        try keepHistory(of: edit[other], at: position, in: &edit)
        edit[position].tags = ThreeWay(left, right).elements(left.tags, right.tags, base: nil)
        edit.withdrawCopy(at: other)
        edit.purge(at: other)
      }
      if let position = edit.index.items.position(of: kept) {
        self.name(position, name.text, in: &edit)
      }
      return
    }
    let newIsLater = (left.created, left.id) > (right.created, right.id)
    let free = try FreeName.like("\(name.text)~other") { edit.position(of: $0) != nil }
    edit[newIsLater ? new : holder].attributes[ItemConflict.formerName] = name.text
    if newIsLater {
      self.name(new, free.text, in: &edit)
    } else {
      edit.withdrawCopy(at: holder)
      self.name(holder, free.text, in: &edit)
      self.name(new, name.text, in: &edit)
    }
    report.conflicts.append(.init(.name, free, formerName: name))
  }

  /// Keeps the earlier versions of an item that is about to become one with another.
  private func keepHistory(
    of dropped: ItemRecord, at position: Int, in edit: inout VaultEdit
  ) throws {
    var known = [try edit.contents(at: position)]
    for earlier in edit[position].earlier {
      if let contents = try? edit.earlierContents(of: edit[position], earlier) {
        known.append(contents)
      }
    }
    var additions: [Addition] = []
    for earlier in dropped.earlier.reversed() {
      guard let contents = try? edit.earlierContents(of: dropped, earlier),
        !known.contains(where: contents.isEqual(to:))
      else { continue }
      known.append(contents)
      additions.append(
        Addition(
          contents: contents, version: earlier.version, written: earlier.written,
          kind: earlier.kind))
    }
    guard !additions.isEmpty else { return }
    let contents = known[0]
    try edit.keepAsEarlier(at: position)
    var number = edit[position].version
    for addition in additions {
      number = ItemRules.version(after: number)
      try keep(addition, as: number, at: position, in: &edit)
    }
    edit[position].version = ItemRules.version(after: number)
    try edit.seal(contents, at: position)
  }

  // MARK: - What is not of one item

  private func takeTombstones(in edit: inout VaultEdit) {
    let known = Set(edit.index.tombstones.map(\.itemID))
    for tombstone in theirs.index.tombstones
    where !known.contains(tombstone.itemID)
      && edit.index.items.position(of: tombstone.itemID) == nil
    {
      edit.index.tombstones.append(tombstone)
    }
  }

  /// Takes keys of other drawers that were made on the other side: what they seal can be opened
  /// here from now on, and the keys that are in use here stay in use.
  private func takeDataKeys(in edit: inout VaultEdit) {
    let known = Set(edit.index.dataKeys.map(\.id))
    let own = Set([VaultIndex.Purpose.history, .publishing].map(\.rawValue))
    var taken: [VaultIndex.DataKey] = []
    for var key in theirs.index.dataKeys
    where !known.contains(key.id) && !own.contains(key.purpose)
      && !VaultIndex.staysOnMachine(key.purpose)
    {
      if edit.index.dataKeys.contains(where: { $0.purpose == key.purpose && !$0.isRetired }) {
        key.isRetired = true
      }
      taken.append(key)
    }
    edit.index.dataKeys = taken + edit.index.dataKeys
  }
}
