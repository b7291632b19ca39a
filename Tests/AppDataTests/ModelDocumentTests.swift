import TestSupport
import Testing
import VaultAppData
import VaultStorage

/// A document: one file, which is saved as a whole and reverted.
@MainActor
struct ModelDocumentTests {
  private let home: TemporaryHome
  private var file: URL { URL(fileURLWithPath: "\(home.path)/plan.parcels") }

  init() throws { home = try TemporaryHome() }

  /// What is in the file, read by whoever else has it.
  private func names(in url: URL) throws -> [String] {
    let document = try ModelDocument(for: Parcel.self, contentsOf: url)
    return try names(document)
  }

  private func names(_ document: ModelDocument) throws -> [String] {
    try document.modelContext.fetch(
      FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.name)])
    ).map(\.name)
  }

  /// A document with two parcels, saved.
  private func saved() throws -> ModelDocument {
    let document = try ModelDocument(for: Parcel.self)
    for name in ["a", "b"] { document.modelContext.insert(Parcel(name, 1)) }
    try document.save(to: file)
    return document
  }

  @Test func aNewDocumentGetsAFileWhenItIsSaved() throws {
    let document = try ModelDocument(for: Parcel.self)
    #expect(document.url == nil && !document.isEdited)
    document.modelContext.insert(Parcel("a", 1))
    #expect(document.isEdited)
    #expect(throws: SwiftDataError.saveConflict) { try document.save() }
    try document.save(to: file)
    #expect(document.url == file && !document.isEdited)
    #expect(try names(in: file) == ["a"])
    // One file, and nothing beside it.
    let all = try FileManager.default.contentsOfDirectory(atPath: home.path)
    #expect(all == ["plan.parcels"])
  }

  @Test func theFileIsAsItWasUntilItIsSaved() throws {
    let document = try saved()
    let before = try Data(contentsOf: file)
    document.modelContext.insert(Parcel("c", 1))
    try document.modelContext.save()
    // In the working copy alone, by whichever context.
    #expect(document.isEdited)
    #expect(try Data(contentsOf: file) == before)
    try document.save()
    #expect(!document.isEdited)
    #expect(try names(in: file) == ["a", "b", "c"])
    let other = ModelContext(document.container)
    other.autosaveEnabled = false
    other.insert(Parcel("d", 1))
    try other.save()
    #expect(document.isEdited)
    // Saved as another file, the first one stays.
    let second = URL(fileURLWithPath: "\(home.path)/other.parcels")
    try document.save(to: second)
    #expect(document.url == second)
    #expect(try names(in: second) == ["a", "b", "c", "d"])
    #expect(try names(in: file) == ["a", "b", "c"])
  }

  @Test func theFileKeepsItsPermissions() throws {
    let document = try saved()
    func mode() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }
    #expect(try mode() == 0o600)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o664], ofItemAtPath: file.path)
    document.modelContext.insert(Parcel("c", 1))
    try document.save()
    #expect(try mode() == 0o664)
    #expect(try names(in: file) == ["a", "b", "c"])
  }

  @Test func revertingDropsWhatTheFileDoesNotHave() throws {
    let document = try saved()
    document.modelContext.insert(Parcel("c", 1))
    try document.modelContext.save()
    document.modelContext.insert(Parcel("d", 1))
    let old = document.container
    try document.revert()
    #expect(document.container != old && !document.isEdited)
    #expect(try names(document) == ["a", "b"])
    document.modelContext.insert(Parcel("e", 1))
    try document.save()
    #expect(try names(in: file) == ["a", "b", "e"])
    let new = try ModelDocument(for: Parcel.self)
    new.modelContext.insert(Parcel("x", 1))
    try new.revert()
    #expect(try names(new) == [])
  }

  @Test func whatOthersWroteIsNotOverwritten() throws {
    let document = try saved()
    let other = try ModelDocument(for: Parcel.self, contentsOf: file)
    other.modelContext.insert(Parcel("theirs", 1))
    try other.save()
    document.modelContext.insert(Parcel("ours", 1))
    #expect(throws: SwiftDataError.saveConflict) { try document.save() }
    #expect(document.isEdited)
    #expect(try names(in: file) == ["a", "b", "theirs"])
    try document.save(overwriting: true)
    #expect(try names(in: file) == ["a", "b", "ours"])
    try FileManager.default.removeItem(at: file)
    #expect(throws: SwiftDataError.saveConflict) { try document.save() }
    try document.save(overwriting: true)
    #expect(try names(in: file) == ["a", "b", "ours"])
  }

  /// The file is the one that the link leads to: its rows, its permissions, its changes.
  @Test func aLinkStaysALink() throws {
    _ = try saved()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let link = URL(fileURLWithPath: "\(home.path)/link.parcels")
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: file.lastPathComponent)
    let document = try ModelDocument(for: Parcel.self, contentsOf: link)
    document.modelContext.insert(Parcel("c", 1))
    try document.save()
    #expect(try files.destinationOfSymbolicLink(atPath: link.path) == file.lastPathComponent)
    #expect(try names(in: file) == ["a", "b", "c"])
    let mode = try files.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o644)
    let other = try ModelDocument(for: Parcel.self, contentsOf: file)
    other.modelContext.insert(Parcel("theirs", 1))
    try other.save()
    document.modelContext.insert(Parcel("ours", 1))
    #expect(throws: SwiftDataError.saveConflict) { try document.save() }
  }

  /// A folder that cannot be looked into is no change by somebody else.
  @Test func aFileThatCannotBeLookedAtIsNotTakenForChanged() throws {
    let document = try saved()
    let files = FileManager.default
    let moved = URL(fileURLWithPath: "\(home.path).moved")
    defer { try? files.removeItem(at: moved) }
    try files.moveItem(atPath: home.path, toPath: moved.path)
    try Data().write(to: URL(fileURLWithPath: home.path))
    document.modelContext.insert(Parcel("c", 1))
    let error = #expect(throws: StorageError.self) { try document.save() }
    #expect(error?.code == .refused)
    #expect(document.isEdited)
    try files.removeItem(atPath: home.path)
    try files.moveItem(atPath: moved.path, toPath: home.path)
    try document.save()
    #expect(try names(in: file) == ["a", "b", "c"])
  }

  @Test func aSaveThatFailsLeavesTheFileAndTheChange() throws {
    let document = try saved()
    let before = try Data(contentsOf: file)
    // As if a program had the file open as a store.
    try Data().write(to: URL(fileURLWithPath: "\(file.path)-wal"))
    document.modelContext.insert(Parcel("c", 1))
    #expect(throws: (any Error).self) { try document.save() }
    #expect(document.isEdited)
    #expect(try Data(contentsOf: file) == before)
    try FileManager.default.removeItem(atPath: "\(file.path)-wal")
    try document.save()
    #expect(try names(in: file) == ["a", "b", "c"])
  }

  @Test(.timeLimit(.minutes(10)))
  func aDocumentMaySaveItself() async throws {
    let document = try saved()
    document.autosaves = true
    document.modelContext.insert(Parcel("c", 1))
    while try names(in: file) != ["a", "b", "c"] {
      try await _Concurrency.Task.sleep(for: .milliseconds(20))
    }
    #expect(document.autosaveError == nil)
    // What others wrote stops that.
    let other = try ModelDocument(for: Parcel.self, contentsOf: file)
    other.modelContext.insert(Parcel("theirs", 1))
    try other.save()
    document.modelContext.insert(Parcel("d", 1))
    while document.autosaveError == nil {
      try await _Concurrency.Task.sleep(for: .milliseconds(20))
    }
    #expect((document.autosaveError as? SwiftDataError) == .saveConflict)
    #expect(try names(in: file) == ["a", "b", "c", "theirs"])
  }

  @Test func anEarlierVersionIsMigratedWhenItIsSaved() throws {
    let old = try ModelDocument(for: TripsV1.Trip.self)
    old.modelContext.insert(TripsV1.Trip(name: "Rome", start_date: .distantPast))
    try old.save(to: file)
    let before = try Data(contentsOf: file)
    let new = try ModelDocument(
      for: TripsV2.Trip.self, contentsOf: file, migrationPlan: TripsPlan.self)
    #expect(try new.modelContext.fetch(FetchDescriptor<TripsV2.Trip>()).map(\.name) == ["Rome"])
    #expect(try Data(contentsOf: file) == before)
    try new.save()
    #expect(throws: SwiftDataError.self) {
      try ModelDocument(for: TripsV1.Trip.self, contentsOf: file)
    }
  }

  @Test func nothingIsLeftOfTheWorkingCopy() throws {
    var document: ModelDocument? = try saved()
    let copy = try #require(document?.container.configurations.first?.url)
    #expect(FileManager.default.fileExists(atPath: copy.path))
    document = nil
    #expect(!FileManager.default.fileExists(atPath: copy.path))
    #expect(throws: (any Error).self) {
      try ModelDocument(for: Parcel.self, contentsOf: URL(fileURLWithPath: "\(home.path)/none"))
    }
  }
}
