/// What one store's part of a save changes in the context itself, and how that is taken back.
///
/// Unique values merge objects, links to deleted rows go, arrays get places: rows are written from
/// what the objects then are. A save that fails leaves everything as it was before.
final class SaveJournal {
  typealias Record = _AppData.Record

  private var steps: [() -> Void] = []

  /// Notes how a change is taken back.
  func note(_ step: @escaping () -> Void) { steps.append(step) }

  /// Notes what an object is before it changes.
  func note(_ record: Record, _ pending: PendingChanges) {
    let slots = record.slots.indices.map { record.slots[$0].copied }
    let (changed, isPending, kept) = (record.changed, record.isPending, record.kept)
    let (state, model, refused) = (record.state, record.model, record.refused)
    let (key, place, originals) = (record.key, record.place, record.originals)
    note {
      record.slots.fill(count: slots.count) { slots[$0] }
      (record.changed, record.state) = (changed, state)
      (record.isPending, record.kept) = (isPending, kept)
      (record.key, record.place) = (key, place)
      record.model = model
      if record.originals != nil || originals != nil { record.originals = originals }
      record.refused = refused
      pending.touch(record)
    }
  }

  /// Notes what a property of an object is before it changes.
  func note(_ record: Record, _ index: Int) {
    let (slot, isChanged) = (record.slots[index], record.changed.contains(index))
    note {
      record.slots[index] = slot
      if isChanged { record.changed.insert(index) } else { record.changed.remove(index) }
    }
  }

  /// Notes the links of arrays that are not loaded before they change.
  func note(_ pending: PendingChanges) {
    let notes = pending.notes
    note { pending.restore(notes) }
  }

  /// Notes what is in an array before it changes.
  func note(_ list: _AppData.RowList, keys: [Int64], positions: [Int64?]) {
    note { list.replace(keys: keys, positions: positions) }
  }

  /// Makes everything what it was.
  func takeBack() {
    for step in steps.reversed() { step() }
    steps.removeAll()
  }
}
