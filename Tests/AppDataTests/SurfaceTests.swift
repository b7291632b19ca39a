import Testing
import VaultAppData

/// Every public symbol once, with its exact labels: what compiles here is what a Mac's code finds.
struct SurfaceTests {
  @Test func everySymbolHasItsNameAndLabels() throws {
    let (container, context) = try memory(Trip.self, Author.self)
    try containers()
    try contexts(context)
    try descriptors(context)
    try schemas()
    identifiers(context)
    errors()
    models(context)
    #expect(container == context.container)
    #expect(context.debugDescription.contains("inserted"))
  }

  private func containers() throws {
    let schema = Schema([Trip.self])
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let more = ModelConfiguration(for: Trip.self, isStoredInMemoryOnly: true)
    let named = ModelConfiguration(
      "a", schema: schema, isStoredInMemoryOnly: true, allowsSave: true,
      groupContainer: .automatic, cloudKitDatabase: .none)
    let placed = ModelConfiguration(
      "b", schema: schema, url: URL(fileURLWithPath: "/tmp/b.store"), allowsSave: false,
      cloudKitDatabase: .private("db"))
    _ = (placed.url, placed.id, placed.name, placed.schema, placed.allowsSave)
    #expect(placed.cloudKitContainerIdentifier == "db")
    #expect(ModelConfiguration(groupContainer: .identifier("g")).groupAppContainerIdentifier == "g")
    #expect(placed.cloudKitDatabase != ModelConfiguration.CloudKitDatabase.automatic)
    #expect(named.debugDescription == "a in memory")
    #expect(!named.allowsSave == false && named.isStoredInMemoryOnly)
    try named.validate()
    let one = try ModelContainer(for: Trip.self, migrationPlan: nil, configurations: memory)
    let two = try ModelContainer(for: schema, migrationPlan: nil, configurations: more)
    let three = try ModelContainer(for: schema, configurations: [named])
    #expect(one != two && two != three)
    #expect(one.schema == schema && one.migrationPlan == nil && one.configurations == [memory])
    try one.erase()
  }

  private func contexts(_ context: ModelContext) throws {
    let trip = Trip(name: "Rome")
    context.autosaveEnabled = false
    context.author = "me"
    #expect(context.editingState.author == "me")
    context.undoManager = nil
    context.insert(trip)
    #expect(context.hasChanges)
    _ = (context.insertedModelsArray, context.changedModelsArray, context.deletedModelsArray)
    context.processPendingChanges()
    try context.save()
    context.delete(trip)
    context.rollback()
    try context.transaction { trip.days += 1 }
    try context.transaction(block: {})
    try context.delete(model: Author.self)
    try context.delete(model: Author.self, where: nil, includeSubclasses: true)
    try context.enumerate(FetchDescriptor<Trip>()) { _ in }
    try context.enumerate(
      FetchDescriptor<Trip>(), batchSize: 10, allowEscapingMutations: true,
      block: { (model: Trip) in model.days += 1 })
    try context.save()
    #expect(ModelContext.willSave != ModelContext.didSave)
    let keys: [ModelContext.NotificationKey] = [
      .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers,
      .deletedIdentifiers, .historyTokens,
    ]
    #expect(Set(keys.map(\.rawValue)).count == 6)
  }

  private func descriptors(_ context: ModelContext) throws {
    var descriptor = FetchDescriptor<Trip>()
    descriptor = FetchDescriptor(predicate: nil, sortBy: [SortDescriptor(\Trip.name)])
    descriptor.predicate = nil
    descriptor.sortBy = []
    descriptor.fetchLimit = 1
    descriptor.fetchOffset = 0
    descriptor.includePendingChanges = false
    descriptor.propertiesToFetch = [\.name]
    descriptor.relationshipKeyPathsForPrefetching = []
    let found: [Trip] = try context.fetch(descriptor)
    let batches: FetchResultsCollection<Trip> = try context.fetch(descriptor, batchSize: 1)
    let ids: [PersistentIdentifier] = try context.fetchIdentifiers(descriptor)
    let idBatches = try context.fetchIdentifiers(descriptor, batchSize: 1)
    #expect(try context.fetchCount(descriptor) == 1)
    #expect(found == Array(batches) && ids == Array(idBatches))
  }

  private func schemas() throws {
    let schema = Schema([Author.self], version: Schema.Version(1, 2, 3))
    #expect(schema.version.description == "1.2.3" && Schema().entities.isEmpty)
    #expect(Schema.Version(1, 0, 0) < schema.version)
    _ = (Schema.schemaEncodingVersion, schema.encodingVersion)
    let author = try #require(schema.entity(for: Author.self))
    #expect(Schema.entityName(for: Author.self) == author.name)
    #expect(schema.entitiesByName["Author"] == author)
    #expect(author.uniquenessConstraints == [["name"]] && author.indices.isEmpty)
    #expect(author.superentity == nil && author.superentityName == nil)
    #expect(author.subentities.isEmpty && author.inheritedProperties.isEmpty)
    #expect(author.inheritedPropertiesByName.isEmpty)
    #expect(author.storedProperties.count == author.properties.count)
    #expect(author.storedPropertiesByName.count == author.properties.count)
    let name = try #require(author.attributesByName["name"])
    #expect(name.isUnique && name.isAttribute && !name.isRelationship && !name.isOptional)
    #expect(!name.isTransient && !name.isTransformable && !name.isCodable)
    #expect(name.originalName == "name" && name.hashModifier == nil && name.defaultValue == nil)
    #expect(name.options == [.unique] && name.valueType == String.self)
    let books = try #require(author.relationshipsByName["books"])
    #expect(books.destination == "Book" && books.inverseName == "author")
    #expect(books.inverseKeyPath == \Book.author && books.keypath == \Author.books)
    #expect(books.deleteRule == .nullify && !books.isToOneRelationship && books.options.isEmpty)
    #expect(books.minimumModelCount == 0 && books.maximumModelCount == 0)
    #expect(author.attributes.contains(name) && author.relationships.contains(books))
    _ = Schema.Attribute(.unique, originalName: "a", hashModifier: "b")
    _ = Schema.Attribute(
      name: "a", originalName: nil, options: [], valueType: Int.self, defaultValue: 1,
      hashModifier: nil)
    _ = Schema.Relationship(
      .unique, deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 2, originalName: "a",
      inverse: nil, hashModifier: nil)
    let options: Set<Schema.Attribute.Option> = [
      .unique, .externalStorage, .allowsCloudEncryption, .preserveValueOnDeletion, .ephemeral,
      .spotlight, .codable, .transformable(by: "name"),
    ]
    #expect(options.count == 8)
    _ = Schema.PropertyMetadata(name: "n", keypath: \Trip.name, defaultValue: nil, metadata: nil)
    #expect(Schema.Unique<Trip>([\.name], [\.days]).constraints.count == 2)
    #expect(Schema.Index<Trip>([\.name]).indices.count == 1)
    #expect(Schema.Index<Trip>(.binary([\.name]), .rtree([\.days])).indices.count == 2)
    _ = (Schema.Entity("a"), Schema.Entity("a", properties: name, books))
    _ = Schema.Entity("a", subentities: Schema.Entity("b"), properties: name)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try schema.save(to: url)
    #expect(try Schema.load(from: url) == schema)
    #expect(Schema(versionedSchema: SurfaceV1.self).version == Schema.Version(1, 0, 0))
    #expect(SurfacePlan.schemas.count == 1 && SurfacePlan.stages.count == 2)
  }

  private func identifiers(_ context: ModelContext) {
    let trip = Trip(name: "Rome")
    context.insert(trip)
    let id = trip.persistentModelID
    #expect(trip.id == id && id.entityName == "Trip" && id.storeIdentifier != nil)
    #expect(id.isTemporary && id.id == trip.persistentModelID.id && !(id < id))
    #expect(context.model(for: id) === trip)
    let same: Trip? = context.registeredModel(for: id)
    #expect(same === trip)
  }

  private func errors() {
    let all: Set<SwiftDataError> = [
      .backwardMigration, .configurationFileNameContainsInvalidCharacters,
      .configurationFileNameTooLong, .configurationSchemaNotFoundInContainerSchema,
      .duplicateConfiguration, .historyTokenExpired, .includePendingChangesWithBatchSize,
      .invalidTransactionFetchRequest, .loadIssueModelContainer, .missingModelContext,
      .modelValidationFailure, .sortingPendingChangesWithIdentifiers, .unknownDataStoreSchema,
      .unknownSchema, .unsupportedKeyPath, .unsupportedPredicate, .unsupportedSortDescriptor,
    ]
    #expect(all.count == 17)
    let error: any Error = SwiftDataError.unknownSchema
    #expect(SwiftDataError.unknownSchema ~= error)
  }

  private func models(_ context: ModelContext) {
    let author = Author("Eco")
    let book = Book("A")
    context.insert(author)
    #expect(author.modelContext === context && author.hasChanges && !author.isDeleted)
    #expect(author.getValue(forKey: \.name) == "Eco")
    author.setValue(forKey: \.name, to: "Umberto")
    author.setValue(forKey: \.books, to: [book])
    #expect(author.getValue(forKey: \.books) == [book])
    #expect(book.getValue(forKey: \.author) === author)
    book.setValue(forKey: \.author, to: Author?.none)
    let contract = Contract(author: author, pages: 1)
    contract.setValue(forKey: \.author, to: author)
    #expect(contract.getValue(forKey: \.author) === author)
    author.setTransformableValue(forKey: \.name, to: "Eco")
    let name: String = author.getTransformableValue(forKey: \.name)
    #expect(name == "Eco")
    let data: any BackingData<Author> = author.persistentBackingData
    #expect(data.persistentModelID == author.persistentModelID)
    _ = data.metadata
    #expect(Author.schemaMetadata.map(\.name).contains("books"))
    let made: some BackingData<Trip> = Trip.createBackingData()
    let trip = Trip(backingData: made)
    #expect(trip.modelContext == nil && trip != Trip(name: ""))
    #expect(Set([trip, trip]).count == 1)
  }
}

private enum SurfaceV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

private enum SurfacePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [SurfaceV1.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: SurfaceV1.self, toVersion: SurfaceV1.self),
      .custom(
        fromVersion: SurfaceV1.self, toVersion: SurfaceV1.self, willMigrate: nil,
        didMigrate: nil),
    ]
  }
}
