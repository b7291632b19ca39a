extension _AppData {
  /// The values of one object: a slot for each property.
  ///
  /// Named by generated code only. The object holds its record; the context holds it too and finds
  /// the object through it.
  @safe public final class Record {
    /// The state of the object.
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

    // A record belongs to one context and one thread, and no change of a property calls out while
    // it lasts: checks at run time that no two overlap would be a tenth of a fetch. It is 120
    // bytes, the most that malloc(3) gives and takes back without looking at the neighbours.

    // Descriptions are made once and never go.
    @safe unowned(unsafe) let description: ModelDescription
    /// Empty while nothing is loaded.
    @safe @exclusivity(unchecked) var slots = Slots()
    @safe @exclusivity(unchecked) var key: Int64
    @safe @exclusivity(unchecked) var state = State.detached
    /// Whether the store has a row.
    @safe @exclusivity(unchecked) var isStored = false
    /// Whether it is among what is to be saved.
    @safe @exclusivity(unchecked) var isPending = false
    /// Whether another context has saved the row since it was read, while there were changes here.
    @safe @exclusivity(unchecked) var isOutdated = false
    /// Whether the temporary tables of queries have to be brought to it.
    @safe @exclusivity(unchecked) var isTouched = false
    /// Set while the object's initial values are computed, which are not this record's.
    @safe @exclusivity(unchecked) @usableFromInline var isBeingMade = false
    /// Properties that differ from the row.
    @safe @exclusivity(unchecked) var changed = PropertySet()
    // Counted by hand: every read of a property looks there.
    @safe @exclusivity(unchecked) private var placed: Unmanaged<RecordOwner>?
    @safe @exclusivity(unchecked) private var object = ObjectReference()
    /// The object, while it has changes: the program may hold no reference to it.
    @safe @exclusivity(unchecked) var kept: AnyObject?
    /// The change of other contexts that has been taken in.
    @safe @exclusivity(unchecked) var seen: UInt64 = 0
    /// The parts that few records have.
    @safe @exclusivity(unchecked) private var rare: Rare?

    private final class Rare {
      var unsaved: UnsavedFlag?
      var batch: FetchBatch?
      var originals: [Int: Slot]?
      var shown: [Int: ShownValue] = [:]
      var refused: [Int: Slot] = [:]
      weak var former: WeakContext?
    }

    init(_ description: ModelDescription, key: Int64) {
      self.description = description
      self.key = key
    }

    deinit { unsafe placed?.release() }

    /// The entity of the context; `nil` before it is in one.
    var place: RecordOwner? {
      get { unsafe placed?.takeUnretainedValue() }
      set {
        let old = placed
        unsafe placed = newValue.map { unsafe Unmanaged.passRetained($0) }
        unsafe old?.release()
      }
    }

    /// Shared with the identifiers that were handed out before the first save.
    var unsaved: UnsavedFlag? {
      get { rare?.unsaved }
      set { change(newValue) { $0.unsaved = $1 } }
    }

    /// The fetch that loaded the row: what faults together.
    var batch: FetchBatch? {
      get { rare?.batch }
      set { change(newValue) { $0.batch = $1 } }
    }

    /// The values of changed attributes as the store had them, under a merge policy that asks.
    var originals: [Int: Slot]? {
      get { rare?.originals }
      set { change(newValue) { $0.originals = $1 } }
    }

    /// By property: where another value was shown than the store's, which does not decode.
    var shown: [Int: ShownValue] {
      get { rare?.shown ?? [:] }
      set { change(newValue.isEmpty && rare == nil ? nil : newValue) { $0.shown = $1 ?? [:] } }
    }

    /// By property: what was assigned, and may have been made of what was shown for the store's.
    ///
    /// The slot keeps the store's.
    var refused: [Int: Slot] {
      get { rare?.refused ?? [:] }
      set { change(newValue.isEmpty && rare == nil ? nil : newValue) { $0.refused = $1 ?? [:] } }
    }

    /// Where it was until others deleted its row.
    var former: WeakContext? {
      get { state == .gone ? rare?.former : nil }
      set { change(newValue) { $0.former = $1 } }
    }

    /// Whether a property has shown another value than the store's.
    private func hasShown(_ index: Int) -> Bool { rare.map { $0.shown[index] != nil } ?? false }

    /// Notes the value of an attribute that is about to be changed.
    func noteOriginal(_ index: Int) {
      var known = originals ?? [:]
      known[index] = slots[index]
      originals = known
    }

    private func change<Value>(_ value: Value?, _ set: (Rare, Value?) -> Void) {
      if rare == nil, value != nil { rare = Rare() }
      if let rare { set(rare, value) }
    }

    var entity: EntityPlan? { place?.plan }
    var context: ModelContext? { place?.home?.context }

    /// The context for reading related objects: the record's own, or a stand-in if that is gone.
    var readingContext: ModelContext? { context ?? place?.home?.standIn }

    /// Whether it is in the context of a home.
    func isIn(_ home: WeakContext) -> Bool { place?.home === home }

    /// Whether this is the record's object.
    func isOf(_ model: some PersistentModel) -> Bool { object.leads(to: model) }

    /// The object, if somebody holds it.
    var model: (any PersistentModel)? {
      get { object.object.map { Self.model($0, description.type) } }
      set { object.lead(to: newValue) }
    }

    /// Notes the object, which the caller knows to be of the record's class.
    func lead(to model: AnyObject) { object.lead(to: model) }

    /// The object, if somebody holds it, of a class that the caller knows to be the record's.
    func model<Model: PersistentModel>(as type: Model.Type) -> Model? {
      guard let object = object.object else { return nil }
      guard ObjectIdentifier(description.type) == ObjectIdentifier(type) else {
        return object as? Model
      }
      return unsafe unsafeDowncast(object, to: type)
    }

    /// Only objects of the description's class are in a record.
    private static func model<Model: PersistentModel>(
      _ object: AnyObject, _ type: Model.Type
    ) -> any PersistentModel {
      unsafe unsafeDowncast(object, to: type)
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
      if let entity, state != .detached, !entity.isCustom || isStored {
        return PersistentIdentifier(entity.place, key: key, unsaved: flag)
      }
      // A program's own store gives a new object its identifier when it is saved.
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

    /// Whether other contexts may have saved since it was last brought up to date, or a thread is
    /// in the context.
    private var mustLook: Bool {
      guard let placed else { return false }
      return unsafe placed._withUnsafeGuaranteedRef { $0.signal.value != seen || $0.use.isHeld }
    }

    /// Waits for another thread, and takes in what other contexts have saved.
    @inline(never) private func look() {
      guard let place else { return }
      if place.use.isHeld { place.use.checkReading(self) }
      guard place.signal.value != seen, let context else { return }
      place.use.during(.load, self) { context.merging.catchUp(self) }
    }

    /// The record, after what other contexts have saved was taken in.
    var current: Record {
      if mustLook { look() }
      return self
    }

    // MARK: Slots

    /// The slot as it is in the store and the pending changes.
    @usableFromInline func slot(_ index: Int) -> Slot {
      loadedSlot(index) ?? slotAfterLooking(index)
    }

    /// The slot of a record that is loaded and up to date, while no thread is in the context.
    ///
    /// Marked as a read, so that another thread's change waits; nothing here waits or calls out.
    @inline(__always) private func loadedSlot(_ index: Int) -> Slot? {
      guard let placed else { return index < slots.count ? slots[index] : nil }
      return unsafe placed._withUnsafeGuaranteedRef { place in
        let reading = place.use.beginReading()
        defer { place.use.endReading(reading) }
        guard place.signal.value == seen, !place.use.isHeld, index < slots.count else { return nil }
        let slot = slots[index]
        if case .fault = slot { return nil }
        return slot
      }
    }

    @inline(never) private func slotAfterLooking(_ index: Int) -> Slot {
      repeat {
        if mustLook { look() }
        if slots.isEmpty { load() }
        if let found = loadedSlot(index) { return found }
      } while place?.use.isHeldByAnother == true
      let slot = slots[index]
      guard case .fault = slot, state == .stored || state == .deleted else { return slot }
      if let context {
        return context.home.use.during(.load, self) {
          context.loading.loadSlot(index, of: self)
          return slots[index]
        }
      }
      if let found = standIn?.slot(index) { slots[index] = found }
      return slots[index]
    }

    /// Reads the row, where that was not done yet.
    func loadRow() { if slots.isEmpty { load() } }

    private func load() {
      if state == .stored || state == .deleted, let context {
        context.home.use.during(.load, self) { context.loading.load(self) }
      }
      if slots.isEmpty { fillEmpty() }
    }

    /// The same row in the stand-in for a context that is gone.
    private var standIn: Record? {
      guard let entity, let context = place?.home?.standIn else { return nil }
      return try? context.loading.fetchRecord(entity, key)
    }

    /// Gives every property a slot without a value.
    func fillEmpty() {
      slots = Slots(faults: entity?.slotCount ?? description.properties.count)
    }

    /// Takes over what a superclass's initializer has assigned, which had another record for it.
    func inherit(from other: Record) {
      if slots.isEmpty { fillEmpty() }
      for index in 0..<other.description.properties.count {
        slots[index] = other.slots.isEmpty ? .fault : other.slots[index]
      }
      if let model = other.model { lead(to: model) }
    }

    /// Writes what an initializer assigns, before there is an object.
    @usableFromInline func initialize(_ index: Int, _ slot: Slot) {
      if slots.isEmpty { fillEmpty() }
      slots[index] = slot
    }

    /// Changes an attribute.
    @usableFromInline func set(_ index: Int, _ slot: Slot) {
      if slots.isEmpty { load() }
      guard let home = place?.home else { return slots[index] = slot }
      home.use.during(.change, self, index) {
        if hasShown(index), home.context?.graph.refuse(self, index, slot) == true { return }
        home.context?.graph.willChange(self, index)
        slots[index] = slot
      }
    }

    /// Puts a decoded value in the place of its text, if that is still there.
    func remember(_ index: Int, _ slot: Slot, of stored: Slot) {
      guard let context else { return slots[index] = slot }
      context.home.use.during(.load, self) {
        if index < slots.count, slots[index].isStoredForm(stored) { slots[index] = slot }
      }
    }
  }
}
