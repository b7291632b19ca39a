import VaultSealing

/// Earlier versions as the records of a space have them: the same ones on every machine, in the
/// same order, whatever numbers each machine has given them.
extension SharedVault {
  /// Gives items the earlier versions that a state of the space has, in its order; what this vault
  /// alone has comes behind, as far as it is kept.
  ///
  /// The current value is not among them, and no value is there twice. Items whose current value is
  /// another here stay as they are, and those of which something cannot be read.
  ///
  /// - Parameter items: The items as the records have them.
  /// - Throws: ``CredentialError`` but for damaged items.
  package mutating func align(_ items: [SharedItem]) throws {
    for item in items {
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { continue }
      markLost(item, at: position)
      do {
        guard try align(item, at: position), !item.concurrent.isEmpty else { continue }
        _ = try mark(item.concurrent, at: position)
      } catch let error as CredentialError where error.code == .damaged {}
    }
    if !edit.index.items.changes.isEmpty { isChanged = true }
  }

  /// An earlier version that an item is to have.
  private struct Wanted {
    let contents: ItemContents
    let kind: UInt16
    let written: Int64
    /// The number that it has.
    let number: UInt64
    /// Its place in the list that there is; `nil` for one that is not here.
    let place: Int?
  }

  private mutating func align(_ item: SharedItem, at position: Int) throws -> Bool {
    let record = edit[position]
    // In the trash the newest secrets stand first.
    let isTrashed = record.trashed != 0
    var known: [ItemContents] = []
    for earlier in record.earlier {
      known.append(try edit.earlierContents(of: record, earlier))
    }
    guard !isTrashed || !known.isEmpty else { return false }
    let head = isTrashed ? known[0] : try edit.contents(at: position)
    guard head.isEqual(to: item.head.contents) else { return false }
    let first = isTrashed ? 1 : 0
    var wanted: [Wanted] = []
    func add(_ new: Wanted) {
      if new.contents.isEqual(to: head) { return }
      if wanted.contains(where: { $0.contents.isEqual(to: new.contents) }) { return }
      wanted.append(new)
    }
    for version in item.earlier {
      let contents = version.contents
      let place = known.indices.dropFirst(first).first { known[$0].isEqual(to: contents) }
      add(
        Wanted(
          contents: contents, kind: version.kind, written: version.written,
          number: place.map { record.earlier[$0].version } ?? version.version, place: place))
    }
    let values = ([head] + wanted.map(\.contents)).flatMap(\.values)
    for place in known.indices.dropFirst(first) {
      // One secret in other company, as a merge puts it together, is no value of its own.
      guard !known[place].hasOnly(values) else { continue }
      let earlier = record.earlier[place]
      add(
        Wanted(
          contents: known[place], kind: earlier.kind, written: earlier.written,
          number: earlier.version, place: place))
    }
    wanted = Array(wanted.prefix(edit.historyLimit))
    let isAligned =
      wanted.count == known.count - first
      && wanted.enumerated().allSatisfy { number, one in
        one.place == number + first && record.earlier[number + first].written == one.written
      }
    if isAligned { return false }
    try replaceEarlier(wanted, behind: first, at: position)
    return true
  }

  /// Replaces the list of earlier versions but for the newest one of an item in the trash; numbers
  /// go down, and stay where they can.
  private mutating func replaceEarlier(
    _ wanted: [Wanted], behind first: Int, at position: Int
  ) throws {
    let record = edit[position]
    var list = Array(record.earlier.prefix(first))
    var next = first == 0 ? record.version : record.earlier[0].version
    if next <= UInt64(wanted.count) {
      // There have to be numbers below that of the newest.
      next = UInt64(wanted.count) + 1
      if first == 0 {
        try edit.resealed(at: position) { $0.version = next }
      } else {
        let contents = try edit.earlierContents(of: record, record.earlier[0])
        list[0] = try edit.earlier(
          contents, next, record.earlier[0].kind, written: record.earlier[0].written, at: position)
        edit[position].version = max(record.version, next)
      }
    }
    for (number, one) in wanted.enumerated() {
      next = max(min(one.number, next - 1), UInt64(wanted.count - number))
      if let place = one.place, record.earlier[place].version == next {
        var same = record.earlier[place]
        same.written = one.written
        list.append(same)
      } else {
        list.append(
          try edit.earlier(one.contents, next, one.kind, written: one.written, at: position))
      }
    }
    edit[position].earlier = list
    let kept = Set(list.map(\.hash))
    edit.retiredBlobs += record.earlier.map(\.hash).filter { !kept.contains($0) }
  }
}

extension ItemContents {
  /// The main secret and those of the fields.
  fileprivate var values: [SecretBytes] { [main] + fields.all.map(\.value) }

  /// Whether each of its secrets is one of these.
  fileprivate func hasOnly(_ known: [SecretBytes]) -> Bool {
    values.allSatisfy { value in known.contains { $0.isEqual(to: value) } }
  }
}
