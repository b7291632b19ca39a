import Testing
import VaultAppData

/// Orders, as the store gives them and as Foundation sorts the objects.
struct SortTests {
  let crew: Crew

  init() throws { crew = try Crew(count: 60, seed: 11) }

  private func check(
    _ sorts: [SortDescriptor<Person>], location: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let all = try crew.context.fetch(FetchDescriptor<Person>())
    // Equal values stay in the order of the keys, in both directions.
    for order in [SortOrder.forward, .reverse] {
      let expected = all.sorted { left, right in
        for sort in sorts {
          let result = sort.compare(left, right)
          if result != .orderedSame { return (result == .orderedAscending) == (order == .forward) }
        }
        return left.persistentModelID < right.persistentModelID
      }
      let turned = sorts.map { sort in
        var sort = sort
        sort.order = order
        return sort
      }
      let found = try crew.context.fetch(FetchDescriptor(sortBy: turned))
      #expect(
        found.map { "\($0.persistentModelID.number)" }
          == expected.map { "\($0.persistentModelID.number)" }, "\(order) \(sorts.map(\.keyPath))",
        sourceLocation: location)
    }
  }

  @Test func everyPropertySorts() throws {
    try check([SortDescriptor(\.name)])
    try check([SortDescriptor(\.nickname)])
    try check([SortDescriptor(\.age)])
    try check([SortDescriptor(\.big)])
    try check([SortDescriptor(\.height)])
    try check([SortDescriptor(\.balance)])
    try check([SortDescriptor(\.born), SortDescriptor(\.age)])
    try check([SortDescriptor(\.token)])
    try check([SortDescriptor(\.rank)])
    try check([SortDescriptor(\.initial)])
  }

  @Test func truthValuesSort() throws {
    try check([SortDescriptor(\.isActive), SortDescriptor(\.name)])
    try check([SortDescriptor(\.flag)])
  }

  @Test func textsSortForPeople() throws {
    try check([SortDescriptor(\.name, comparator: .localizedStandard)])
    try check([SortDescriptor(\.nickname, comparator: .localizedStandard)])
    try check([SortDescriptor(\.name, comparator: .localized)])
    try check([SortDescriptor(\.name, comparator: .lexical)])
  }

  @Test func whatIsFartherAwaySorts() throws {
    try check([SortDescriptor(\.team?.title), SortDescriptor(\.name)])
    try check([SortDescriptor(\.team?.city)])
    try check([SortDescriptor(\.team?.lead?.age)])
    try check([SortDescriptor(\.address.city)])
    try check([SortDescriptor(\.address.spot.latitude)])
    try check([SortDescriptor(\.second?.zip)])
  }

  @Test func aPageIsPartOfTheOrder() throws {
    var descriptor = FetchDescriptor<Person>(
      predicate: #Predicate { $0.team?.title != "Red" }, sortBy: [SortDescriptor(\.team?.title)])
    let all = try crew.context.fetch(descriptor)
    descriptor.fetchOffset = 5
    descriptor.fetchLimit = 10
    #expect(try crew.context.fetch(descriptor).map(\.id) == all[5..<15].map(\.id))
    #expect(try crew.context.fetchIdentifiers(descriptor) == all[5..<15].map(\.persistentModelID))
    #expect(try crew.context.fetchCount(descriptor) == 10)
  }

  @Test func aComputedPropertyIsRefused() throws {
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      _ = try crew.context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Person.doubled)]))
    }
  }
}

extension Person {
  fileprivate var doubled: Int { numbers.count * 2 }
}

extension PersistentIdentifier {
  /// The row's key, which the public interface shows as JSON only.
  fileprivate var number: String {
    let data = (try? JSONEncoder().encode(self)) ?? Data()
    let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    return "\(object?["key"] ?? 0)"
  }
}
