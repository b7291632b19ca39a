extension _AppData {
  /// The slots of a record, in memory of their own.
  ///
  /// An array without copy-on-write: the slots of a record are never shared, and each access to an
  /// array checks for that.
  @safe struct Slots: ~Copyable {
    private var start: UnsafeMutablePointer<Slot>?
    private(set) var count = 0

    /// None: nothing is loaded.
    init() {}

    /// The given number of slots, without values.
    init(faults count: Int) {
      self.init()
      fill(count: count) { _ in .fault }
    }

    deinit {
      unsafe start?.deinitialize(count: count)
      unsafe start?.deallocate()
    }

    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Slot {
      get { unsafe place(index).pointee }
      set { unsafe place(index).pointee = newValue }
    }

    private func place(_ index: Int) -> UnsafeMutablePointer<Slot> {
      guard let start = unsafe start, UInt(bitPattern: index) < UInt(bitPattern: count) else {
        preconditionFailure("a slot that the record has not")
      }
      return unsafe start + index
    }

    /// Makes them so many, each with the value that is made for its place, in order.
    @inline(__always) mutating func fill(count: Int, _ slot: (Int) -> Slot) {
      if count == self.count {
        for index in indices { self[index] = slot(index) }
        return
      }
      unsafe start?.deinitialize(count: self.count)
      unsafe start?.deallocate()
      unsafe start = nil
      self.count = 0
      guard count > 0 else { return }
      let new = UnsafeMutablePointer<Slot>.allocate(capacity: count)
      for index in 0..<count { unsafe (new + index).initialize(to: slot(index)) }
      unsafe start = unsafe new
      self.count = count
    }

    /// Makes them more or fewer; those that are new are `nil`.
    mutating func resize(to newCount: Int) {
      guard newCount != count else { return }
      var resized = Slots(faults: newCount)
      for index in 0..<min(count, newCount) { resized[index] = self[index] }
      for index in min(count, newCount)..<newCount { resized[index] = .null }
      swap(&self, &resized)
    }
  }
}
