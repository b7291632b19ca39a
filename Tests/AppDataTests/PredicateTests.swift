import Testing
import VaultAppData

/// Each kind of expression, asked of the store and of the objects.
struct PredicateTests {
  let crew: Crew

  init() throws { crew = try Crew() }

  @Test func valuesAreEqualAsInSwift() throws {
    let name = "é"
    let none: String? = nil
    let mood = Person.Mood.glad
    try crew.check(#Predicate { $0.name == "Anna" })
    try crew.check(#Predicate { $0.name == name })
    try crew.check(#Predicate { $0.name != name })
    try crew.check(#Predicate { $0.name == "" })
    try crew.check(#Predicate { $0.nickname == "a" })
    try crew.check(#Predicate { $0.nickname != "a" })
    try crew.check(#Predicate { $0.nickname == none })
    try crew.check(#Predicate { $0.mood == mood })
    try crew.check(#Predicate { $0.maybeMood != mood })
    try crew.check(#Predicate { $0.maybeMood == nil })
    try crew.check(#Predicate { $0.rank == Person.Rank.mate })
    try crew.check(#Predicate { $0.mood.rawValue == "sad" })
    try crew.check(#Predicate { $0.maybeMood?.rawValue == "glad" })
  }

  @Test func theOtherTypesAreEqualAsInSwift() throws {
    let some = try crew.context.fetch(FetchDescriptor<Person>())[3]
    let (token, address, second, big) = (some.token, some.address, some.second, some.big)
    let (balance, data, born, ratio) = (some.balance, some.picture, some.born, some.ratio)
    let (site, noNumber) = (URL(filePath: "/tmp"), Double.nan)
    try crew.check(#Predicate { $0.token == token })
    try crew.check(#Predicate { $0.token.uuidString == "nobody" })
    try crew.check(#Predicate { $0.address == address })
    try crew.check(#Predicate { $0.second == second })
    try crew.check(#Predicate { $0.second == nil })
    try crew.check(#Predicate { $0.big == big })
    try crew.check(#Predicate { $0.balance == balance })
    try crew.check(#Predicate { $0.balance != balance })
    try crew.check(#Predicate { $0.picture == data })
    try crew.check(#Predicate { $0.born == born })
    try crew.check(#Predicate { $0.ratio == ratio })
    try crew.check(#Predicate { $0.site == site })
    try crew.check(#Predicate { $0.height == .infinity })
    try crew.check(#Predicate { $0.height == noNumber })
    try crew.check(#Predicate { $0.height != noNumber })
    try crew.check(#Predicate { $0.score ?? 1 == $0.height })
  }

  @Test func valuesAreOrderedAsInSwift() throws {
    let (date, noNumber) = (Date(timeIntervalSinceReferenceDate: 1), Double.nan)
    let limit = Decimal(string: "0.100")!
    try crew.check(#Predicate { $0.name < "b" })
    try crew.check(#Predicate { $0.name >= "é" })
    try crew.check(#Predicate { $0.age > 3 })
    try crew.check(#Predicate { $0.age <= -1 })
    try crew.check(#Predicate { $0.small < $0.small })
    try crew.check(#Predicate { $0.big > 9_223_372_036_854_775_807 })
    try crew.check(#Predicate { $0.joined < date })
    try crew.check(#Predicate { $0.joined.timeIntervalSince1970 > 978_307_200.5 })
    try crew.check(#Predicate { $0.joined.timeIntervalSinceReferenceDate > 0 })
    try crew.check(#Predicate { $0.balance > limit })
    try crew.check(#Predicate { $0.balance >= limit })
    try crew.check(#Predicate { $0.rank < Person.Rank.captain })
    try crew.check(#Predicate { $0.rank >= Person.Rank.mate })
    try crew.check(#Predicate { $0.height < noNumber })
    try crew.check(#Predicate { !($0.height < noNumber) })
  }

  @Test func conditionsAreJoinedAsInSwift() throws {
    try crew.check(#Predicate { $0.isActive })
    try crew.check(#Predicate { !$0.isActive })
    try crew.check(#Predicate { $0.isActive && $0.age > 0 || $0.flag == true })
    try crew.check(#Predicate { !($0.flag == true) })
    try crew.check(#Predicate { $0.flag ?? false })
    try crew.check(#Predicate { !($0.flag ?? true) })
    try crew.check(#Predicate { ($0.isActive ? $0.age : 7) > 5 })
    try crew.check(#Predicate { ($0.flag == nil ? $0.isActive : $0.age > 0) })
    try crew.check(#Predicate { if $0.isActive { $0.age > 0 } else { $0.name == "" } })
    try crew.check(
      #Predicate {
        if let nickname = $0.nickname, $0.isActive { nickname == $0.name } else { $0.age == 0 }
      })
    try crew.check(#Predicate { _ in true })
    try crew.check(#Predicate { _ in false })
  }

  @Test func optionalsAreUnwrappedAsInSwift() throws {
    try crew.check(#Predicate { $0.nickname == nil })
    try crew.check(#Predicate { $0.nickname != nil })
    try crew.check(#Predicate { ($0.nickname ?? "a") == "a" })
    try crew.check(#Predicate { ($0.nickname ?? $0.name).isEmpty })
    try crew.check(#Predicate { $0.nickname! == "a" })
    try crew.check(#Predicate { !($0.nickname! == "a") })
    try crew.check(#Predicate { $0.nickname! == "a" || $0.isActive })
    try crew.check(#Predicate { $0.isActive || $0.nickname! == "a" })
    try crew.check(#Predicate { $0.isActive && $0.nickname! != "a" })
    try crew.check(#Predicate { $0.nickname?.isEmpty == true })
    try crew.check(#Predicate { $0.nickname?.isEmpty != true })
    try crew.check(#Predicate { $0.nickname?.count ?? 3 > 2 })
    try crew.check(#Predicate { $0.nickname.flatMap { $0 == "a" } == nil })
    try crew.check(#Predicate { ($0.score ?? $0.height) > 1 })
    try crew.check(#Predicate { $0.born != nil && $0.born! < $0.joined })
  }

  @Test func numbersAreReckonedAsInSwift() throws {
    try crew.check(#Predicate { $0.small < 100 && $0.small + 1 > 2 })
    try crew.check(#Predicate { $0.height + 1 > 2.4 })
    try crew.check(#Predicate { $0.height * 2 == 0.6 })
    try crew.check(#Predicate { $0.height - $0.height == 0 })
    try crew.check(#Predicate { $0.height - $0.height != 0 })
    try crew.check(#Predicate { $0.height / 0 > 1 })
    try crew.check(#Predicate { $0.ratio * 3 == 0.3 as Float })
    try crew.check(#Predicate { $0.ratio / 3 < 0.2 as Float })
    try crew.check(#Predicate { $0.numbers.count / 2 == 1 })
    try crew.check(#Predicate { $0.numbers.count % 2 == 1 })
    try crew.check(#Predicate { -$0.height < 0 })
    try crew.check(#Predicate { $0.balance + 1 == 2 })
    try crew.check(#Predicate { $0.balance * 10 > 1 })
    try crew.check(#Predicate { -$0.balance > 0 })
    try crew.check(#Predicate { $0.big / 2 > 3 })
  }

  @Test func whatWouldTrapFindsNothing() throws {
    func none(_ predicate: Predicate<Person>) throws {
      let descriptor = FetchDescriptor(predicate: predicate)
      #expect(try crew.context.fetchCount(descriptor) == 0, "\(predicate)")
    }
    try none(#Predicate { $0.age == .max && $0.age + 1 > 0 })
    try none(#Predicate { $0.age == .max && !($0.age + 1 > 0) })
    try none(#Predicate { $0.small == 127 && $0.small + 1 > 0 })
    try none(#Predicate { $0.age / 0 == 0 })
    try none(#Predicate { $0.age == .min && -$0.age != 0 })
    try none(#Predicate { $0.age % 0 != 1 })
    try none(#Predicate { $0.big - $0.big - 1 > 0 })
    try none(#Predicate { $0.numbers[99] == 1 })
    try none(#Predicate { !($0.numbers[-1] == 1) })
  }

  @Test func textsAreSearchedCharacterByCharacter() throws {
    let (search, prefix) = ("an", "Item")
    try crew.check(#Predicate { $0.name.contains(search) })
    try crew.check(#Predicate { $0.name.contains("") })
    try crew.check(#Predicate { $0.name.contains("\n") })
    try crew.check(#Predicate { $0.name.contains("x") })
    try crew.check(#Predicate { $0.name.contains("e\u{301}") })
    try crew.check(#Predicate { $0.name.contains("👨") })
    try crew.check(#Predicate { $0.name.starts(with: prefix) })
    try crew.check(#Predicate { $0.name.starts(with: "x") })
    try crew.check(#Predicate { $0.name.starts(with: "") })
    try crew.check(#Predicate { $0.name.starts(with: $0.nickname ?? "a") })
    try crew.check(#Predicate { $0.name.count == 1 })
    try crew.check(#Predicate { $0.name.isEmpty })
    try crew.check(#Predicate { $0.name.last == nil })
    try crew.check(#Predicate { "Anna Bob".contains($0.name) })
    try crew.check(#Predicate { $0.nickname?.contains("a") == true })
    try crew.check(#Predicate { $0.name.contains(#/[0-9]+/#) })
  }

  @Test func textsAreComparedForPeople() throws {
    let search = "EMIL"
    try crew.check(#Predicate { $0.name.localizedStandardContains(search) })
    try crew.check(#Predicate { $0.nickname?.localizedStandardContains("a") ?? false })
    try crew.check(#Predicate { $0.name.caseInsensitiveCompare("ANNA") == .orderedSame })
    try crew.check(#Predicate { $0.name.localizedCompare("b") == .orderedAscending })
  }

  @Test func rangesAndListsHoldValues() throws {
    let names = ["Anna", "é", "o'clock"]
    let maybe: [String?] = ["a", nil]
    let range = 0...5
    let reals = [0.1, 0.2, 1.5, .infinity]
    let (bytes, numbers) = ([Data([1])], [Decimal(string: "0.10")!])
    let many = Array(0..<100_000)
    let ranks: Set<Person.Rank> = [.mate, .captain]
    try crew.check(#Predicate { names.contains($0.name) })
    try crew.check(#Predicate { !names.contains($0.name) })
    try crew.check(#Predicate { names.map { $0 + "" }.contains($0.name) })
    try crew.check(#Predicate { maybe.contains($0.nickname) })
    try crew.check(#Predicate { !maybe.contains($0.nickname) })
    try crew.check(#Predicate { range.contains($0.age) })
    try crew.check(#Predicate { (1..<10).contains($0.age) })
    try crew.check(#Predicate { (-3...$0.numbers.count).contains($0.age) })
    try crew.check(#Predicate { reals.contains($0.height) })
    try crew.check(#Predicate { bytes.contains($0.picture) })
    try crew.check(#Predicate { numbers.contains($0.balance) })
    try crew.check(#Predicate { many.contains($0.age) })
    try crew.check(#Predicate { ranks.contains($0.rank) })
    try crew.check(#Predicate { person in names.contains { $0 == person.name } })
    try crew.check(#Predicate { person in names.allSatisfy { $0 > person.name } })
    try crew.check(#Predicate { person in reals.contains { $0 == person.height } })
  }

  @Test func relatedModelsAreReached() throws {
    let team = try crew.context.fetch(FetchDescriptor<Squad>())[0]
    let id = team.persistentModelID
    try crew.check(#Predicate { $0.team == nil })
    try crew.check(#Predicate { $0.team != nil })
    try crew.check(#Predicate { $0.team?.title == "Red" })
    try crew.check(#Predicate { $0.team?.title != "Red" })
    try crew.check(#Predicate { $0.team?.city == nil })
    try crew.check(#Predicate { $0.team?.city != "Rome" })
    try crew.check(#Predicate { $0.team?.city?.isEmpty == false })
    try crew.check(#Predicate { $0.team?.persistentModelID == id })
    try crew.check(#Predicate { $0.team!.size > 1 })
    try crew.check(#Predicate { $0.team?.lead?.name == $0.nickname })
    try crew.check(#Predicate { $0.team?.lead?.team?.title == "Red" })
    try crew.check(#Predicate { ($0.team?.size ?? 9) > 2 })
    try crew.check(#Predicate { if let team = $0.team { team.size > 1 } else { $0.isActive } })
    try crew.check(#Predicate { ($0.team?.members.count ?? 0) > 3 })
    try crew.check(#Predicate { $0.persistentModelID == $0.id })
  }

  @Test func listsOfModelsAreSearched() throws {
    try crew.check(#Predicate { $0.pets.isEmpty })
    try crew.check(#Predicate { $0.pets.count > 1 })
    try crew.check(#Predicate { $0.pets.contains { $0.isTame } })
    try crew.check(#Predicate { !$0.pets.contains { $0.isTame } })
    try crew.check(#Predicate { $0.pets.allSatisfy { $0.isTame } })
    try crew.check(#Predicate { $0.pets.filter { $0.weight > 1 }.count == 1 })
    try crew.check(#Predicate { $0.pets.filter { !$0.isTame }.isEmpty })
    try crew.check(#Predicate { $0.pets.filter { $0.isTame }.contains(where: { $0.weight > 0 }) })
    try crew.check(#Predicate { person in person.pets.contains { $0.name == person.name } })
    try crew.check(#Predicate { $0.clubs.contains { $0.title == "Chess" } })
    try crew.check(#Predicate { $0.clubs.contains { $0.fee == nil } })
    try crew.check(#Predicate { $0.clubs.count == 2 })
    try crew.check(#Predicate { $0.clubs.allSatisfy { $0.members.count > 5 } })
    try crew.check(#Predicate { $0.pets.first?.isTame == true })
    try crew.check(#Predicate { $0.pets.last?.weight == 1.5 })
    try crew.check(#Predicate { !$0.pets.isEmpty && $0.pets[0].isTame })
    try crew.check(#Predicate { $0.pets.contains { $0.owner?.team?.title == "Red" } })
    try crew.check(#Predicate { $0.team?.members.contains($0) == true })
    try crew.check(
      #Predicate { person in person.clubs.contains { $0.members.contains { $0.age > person.age } } }
    )
  }

  @Test func storedValuesAreLookedInto() throws {
    try crew.check(#Predicate { $0.address.city == "é" })
    try crew.check(#Predicate { $0.address.zip == nil })
    try crew.check(#Predicate { $0.address.zip == 5 })
    try crew.check(#Predicate { $0.address.spot.latitude > 0.1 })
    try crew.check(#Predicate { $0.address.spot.latitude == 0.3 })
    try crew.check(#Predicate { ($0.address.spot.floor ?? 0) > 0 })
    try crew.check(#Predicate { $0.second?.city == "a" })
    try crew.check(#Predicate { $0.second?.city.contains("n") == true })
    try crew.check(#Predicate { $0.tags.contains("é") })
    try crew.check(#Predicate { $0.tags.isEmpty })
    try crew.check(#Predicate { $0.tags.count > 3 })
    try crew.check(#Predicate { $0.tags.contains { $0.starts(with: "A") } })
    try crew.check(#Predicate { $0.tags.first == "a" })
    try crew.check(#Predicate { $0.numbers.contains(3) })
    try crew.check(#Predicate { $0.numbers.allSatisfy { $0 > -2 } })
    try crew.check(#Predicate { $0.numbers.filter { $0 > 0 }.count > 1 })
    try crew.check(#Predicate { ($0.numbers.max() ?? 0) > 10 })
    try crew.check(#Predicate { $0.numbers.min() == nil })
    try crew.check(#Predicate { $0.weights.contains(0.3) })
    try crew.check(#Predicate { $0.weights.max() == .infinity })
    try crew.check(#Predicate { $0.numbers.count > 1 && $0.numbers[1] > 0 })
    try crew.check(#Predicate { $0.counts["a"] == 1 })
    try crew.check(#Predicate { $0.counts["b\"c"] == nil })
    try crew.check(#Predicate { $0.counts["z", default: 3] == 3 })
    try crew.check(#Predicate { $0.counts.count == 2 })
    try crew.check(#Predicate { $0.picture.count > 1 })
    try crew.check(#Predicate { $0.picture.isEmpty })
  }

  @Test func expressionsAndPredicatesAreTakenIn() throws {
    let double = #Expression<Int, Int> { $0 * 2 }
    let isLong = #Predicate<Person> { $0.name.count > 3 }
    let length = #Expression<Person, Int> { $0.name.count }
    try crew.check(#Predicate { double.evaluate($0.numbers.count) == 4 })
    try crew.check(#Predicate { isLong.evaluate($0) && $0.isActive })
    try crew.check(#Predicate { length.evaluate($0) > 1 })
    try crew.check(
      #Predicate { person in person.team?.members.contains { isLong.evaluate($0) } == true })
  }

  @Test func castsAreDecidedByTheTypes() throws {
    typealias Nodes = PredicateExpressions
    try crew.check(
      Predicate { person in
        Nodes.TypeCheck<_, String>(Nodes.build_KeyPath(root: person, keyPath: \.nickname))
      })
    try crew.check(
      Predicate { person in
        Nodes.build_Equal(
          lhs: Nodes.ConditionalCast<_, String>(
            Nodes.build_KeyPath(root: person, keyPath: \.nickname)),
          rhs: Nodes.build_Arg("a"))
      })
  }

  @Test func pendingChangesCount() throws {
    let people = try crew.context.fetch(FetchDescriptor<Person>())
    people[0].name = "Anna"
    people[1].team = nil
    people[2].pets.append(Pet("new"))
    crew.context.delete(people[3])
    crew.context.insert(Person("Anna"))
    try crew.check(#Predicate { $0.name == "Anna" })
    try crew.check(#Predicate { $0.team == nil })
    try crew.check(#Predicate { $0.pets.contains { $0.name == "new" } })
  }

  @Test func whatCannotBeAskedIsNamed() throws {
    func message(_ predicate: Predicate<Person>) -> String {
      do {
        _ = try crew.context.fetch(FetchDescriptor(predicate: predicate))
        return ""
      } catch let error as SwiftDataError {
        return error == .unsupportedPredicate ? error.message : "\(error)"
      } catch {
        return "\(error)"
      }
    }
    #expect(message(#Predicate { $0.isAdult }).hasPrefix("KeyPath: "))
    #expect(message(#Predicate { $0.address.label == "a" }).contains("KeyPath"))
  }

  @Test func dataInFilesIsThereOrNot() throws {
    let (_, context) = try memory(Project.self, Task.self)
    let data = Data(repeating: 7, count: 200_000)
    context.insert(Project(name: "with"))
    context.insert(Project(name: "without"))
    try context.fetch(FetchDescriptor<Project>()).first { $0.name == "with" }?.thumbnail = data
    try context.save()
    let there = FetchDescriptor<Project>(predicate: #Predicate { $0.thumbnail != nil })
    #expect(try context.fetch(there).map(\.name) == ["with"])
    let equal = FetchDescriptor<Project>(predicate: #Predicate { $0.thumbnail == data })
    #expect(throws: SwiftDataError.unsupportedPredicate) { _ = try context.fetch(equal) }
    let long = FetchDescriptor<Project>(predicate: #Predicate { $0.thumbnail?.count ?? 0 > 3 })
    #expect(throws: SwiftDataError.unsupportedPredicate) { _ = try context.fetch(long) }
  }

  @Test func valuesAreNeverPartOfTheText() throws {
    let odd = "'; DROP TABLE \"Person\"; --"
    try crew.check(#Predicate { $0.name == odd })
    try crew.check(#Predicate { $0.name.contains(odd) })
    try crew.check(#Predicate { $0.counts[odd] == nil })
    #expect(try crew.context.fetchCount(FetchDescriptor<Person>()) == 40)
  }
}

extension Person {
  var isAdult: Bool { age > 17 }
}

extension Person.Address {
  var label: String { city }
}
