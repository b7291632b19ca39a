import TestSupport
import Testing
import VaultAppData

@Model
final class Person {
  enum Rank: Int, Codable, CaseIterable, Comparable {
    // The lowest number is the highest rank.
    case captain = 0, mate = 1, sailor = 2
    static func < (left: Rank, right: Rank) -> Bool { left.rawValue > right.rawValue }
  }
  enum Mood: String, Codable { case calm, glad, sad }
  struct Address: Codable, Equatable {
    struct Spot: Codable, Equatable { var latitude: Double; var floor: Int? }
    var city: String
    var zip: Int?
    var spot: Spot
  }

  var name: String
  var nickname: String?
  var age = 0
  var small: Int8 = 0
  var big: UInt64 = 0
  var height = 0.0
  var ratio: Float = 0
  var score: Double?
  var balance: Decimal = 0
  var isActive = false
  var flag: Bool?
  var born: Date?
  var joined = Date(timeIntervalSinceReferenceDate: 0)
  var token = UUID()
  var site: URL?
  var initial: Character = "a"
  var picture = Data()
  var rank = Rank.sailor
  var mood = Mood.calm
  var maybeMood: Mood?
  var address = Address(city: "", zip: nil, spot: .init(latitude: 0, floor: nil))
  var second: Address?
  var tags: [String] = []
  var numbers: [Int] = []
  var weights: [Double] = []
  var counts: [String: Int] = [:]
  var team: Squad?
  @Relationship(inverse: \Pet.owner) var pets: [Pet] = []
  @Relationship(inverse: \Club.members) var clubs: [Club] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Squad {
  var title: String
  var city: String?
  var size = 0
  var lead: Person?
  @Relationship(inverse: \Person.team) var members: [Person] = []

  init(_ title: String) { self.title = title }
}

@Model
final class Pet {
  var name: String
  var weight = 0.0
  var isTame = true
  var owner: Person?

  init(_ name: String) { self.name = name }
}

@Model
final class Club {
  var title: String
  var fee: Int?
  var members: [Person] = []

  init(_ title: String) { self.title = title }
}

/// A store with people of every kind.
struct Crew {
  let container: ModelContainer
  let context: ModelContext

  init(count: Int = 40, seed: UInt64 = 7) throws {
    (container, context) = try memory(Person.self, Squad.self, Pet.self, Club.self)
    var random = SeededGenerator(seed: seed)
    let teams = ["Red", "Blue", "", "Zoë"].map(Squad.init)
    teams[0].city = "Rome"
    teams[3].city = "Malmö"
    for (size, team) in teams.enumerated() { team.size = size }
    let clubs = ["Chess", "Rowing", "Choir"].map(Club.init)
    clubs[0].fee = 10
    clubs[1].fee = -3
    teams.forEach(context.insert)
    clubs.forEach(context.insert)
    for _ in 0..<count {
      let person = Person(Self.texts.randomElement(using: &random) ?? "")
      context.insert(person)
      Self.fill(person, &random)
      person.team = (teams + [nil]).randomElement(using: &random) ?? nil
      for number in 0..<Int.random(in: 0...3, using: &random) {
        let pet = Pet(Self.texts.randomElement(using: &random) ?? "")
        pet.weight = Double(number) * 1.5
        pet.isTame = .random(using: &random)
        person.pets.append(pet)
      }
      person.clubs = clubs.filter { _ in .random(using: &random) }
    }
    let people = try context.fetch(FetchDescriptor<Person>())
    for team in teams where team.size != 2 { team.lead = people.randomElement(using: &random) }
    try context.save()
  }

  static let texts = [
    "", "a", "A", "Anna", "anna", "Bob", "e\u{301}", "é", "Émile", "Zoë", "Item 2", "Item 10",
    "x\u{301}y", "🇩🇪🇫🇷", "👨‍👩‍👧", "a\r\nb", "100%", "o'clock", "ﬁ", "z",
  ]
  static let integers = [-128, -3, -1, 0, 1, 2, 3, 5, 10, 100, 127]
  static let reals = [-2.5, -0.0, 0.0, 0.1, 0.2, 0.3, 1, 1.5, 1e300, 2.5, .infinity]

  private static func fill(_ person: Person, _ random: inout SeededGenerator) {
    func any<Value>(_ values: [Value], _ fallback: Value) -> Value {
      values.randomElement(using: &random) ?? fallback
    }
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    person.nickname = maybe(any(texts, ""))
    person.age = any(integers + [.max, .min], 0)
    person.small = Int8(any(integers, 0))
    person.big = any([0, 1, 7, UInt64(Int64.max), UInt64(Int64.max) + 1, .max], 0)
    person.height = any(reals, 0)
    person.ratio = Float(any(reals, 0))
    person.score = maybe(any(reals, 0))
    person.balance = any(
      [0, 1, -1, 12, Decimal(string: "0.10"), Decimal(string: "0.1"), Decimal(string: "-12.5")]
        .compactMap { $0 }, 0)
    person.isActive = .random(using: &random)
    person.flag = maybe(.random(using: &random))
    person.born = maybe(Date(timeIntervalSinceReferenceDate: any(reals.filter(\.isFinite), 0)))
    person.joined = Date(timeIntervalSinceReferenceDate: any([0, 1, 86_400.5, -7], 0))
    person.site = maybe(URL(filePath: "/tmp"))
    person.initial = any(["a", "é", "Z"], "a")
    person.picture = Data(repeating: 1, count: any([0, 1, 3], 0))
    person.rank = any(Person.Rank.allCases, .sailor)
    person.mood = any([.calm, .glad, .sad], .calm)
    person.maybeMood = maybe(.glad)
    person.address = Person.Address(
      city: any(texts, ""), zip: maybe(any(integers, 0)),
      spot: .init(latitude: any(reals, 0), floor: maybe(any(integers, 0))))
    person.second = maybe(person.address)
    person.tags = texts.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
    person.numbers = integers.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    person.weights = reals.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    person.counts = Bool.random(using: &random) ? ["a": 1, "b\"c": 2] : ["z": 5]
  }

  /// Asks the store, and every object by itself, which must give the same.
  func check(
    _ predicate: Predicate<Person>, _ note: String = "",
    location: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<Person>())
    // A row for which the condition throws is not found: a query cannot throw for one row.
    let expected = all.filter { (try? predicate.evaluate($0)) ?? false }
    do {
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      #expect(
        found.map(\.name) == expected.map(\.name) && found.map(\.id) == expected.map(\.id),
        "\(note) \(predicate)", sourceLocation: location)
      let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
      #expect(count == expected.count, "\(note) \(predicate)", sourceLocation: location)
    } catch {
      Issue.record("\(error) \(note) \(predicate)", sourceLocation: location)
    }
  }
}
