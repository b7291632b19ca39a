import Testing
import VaultAppData

/// Every public symbol once, with its exact labels: what compiles here is what a Mac's code finds.
struct PublicSymbolTests {
  @Test func everySymbolHasItsNameAndLabels() throws {
    let (container, context) = try memory(Trip.self, Author.self)
    try containers()
    try contexts(context)
    try descriptors(context)
    try schemas()
    identifiers(context)
    errors()
    models(context)
    macros()
    storage()
    conformances()
    #expect(container == context.container && context == context)
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
    let any: [any DataStoreConfiguration] = [named]
    let four = try ModelContainer(for: schema, configurations: any)
    let five = try ModelContainer(
      for: Trip.self, Author.self, configurations: memory as any DataStoreConfiguration)
    let six = try ModelContainer(for: Trip.self, Author.self, configurations: memory)
    #expect(four.configurations == [named] && five.configurations == six.configurations)
    let tray = Tray(name: "symbols", log: StoreLog())
    let seven = try ModelContainer(for: schema, migrationPlan: nil, configurations: tray)
    #expect(seven.configurations.isEmpty && tray.schema == nil)
    #expect(ModelConfiguration().url == ModelConfiguration(isStoredInMemoryOnly: false).id)
    #expect(ModelConfiguration.GroupContainer.none == .automatic)
    #expect(ModelConfiguration(groupContainer: .none).groupContainer == .none)
    #expect(one.schema == schema && one.migrationPlan == nil && one.configurations == [memory])
    try one.erase()
    let old: any Old = self
    old.deprecated(one)
  }

  @available(*, deprecated)
  func deprecated(_ container: ModelContainer) { container.deleteAllData() }

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
      .transformable(by: ColorTransformer.self),
    ]
    #expect(options.count == 9)
    let rules: [Schema.Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
    #expect(rules.map(\.rawValue) == ["noAction", "nullify", "cascade", "deny"])
    let part: any SchemaProperty = Schema.CompositeAttribute(
      name: "a", originalName: "b", options: [.codable], valueType: Int.self, defaultValue: nil,
      hashModifier: "c")
    #expect(part.originalName == "b" && part.valueType == Int.self)
    #expect((part as? Schema.CompositeAttribute)?.properties.isEmpty == true)
    #expect(
      Schema(Trip.self, Author.self, version: Schema.Version(1, 0, 0))
        == Schema([Trip.self, Author.self]))
    #expect(Schema(Schema.Entity("a"), version: Schema.Version(2, 0, 0)).entities.count == 1)
    #expect(Schema.Version(1, 2, 3) == schema.version)
    #expect(schema.version.major == 1 && schema.version.minor == 2 && schema.version.patch == 3)
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
    let made = try? PersistentIdentifier.identifier(
      for: id.storeIdentifier ?? "", entityName: "Trip", primaryKey: 1)
    #expect(made?.entityName == "Trip")
    let coded = (try? JSONEncoder().encode(id)).flatMap {
      try? JSONDecoder().decode(PersistentIdentifier.self, from: $0)
    }
    #expect(coded == id)
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
    data.setValue(forKey: \.name, to: "Eco")
    #expect(data.getValue(forKey: \.name) == "Eco")
    data.setValue(forKey: \.passport, to: Passport("P"))
    #expect(data.getValue(forKey: \.passport)?.number == "P")
    data.setValue(forKey: \.books, to: [])
    #expect(data.getValue(forKey: \.books) == [])
    data.setTransformableValue(forKey: \.name, to: "Umberto")
    #expect(data.getTransformableValue(forKey: \.name) == "Umberto")
    let other = contract.persistentBackingData
    other.setValue(forKey: \.author, to: author)
    #expect(other.getValue(forKey: \.author) === author)
    #expect(Trip.Root.self == Trip.self)
    _ = _AppData.ModelBackingData<Trip>(for: Trip.self)
  }

  /// Every declaration of a model's properties, with every label.
  private func macros() {
    let schema = Schema([Labelled.self])
    let entity = schema.entity(for: Labelled.self)
    #expect(entity?.attributesByName["a"]?.originalName == "b")
    #expect(entity?.attributesByName["a"]?.hashModifier == "c")
    #expect(entity?.relationshipsByName["trips"]?.maximumModelCount == 3)
    #expect(entity?.relationshipsByName["trips"]?.originalName == "tours")
    #expect(entity?.attributesByName["scratch"] == nil)
    #expect(entity?.uniquenessConstraints == [["a"], ["b", "c"]])
    #expect(entity?.indices == [["a"], ["b"], ["a", "b"], ["c"]])
    let predicate: Predicate<Labelled> = #Predicate<Labelled> { $0.a == "x" }
    let expression: Expression<Labelled, Int> = #Expression<Labelled, Int> { $0.a.count }
    let both = #Predicate<Labelled, Trip> {
      $0.a == $1.name && $1.name.localizedStandardContains($0.b)
    }
    let labelled = Labelled()
    #expect(
      (try? predicate.evaluate(labelled)) == false && (try? expression.evaluate(labelled)) == 0)
    labelled.a = "Rome"
    labelled.b = "OM"
    #expect((try? both.evaluate(labelled, Trip(name: "Rome"))) == true)
    #expect((try? both.evaluate(labelled, Trip(name: "Oslo"))) == false)
  }

  /// The types that only have to be there.
  private func storage() {
    let sorts: [SortDescriptor<Trip>] = [
      SortDescriptor(\.name), SortDescriptor(\.name, order: .reverse), SortDescriptor(\.note),
      SortDescriptor(\.isPaid), SortDescriptor(\.isPaid, order: .reverse),
      SortDescriptor(\.name, comparator: .localizedStandard),
      SortDescriptor(\.name, comparator: .localized, order: .reverse),
      SortDescriptor(\.note, comparator: .localizedStandard), SortDescriptor(\.start),
    ]
    #expect(sorts.count == 9)
    func element<C: RelationshipCollection>(_ type: C.Type) -> any PersistentModel.Type {
      C.PersistentElement.self
    }
    #expect(element([Trip].self) == Trip.self && element([Trip]?.self) == Trip.self)
  }

  private func conformances() {
    func configuration<C: DataStoreConfiguration & Identifiable & Hashable & Sendable>(_: C.Type)
    where C: CustomDebugStringConvertible, C.ID == URL {}
    configuration(ModelConfiguration.self)
    func values<V: Hashable & Sendable>(_: V.Type...) {}
    values(ModelConfiguration.GroupContainer.self)
    values(ModelConfiguration.CloudKitDatabase.self)
    values(Schema.Attribute.Option.self)
    values(Schema.Relationship.Option.self)
    values(SwiftDataError.self)
    values(PersistentIdentifier.ID.self)
    values(EditingState.self)
    func identifier<I: Hashable & Identifiable & Comparable & Codable & Sendable>(_: I.Type) {}
    identifier(PersistentIdentifier.self)
    func descriptor<D: Equatable & Sendable>(_: D.Type) {}
    descriptor(FetchDescriptor<Trip>.self)
    func coded<C: Codable & Hashable>(_: C.Type) {}
    coded(Schema.self)
    coded(Schema.Entity.self)
    coded(Schema.Attribute.self)
    coded(Schema.Relationship.self)
    coded(Schema.Version.self)
    coded(Schema.Relationship.DeleteRule.self)
    func context<C: Equatable & SendableMetatype & CustomDebugStringConvertible>(_: C.Type) {}
    context(ModelContext.self)
    func container<C: Equatable & Sendable>(_: C.Type) {}
    container(ModelContainer.self)
    func list<C: RandomAccessCollection>(_: C.Type) where C.Element == Trip {}
    list(FetchResultsCollection<Trip>.self)
    func model<M: PersistentModel & Observable & Hashable & Identifiable & SendableMetatype>(
      _: M.Type
    ) where M.ID == PersistentIdentifier {}
    model(Trip.self)
    func executor<E: SerialModelExecutor & Sendable>(_: E.Type) {}
    executor(DefaultSerialModelExecutor.self)
    func error<E: Error & Hashable>(_: E.Type) {}
    error(SwiftDataError.self)
    error(DataStoreError.self)
    func store<S: DataStore & DataStoreBatching & HistoryProviding>(_: S.Type)
    where S.Snapshot == DefaultSnapshot, S.HistoryType == DefaultHistoryTransaction {}
    store(DefaultStore.self)
    func snapshot<S: DataStoreSnapshot & Codable & Sendable>(_: S.Type) {}
    snapshot(DefaultSnapshot.self)
    func key<K: CodingKey>(_: K.Type) {}
    key(DataStoreSnapshotCodingKey.self)
    let values: [any DataStoreSnapshotValue] = [1, "a"]
    #expect(values.count == 2 && DataStoreSnapshotCodingKey(intValue: 1) == nil)
    #expect(DataStoreSnapshotCodingKey.modeledProperty("a").stringValue == "a")
  }

  @Test @MainActor func anActorHasItsParts() async throws {
    let (container, _) = try memory(Trip.self)
    #expect(container.mainContext.container == container)
    let keeper = TripKeeper(modelContainer: container)
    let actor: any ModelActor = keeper
    #expect(actor.modelContainer == container)
    let executor: any ModelExecutor = keeper.modelExecutor
    #expect(executor is any SerialModelExecutor)
    _ = unsafe keeper.unownedExecutor
    let own = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    #expect(own.modelContext.container == container)
    let id = try await keeper.add("Rome")
    #expect(await keeper.name(of: id) == "Rome")
  }
}

/// Lets a test call what is deprecated without a warning.
private protocol Old {
  func deprecated(_ container: ModelContainer)
}

extension PublicSymbolTests: Old {}

@Model
private final class Labelled {
  #Unique<Labelled>([\.b, \.c])
  #Index<Labelled>([\.a], [\.b])
  #Index<Labelled>(.binary([\.a, \.b]), .rtree([\.c]))

  @Attribute(.unique, .preserveValueOnDeletion, originalName: "b", hashModifier: "c") var a = ""
  var b = ""
  var c = 0
  @Relationship(
    deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 3,
    originalName: "tours", inverse: nil, hashModifier: "x") var trips: [Trip] = []
  @Transient var scratch = 0

  init() {}
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
