import TestSupport
import Testing
import VaultAppData

/// Fetches from custom stores find what the same fetches find in a database.
struct CustomStoreQueryTests {
  private typealias Kind = CustomStoreTests.Kind
  private typealias Place = CustomStoreTests.Place

  private static let descriptors: [FetchDescriptor<Album>] = {
    let byTitle = [SortDescriptor(\Album.title)]
    let byRating = [
      SortDescriptor(\Album.rating, order: .reverse), SortDescriptor(\Album.isLive),
      SortDescriptor(\Album.title, comparator: .localizedStandard),
    ]
    let predicates: [Predicate<Album>?] = [
      nil,
      #Predicate { $0.year > 1965 && $0.title.contains("o") },
      #Predicate { ($0.rating ?? 4) > 3 },
      #Predicate { album in album.songs.contains { $0.seconds > 200 } },
      #Predicate { $0.favorite?.title == "b" },
      #Predicate { $0.title.localizedStandardContains("ONE") },
      #Predicate { $0.credits.producer == "Ann" },
      #Predicate { $0.songs.count == 2 },
    ]
    var all: [FetchDescriptor<Album>] = []
    for predicate in predicates {
      for sort in [byTitle, byRating] {
        for (offset, limit) in [(nil, nil), (1, 2), (nil, 3), (2, nil)] as [(Int?, Int?)] {
          var descriptor = FetchDescriptor<Album>(predicate: predicate, sortBy: sort)
          (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
          all.append(descriptor)
        }
      }
    }
    return all
  }()

  private func fill(_ context: ModelContext) throws {
    let titles = ["One", "two", "One 10", "One 2", "Solo", "Blue", "Órgano"]
    for (number, title) in titles.enumerated() {
      let album = Album(title, year: 1960 + number * 3)
      album.rating = number % 3 == 0 ? nil : Double(number)
      album.isLive = number % 2 == 0
      album.credits.producer = number == 4 ? "Ann" : ""
      album.songs = (0..<number % 4).map { Song(["a", "b", "c"][$0], seconds: 100 * ($0 + 1)) }
      album.favorite = album.songs.last
      context.insert(album)
    }
    try context.save()
  }

  private func change(_ context: ModelContext) throws {
    let all = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
    for album in all {
      switch album.title {
      case "Blue": context.delete(album)
      case "Solo": album.title = "Zoo one"
      case "two": album.rating = 5
      default: break
      }
    }
    let new = Album("Afro", year: 1999)
    context.insert(new)
  }

  private func changeSongs(_ context: ModelContext) throws {
    for song in try context.fetch(FetchDescriptor<Song>()) where song.title == "a" {
      song.seconds = 900
      song.title = "b"
    }
  }

  private func titles(
    _ descriptors: [FetchDescriptor<Album>], _ context: ModelContext
  ) throws -> [[String]] {
    try descriptors.map { descriptor in
      let found = try context.fetch(descriptor)
      #expect(try context.fetchCount(descriptor) == found.count)
      #expect(
        try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID))
      return found.map(\.title)
    }
  }

  @Test(arguments: CustomStoreTests.Kind.allCases)
  func aFetchFindsWhatADatabaseFinds(_ kind: CustomStoreTests.Kind) throws {
    let (base, expected) = try memory(Album.self)
    let place = try Place(kind)
    let context = CustomStoreTests.context(try place.container())
    try fill(expected)
    try fill(context)
    let fresh = CustomStoreTests.context(context.container)
    let freshExpected = CustomStoreTests.context(base)
    #expect(
      try titles(Self.descriptors, fresh) == titles(Self.descriptors, freshExpected))
    // With changes of the class, then of others too.
    for change in [change, changeSongs] {
      try change(context)
      try change(expected)
      #expect(try titles(Self.descriptors, context) == titles(Self.descriptors, expected))
      // Others, and fetches that leave out what is pending, see nothing of it.
      let stored = Self.descriptors.map { descriptor in
        var stored = descriptor
        stored.includePendingChanges = false
        return stored
      }
      #expect(
        try stored.map { try context.fetchCount($0) }
          == stored.map { try expected.fetchCount($0) })
    }
    try context.save()
    try expected.save()
    #expect(
      try titles(Self.descriptors, fresh) == titles(Self.descriptors, freshExpected))
  }

  @Test(arguments: CustomStoreTests.Kind.allCases)
  func objectsComeInBatchesAndWithTheirRelations(_ kind: CustomStoreTests.Kind) throws {
    let place = try Place(kind)
    try fill(CustomStoreTests.context(try place.container()))
    let context = CustomStoreTests.context(try place.container())
    var byTitle = FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])
    let all = try context.fetch(byTitle, batchSize: 2)
    #expect(all.map(\.title) == ["Blue", "One", "One 10", "One 2", "Solo", "two", "Órgano"])
    var seen: [String] = []
    try context.enumerate(byTitle, batchSize: 3) { seen.append($0.title) }
    #expect(seen == all.map(\.title))
    let other = CustomStoreTests.context(try place.container())
    byTitle.relationshipKeyPathsForPrefetching = [\.songs, \.favorite]
    let found = try other.fetch(byTitle)
    let fetches = place.log.seen.fetches.count
    #expect(found.flatMap(\.songs).count == 9)
    #expect(place.log.seen.fetches.count == fetches)
    // Without, the first read loads the neighbors' too.
    let third = CustomStoreTests.context(try place.container())
    byTitle.relationshipKeyPathsForPrefetching = []
    let plain = try third.fetch(byTitle)
    let before = place.log.seen.fetches.count
    #expect(plain.compactMap(\.favorite).count == 5)
    #expect(place.log.seen.fetches.count - before <= 3)
  }

  @Test(arguments: CustomStoreTests.Kind.allCases)
  func manyAreDeletedAtOnce(_ kind: CustomStoreTests.Kind) throws {
    let place = try Place(kind)
    let context = CustomStoreTests.context(try place.container())
    try fill(context)
    for rank in 0..<6 { context.insert(Label("l", rank: rank)) }
    try context.save()
    try context.delete(model: Label.self, where: #Predicate { $0.rank % 2 == 0 })
    try context.delete(model: Album.self, where: #Predicate { $0.year < 1970 })
    let other = CustomStoreTests.context(try place.container())
    #expect(try Set(other.fetch(FetchDescriptor<Label>()).map(\.rank)) == [1, 3, 5])
    #expect(try other.fetchCount(FetchDescriptor<Album>()) == 3)
    #expect(try other.fetchCount(FetchDescriptor<Song>()) == 3)
    #expect(place.log.seen.deletedAtOnce == (kind == .wrapped ? 1 : 0))
    try context.container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 0)
    #expect(try other.fetch(FetchDescriptor<Song>()).isEmpty)
  }

  @Test(arguments: CustomStoreTests.Kind.allCases)
  func changesAreReported(_ kind: CustomStoreTests.Kind) async throws {
    let place = try Place(kind)
    let container = try place.container()
    let sorted = FetchDescriptor<Label>(sortBy: [SortDescriptor(\.rank)])
    var results = container.changes(to: sorted).makeAsyncIterator()
    #expect(try await results.next()?.changes.isEmpty == true)
    let context = CustomStoreTests.context(container)
    let label = Label("a", rank: 1)
    context.insert(label)
    try context.save()
    let id = label.persistentModelID
    #expect(try await results.next()?.changes == [.inserted(id, at: 0)])
    label.rank = 2
    try context.save()
    #expect(try await results.next()?.changes == [.updated(id, at: 0)])
    let observer = try ResultsObserver(fetchDescriptor: sorted, modelContext: context)
    #expect(observer.results.map(\.name) == ["a"])
    #expect(try CustomStoreTests.context(try place.container()).fetch(sorted).count == 1)
  }

  @Test func aHistoryIsTheStores() throws {
    let home = try TemporaryHome()
    let url = URL(fileURLWithPath: "\(home.path)/models.store")
    let configuration = Wrapped(url: url, log: StoreLog(), keepsHistory: true)
    let container = try ModelContainer(for: Label.self, configurations: configuration)
    let context = CustomStoreTests.context(container)
    context.author = "widget"
    let label = Label("a", rank: 1)
    context.insert(label)
    try context.save()
    label.rank = 2
    try context.save()
    let all = HistoryDescriptor<DefaultHistoryTransaction>()
    let found = try context.fetchHistory(all)
    #expect(found.map(\.author) == ["widget", "widget"])
    #expect(
      found.flatMap(\.changes).map(\.changedPersistentIdentifier)
        == [label.persistentModelID, label.persistentModelID])
    try context.deleteHistory(all)
    #expect(try context.fetchHistory(all).isEmpty)
    // A store without one.
    let plain = try ModelContainer(
      for: Label.self, configurations: Tray(name: UUID().uuidString, log: StoreLog()))
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try ModelContext(plain).fetchHistory(all)
    }
  }

  @Test func whatAStoreCannotDoIsSaid() throws {
    let place = try Place(.json)
    let container = try place.container()
    let context = CustomStoreTests.context(container)
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.update(model: Label.self) { $0.set(\.rank, to: 1) }
    }
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try container.backup(to: URL(fileURLWithPath: "\(place.home.path)/copy"))
    }
    #expect(try container.check().isEmpty)
    // A store's own errors come as they are.
    try Data("no JSON".utf8).write(to: place.file)
    #expect(throws: DecodingError.self) { try place.container() }
    #expect(throws: DecodingError.self) { try context.fetch(FetchDescriptor<Label>()) }
    #expect(throws: SwiftDataError.unknownDataStoreSchema) {
      try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Locked.self, configurations: Tray(name: UUID().uuidString, log: StoreLog()))
    }
  }
}

@Model
private final class Locked {
  @Attribute(.encrypt) var secret = ""

  init() {}
}

/// An array of many objects that nobody holds any more is whole when it is read again.
struct SweptArrayTests {
  @Test func anArrayIsWholeAfterItsRowsWereDropped() throws {
    let (container, context) = try memory(Author.self)
    let author = Author("Ann")
    context.insert(author)
    author.books = (0..<5_000).map { Book("\($0)") }
    try context.save()
    let other = ModelContext(container)
    other.autosaveEnabled = false
    let found = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    #expect(found.books.count == 5_000)
    _ = try other.fetch(FetchDescriptor<Tag>())
    #expect(other.registeredCount < 5_000)
    #expect(found.books.count == 5_000)
  }
}
