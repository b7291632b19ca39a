/// The results of a fetch that belong together, in their order.
public struct ResultsSection<Element, SectionName: Hashable>: RandomAccessCollection, Identifiable {
  /// The value that they share.
  public let name: SectionName
  private let places: [Int]
  private let results: FetchResultsCollection<Element>

  init(_ name: SectionName, _ places: [Int], _ results: FetchResultsCollection<Element>) {
    self.name = name
    self.places = places
    self.results = results
  }

  /// The value that they share.
  public var id: SectionName { name }
  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { places.count }
  /// The element at a place of the section.
  public subscript(position: Int) -> Element { results[places[position]] }
}
