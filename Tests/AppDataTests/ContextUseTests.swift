import Synchronization
import TestSupport
import Testing
import VaultAppData

/// A context that two threads use at once: told at once, and only then.
struct ContextUseTests {
  /// What a second thread does while the first one is in `save()`, and what it is told.
  @Test(arguments: [
    ("insert", "in insert(_:)"), ("delete", "in delete(_:)"), ("fetch", "in a fetch"),
    ("save", "in save()"), ("rollback", "in rollback()"), ("pending", "reading what is pending"),
    ("change", "changing Letter.text"), ("read", "reading a property of Letter"),
    ("link", "changing Letter.answers"), ("append", "Letter"), ("batch", "in delete(model:where:)"),
    ("process", "in processPendingChanges()"), ("identifier", "in a fetch"),
  ])
  func aSecondThreadIsToldBothPlaces(way: String, place: String) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [way = way as String] in
      leaveNoCore()
      try useTwice(way)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("two threads use one ModelContext at once"), "\(text)")
    #expect(text.contains("is in save(), and"), "\(text)")
    #expect(text.contains(place), "\(text)")
    #expect(text.contains("@ModelActor"))
  }

  /// One thread reads again and again what another one changes, and both wait in vain.
  ///
  /// ThreadSanitizer sees the race itself, and ends the program first.
  @Test(.disabled(if: isThreadSanitized, "is a race"))
  func aChangeThatMeetsReadsOfAnotherThreadIsTold() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      leaveNoCore()
      let (_, context) = try memory(Letter.self)
      let letter = Letter("a")
      context.insert(letter)
      try context.save()
      let reader = Courier(context, letter)
      Thread.detachNewThread {
        var length = 0
        while length >= 0 { length = reader.letter?.text.utf8.count ?? -1 }
      }
      let end = ContinuousClock.now + .seconds(120)
      var number = 0
      while ContinuousClock.now < end {
        number += 1
        letter.text = "the text number \(number), which is too long to lie in its string"
      }
      exit(0)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("two threads use one ModelContext at once"), "\(text)")
    #expect(text.contains("is reading a property, and"), "\(text)")
    #expect(text.contains("is changing Letter.text"), "\(text)")
  }

  /// A read whose value takes long to decode puts it in the place of no other.
  @Test func aReadThatDecodesUndoesNoChange() async throws {
    await #expect(processExitsWith: .success) {
      let (container, first) = try memory(LateParcel.self)
      first.insert(LateParcel(LateSlip(text: "old")))
      try first.save()
      let context = ModelContext(container)
      guard let parcel = try context.fetch(FetchDescriptor<LateParcel>()).first else { exit(2) }
      let reader = Courier(context, parcel: parcel)
      let isRead = DispatchSemaphore(value: 0)
      LateSlip.mustWait.store(true, ordering: .releasing)
      Thread.detachNewThread {
        guard reader.parcel?.slip.text == "old" else { exit(3) }
        isRead.signal()
      }
      LateSlip.isBeingRead.wait()
      parcel.slip = LateSlip(text: "new")
      LateSlip.mayGoOn.signal()
      isRead.wait()
      guard parcel.slip.text == "new" else { exit(1) }
      try context.save()
      guard
        try ModelContext(container).fetch(FetchDescriptor<LateParcel>()).first?.slip.text == "new"
      else { exit(4) }
    }
  }

  /// What a change tells is read at once, while who made it may be in his next call.
  @Test(arguments: ["loaded", "not loaded"])
  func aReadWaitsForTheCallOfAnotherThread(way: String) async throws {
    await #expect(processExitsWith: .success) { [way = way as String] in
      let (_, context) = try memory(Letter.self)
      let letter = Letter("a")
      let answer = Letter("b")
      context.insert(letter)
      letter.answers = [answer]
      try context.save()
      let reader = ModelContext(context.container)
      let found = try reader.fetch(
        FetchDescriptor<Letter>(predicate: #Predicate { $0.text == "a" })
      ).first
      guard let found else { exit(2) }
      if way == "loaded" { _ = found.answers.first?.text }
      found.stamp = Stamp()
      let saver = Courier(reader)
      Thread.detachNewThread { try? saver.context.save() }
      Stamp.isBeingSaved.wait()
      // Long enough for the read to come first, nearly always.
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
        for _ in 0..<10 { Stamp.mayGoOn.signal() }
      }
      guard found.answers.first?.text == "b", found.text == "a" else { exit(1) }
    }
  }

  @Test func threadsMayTakeTurns() async throws {
    await #expect(processExitsWith: .success) {
      let (_, context) = try memory(Letter.self)
      for number in 0..<200 {
        onThread(context) { context in
          context.insert(Letter("\(number)"))
          if number.isMultiple(of: 10) { try? context.save() }
        }
      }
      guard try context.fetchCount(FetchDescriptor<Letter>()) == 200 else { exit(1) }
    }
  }

  /// An observer that waits for another thread, as one of a queue does, is the program's own code.
  @Test(arguments: [ModelContext.willSave.rawValue, ModelContext.didSave.rawValue])
  func anObserverMayLetAnotherThreadLook(name: String) async throws {
    await #expect(processExitsWith: .success) { [name = name as String] in
      let (_, context) = try memory(Letter.self)
      let letter = Letter("a")
      context.insert(letter)
      let seen = Box("")
      let token = NotificationCenter.default.addObserver(
        forName: Notification.Name(name), object: context, queue: nil
      ) { note in
        if let context = note.object as? ModelContext {
          onThread(context) { context in
            seen.value = (try? context.fetch(FetchDescriptor<Letter>()).first?.text) ?? ""
          }
        }
      }
      try context.save()
      NotificationCenter.default.removeObserver(token)
      guard seen.value == "a", !context.hasChanges else { exit(1) }
    }
  }
}

/// A letter whose stamp tells when it is being saved, and waits then.
@Model
private final class Letter {
  var text: String
  var stamp: Stamp?
  @Relationship(inverse: \Letter.question) var answers: [Letter] = []
  var question: Letter?

  init(_ text: String, _ stamp: Stamp? = nil) {
    self.text = text
    self.stamp = stamp
  }
}

private struct Stamp: Codable {
  static let isBeingSaved = DispatchSemaphore(value: 0)
  static let mayGoOn = DispatchSemaphore(value: 0)

  init() {}
  init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    Self.isBeingSaved.signal()
    _ = Self.mayGoOn.wait(timeout: .now() + 60)
    try container.encode("stamp")
  }
}

/// Saves on one thread, and uses the context in some way on this one meanwhile.
private func useTwice(_ way: String) throws {
  let (_, context) = try memory(Letter.self)
  let letter = Letter("a")
  let other = Letter("b")
  context.insert(letter)
  context.insert(other)
  try context.save()
  letter.stamp = Stamp()
  let saver = Courier(context)
  Thread.detachNewThread { try? saver.context.save() }
  Stamp.isBeingSaved.wait()
  switch way {
  case "insert": context.insert(Letter("c"))
  case "delete": context.delete(other)
  case "fetch": _ = try context.fetch(FetchDescriptor<Letter>())
  case "save": try context.save()
  case "rollback": context.rollback()
  case "pending": _ = context.hasChanges
  case "change": other.text = "c"
  case "read": _ = other.text
  case "link": letter.answers = [other]
  case "append": letter.answers.append(other)
  case "batch": try context.delete(model: Letter.self)
  case "process": context.processPendingChanges()
  case "identifier": _ = context.model(for: other.persistentModelID)
  default: break
  }
  // Not reached: the program has ended.
  exit(0)
}

/// Hands a context to another thread, which Swift would not.
private final class Courier: @unchecked Sendable {
  let context: ModelContext
  let letter: Letter?
  let parcel: LateParcel?

  init(_ context: ModelContext, _ letter: Letter? = nil, parcel: LateParcel? = nil) {
    self.context = context
    self.letter = letter
    self.parcel = parcel
  }
}

/// Has a value that takes as long to decode as the test wants.
@Model
private final class LateParcel {
  var slip: LateSlip

  init(_ slip: LateSlip) { self.slip = slip }
}

private struct LateSlip: Codable {
  static let isBeingRead = DispatchSemaphore(value: 0)
  static let mayGoOn = DispatchSemaphore(value: 0)
  static let mustWait = Atomic<Bool>(false)

  var text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
    guard Self.mustWait.exchange(false, ordering: .acquiringAndReleasing) else { return }
    Self.isBeingRead.signal()
    _ = Self.mayGoOn.wait(timeout: .now() + 60)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Whether the tests are built with ThreadSanitizer.
private let isThreadSanitized = unsafe dlsym(nil, "__tsan_acquire") != nil

/// Runs something with a context on a thread of its own, to its end.
private func onThread(_ context: ModelContext, _ body: @escaping @Sendable (ModelContext) -> Void) {
  let courier = Courier(context)
  let isDone = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body(courier.context)
    isDone.signal()
  }
  isDone.wait()
}
