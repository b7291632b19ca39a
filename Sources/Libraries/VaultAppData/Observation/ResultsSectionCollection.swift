/// The results of a fetch in sections, each where its first object is.
public struct ResultsSectionCollection<Element, SectionName: Hashable>: RandomAccessCollection {
  let places: SectionPlaces<SectionName>
  private let results: FetchResultsCollection<Element>

  init(places: SectionPlaces<SectionName>, results: FetchResultsCollection<Element>) {
    self.places = places
    self.results = results
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { places.names.count }
  /// The section at a place.
  public subscript(position: Int) -> ResultsSection<Element, SectionName> {
    ResultsSection(places.names[position], places.places[position], results)
  }

  /// The sections' names, in their order.
  public var sectionNames: [SectionName] { places.names }
  /// Whether there is a section with this name.
  public func contains(sectionName: SectionName) -> Bool { places.index[sectionName] != nil }
  /// The place of the section with a name; `nil` if there is none.
  public func index(ofSectionNamed sectionName: SectionName) -> Int? { places.index[sectionName] }
  /// The section with a name; `nil` if there is none.
  public subscript(sectionName sectionName: SectionName) -> ResultsSection<Element, SectionName>? {
    places.index[sectionName].map { self[$0] }
  }

  /// The section of a place among all results, and the place in it.
  func indexPath(of place: Int) -> IndexPath? {
    for (section, own) in places.places.enumerated() {
      // Places rise within a section.
      var (low, high) = (0, own.count)
      while low < high {
        let middle = (low + high) / 2
        if own[middle] < place { low = middle + 1 } else { high = middle }
      }
      if low < own.count, own[low] == place { return IndexPath(indexes: [section, low]) }
    }
    return nil
  }
}

/// Which results are in which section.
struct SectionPlaces<SectionName: Hashable>: Equatable {
  private(set) var names: [SectionName] = []
  private(set) var places: [[Int]] = []
  private(set) var index: [SectionName: Int] = [:]

  mutating func add(_ place: Int, to name: SectionName) {
    if let known = index[name] {
      places[known].append(place)
    } else {
      index[name] = names.count
      names.append(name)
      places.append([place])
    }
  }
}
