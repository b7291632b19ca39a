import Foundation
import Synchronization
import TestSupport
import Testing
import VaultAppData

/// Members of captured values that stand behind a guard.
struct GuardedMemberTests {
  private func context() throws -> ModelContext {
    let (_, context) = try memory(GuardedWord.self)
    for number in 0..<4 { context.insert(GuardedWord(number)) }
    try context.save()
    return context
  }

  private func count(_ predicate: Predicate<GuardedWord>, _ context: ModelContext) throws -> Int {
    let found = try context.fetchCount(FetchDescriptor(predicate: predicate))
    // As the objects themselves say.
    let all = try context.fetch(FetchDescriptor<GuardedWord>())
    #expect(try all.filter { try predicate.evaluate($0) }.count == found)
    return found
  }

  @Test func aComputedMemberIsReadBehindItsGuardOnly() throws {
    let context = try context()
    let filter = Filter(), mode = Mode.all, reference = Reference(), form = Form()
    let perhaps: Filter? = nil
    #expect(try count(#Predicate { filter.words.isEmpty || $0.text == filter.first }, context) == 4)
    #expect(try count(#Predicate { mode == .all || $0.number == mode.number }, context) == 4)
    #expect(
      try count(#Predicate { reference.text == nil || $0.text == reference.first }, context) == 4)
    #expect(
      try count(
        #Predicate { form.filter.words.isEmpty || $0.text == form.filter.first.lowercased() },
        context) == 4)
    #expect(
      try count(
        #Predicate { Settings.shared.limit == nil || $0.number == Settings.shared.forced }, context)
        == 4)
    #expect(
      try count(
        #Predicate { filter.words.isEmpty || $0.text == (perhaps ?? filter).first }, context) == 4)
    #expect(
      try count(
        #Predicate { filter.words.isEmpty ? true : $0.text == filter.first }, context) == 4)
    #expect(
      try count(
        #Predicate { $0.number == (filter.words.isEmpty ? 1 : filter.first.count / 2) }, context)
        == 1)
    #expect(
      try count(
        #Predicate { word in
          filter.words.isEmpty || word.others.contains { $0.text == filter.first }
        }, context) == 4)
  }

  @Test func behindAnOpenGuardItIsWhatItIs() throws {
    let context = try context()
    let filter = Filter(words: ["2"]), form = Form(filter: filter)
    let perhaps: Form? = form
    let reference = Reference()
    reference.text = "3"
    #expect(try count(#Predicate { filter.words.isEmpty || $0.text == filter.first }, context) == 1)
    #expect(
      try count(#Predicate { filter.words.isEmpty || $0.note == form.filter.first }, context) == 1)
    #expect(
      try count(#Predicate { perhaps != nil && $0.note == perhaps?.filter.first }, context) == 1)
    #expect(
      try count(
        #Predicate { !filter.words.isEmpty && filter.words.contains($0.text) }, context) == 1)
    #expect(
      try count(#Predicate { reference.text == nil || $0.text == reference.first }, context) == 1)
    #expect(
      try count(#Predicate { reference.text == nil || $0.text == reference.text! }, context) == 1)
  }

  /// What is stored is copied when the predicate is made, with or without a guard.
  @Test func whatIsStoredIsReadWhenThePredicateIsMade() throws {
    let context = try context()
    let reference = Reference(), watched = Watched(), all = false
    let word = GuardedWord(1)
    reference.text = "1"
    watched.text = "1"
    watched.word = word
    let predicates: [Predicate<GuardedWord>] = [
      #Predicate { all || $0.note == reference.text },
      #Predicate { all || $0.note == watched.text },
      #Predicate { all || $0.text == word.text },
      #Predicate { all || $0.note == watched.word?.text },
      #Predicate { $0.note == reference.text },
    ]
    reference.text = "none"
    watched.text = "none"
    word.text = "none"
    watched.word = nil
    for predicate in predicates { #expect(try count(predicate, context) == 1) }
  }

  /// A predicate that another thread evaluates asks no object of this one for its identifier, or for
  /// what its superclass stores.
  @Test func anIdentifierIsReadWhenThePredicateIsMade() throws {
    let (_, context) = try memory(GuardedOwner.self, GuardedKeeper.self)
    let (owner, other) = (GuardedKeeper(1), GuardedKeeper(2))
    for keeper in [owner, other] { context.insert(keeper) }
    try context.save()
    let holder = GuardedHolder(owner), all = false
    let predicates: [Predicate<GuardedOwner>] = [
      #Predicate { all || $0.persistentModelID == holder.owner.persistentModelID },
      #Predicate { all || $0.persistentModelID == owner.persistentModelID },
      #Predicate { all || $0.id == owner.id },
      #Predicate { all || $0.number == owner.number },
    ]
    holder.owner = other
    owner.number = 1_000
    for predicate in predicates.dropLast() {
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      #expect(found.map(\.persistentModelID) == [owner.persistentModelID])
    }
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicates[3])) == 0)
    owner.number = 1
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicates[3])) == 1)
  }

  /// A name in small letters may be a type's.
  @Test func aTypeMayBeginWithASmallLetter() throws {
    let context = try context()
    let all = false, list = [1, 2]
    #expect(try count(#Predicate { all || $0.number == guarded_limits.first }, context) == 1)
    #expect(try count(#Predicate { all || $0.number == guarded_limits.twice(1) }, context) == 1)
    #expect(try count(#Predicate { $0.number == guarded_limits.twice(list[0]) }, context) == 1)
    #expect(try count(#Predicate { all || $0.number == guarded_limits.Inner.last }, context) == 1)
    #expect(
      try count(#Predicate { all || $0.number == guarded_kind.second.rawValue }, context) == 1)
  }

  /// What is computed is read once, not for each row.
  @Test func aComputedMemberIsReadOnce() throws {
    let context = try context()
    let counting = Counting(), all = false
    let predicate = #Predicate<GuardedWord> { all || $0.number == counting.number }
    #expect(counting.reads.withLock { $0 } == 0)
    #expect(try count(predicate, context) == 1)
    #expect(counting.reads.withLock { $0 } == 1)
    // Without a guard, when it is made.
    let other = #Predicate<GuardedWord> { $0.number == counting.number }
    #expect(counting.reads.withLock { $0 } == 2)
    #expect(try count(other, context) == 1)
    #expect(counting.reads.withLock { $0 } == 2)
  }

  @Test func predicatesOfEqualMembersAreEqual() {
    func descriptor(_ filter: Filter, _ all: Bool) -> FetchDescriptor<GuardedWord> {
      FetchDescriptor(predicate: #Predicate { all || $0.text == filter.first })
    }
    let first = descriptor(Filter(words: ["a"]), false)
    #expect(first == descriptor(Filter(words: ["a"]), false))
    #expect(first != descriptor(Filter(words: ["b"]), false))
  }
}

@Model final class GuardedWord {
  var number: Int
  var text: String
  var note: String?
  var others: [GuardedWord] = []

  init(_ number: Int) {
    self.number = number
    text = "\(number)"
    note = text
  }
}

private struct Filter: Codable, Hashable {
  var words: [String] = []
  var first: String { words[0] }
}

@Model class GuardedOwner {
  var number: Int
  init(_ number: Int) { self.number = number }
}

@Model final class GuardedKeeper: GuardedOwner {}

private final class GuardedHolder {
  var owner: GuardedOwner
  init(_ owner: GuardedOwner) { self.owner = owner }
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
private enum guarded_limits {
  static let first = 1
  static func twice(_ number: Int) -> Int { 2 * number }
  enum Inner { static let last = 3 }
}

// swift-format-ignore: TypeNamesShouldBeCapitalized
private enum guarded_kind: Int {
  case first, second
}

private struct Form {
  var filter = Filter()
}

private enum Mode: Int {
  case all, one
  var number: Int {
    precondition(self == .one)
    return 1
  }
}

private struct Settings {
  static let shared = Settings()
  var limit: Int?
  var forced: Int {
    guard let limit else { preconditionFailure("read without its guard") }
    return limit
  }
}

private final class Reference {
  var text: String?
  var first: String {
    guard let text else { preconditionFailure("read without its guard") }
    return text
  }
}

@Observable private final class Watched {
  var text: String?
  var word: GuardedWord?
}

private final class Counting: Sendable {
  let reads = Mutex(0)
  var number: Int {
    reads.withLock { $0 += 1 }
    return 2
  }
}
