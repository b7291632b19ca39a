import Synchronization
import TestSupport
import Testing
import VaultAppData

/// Contexts over stores of a program's own: a JSON file, a database that is wrapped, a tray in
/// memory with snapshots of its own.
struct CustomStoreTests {
  enum Kind: CaseIterable { case json, wrapped, tray }

  /// A place whose containers all see the same models.
  struct Place {
    let home: TemporaryHome
    let kind: Kind
    let log = StoreLog()
    private let name = UUID().uuidString

    init(_ kind: Kind) throws {
      home = try TemporaryHome()
      self.kind = kind
    }

    var file: URL { URL(fileURLWithPath: "\(home.path)/models.file") }

    func configuration(_ schema: Schema? = nil) -> any DataStoreConfiguration {
      switch kind {
      case .json: JSONFile(schema: schema, url: file, log: log)
      case .wrapped: Wrapped(schema: schema, url: file, log: log)
      case .tray: Tray(name: name, schema: schema, log: log)
      }
    }

    func container() throws -> ModelContainer {
      try ModelContainer(
        for: Schema([Album.self, Label.self]), configurations: [configuration()])
    }
  }

  static func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  private static func titles(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  // MARK: Values

  @Test(arguments: Kind.allCases) func anObjectComesBackWhole(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let album = Album("Kind of Blue", year: 1959)
    album.rating = 4.75
    album.genre = .jazz
    album.isLive = true
    album.price = Decimal(string: "12345678901234.05") ?? 0
    album.released = Date(timeIntervalSince1970: 1_000_000_000.25)
    album.cover = Data([0, 1, 254, 255])
    album.credits = Credits(producer: "I. Townsend", studios: ["30th Street"])
    album.notes = ["a\u{301}", "ü", "\u{1F3B7}"]
    context.insert(album)
    try context.save()
    let other = Self.context(try place.container())
    let found = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    #expect(found.title == album.title && found.year == 1959 && found.rating == 4.75)
    #expect(found.genre == .jazz && found.isLive && found.price == album.price)
    #expect(found.released == album.released && found.cover == album.cover)
    #expect(found.credits == album.credits && found.notes == album.notes)
    #expect(found.code == album.code && found.favorite == nil && found.songs.isEmpty)
    #expect(found.persistentModelID == album.persistentModelID)
    found.rating = nil
    found.cover = nil
    found.notes = []
    try other.save()
    let again = try #require(
      try Self.context(try place.container()).fetch(FetchDescriptor<Album>()).first)
    #expect(again.rating == nil && again.cover == nil && again.notes.isEmpty)
    #expect(again.released == album.released)
  }

  @Test func aFileIsReadableText() throws {
    let place = try Place(.json)
    let context = Self.context(try place.container())
    let album = Album("Blue")
    album.genre = .folk
    album.songs = [Song("River")]
    context.insert(album)
    try context.save()
    let file = try Data(contentsOf: place.file)
    let objects = try #require(
      try JSONSerialization.jsonObject(with: file) as? [[String: Any]])
    let stored = try #require(objects.first { $0["title"] as? String == "Blue" })
    #expect(stored["genre"] as? String == "folk" && stored["isLive"] as? Bool == false)
    #expect(stored["year"] as? Int == 2000 && stored["rating"] is NSNull)
    #expect((stored["credits"] as? [String: Any])?["producer"] as? String == "")
    #expect(stored["isSelected"] == nil)
    let song = try #require((stored["songs"] as? [[String: Any]])?.first)
    #expect(song["entity"] as? String == "Song" && song["store"] as? String == "models.file")
    #expect(UUID(uuidString: song["key"] as? String ?? "") != nil)
  }

  @Test func whatAFileLacksHasItsDefault() throws {
    let place = try Place(.json)
    let id = #"{"store": "models.file", "entity": "Album", "key": "x y"}"#
    let text = #"[{"persistentIdentifier": \#(id), "title": "Old", "year": 1970, "label": 3}]"#
    try Data(text.utf8).write(to: place.file)
    let album = try #require(
      try Self.context(try place.container()).fetch(FetchDescriptor<Album>()).first)
    #expect(album.title == "Old" && album.genre == .rock && album.rating == nil)
    #expect(album.songs.isEmpty && album.credits == Credits())
    #expect(!album.persistentModelID.isTemporary)
  }

  // MARK: Relationships

  @Test(arguments: Kind.allCases) func relationshipsAreKept(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let album = Album("Blue")
    let songs = ["All I Want", "River", "A Case of You"].map { Song($0) }
    let (joni, james) = (Singer("Joni"), Singer("James"))
    album.songs = songs
    songs[0].singers = [joni, james]
    songs[1].singers = [joni]
    album.favorite = songs[1]
    context.insert(album)
    try context.save()
    #expect(songs[0].album === album && album.songs.map(\.title) == songs.map(\.title))
    let other = Self.context(try place.container())
    let found = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    #expect(found.songs.map(\.title) == ["All I Want", "River", "A Case of You"])
    #expect(found.favorite === found.songs[1] && found.songs[2].album === found)
    #expect(Set(found.songs[0].singers.map(\.name)) == ["Joni", "James"])
    #expect(found.songs[1].singers.first?.songs.count == 2)
    // Order, and both sides of a change.
    found.songs = [found.songs[2], found.songs[0]]
    try other.save()
    let third = Self.context(try place.container())
    let last = try #require(try third.fetch(FetchDescriptor<Album>()).first)
    #expect(last.songs.map(\.title) == ["A Case of You", "All I Want"])
    let river = try #require(
      try third.fetch(FetchDescriptor<Song>(predicate: #Predicate { $0.title == "River" })).first)
    #expect(river.album == nil && last.favorite === river)
  }

  @Test(arguments: Kind.allCases) func anArrayThatIsNotLoadedGrows(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let album = Album("Blue")
    album.songs = [Song("River")]
    context.insert(album)
    try context.save()
    let other = Self.context(try place.container())
    let id = album.persistentModelID
    let fault = try #require(other.model(for: id) as? Album)
    let added = Song("Carey")
    other.insert(added)
    added.album = fault
    try other.save()
    let found = try Self.context(try place.container()).fetch(FetchDescriptor<Album>())
    #expect(found.first?.songs.map(\.title) == ["River", "Carey"])
  }

  @Test(arguments: Kind.allCases) func deletionFollowsTheRules(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let (one, two) = (Album("One"), Album("Two"))
    one.songs = [Song("a"), Song("b")]
    two.songs = [Song("c")]
    let singer = Singer("Joni")
    one.songs[0].singers = [singer]
    one.favorite = two.songs[0]
    context.insert(one)
    context.insert(two)
    let loan = Loan(to: "Ann", album: two)
    context.insert(loan)
    try context.save()
    context.delete(two)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(two.loans.count == 1 && !two.isDeleted)
    context.delete(loan)
    context.delete(one)
    try context.save()
    #expect(one.modelContext == nil && singer.songs.isEmpty)
    let other = Self.context(try place.container())
    #expect(try other.fetch(FetchDescriptor<Song>()).map(\.title) == ["c"])
    #expect(try other.fetch(FetchDescriptor<Singer>()).first?.songs.isEmpty == true)
    #expect(try other.fetchCount(FetchDescriptor<Loan>()) == 0)
    // Nothing leads to what is gone, though the relationship has no inverse.
    let left = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    left.songs.first.map(other.delete)
    try other.save()
    #expect(left.songs.isEmpty && left.favorite == nil)
  }

  // MARK: Identifiers

  @Test(arguments: Kind.allCases) func identifiersBecomePermanent(_ kind: Kind) throws {
    let place = try Place(kind)
    let container = try place.container()
    let context = Self.context(container)
    let album = Album("Blue")
    let song = Song("River")
    album.songs = [song]
    context.insert(album)
    let before = album.persistentModelID
    #expect(before.isTemporary && before.storeIdentifier == nil && before.entityName == "Album")
    let saved = Mutex<[PersistentIdentifier]>([])
    let watch = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
      let ids = note.userInfo?[key] as? [PersistentIdentifier] ?? []
      saved.withLock { $0 = ids }
    }
    defer { NotificationCenter.default.removeObserver(watch) }
    try context.save()
    let after = album.persistentModelID
    #expect(!after.isTemporary && after.storeIdentifier != nil && after != before)
    #expect(Set(saved.withLock { $0 }) == [after, song.persistentModelID])
    #expect(context.model(for: before) as? Album === album)
    #expect(context.model(for: after) as? Album === album)
    #expect(album.songs.first === song && song.album === album)
    let other = Self.context(container)
    #expect((other.model(for: after) as? Album)?.title == "Blue")
    let coded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(after))
    #expect(coded == after)
    let ids = try other.fetchIdentifiers(
      FetchDescriptor<Album>(predicate: #Predicate { $0.persistentModelID == after }))
    #expect(ids == [after])
    #expect((other.model(for: before) as? Album)?.modelContext == nil)
  }

  @Test func aKeyIsANumberOrAText() throws {
    func id(_ key: some Comparable & CustomStringConvertible & Codable & Hashable) throws
      -> PersistentIdentifier
    {
      try .identifier(for: "s", entityName: "Album", primaryKey: key)
    }
    let uuid = UUID()
    let keys = try [id(7), id("7"), id("07"), id(-7), id(uuid), id(uuid.uuidString), id("")]
    #expect(keys[0] == keys[1] && keys[4] == keys[5])
    #expect(Set(keys).count == 5)
    for key in keys {
      let data = try JSONEncoder().encode(key)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == key)
    }
    #expect(try id("a") < id("b") && id(12) < id("0a") && id(2) < id(12))
    #expect(try String(decoding: JSONEncoder().encode(id("a b")), as: UTF8.self).contains("a b"))
  }

  // MARK: Saving

  @Test(arguments: Kind.allCases) func aSaveThatFailsLeavesEverythingPending(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let (kept, gone) = (Album("Kept"), Album("Gone"))
    context.insert(kept)
    context.insert(gone)
    try context.save()
    let new = Album("New")
    new.songs = [Song("a")]
    context.insert(new)
    kept.title = "Changed"
    context.delete(gone)
    place.log.note { $0.refuses = true }
    #expect(throws: StoreRefusal()) { try context.save() }
    #expect(context.insertedModelsArray.count == 2 && context.deletedModelsArray.count == 1)
    #expect(context.changedModelsArray.count == 1 && new.persistentModelID.isTemporary)
    #expect(try Self.titles(context) == ["Changed", "New"])
    #expect(try Self.titles(Self.context(try place.container())) == ["Gone", "Kept"])
    try context.save()
    #expect(!context.hasChanges && !new.persistentModelID.isTemporary)
    let saves = place.log.seen.saves.count
    try context.save()
    #expect(place.log.seen.saves.count == saves)
    #expect(try Self.titles(Self.context(try place.container())) == ["Changed", "New"])
  }

  @Test(arguments: Kind.allCases) func aRollbackDropsWhatIsPending(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let album = Album("Blue")
    album.songs = [Song("a")]
    context.insert(album)
    try context.save()
    album.title = "Red"
    album.songs.append(Song("b"))
    context.insert(Album("Green"))
    context.rollback()
    #expect(album.title == "Blue" && album.songs.map(\.title) == ["a"] && !context.hasChanges)
    #expect(try Self.titles(context) == ["Blue"])
    #expect(try Self.titles(Self.context(try place.container())) == ["Blue"])
  }

  @Test(arguments: Kind.allCases) func whatWasDoneIsUndoneAlsoAfterASave(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    func grouped(_ body: () throws -> Void) rethrows {
      manager.beginUndoGrouping()
      try body()
      context.processPendingChanges()
      manager.endUndoGrouping()
    }
    let album = Album("Blue")
    grouped { context.insert(album) }
    let song = Song("River")
    grouped { album.songs = [song] }
    grouped { album.title = "Red" }
    try context.save()
    let id = album.persistentModelID
    manager.undo()
    #expect(album.title == "Blue")
    manager.undo()
    #expect(album.songs.isEmpty && song.isDeleted)
    try context.save()
    #expect(try Self.context(try place.container()).fetchCount(FetchDescriptor<Song>()) == 0)
    manager.redo()
    #expect(album.songs.first?.title == "River")
    try context.save()
    let found = try Self.context(try place.container()).fetch(FetchDescriptor<Album>())
    #expect(found.first?.songs.map(\.title) == ["River"])
    #expect(found.first?.persistentModelID == id)
  }

  @Test(arguments: Kind.allCases) func contextsSeeEachOthersSaves(_ kind: Kind) throws {
    let place = try Place(kind)
    let container = try place.container()
    let (one, two) = (Self.context(container), Self.context(container))
    let mine = Album("Blue")
    one.insert(mine)
    try one.save()
    let theirs = try #require(try two.fetch(FetchDescriptor<Album>()).first)
    mine.title = "Red"
    try one.save()
    #expect(theirs.title == "Red")
    // Each changes something else: neither change is lost.
    mine.year = 1971
    theirs.title = "Green"
    theirs.songs = [Song("a")]
    try one.save()
    try two.save()
    #expect(mine.title == "Green" && mine.year == 1971 && theirs.year == 1971)
    #expect(mine.songs.count == 1)
    two.delete(theirs)
    try two.save()
    #expect(try one.fetchCount(FetchDescriptor<Album>()) == 0 && mine.isDeleted)
    #expect(try Self.titles(Self.context(try place.container())).isEmpty)
  }

  @Test func theStoreMayChangeWhatItSaves() throws {
    let place = try Place(.tray)
    place.log.note { $0.raises = true }
    let context = Self.context(try place.container())
    let label = Label("Reprise", rank: 1)
    context.insert(label)
    try context.save()
    #expect(label.rank == 101 && !context.hasChanges)
    label.rank = 2
    try context.save()
    #expect(label.rank == 102)
  }

  @Test func theStoreMayMakeANewObjectOneThatWasThere() throws {
    let place = try Place(.tray)
    place.log.note { $0.isUnique = true }
    let context = Self.context(try place.container())
    let old = Label("Reprise", rank: 1)
    context.insert(old)
    try context.save()
    let new = Label("Reprise", rank: 2)
    context.insert(new)
    try context.save()
    #expect(new.persistentModelID == old.persistentModelID && old.rank == 2 && new.rank == 2)
    #expect(try context.fetchCount(FetchDescriptor<Label>()) == 1)
  }

  @Test func theStoreKnowsItsContexts() throws {
    let place = try Place(.tray)
    let container = try place.container()
    do {
      let context = Self.context(container)
      context.author = "widget"
      context.insert(Label("a", rank: 1))
      try context.save()
      #expect(place.log.seen.begun == 1 && place.log.seen.ended == 0)
      #expect(context.editingState.author == "widget")
    }
    #expect(place.log.seen.ended == 1 && place.log.seen.saves == ["widget [1, 0, 0]"])
  }

  @Test(arguments: Kind.allCases) func aTransactionIsSavedAsOne(_ kind: Kind) throws {
    let place = try Place(kind)
    let context = Self.context(try place.container())
    try context.transaction {
      context.insert(Album("One"))
      try context.save()
      context.insert(Album("Two"))
      #expect(place.log.seen.saves.isEmpty)
    }
    #expect(place.log.seen.saves == ["- [2, 0, 0]"])
    #expect(throws: StoreRefusal()) {
      try context.transaction {
        context.insert(Album("Three"))
        throw StoreRefusal()
      }
    }
    #expect(try Self.titles(context) == ["One", "Two"] && !context.hasChanges)
  }

  @Test(arguments: Kind.allCases) func whatItRefusesIsInNoOtherStore(_ kind: Kind) throws {
    let place = try Place(kind)
    let all: [any DataStoreConfiguration] = [
      place.configuration(Schema([Album.self])),
      ModelConfiguration("labels", schema: Schema([Label.self]), isStoredInMemoryOnly: true),
    ]
    let container = try ModelContainer(
      for: Schema([Album.self, Label.self]), configurations: all)
    for isTransaction in [false, true] {
      let context = Self.context(container)
      place.log.note { $0.refuses = true }
      #expect(throws: StoreRefusal()) {
        func insert() {
          context.insert(Album("Blue"))
          context.insert(Label("Reprise", rank: 1))
        }
        if isTransaction {
          try context.transaction { insert() }
        } else {
          insert()
          try context.save()
        }
      }
      #expect(context.insertedModelsArray.count == (isTransaction ? 0 : 2))
      let other = Self.context(container)
      #expect(try other.fetchCount(FetchDescriptor<Label>()) == 0)
      #expect(try other.fetchCount(FetchDescriptor<Album>()) == 0)
    }
    let context = Self.context(container)
    context.insert(Album("Blue"))
    context.insert(Label("Reprise", rank: 1))
    try context.save()
    #expect(try Self.context(container).fetchCount(FetchDescriptor<Label>()) == 1)
    #expect(container.configurations.map(\.name) == ["labels"])
  }
}
