import TestSupport
import Testing
import VaultAppData

/// Random predicates over random rows: the store finds what the objects themselves say.
///
/// To repeat a failure, give its seed in `VAULT_TEST_SEED`; `VAULT_TEST_ROUNDS` asks for more.
struct PredicateDifferentialTests {
  private static func setting<Value: LosslessStringConvertible>(_ name: String) -> Value? {
    ProcessInfo.processInfo.environment[name].flatMap(Value.init)
  }

  private let seed = setting("VAULT_TEST_SEED") ?? UInt64.random(in: 0...UInt64.max)
  private let rounds = setting("VAULT_TEST_ROUNDS") ?? 3_000

  @Test func thousandsOfPredicatesFindWhatTheObjectsSay() throws {
    var crew = try Crew(count: 25, seed: seed)
    var all = try crew.context.fetch(FetchDescriptor<Person>())
    var maker = PredicateMaker(random: SeededGenerator(seed: seed))
    for round in 0..<rounds {
      // Other people now and then; some of them pending, which must make no difference.
      if round % 1_000 == 999 {
        crew = try Crew(count: 25, seed: seed &+ UInt64(round))
        if round % 2_000 == 999 { try crew.disturb(&maker.random) }
        all = try crew.context.fetch(FetchDescriptor<Person>())
      }
      let predicate = maker.predicate()
      var (order, follows) = maker.order()
      if maker.chance(3) > 0 { (order, follows) = ([], { _, _ in false }) }
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
      let matching = all.filter { (try? predicate.evaluate($0)) ?? false }
      var expected = matching.enumerated().sorted { left, right in
        if follows(left.element, right.element) { return true }
        return !follows(right.element, left.element) && left.offset < right.offset
      }.map(\.element)
      if maker.chance(4) == 0 {
        descriptor.fetchOffset = maker.chance(4)
        descriptor.fetchLimit = maker.chance(6)
        // A limit of 0 is none.
        let limit = descriptor.fetchLimit ?? 0
        expected = Array(
          expected.dropFirst(descriptor.fetchOffset ?? 0).prefix(limit == 0 ? .max : limit))
      }
      lazy var note = "seed \(seed), round \(round): \(type(of: predicate.expression)) \(order)"
      do {
        let found = try crew.context.fetch(descriptor)
        #expect(found.map(\.id) == expected.map(\.id), "\(note)")
        let count = try crew.context.fetchCount(descriptor)
        #expect(count == expected.count, "\(note)")
        if found.map(\.id) != expected.map(\.id) || count != expected.count { break }
      } catch {
        Issue.record("\(error) \(note)")
        break
      }
    }
  }
}

extension PredicateMaker {
  mutating func predicate() -> Predicate<Person> {
    var maker = self
    let predicate = Predicate<Person> { maker.test($0, depth: 3) }
    self = maker
    return predicate
  }

  /// An order, and whether one person comes before another by it.
  mutating func order() -> ([SortDescriptor<Person>], (Person, Person) -> Bool) {
    let direction: SortOrder = chance(2) == 0 ? .forward : .reverse
    func by<Value: Comparable>(
      _ sort: SortDescriptor<Person>, _ value: @escaping (Person) -> Value?
    ) -> ([SortDescriptor<Person>], (Person, Person) -> Bool) {
      return (
        [sort],
        { left, right in
          // nil comes first.
          let isLess =
            switch (value(left), value(right)) {
            case (nil, nil): false
            case (nil, _): direction == .forward
            case (_, nil): direction == .reverse
            case (let left?, let right?): direction == .forward ? left < right : right < left
            }
          return isLess
        }
      )
    }
    switch chance(12) {
    case 0: return by(SortDescriptor(\.name, order: direction)) { $0.name }
    case 1: return by(SortDescriptor(\.nickname, order: direction)) { $0.nickname }
    case 2: return by(SortDescriptor(\.age, order: direction)) { $0.age }
    case 3: return by(SortDescriptor(\.balance, order: direction)) { $0.balance }
    case 4: return by(SortDescriptor(\.born, order: direction)) { $0.born }
    case 5: return by(SortDescriptor(\.score, order: direction)) { $0.score }
    case 6: return by(SortDescriptor(\.isActive, order: direction)) { $0.isActive ? 1 : 0 }
    case 7: return by(SortDescriptor(\.rank, order: direction)) { $0.rank }
    case 8: return by(SortDescriptor(\.team?.city, order: direction)) { $0.team?.city }
    case 9: return by(SortDescriptor(\.big, order: direction)) { $0.big }
    case 10: return by(SortDescriptor(\.initial, order: direction)) { $0.initial }
    default:
      return by(SortDescriptor(\.address.spot.floor, order: direction)) { $0.address.spot.floor }
    }
  }
}

extension Crew {
  /// Leaves changes that were not saved.
  func disturb(_ random: inout SeededGenerator) throws {
    let people = try context.fetch(FetchDescriptor<Person>())
    for person in people {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: context.delete(person)
      case 1: person.team = people.randomElement(using: &random)?.team
      case 2: person.nickname = Self.texts.randomElement(using: &random)
      case 3: person.pets = []
      case 4: person.clubs.removeAll()
      default: context.insert(Person(person.name))
      }
    }
  }
}
