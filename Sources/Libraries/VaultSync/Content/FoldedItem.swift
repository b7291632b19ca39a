package import VaultCredentials
import VaultSealing

/// One item as all records together have it.
///
/// Each property keeps the changes that no other change knew: one, or several that did not know of
/// each other. So the result does not depend on the order in which records arrive.
package struct FoldedItem: Sendable {
  /// A change of one property.
  struct Head: Sendable {
    let record: OpenedRecord
    let modified: Int64
    let value: PropertyValue?

    /// The later of two changes that did not know of each other: by the clocks, then by device.
    static func isEarlier(_ left: Head, _ right: Head) -> Bool {
      (left.time, left.record.stream, left.record.sequence)
        < (right.time, right.record.stream, right.record.sequence)
    }

    /// When it was made, as far as its record can be believed.
    ///
    /// That is no more than a day after the record was written. Else who says that a change is of the year 9999 has the last word for ever.
    private var time: Int64 {
      min(ItemRules.time(modified), ItemRules.time(record.content.time) + 86_400_000)
    }
  }

  /// How many earlier versions are kept for machines that come later.
  package static let historyLimit = 10

  package let id: [UInt8]
  var created = Int64.max
  var version: UInt64 = 0
  var heads: [PropertyKey: [Head]] = [:]
  /// The newest changes of any property.
  var tips: [(record: OpenedRecord, modified: Int64)] = []
  var purges: [(record: OpenedRecord, removed: Int64)] = []
  /// Earlier secrets, newest first.
  package internal(set) var history: [SharedItem.Version] = []

  package init(id: [UInt8]) { self.id = id }

  /// Takes in changes of a record; records come after all that they know.
  package mutating func take(_ operation: ItemOperation, of record: OpenedRecord) {
    created = min(created, operation.created)
    version = max(version, operation.version)
    tips.removeAll { record.replaces($0.record) }
    tips.append((record, operation.modified))
    for change in operation.changes {
      heads[change.key, default: []].removeAll { record.replaces($0.record) }
      heads[change.key, default: []].append(
        Head(record: record, modified: operation.modified, value: change.value))
    }
    for version in operation.earlier {
      guard let known = history.firstIndex(where: { $0.hasSameSecrets(as: version) }) else {
        history.append(version)
        continue
      }
      // Both numbers of one of them: so the newest are the same ones in whatever order they come.
      if Self.isNewer(version, history[known]) { history[known] = version }
    }
    history.sort(by: Self.isNewer)
    history.removeLast(max(0, history.count - Self.historyLimit))
  }

  /// Whether a change says that the item is in the trash; another one may contradict it.
  var hasTrashMark: Bool {
    heads[PropertyKey(.trashed), default: []].contains { head in
      if case .number(let time)? = head.value { time != 0 } else { false }
    }
  }

  /// The values that no later change knows, with who told them.
  var told: [(record: OpenedRecord, value: PropertyValue?)] {
    heads.values.joined().map { ($0.record, $0.value) }
  }

  /// All secrets that the item has or had.
  var secrets: [SecretBytes] {
    heads.values.joined().compactMap { head in
      if case .secret(let secret)? = head.value { secret } else { nil }
    } + history.flatMap { [$0.main] + $0.fields.values }
  }

  /// Which of two earlier secrets is rather kept.
  static func isNewer(_ left: SharedItem.Version, _ right: SharedItem.Version) -> Bool {
    if left.written != right.written { return left.written > right.written }
    if left.version != right.version { return left.version > right.version }
    if left.kind != right.kind { return left.kind > right.kind }
    return left.mark.lexicographicallyPrecedes(right.mark)
  }

  /// Takes in that the item was removed for good.
  mutating func purge(_ removed: Int64, by record: OpenedRecord) {
    purges.removeAll { record.replaces($0.record) }
    purges.append((record, removed))
  }

  /// When the item was removed for good; `nil` if it is there.
  package var removed: Int64? {
    guard let last = purges.map({ ItemRules.time($0.removed) }).max() else { return nil }
    // Also a value that was typed and reverted, which is nothing but an earlier version.
    let isEdited = tips.contains { tip in !purges.contains { $0.record.replaces(tip.record) } }
    return isEdited ? nil : last
  }

  /// The stream whose machine gave the item its name.
  var namedBy: StreamID? { winner(PropertyKey(.name))?.record.stream }
  /// The stream whose machine wrote the main secret.
  var writtenBy: StreamID? { winner(PropertyKey(.secret))?.record.stream }

  /// Streams whose machines changed the item without knowing that it was removed for good.
  var editors: Set<StreamID> {
    Set(
      heads.values.joined().filter { head in
        purges.contains { !head.record.replaces($0.record) && !$0.record.replaces(head.record) }
      }.map(\.record.stream))
  }

  /// The secrets with more than one value, in fields by the streams whose machines wrote them; the
  /// main one under an empty name.
  var concurrentSecrets: [StreamID: [String: SecretBytes]] {
    var secrets: [StreamID: [String: SecretBytes]] = [:]
    for key in conflicts {
      for head in heads[key] ?? [] {
        guard case .secret(let value)? = head.value else { continue }
        secrets[head.record.stream, default: [:]][key.name] = value
      }
    }
    return secrets
  }

  /// Whether two values of a secret met.
  package var conflicts: [PropertyKey] {
    heads.filter { $0.key.kind == .secret && Self.values($0.value).count > 1 }.map(\.key).sorted()
  }

  /// Properties without versions that have several values, none of whose writers knew of the others:
  /// those that are not current, the latest first.
  ///
  /// What the vault itself writes as attributes is nobody's value.
  private var lostHeads: [(key: PropertyKey, heads: [Head])] {
    heads.keys.sorted().compactMap { key in
      switch key.kind {
      case .note, .expires, .name: break
      case .attribute where !key.name.utf8.starts(with: "vault:".utf8): break
      default: return nil
      }
      guard heads[key, default: []].count > 1, let current = winner(key)?.text(of: key) else {
        return nil
      }
      var known = [current, ""]
      let lost = heads[key, default: []].sorted { Head.isEarlier($1, $0) }.filter { head in
        let text = head.text(of: key)
        guard !known.contains(text) else { return false }
        known.append(text)
        return true
      }
      return lost.isEmpty ? nil : (key, lost)
    }
  }

  /// The properties without versions of which a value lost.
  var lostKeys: [PropertyKey] { lostHeads.map(\.key) }

  /// The streams whose machines wrote one of several values of a property without versions.
  var lostWriters: Set<StreamID> {
    Set(lostKeys.flatMap { heads[$0, default: []].map(\.record.stream) })
  }

  /// The values that lost; each has its stream in the place of the machine's name.
  var lost: [LostValue] {
    lostHeads.flatMap { key, heads in
      heads.map { head in
        LostValue(
          key.lostProperty, key.kind == .attribute ? key.name : "", value: head.text(of: key),
          machine: head.record.stream.text, written: ItemRules.time(head.modified))
      }
    }
  }

  /// The item; `nil` if it was removed for good, or is not whole.
  package var item: SharedItem? {
    guard removed == nil, let name = name ?? standInName, let main = mainSecret else { return nil }
    let created = ItemRules.time(created)
    let modified = ItemRules.time(tips.map(\.modified).max() ?? created)
    let kind = UInt16(clamping: number(.kind))
    let current = SharedItem.Version(
      version: min(version, ItemRules.maximumVersion), kind: kind, written: modified, main: main,
      fields: [:])
    var item = SharedItem(
      id: id, name: ItemRules.mended(name), created: created, modified: modified, head: current)
    item.expires = ItemRules.moment(number(.expires))
    item.note = text(.note)
    item.trashed = trashed
    for (key, value) in held {
      switch (key.kind, value) {
      case (.secret, .secret(let value)) where !key.name.isEmpty:
        item.head.fields[key.name] = value
      case (.tag, _): item.tags.insert(key.name)
      case (.attribute, .text(let text)): item.attributes[key.name] = text
      default: break
      }
    }
    if isUnsettledRemoval { item.attributes[SharedItem.removalAttribute] = "1" }
    item.lost = lost
    addEarlier(to: &item)
    return item
  }

  /// The name that the records give it; `nil` for none.
  var name: String? {
    if case .text(let name)? = winner(PropertyKey(.name))?.value { name } else { nil }
  }

  /// The name of an item that no record names which counts, since who made it was removed or may not
  /// write: what somebody else typed into it stays there.
  private var standInName: String? {
    let isTyped = heads.contains { key, heads in
      [.secret, .note].contains(key.kind) && heads.contains { !Self.isEmpty($0.value) }
    }
    return isTyped ? "item-\(Hexadecimal.text(Array(id.prefix(4))))" : nil
  }

  /// The main secret; empty where the item has none of those that count, and stays all the same.
  private var mainSecret: SecretBytes? {
    if case .secret(let main)? = winner(PropertyKey(.secret))?.value { return main }
    return standInName == nil ? nil : try? SecretBytes(copying: [])
  }

  /// Whether the item came back from a removal for good, and nobody has said since that it may.
  private var isUnsettledRemoval: Bool {
    guard !purges.isEmpty else { return false }
    let told = [PropertyKey(.trashed), PropertyKey(.attribute, SharedItem.removalAttribute)]
    return !told.contains { key in
      (heads[key] ?? []).contains { head in
        purges.allSatisfy { head.record.replaces($0.record) }
      }
    }
  }

  /// Numbers the earlier versions, those that lost to the current one first.
  private func addEarlier(to item: inout SharedItem) {
    var lost: [SharedItem.Version] = []
    for key in conflicts {
      for head in Self.values(heads[key] ?? []).dropFirst() {
        guard case .secret(let value)? = head.value else { continue }
        var version = item.head
        if key.name.isEmpty { version.main = value } else { version.fields[key.name] = value }
        version.written = head.modified
        lost.append(version)
        item.concurrent.append(
          SharedItem.Concurrent(version: version, machine: head.record.stream.text))
      }
    }
    let others = history.filter { version in
      !version.hasSameSecrets(as: item.head) && !lost.contains { $0.hasSameSecrets(as: version) }
    }
    item.earlier = lost + others
    item.numberEarlier(lost: lost.count, above: item.head.version + UInt64(lost.count))
  }

  /// When the item was put into the trash; 0 if it is live.
  ///
  /// Nothing that somebody has just written is hidden: a change that did not know of the trash
  /// takes the item out again. A change that did not know that the item was removed for good brings
  /// it back, into the trash.
  private var trashed: Int64 {
    let key = PropertyKey(.trashed)
    let marks = heads[key] ?? []
    func time(_ head: Head) -> Int64 {
      if case .number(let time)? = head.value { ItemRules.moment(time) } else { 0 }
    }
    if let last = purges.max(by: { $0.removed < $1.removed }) {
      let isRestored = marks.contains { mark in
        time(mark) == 0 && purges.allSatisfy { mark.record.replaces($0.record) }
      }
      if !isRestored {
        return marks.map(time).max().flatMap { $0 > 0 ? $0 : nil } ?? ItemRules.moment(last.removed)
      }
    }
    if marks.contains(where: { time($0) == 0 }) { return 0 }
    let edits = heads.filter { $0.key != key }.values.joined()
    let standing = marks.filter { mark in
      !edits.contains { !mark.record.replaces($0.record) && !$0.record.replaces(mark.record) }
    }
    return standing.map(time).max() ?? 0
  }

  // MARK: - Values

  func winner(_ key: PropertyKey) -> Head? {
    let heads = heads[key] ?? []
    let filled = heads.filter { !Self.isEmpty($0.value) }
    return (filled.isEmpty ? heads : filled).max(by: Head.isEarlier)
  }

  /// What one side took away, and the other wrote, is kept; one note is better than none.
  private static func isEmpty(_ value: PropertyValue?) -> Bool {
    switch value {
    case nil: true
    case .text(let text)?: text.isEmpty
    case .number(let number)?: number == 0
    case .secret?: false
    }
  }

  private func text(_ kind: PropertyKey.Kind) -> String {
    if case .text(let text)? = winner(PropertyKey(kind))?.value { text } else { "" }
  }

  private func number(_ kind: PropertyKey.Kind) -> Int64 {
    if case .number(let number)? = winner(PropertyKey(kind))?.value { number } else { 0 }
  }

  /// Changes of a secret with different values, the latest first.
  private static func values(_ heads: [Head]) -> [Head] {
    var values: [Head] = []
    for head in heads.sorted(by: { Head.isEarlier($1, $0) }) {
      guard case .secret(let value)? = head.value else { continue }
      let isKnown = values.contains {
        if case .secret(let other)? = $0.value { other.isEqual(to: value) } else { false }
      }
      if !isKnown { values.append(head) }
    }
    return values
  }
}

extension FoldedItem.Head {
  /// The value of a property without versions as a text; empty for none.
  fileprivate func text(of key: PropertyKey) -> String {
    switch value {
    case .text(let text)?: key.kind == .name ? ItemRules.mended(text) : text
    case .number(let number)? where ItemRules.moment(number) != 0:
      String(ItemRules.moment(number))
    default: ""
    }
  }
}

extension PropertyKey {
  /// What a value that lost is of.
  fileprivate var lostProperty: LostValue.Property {
    switch kind {
    case .name: .name
    case .note: .note
    case .expires: .expiry
    default: .attribute
    }
  }
}

extension SharedItem {
  /// Numbers the earlier versions, each below the one before.
  ///
  /// - Parameters:
  ///   - lost: How many of them lost to the current one: these come right below it.
  ///   - least: The least number of the current one.
  fileprivate mutating func numberEarlier(lost: Int, above least: UInt64) {
    // The number of the version that the machines have, and above those of what lost to it.
    head.version = max(least, UInt64(earlier.count) + 1)
    var next = head.version
    for position in earlier.indices {
      let room = UInt64(earlier.count - position)
      let own = position < lost ? next - 1 : min(earlier[position].version, next - 1)
      next = max(own, room)
      earlier[position].version = next
    }
  }

  /// Takes in what an item with the same name and the same secrets has beside them.
  mutating func take(_ twin: SharedItem) {
    if note.isEmpty { note = twin.note }
    tags.formUnion(twin.tags)
    // What is unsettled about the twin ends with it.
    let marks = [SharedItem.removalAttribute, SharedItem.formerNameAttribute]
    attributes.merge(twin.attributes.filter { !marks.contains($0.key) }) { own, _ in own }
    if expires == 0 { expires = twin.expires }
    let new = twin.earlier.filter { version in
      !version.hasSameSecrets(as: head) && !earlier.contains { $0.hasSameSecrets(as: version) }
    }
    guard !new.isEmpty else { return }
    earlier += new
    numberEarlier(lost: concurrent.count, above: head.version)
  }
}
