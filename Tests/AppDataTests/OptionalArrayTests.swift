import SwiftData
import Testing

/// Predicates over relationships to many that are optional.
struct OptionalArrayTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    (container, context) = try memory(Tour.self)
    let (red, blue) = (Theme("red"), Theme("blue"))
    for (name, themes) in [("none", nil), ("empty", []), ("red", [red]), ("both", [red, blue])] {
      let tour = Tour(name, themes: themes)
      context.insert(tour)
      if name != "none" { context.insert(Halt(tour: tour)) }
    }
    context.insert(Halt(9, tour: nil))
    try context.save()
  }

  private func tours(_ predicate: Predicate<Tour>) throws -> [String] {
    let fetch = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
    let found = try ModelContext(container).fetch(fetch).map(\.name)
    #expect(try context.fetch(fetch).map(\.name) == found)
    return found
  }

  @Test func containsIsAskedInEachForm() throws {
    #expect(
      try tours(#Predicate { $0.themes?.contains { $0.label == "blue" } == true }) == ["both"])
    #expect(
      try tours(#Predicate { $0.themes?.contains { $0.label == "blue" } ?? false }) == ["both"])
    #expect(
      try tours(#Predicate { ($0.themes?.contains { $0.label == "red" } ?? false) == false })
        == ["empty", "none"])
    #expect(
      try tours(
        #Predicate { tour in
          if let themes = tour.themes { themes.contains { $0.label == "red" } } else { false }
        }) == ["both", "red"])
    #expect(
      try tours(
        #Predicate { $0.themes.flatMap { $0.contains { $0.label == "red" } } == true })
        == ["both", "red"])
    #expect(try tours(#Predicate { $0.themes!.contains { $0.label == "blue" } }) == ["both"])
    #expect(
      try tours(#Predicate { $0.themes?.allSatisfy { $0.label == "red" } == true })
        == ["empty", "none", "red"])
  }

  @Test func itsLengthIsAsked() throws {
    #expect(try tours(#Predicate { ($0.themes?.count ?? 0) > 1 }) == ["both"])
    #expect(try tours(#Predicate { $0.themes?.count == 1 }) == ["red"])
    #expect(try tours(#Predicate { $0.themes?.isEmpty == false }) == ["both", "red"])
    #expect(try tours(#Predicate { $0.themes?.isEmpty ?? true }) == ["empty", "none"])
    #expect(
      try tours(#Predicate { ($0.themes?.filter { $0.label == "red" }.count ?? 0) == 1 })
        == ["both", "red"])
    #expect(
      try tours(#Predicate { $0.themes?.filter { $0.label == "blue" }.isEmpty == false }) == [
        "both"
      ])
  }

  /// The file has no `nil` for arrays: one that was set `nil` is empty.
  @Test func noneIsNilToAQuery() throws {
    let all = ["both", "empty", "none", "red"]
    #expect(try tours(#Predicate { $0.themes != nil }) == all)
    #expect(try tours(#Predicate { $0.themes == nil }) == [])
    #expect(try tours(#Predicate { $0.themes != nil && $0.themes!.isEmpty }) == ["empty", "none"])
  }

  @Test func theyAreAskedWithinOthersAndBehindAnOptionalOwner() throws {
    let besideBlue = #Predicate<Theme> { theme in
      theme.tours?.contains { $0.themes?.contains { $0.label == "blue" } == true } == true
    }
    let themes = try context.fetch(
      FetchDescriptor(predicate: besideBlue, sortBy: [SortDescriptor(\Theme.label)]))
    #expect(themes.map(\.label) == ["blue", "red"])
    func halts(_ predicate: Predicate<Halt>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map { $0.tour?.name ?? "-" }.sorted()
    }
    #expect(
      try halts(#Predicate { $0.tour?.themes?.contains { $0.label == "blue" } == true }) == ["both"]
    )
    #expect(try halts(#Predicate { $0.tour?.themes?.isEmpty == true }) == ["empty"])
    #expect(try halts(#Predicate { $0.tour?.themes?.isEmpty == false }) == ["both", "red"])
    #expect(try halts(#Predicate { $0.tour?.themes == nil }) == ["-"])
    #expect(try halts(#Predicate { ($0.tour?.themes?.count ?? -1) < 0 }) == ["-"])
  }

  @Test func twoSidesMayHaveOneName() throws {
    let (container, context) = try memory(Country.self)
    let (oslo, rome) = (Country("Oslo"), Country("Rome"))
    let (first, second) = (Border("1"), Border("2"))
    oslo.neighbors = [second, first]
    rome.neighbors = [second]
    context.insert(oslo)
    context.insert(rome)
    try context.save()
    let other = ModelContext(container)
    let countries = try other.fetch(FetchDescriptor<Country>(sortBy: [SortDescriptor(\.name)]))
    #expect(countries.map { $0.neighbors.map(\.name) } == [["2", "1"], ["2"]])
    let borders = try other.fetch(
      FetchDescriptor<Border>(
        predicate: #Predicate { $0.neighbors?.contains { $0.name == "Rome" } == true }))
    #expect(borders.map { $0.neighbors?.map(\.name) ?? [] } == [["Oslo", "Rome"]])
    borders.first?.neighbors?.removeAll { $0.name == "Oslo" }
    try other.save()
    #expect(oslo.neighbors.map(\.name) == ["1"])
    let sqlite = try container.stores[0].lease().sqlite
    #expect(
      try sqlite.strings("SELECT name FROM pragma_table_info('Country_neighbors') ORDER BY name")
        == [
          "Border_neighbors_id", "Border_neighbors_position", "Country_neighbors_id",
          "Country_neighbors_position",
        ])
  }
}

@Model
final class Country {
  var name: String
  @Relationship(inverse: \Border.neighbors) var neighbors: [Border] = []
  init(_ name: String) { self.name = name }
}

@Model
final class Border {
  var name: String
  var neighbors: [Country]?
  init(_ name: String) { self.name = name }
}
