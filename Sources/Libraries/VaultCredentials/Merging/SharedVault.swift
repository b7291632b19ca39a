package import VaultSealing

/// An edit of a vault by what other machines have changed.
///
/// `VaultSync` reads the items with it and merges the state of a space into them; it knows nothing
/// of files, indexes and history blobs.
package struct SharedVault {
  var edit: VaultEdit
  /// Whether the file is to be written.
  package var isChanged = false

  /// Who makes the changes: other machines, or the person who settles what they did.
  package var origin: ChangeOrigin {
    get { edit.origin }
    set { edit.origin = newValue }
  }

  /// The time of the edit, milliseconds since 1970.
  package var now: Int64 { edit.now }

  /// The file as it was when the edit began.
  package var fileMark: VaultFileMark { VaultFileMark(edit.file) }

  /// Whether the file as it was when the edit began is another one, or was written after it.
  ///
  /// - Parameter mark: The other's ``VaultFileMark/bytes``.
  /// - Returns: Whether it is; false for what is no such mark.
  package func descends(from mark: [UInt8]) -> Bool {
    guard mark.count == VaultFileMark.length, mark != fileMark.bytes else {
      return mark == fileMark.bytes
    }
    return edit.index.descends(
      from: VaultIndex.Ancestor(
        generation: mark.withRawSpan { $0.littleEndian(UInt64.self, at: 0) },
        tag: Bytes16(Array(mark[8...]))))
  }

  /// Which state of a space the items were brought to; written with the items, in one file.
  package var mark: String? {
    get { edit.index.settings[VaultIndex.sharedSetting] }
    set {
      guard newValue != mark else { return }
      edit.index.settings[VaultIndex.sharedSetting] = newValue
      isChanged = true
    }
  }

  /// The stream in which this vault left a space, as text; `nil` if it left none since it joined one.
  ///
  /// Whoever joins the space again has seen what that stream knew.
  package var left: String? {
    get { edit.index.settings[Self.leftSetting] }
    set {
      guard newValue != left else { return }
      edit.index.settings[Self.leftSetting] = newValue
      isChanged = true
    }
  }

  private static let leftSetting = "sync.left"

  /// The items, with their secrets and earlier versions.
  ///
  /// - Parameter wanted: The ids of the items; `nil` for all.
  /// - Returns: The items by id; and the ids of those that cannot be read, which are to be left as
  ///   they are.
  /// - Throws: ``CredentialError`` but for damaged items.
  package func items(
    _ wanted: Set<[UInt8]>? = nil
  ) throws -> (items: [[UInt8]: SharedItem], unreadable: Set<[UInt8]>) {
    var items: [[UInt8]: SharedItem] = [:]
    var unreadable: Set<[UInt8]> = []
    let positions =
      wanted.map { ids in ids.compactMap { edit.index.items.position(of: Bytes16($0)) } }
      ?? Array(edit.index.items.indices)
    for position in positions {
      let record = edit[position]
      do {
        items[record.id.bytes] = try item(record, at: position)
      } catch let error as CredentialError where error.code == .damaged {
        unreadable.insert(record.id.bytes)
      }
    }
    return (items, unreadable)
  }

  /// The setting that says that the vault has not all items of its space.
  private static let leftOutSetting = "sync.left-out"

  /// The ids of the items that were removed here for good, where what is not here may never have
  /// been: the vault had no room for it; `nil` where everything that is not here was removed.
  package var certainRemovals: Set<[UInt8]>? {
    guard edit.index.settings[Self.leftOutSetting] != nil else { return nil }
    return Set(edit.index.tombstones.map(\.itemID.bytes))
  }

  private func item(_ record: ItemRecord, at position: Int) throws -> SharedItem {
    var earlier = record.earlier
    let head: SharedItem.Version
    if record.trashed == 0 {
      head = SharedItem.Version(
        try edit.contents(at: position), version: record.version, kind: record.kind,
        written: record.modified)
    } else {
      guard let first = earlier.first else {
        throw VaultHeader.damaged("a secret in the trash is missing")
      }
      earlier.removeFirst()
      head = SharedItem.Version(
        try edit.earlierContents(of: record, first), version: first.version, kind: first.kind,
        written: first.written)
    }
    var item = SharedItem(
      id: record.id.bytes, name: record.name, created: record.created, modified: record.modified,
      head: head)
    item.expires = record.expires
    item.trashed = record.trashed
    item.note = record.note
    item.tags = Set(record.tags)
    for attribute in record.attributes.all
    where !ItemConflict.isOfOneFile(attribute.name) {
      item.attributes[attribute.name] = attribute.text
    }
    item.lost = ItemConflict.lost(in: record.attributes)
    item.hasSettledLost = record.attributes[ItemConflict.settled] != nil
    item.isMarked = ItemConflict.version(in: record.attributes) != nil
    item.earlier = earlier.compactMap { version in
      // One that is lost here may be whole elsewhere.
      (try? edit.earlierContents(of: record, version)).map {
        SharedItem.Version(
          $0, version: version.version, kind: version.kind, written: version.written)
      }
    }
    return item
  }

  /// Merges the state of a space, by the rules of ``UnlockedVault/merge(_:base:with:)``.
  ///
  /// - Parameters:
  ///   - items: The state.
  ///   - removals: Items that were removed for good, by id, and when.
  ///   - base: The state that this vault was brought to before, and what was changed in it since;
  ///     `nil` if that is not known.
  /// - Returns: The changes.
  /// - Throws: ``CredentialError``.
  package mutating func merge(
    _ items: [SharedItem], removals: [[UInt8]: Int64], base: [SharedItem]?
  ) throws -> MergeReport {
    let theirs = SharedState(items, removals: removals)
    let ancestor = base.map { SharedState($0, removals: [:]) }
    let known = Set(edit.index.items.indices.map { edit.index.items.id(at: $0) })
    let unchanged = (base ?? []).filter { item in
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { return false }
      return edit[position].modified == item.modified
    }
    // Whether a removal or a change comes first, the space has decided, and no clock: what was
    // removed here before this vault came into the space may have been changed by one that is in
    // it.
    let there = Set(items.map(\.id))
    edit.index.tombstones.removeAll { there.contains($0.itemID.bytes) }
    var merge = VaultMerge(
      theirs, base: ancestor, relation: base == nil ? .apart : .newer, room: VaultRoom(of: edit),
      leavesOut: certainRemovals != nil, isSpace: true)
    try merge.run(in: &edit)
    var report = merge.report
    let leavesOut = items.contains { edit.index.items.position(of: Bytes16($0.id)) == nil }
    if leavesOut != (edit.index.settings[Self.leftOutSetting] != nil) {
      edit.index.settings[Self.leftOutSetting] = leavesOut ? "1" : nil
      isChanged = true
    }
    // What was not changed here has the time of the change that it follows, also where a clock is
    // wrong: else it would look changed here.
    let followed = Set(unchanged.map(\.id))
    follow(items.filter { followed.contains($0.id) })
    // What comes into the trash here stays in it for its time by this clock, not by another's.
    for item in items where item.trashed != 0 && !known.contains(Bytes16(item.id)) {
      guard let position = edit.index.items.position(of: Bytes16(item.id)),
        edit[position].trashed != 0
      else { continue }
      edit[position].trashed = edit.now
    }
    // What came into an item has its place in the history by the records, as everywhere.
    try align(
      items.filter { item in
        let id = Bytes16(item.id)
        guard let before = ancestor?.record(id), let now = theirs.record(id) else { return true }
        return !before.isEqual(to: now)
      })
    // What met elsewhere is told where it becomes known.
    let former = Dictionary((base ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    for item in items {
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { continue }
      let before = former[item.id]
      let hadOther = before.map { !$0.concurrent.isEmpty } ?? false
      var kinds: Set<MergeReport.Conflict.Kind> = []
      if !item.concurrent.isEmpty {
        let isMarked = try mark(item.concurrent, at: position)
        if isMarked, !hadOther, edit[position].trashed == 0 { kinds.insert(.secret) }
      } else if hadOther, ItemConflict.version(in: edit[position].attributes) != nil {
        edit[position].attributes[ItemConflict.attribute] = nil
      }
      let lostBefore = before?.lost ?? []
      if !item.lost.isEmpty || !lostBefore.isEmpty {
        markLost(item, at: position)
        let isNew = item.lost.contains { !lostBefore.contains($0) }
        if isNew, edit[position].trashed == 0 { kinds.insert(.property) }
      }
      for (attribute, kind) in [
        (ItemConflict.formerName, MergeReport.Conflict.Kind.name), (ItemConflict.removal, .removal),
      ] where item.attributes[attribute] != nil && before?.attributes[attribute] == nil {
        kinds.insert(kind)
      }
      guard !kinds.isEmpty else { continue }
      let name = ItemName(stored: item.name)
      report.conflicts.removeAll { kinds.contains($0.kind) && $0.name == name }
      report.conflicts += ItemConflict.unsettled(edit[position].attributes, of: name).filter {
        kinds.contains($0.kind)
      }
    }
    report.sort()
    if !edit.index.items.changes.isEmpty || edit.index.items.hasRemoved { isChanged = true }
    return report
  }

  /// Keeps what an undo has brought back of values that lost and that nobody else has any more: on this
  /// machine alone, as if a merge of files had left it.
  ///
  /// - Parameter items: The items that were changed here, as the state has them that the vault was
  ///   brought to.
  package mutating func keepGivenBack(_ items: [SharedItem]) {
    for item in items {
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { continue }
      let record = edit[position]
      let lost = ItemConflict.lost(in: record.attributes)
      let kept = lost.map { lost in
        let isKnown =
          lost.machine == nil || lost.isCurrent(in: record)
          || item.lost.contains { $0.isOfSameProperty(as: lost) && $0.value == lost.value }
        var own = lost
        if !isKnown { own.machine = nil }
        return own
      }
      guard kept != lost else { continue }
      ItemConflict.keep(kept, in: &edit[position].attributes)
      isChanged = true
    }
  }

  /// Forgets what met by the records where they know of one value: an undo may have brought the marks
  /// back when the others had heard that it was settled.
  ///
  /// What a merge of files left stays.
  ///
  /// - Parameter items: The state that the vault was brought to.
  package mutating func forgetSettled(_ items: [SharedItem]) {
    for item in items {
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { continue }
      var record = edit[position]
      if item.concurrent.isEmpty, let version = ItemConflict.version(in: record.attributes),
        ItemConflict.machines(in: record.attributes)[version] != nil
      {
        record.attributes[ItemConflict.attribute] = nil
      }
      let lost = ItemConflict.lost(in: record.attributes)
      let kept = lost.filter { lost in
        lost.machine == nil
          || item.lost.contains { $0.isOfSameProperty(as: lost) && $0.value == lost.value }
      }
      if kept.count < lost.count { ItemConflict.keep(kept, in: &record.attributes) }
      guard record != edit[position] else { continue }
      edit[position] = record
      isChanged = true
    }
  }

  /// Forgets that items have two values where the space knows of one.
  private mutating func unmark(_ items: [SharedItem]) {
    for item in items where item.concurrent.isEmpty {
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { continue }
      var record = edit[position]
      record.attributes[ItemConflict.attribute] = nil
      guard record != edit[position] else { continue }
      edit[position] = record
      isChanged = true
    }
  }

  /// Gives items the times of the state that they follow: nothing was changed in them here.
  ///
  /// - Parameter items: The items as the state has them.
  package mutating func follow(_ items: [SharedItem]) {
    for item in items {
      guard let position = edit.index.items.position(of: Bytes16(item.id)),
        edit[position].modified != item.modified
      else { continue }
      edit[position].modified = item.modified
      isChanged = true
    }
  }

  /// Makes items what the space has: those that are not in it go to the trash.
  ///
  /// - Parameters:
  ///   - ids: The items that differ.
  ///   - items: The state of the space.
  /// - Throws: ``CredentialError``.
  package mutating func takeBack(_ ids: [[UInt8]], to items: [SharedItem]) throws {
    guard !ids.isEmpty else { return unmark(items) }
    let there = Set(items.map(\.id))
    // First, so that an item of the space gets its name again that one of this vault has kept from it.
    for id in ids where !there.contains(id) {
      guard let position = edit.index.items.position(of: Bytes16(id)), edit[position].trashed == 0
      else { continue }
      try edit.moveToTrash(at: position)
      isChanged = true
    }
    // As if nothing had been changed here: then the other side's value is the only change.
    let local = try self.items().items
    // Of what is not there the other side has removed nothing: it goes to the trash, not for good.
    _ = try merge(items, removals: [:], base: local.values.filter { there.contains($0.id) })
    unmark(items)
  }

  /// Marks an item with the version that has the other value, if it is kept and not current, and
  /// notes who wrote each of them; also in the trash: who takes it out is to know of both.
  mutating func mark(
    _ concurrent: [SharedItem.Concurrent], at position: Int
  ) throws -> Bool {
    let record = edit[position]
    var marked = record
    var isMarked = false
    for (place, other) in concurrent.enumerated() {
      let kept = record.earlier.first { earlier in
        (try? edit.earlierContents(of: record, earlier))?.isEqual(to: other.version.contents)
          ?? false
      }
      guard let kept else { continue }
      ItemConflict.note(other.machine, wrote: kept.version, in: &marked)
      guard place == 0 else { continue }
      ItemConflict.mark(&marked, kept.version)
      isMarked = true
    }
    if marked != record { edit[position] = marked }
    return isMarked
  }

  /// Keeps what lost to the current values by the records, in the place of what it was; what a merge
  /// of files left stays.
  ///
  /// - Parameters:
  ///   - item: The item as the records have it.
  ///   - position: The item here.
  mutating func markLost(_ item: SharedItem, at position: Int) {
    var attributes = edit[position].attributes
    let ofFiles = ItemConflict.lost(in: attributes).filter { lost in
      lost.machine == nil
        && !item.lost.contains { $0.isOfSameProperty(as: lost) && $0.value == lost.value }
    }
    ItemConflict.keep(item.lost + ofFiles, in: &attributes)
    attributes[ItemConflict.settled] = nil
    if attributes != edit[position].attributes { edit[position].attributes = attributes }
  }

  // MARK: - Settling

  /// What is not settled under a name.
  ///
  /// - Parameter name: The item's, also the one that its twin has in front of the `~`.
  /// - Returns: One thing for each item that is concerned.
  /// - Throws: ``CredentialError`` as ``VaultEdit/settle(_:takesOther:)``.
  package func unsettled(_ name: ItemName) throws -> [Unsettled] {
    try edit.unsettled(name).map { position in
      let record = edit[position]
      let name = ItemName(stored: record.name)
      let former = record.attributes[ItemConflict.formerName]
      let holder = former.flatMap { edit.position(of: ItemName(stored: $0)) }
      return Unsettled(
        id: record.id.bytes,
        kind: ItemConflict.unsettled(record.attributes, of: name).first?.kind ?? .secret,
        holder: holder.map { edit[$0].id.bytes })
    }
  }

  /// An item of which something is not settled.
  package struct Unsettled: Sendable {
    /// Its id, 16 bytes.
    package let id: [UInt8]
    /// What is not settled.
    package let kind: MergeReport.Conflict.Kind
    /// The item that has the name which this one had, if there is one.
    package let holder: [UInt8]?
  }

  /// Settles something.
  ///
  /// - Parameters:
  ///   - unsettled: What ``unsettled(_:)`` gave.
  ///   - choice: What is to be current.
  ///   - taken: The note, attributes, expiry and name that are taken, too.
  /// - Returns: The item that has it.
  /// - Throws: ``CredentialError``.
  package mutating func settle(
    _ unsettled: Unsettled, _ choice: VaultEdit.Settlement, taking taken: [LostValue]
  ) throws -> Item? {
    guard let position = edit.index.items.position(of: Bytes16(unsettled.id)) else { return nil }
    isChanged = true
    return try edit.settle(at: position, choice) { lost in
      lost.machine != nil
        && taken.contains { $0.isOfSameProperty(as: lost) && $0.value == lost.value }
    }
  }
}

/// Which generation of a vault a file is: two files with one mark have the same bytes.
package struct VaultFileMark: Equatable, Sendable {
  /// Bytes of ``bytes``.
  package static let length = 24

  /// How often the vault was written.
  package let generation: UInt64
  /// The generation, and the tag of the file.
  package let bytes: [UInt8]

  init(_ file: VaultFile) {
    var writer = ByteWriter()
    writer.put(file.header.generation)
    writer.put(file.tag)
    generation = file.header.generation
    bytes = writer.bytes
  }
}

extension UnlockedVault.Blocking {
  /// Edits the vault with what other machines have changed; the file is written only if something
  /// changed.
  ///
  /// - Parameter body: The edit, under the writers' lock.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or ``CredentialError``.
  package func shared<Result>(
    _ body: (inout SharedVault) throws -> Result
  ) throws -> Result {
    do {
      return try vault.edited { edit in
        var shared = SharedVault(edit: edit)
        let result = try body(&shared)
        guard shared.isChanged else { throw Untouched(result: result) }
        edit = shared.edit
        return result
      }
    } catch let untouched as Untouched<Result> {
      return untouched.result
    }
  }

  private struct Untouched<Result>: Error, @unchecked Sendable {
    // Only this thread has it, from the throw to the catch.
    let result: Result
  }

  /// This machine's id, 16 bytes; it does not travel with a copied vault.
  ///
  /// - Throws: ``CredentialError``.
  package func machineID() throws -> [UInt8] { try vault.locked.folder.device() }

  /// The wall clock as the vault's options have it.
  package var clock: @Sendable () -> Int64 { vault.locked.options.now }

  /// Reports that one more step of something is done with the vault.
  package func tell(_ phase: VaultProgress.Phase, _ done: Int, of total: Int) {
    vault.locked.options.tell(phase, done, of: total)
  }

  /// The vault, for calls that are not of this type.
  package var unlocked: UnlockedVault { vault }

  /// The vault file's path.
  package var path: String { vault.locked.path }

  /// Which file the vault's is now.
  ///
  /// - Throws: ``CredentialError``.
  package func fileMark() throws -> VaultFileMark {
    VaultFileMark(try vault.snapshot(only: .noItems).file)
  }

  /// The number of items, those in the trash too.
  ///
  /// - Throws: ``CredentialError``.
  package func itemCount() throws -> Int { try vault.snapshot(only: nil).index.items.count }

  /// Sets the key for a purpose, in the place of those that there are.
  ///
  /// - Parameters:
  ///   - key: 32 bytes; `nil` takes the keys of the purpose out.
  ///   - purpose: What the key is for.
  /// - Throws: ``CredentialError``.
  package func setKey(_ key: SecretBytes?, for purpose: String) throws {
    try vault.commit { edit in
      edit.index.dataKeys.removeAll { $0.purpose == purpose }
      guard let key else { return }
      edit.index.dataKeys.append(
        VaultIndex.DataKey(
          id: RandomBytes.bytes(count: 16), key: key, created: edit.now, isRetired: false,
          purpose: purpose))
    }
  }

  /// The key that was set for a purpose; `nil` if there is none.
  ///
  /// - Parameter purpose: What the key is for.
  /// - Returns: 32 bytes.
  /// - Throws: ``CredentialError``.
  package func key(for purpose: String) throws -> SecretBytes? {
    // Rotating the vault key retires it and adds another; the first one is this machine's.
    try vault.snapshot(only: .noItems).index.dataKeys.first { $0.purpose == purpose }?.key
  }
}
