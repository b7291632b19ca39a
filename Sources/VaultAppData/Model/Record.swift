extension _AppData {
  /// The values of one object: a slot for each property, in an array.
  ///
  /// Named by generated code only. The object holds its record; the context holds it too and finds
  /// the object through it.
  public final class Record {
    /// Where the object is in its life.
    enum State {
      /// In no context.
      case detached
      /// In a context, not in the store.
      case inserted
      /// In the store.
      case stored
      /// Deleted, not saved; `isStored` says whether there is a row.
      case deleted
      /// Deleted and saved, or never found in the store.
      case gone
    }

    let description: ModelDescription
    /// Empty while nothing is loaded.
    var slots: [Slot] = []
    var key: Int64
    var state = State.detached
    /// Whether the store has a row.
    var isStored = false
    /// Properties that differ from the row.
    var changed = PropertySet()
    /// The slots as they were last saved, while there are changes.
    var saved: [Slot]?
    /// Shared with the identifiers that were handed out before the first save.
    var unsaved: UnsavedFlag?
    var entity: EntityPlan?
    weak var context: ModelContext?
    weak var model: (any PersistentModel)?
    /// The object, while it has changes: nobody else may hold it.
    var kept: (any PersistentModel)?
    /// Whether it is among what is to be saved.
    var isPending = false
    /// Whether another context has saved the row since it was read, while there were changes here.
    var isOutdated = false
    /// Whether the temporary tables of queries have to be brought to it.
    var isTouched = false
    /// The fetch that loaded the row: what faults together.
    var batch: FetchBatch?
    /// Set while the object's initial values are computed, which are not this record's.
    var isBeingMade = false
    /// The change of other contexts that has been taken in.
    var seen: UInt64 = 0

    init(_ description: ModelDescription, key: Int64) {
      self.description = description
      self.key = key
    }

    var isDeleted: Bool { state == .deleted || (state == .gone && context == nil) }
    var hasChanges: Bool {
      switch state {
      case .inserted, .deleted: true
      case .stored: !changed.isEmpty
      case .detached, .gone: false
      }
    }

    var identifier: PersistentIdentifier {
      if let entity, state != .detached {
        return PersistentIdentifier(
          store: entity.storeIdentifier, entity: entity.name, key: key, unsaved: flag)
      }
      return PersistentIdentifier(store: nil, entity: description.entityName, key: key)
    }

    private var flag: UnsavedFlag? {
      if isStored { return nil }
      if let unsaved { return unsaved }
      let made = UnsavedFlag()
      unsaved = made
      return made
    }

    func adopt(_ model: any PersistentModel) {
      if self.model == nil { self.model = model }
    }

    /// The record, after what other contexts have saved was taken in.
    var current: Record {
      if let entity, entity.signal.value != seen { context?.catchUp(self) }
      return self
    }

    // MARK: Slots

    /// The slot as it is in the store and the pending changes.
    func slot(_ index: Int) -> Slot {
      if let entity, entity.signal.value != seen { context?.catchUp(self) }
      if slots.isEmpty { load() }
      let slot = slots[index]
      if case .fault = slot {
        if state == .stored || state == .deleted { context?.loadSlot(index, of: self) }
        return slots[index]
      }
      return slot
    }

    private func load() {
      if state == .stored || state == .deleted { context?.load(self) }
      if slots.isEmpty { fillEmpty() }
    }

    /// Gives every property a slot without a value.
    func fillEmpty() {
      slots = Array(repeating: .fault, count: entity?.slotCount ?? description.properties.count)
    }

    /// Writes what an initializer assigns, before there is an object.
    func initialize(_ index: Int, _ slot: Slot) {
      if slots.isEmpty { fillEmpty() }
      slots[index] = slot
    }

    /// Changes an attribute.
    func set(_ index: Int, _ slot: Slot) {
      if slots.isEmpty { load() }
      if let context { context.willChange(self, index) }
      slots[index] = slot
    }

    /// Puts a decoded value in the place of its text.
    func remember(_ index: Int, _ slot: Slot) { slots[index] = slot }
  }
}
