import CVaultSwiftRuntime
import Glibc
import Synchronization

/// Notes which thread is using a context, so that a second one is stopped before it does harm.
///
/// A context belongs to one actor or thread, and takes no lock. Swift cannot prove that: an object
/// may be handed on by code that was compiled in Swift 5 mode, or run off its actor by a closure
/// that inherits no isolation. Two threads that change the context at once would leave broken
/// objects behind, or crash elsewhere and later; so every change and every query marks its
/// beginning and its end, and whoever comes in between ends the program, with both places. A read
/// of a property, which changes nothing, waits for the end of what is under way; and whatever comes
/// in waits for a read that is under way, which takes a few nanoseconds.
///
/// A read takes no lock and no fence: it leaves its thread in a word, and whoever comes in looks
/// there afterwards. What is missed are reads that begin within the few nanoseconds that a store
/// takes to reach the other processor, and those of a third thread.
///
/// The context's own save (``Autosaving``) is the library's doing, and so is a load of what is read:
/// who comes then waits for it.
final class ContextUse: Sendable {
  /// What a thread does in a context.
  enum Place: UInt8, Sendable {
    case nothing, insert, delete, save, autosave, rollback, fetch, look, load, change, undo
    case batchDelete, batchUpdate

    fileprivate var text: String {
      switch self {
      case .nothing: "between two calls"
      case .insert: "in insert(_:)"
      case .delete: "in delete(_:)"
      case .save: "in save()"
      case .autosave: "in a save of autosaveEnabled"
      case .rollback: "in rollback()"
      case .fetch: "in a fetch"
      case .look: "reading what is pending"
      case .load: "reading a property from the store"
      case .change: "changing"
      case .undo: "in processPendingChanges()"
      case .batchDelete: "in delete(model:where:)"
      case .batchUpdate: "in update(model:where:set:)"
      }
    }
  }

  /// For records that are in no context.
  static let none = ContextUse()

  /// The mark of a save or load that others wait for; threads are addresses, which are even.
  private static let waits: UInt = 1

  /// How long a read waits for a call of another thread, and a call for a read.
  private static let patience = Duration.seconds(5)
  /// So many times within so many seconds, changes may meet a read of another thread.
  private static let chances = (count: 2, seconds: Int64(10))
  private static let start = ContinuousClock.now

  /// The thread that is in the context; 0 if there is none.
  private let holder = Atomic<UInt>(0)
  /// A thread that is reading a property, of several any one; 0 if there is none.
  private let reader = Atomic<UInt>(0)
  /// What it does there, and the property that it changes; for the message only.
  private let place = Atomic<UInt8>(0)
  private let description = Atomic<UInt>(0)
  private let property = Atomic<Int>(0)
  /// How many calls of the holder are one within the other.
  private let depth = Atomic<Int>(0)
  /// How often a change has met a read of another thread lately, and when that began.
  private let overlaps = Atomic<Int>(0)
  private let overlapsBegin = Atomic<Int64>(0)
  /// How often somebody has come in.
  private let count = Atomic<Int>(0)
  /// The thread that was last in the context.
  private let last = Atomic<UInt>(0)
  /// Set once, before the context is used: called when another thread than before comes in.
  private let threadChanged = Mutex<(@Sendable () -> Void)?>(nil)
  private let isFollowed = Atomic<Bool>(false)

  /// Whether somebody is in the context: the first look of every read of a property.
  @inline(__always) var isHeld: Bool { holder.load(ordering: .relaxed) != 0 }

  /// Whether another thread is in the context.
  var isHeldByAnother: Bool {
    let found = holder.load(ordering: .relaxed)
    return found != 0 && found & ~Self.waits != Self.thread
  }

  private static var thread: UInt { cvault_thread_number() }

  /// The main thread, once it has made or used a context.
  private static let main = Atomic<UInt>(0)

  init() { if Thread.isMainThread { Self.main.store(Self.thread, ordering: .relaxed) } }

  /// What ``holder`` is while a thread does something.
  @inline(__always)
  private static func mark(_ thread: UInt, _ place: Place) -> UInt {
    place == .load ? thread | waits : thread
  }

  // MARK: Coming and going

  /// Runs `body` as the only one in the context.
  @inline(__always)
  func during<Result, Failure: Error>(
    _ place: Place, _ record: _AppData.Record? = nil, _ index: Int = 0,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(place, record, index)
    defer { leave() }
    return try body()
  }

  /// Comes into the context; ends the program if another thread is there.
  @inline(__always)
  func enter(_ place: Place, _ record: _AppData.Record? = nil, _ index: Int = 0) {
    let me = Self.thread
    let (isFirst, found) = holder.compareExchange(
      expected: 0, desired: Self.mark(me, place), ordering: .sequentiallyConsistent)
    if isFirst {
      note(place, record, index)
      count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
      if last.load(ordering: .relaxed) != me { noteThread(me) }
      if isRead(byOtherThan: me) { waitForReader(place, record, index) }
    } else if found & ~Self.waits != me {
      wait(for: found, place, record, index)
    }
    depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  /// Ends what ``enter(_:_:_:)`` began.
  @inline(__always)
  func leave() {
    let left = depth.load(ordering: .relaxed) - 1
    depth.store(left, ordering: .relaxed)
    if left == 0 { holder.store(0, ordering: .releasing) }
  }

  /// How often the program has come in.
  var entries: Int { count.load(ordering: .relaxed) }

  /// Comes in for something that the library does by itself; `false` if another thread is there.
  func enterByItself(_ place: Place) -> Bool {
    let me = Self.thread
    let isFirst = holder.compareExchange(
      expected: 0, desired: me | Self.waits, ordering: .acquiring
    ).exchanged
    guard isFirst else { return false }
    guard !isRead(byOtherThan: me) else {
      holder.store(0, ordering: .releasing)
      return false
    }
    note(place, nil, 0)
    depth.store(1, ordering: .relaxed)
    return true
  }

  /// Runs the program's own code, which may wait for another thread that uses the context.
  func outside<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let held = holder.load(ordering: .relaxed)
    guard held & ~Self.waits == Self.thread else { return try body() }
    let depth = depth.load(ordering: .relaxed)
    let place = Place(rawValue: place.load(ordering: .relaxed)) ?? .nothing
    self.depth.store(0, ordering: .relaxed)
    holder.store(0, ordering: .releasing)
    defer {
      comeBack(held, place)
      self.depth.store(depth, ordering: .relaxed)
    }
    return try body()
  }

  /// Goes on where ``outside(_:)`` had left off; a save of the context's own waits for whoever came
  /// meanwhile.
  private func comeBack(_ held: UInt, _ place: Place) {
    var found = holder.compareExchange(expected: 0, desired: held, ordering: .acquiring)
    while !found.exchanged {
      guard held & Self.waits != 0 || found.original & Self.waits != 0 else {
        fail(found.original, nil, place.text)
      }
      usleep(100)
      found = holder.compareExchange(expected: 0, desired: held, ordering: .acquiring)
    }
    note(place, nil, 0)
    if isRead(byOtherThan: held & ~Self.waits) { waitForReader(place, nil, 0) }
  }

  // MARK: Reading

  /// Whether a read has left its thread in ``reader``, and has to take it out.
  struct Reading {
    fileprivate let thread: UInt
    static let unmarked = Reading(thread: 0)
  }

  /// Marks the beginning of a read of a property.
  @inline(__always) func beginReading() -> Reading {
    guard reader.load(ordering: .relaxed) == 0 else { return .unmarked }
    let me = Self.thread
    reader.store(me, ordering: .relaxed)
    return Reading(thread: me)
  }

  /// Marks the end of a read, if its beginning was marked and no other's has come in its place.
  @inline(__always) func endReading(_ reading: Reading) {
    if reading.thread != 0, reader.load(ordering: .relaxed) == reading.thread {
      reader.store(0, ordering: .releasing)
    }
  }

  @inline(__always) private func isRead(byOtherThan me: UInt) -> Bool {
    let found = reader.load(ordering: .acquiring)
    return found != 0 && found != me
  }

  /// Lets a read end that another thread has under way; whoever has come in calls it.
  ///
  /// As an observer's read waits for the call that it meets. A program in which that happens again
  /// and again uses the context on two threads at once, and ends.
  @inline(never)
  private func waitForReader(_ place: Place, _ record: _AppData.Record?, _ index: Int) {
    let me = Self.thread
    let end = ContinuousClock.now + Self.patience
    var mustEnd = place != .load && place != .autosave && isAgain()
    var pause: UInt32 = 0
    while true {
      let found = reader.load(ordering: .acquiring)
      guard found != 0, found != me else { return }
      if mustEnd {
        fail(found, "reading a property", Self.text(place, record?.description, index))
      }
      if pause > 0 { usleep(pause) }
      pause = min(pause * 2 + 1, 2_000)
      mustEnd = ContinuousClock.now > end
    }
  }

  /// Counts a change that meets a read; whether there have been too many lately.
  private func isAgain() -> Bool {
    let now = (ContinuousClock.now - Self.start).components.seconds
    let isLate = now - overlapsBegin.load(ordering: .relaxed) > Self.chances.seconds
    let before = isLate ? 0 : overlaps.load(ordering: .relaxed)
    if before == 0 { overlapsBegin.store(now, ordering: .relaxed) }
    overlaps.store(before + 1, ordering: .relaxed)
    return before >= Self.chances.count
  }

  /// Lets a read of a property wait for the call that another thread has under way.
  ///
  /// An observer reads what has just changed as soon as it can, while the code that changed it may
  /// be in its next call on another thread. If the call does not end, perhaps because it waits for
  /// whoever reads, the program does.
  @inline(never)
  func checkReading(_ record: _AppData.Record) {
    let me = Self.thread
    var found = holder.load(ordering: .acquiring)
    guard found != 0, found & ~Self.waits != me else { return }
    let end = ContinuousClock.now + Self.patience
    var pause: UInt32 = 10
    while found != 0, found & ~Self.waits != me {
      // A save of the context's own ends by itself.
      if found & Self.waits == 0, ContinuousClock.now > end {
        fail(found, nil, "reading a property of \(record.description.entityName)")
      }
      usleep(pause)
      pause = min(pause * 2, 2_000)
      found = holder.load(ordering: .acquiring)
    }
  }

  // MARK: The thread

  /// Calls a function, in the context, whenever another thread than before has come in.
  func whenThreadChanges(_ body: @escaping @Sendable () -> Void) {
    threadChanged.withLock { $0 = body }
    isFollowed.store(true, ordering: .releasing)
  }

  @inline(never)
  private func noteThread(_ thread: UInt) {
    last.store(thread, ordering: .relaxed)
    if Thread.isMainThread { Self.main.store(thread, ordering: .relaxed) }
    if isFollowed.load(ordering: .acquiring) { threadChanged.withLock { $0 }?() }
  }

  // MARK: Two at once

  @inline(__always)
  private func note(_ place: Place, _ record: _AppData.Record?, _ index: Int) {
    self.place.store(place.rawValue, ordering: .relaxed)
    guard place == .change, let record else { return }
    description.store(
      UInt(bitPattern: unsafe Unmanaged.passUnretained(record.description).toOpaque()),
      ordering: .relaxed)
    property.store(index, ordering: .relaxed)
  }

  /// Waits for a save of the context's own, or for a load; ends the program for anybody else.
  @inline(never)
  private func wait(
    for found: UInt, _ place: Place, _ record: _AppData.Record?, _ index: Int
  ) {
    let me = Self.thread
    var found = found
    var pause: UInt32 = 10
    // A load is part of a read.
    let end = place == .load ? ContinuousClock.now + Self.patience : nil
    while true {
      if found == 0 {
        let (isFirst, other) = holder.compareExchange(
          expected: 0, desired: Self.mark(me, place), ordering: .acquiring)
        if isFirst {
          note(place, record, index)
          count.store(count.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
          noteThread(me)
          if isRead(byOtherThan: me) { waitForReader(place, record, index) }
          return
        }
        found = other
      }
      // Who came meanwhile is as much at fault as who waits.
      guard found & Self.waits != 0 || found == 0 || end.map({ ContinuousClock.now < $0 }) == true
      else {
        fail(found, nil, Self.text(place, record?.description, index))
      }
      usleep(pause)
      pause = min(pause * 2, 2_000)
      found = holder.load(ordering: .relaxed)
    }
  }

  private static func text(
    _ place: Place, _ description: _AppData.ModelDescription?, _ index: Int
  ) -> String {
    guard place == .change, let description, description.properties.indices.contains(index) else {
      return place.text
    }
    return "changing \(description.entityName).\(description.properties[index].name)"
  }

  /// What the holder is doing.
  private var holdersPlace: String {
    let place = Place(rawValue: place.load(ordering: .relaxed)) ?? .nothing
    // Descriptions are made once and never go.
    let description = unsafe UnsafeRawPointer(bitPattern: description.load(ordering: .relaxed))
      .map { unsafe Unmanaged<_AppData.ModelDescription>.fromOpaque($0).takeUnretainedValue() }
    return Self.text(place, description, property.load(ordering: .relaxed))
  }

  /// Ends the program; `first` is what the other thread does, if it is not the holder.
  private func fail(_ found: UInt, _ first: String?, _ second: String) -> Never {
    let first = first ?? holdersPlace
    let thread = found & ~Self.waits
    let other = Self.name(thread, isMain: thread == Self.main.load(ordering: .relaxed))
    let this = Self.name(Self.thread, isMain: Thread.isMainThread)
    fatalError(
      """
      two threads use one ModelContext at once: \(other) is \(first), and \(this) is \(second). A context and its objects belong to one actor or \
      thread: give each its own, by ModelContext(container), @ModelActor or container.perform. With SWIFT_BACKTRACE=enable=yes,threads=all the program prints where both threads are.
      """)
  }

  private static func name(_ thread: UInt, isMain: Bool) -> String {
    isMain ? "the main thread" : "thread 0x\(String(thread, radix: 16))"
  }
}
