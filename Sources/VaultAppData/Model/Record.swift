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

    // A record belongs to one context and one thread, and no change of a property calls out while it lasts: checks
    // at run time that no two overlap would be a tenth of a fetch.
    let description: ModelDescription
    /// Empty while nothing is loaded.
    @safe @exclusivity(unchecked) var slots: [Slot] = []
    @safe @exclusivity(unchecked) var key: Int64
    @safe @exclusivity(unchecked) var state = State.detached
    /// Whether the store has a row.
    @safe @exclusivity(unchecked) var isStored = false
    /// Properties that differ from the row.
    @safe @exclusivity(unchecked) var changed = PropertySet()
    /// Shared with the identifiers that were handed out before the first save.
    var unsaved: UnsavedFlag?
    @safe @exclusivity(unchecked) var entity: EntityPlan?
    /// Leads to the context; `nil` while it is in none.
    @safe @exclusivity(unchecked) var home: ContextHome?
    @safe @exclusivity(unchecked) weak var model: (any PersistentModel)?
    /// The object, while it has changes: nobody else may hold it.
    @safe @exclusivity(unchecked) var kept: (any PersistentModel)?
    /// Whether it is among what is to be saved.
    @safe @exclusivity(unchecked) var isPending = false
    /// Whether another context has saved the row since it was read, while there were changes here.
    var isOutdated = false
    /// Whether the temporary tables of queries have to be brought to it.
    var isTouched = false
    /// The fetch that loaded the row: what faults together.
    @safe @exclusivity(unchecked) var batch: FetchBatch?
    /// Set while the object's initial values are computed, which are not this record's.
    @safe @exclusivity(unchecked) @usableFromInline var isBeingMade = false
    /// The change of other contexts that has been taken in.
    @safe @exclusivity(unchecked) var seen: UInt64 = 0

    init(_ description: ModelDescription, key: Int64) {
      self.description = description
      self.key = key
    }

    var context: ModelContext? { home?.context }

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
    @usableFromInline func slot(_ index: Int) -> Slot {
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
    @usableFromInline func initialize(_ index: Int, _ slot: Slot) {
      if slots.isEmpty { fillEmpty() }
      slots[index] = slot
    }

    /// Changes an attribute.
    @usableFromInline func set(_ index: Int, _ slot: Slot) {
      if slots.isEmpty { load() }
      if let home { home.context?.willChange(self, index) }
      slots[index] = slot
    }

    /// Puts a decoded value in the place of its text.
    func remember(_ index: Int, _ slot: Slot) { slots[index] = slot }
  }
}
