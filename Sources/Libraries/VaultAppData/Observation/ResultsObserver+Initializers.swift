extension ResultsObserver where SectionName == Never {
  /// Observes the results of a fetch in a context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which objects, in which order.
  ///   - modelContext: Whose objects, with what is pending there.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext, isolation: isolation)
  }

  /// Observes the results of a fetch in a context of its own.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which objects, in which order.
  ///   - modelContainer: The container.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes the objects that a predicate finds in a context.
  ///
  /// - Parameters:
  ///   - filterBy: Which objects; `nil` for all.
  ///   - sortBy: In which order.
  ///   - modelContext: Whose objects, with what is pending there.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext,
      isolation: isolation)
  }

  /// Observes the objects that a predicate finds, in a context of its own.
  ///
  /// - Parameters:
  ///   - filterBy: Which objects; `nil` for all.
  ///   - sortBy: In which order.
  ///   - modelContainer: The container.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil,
      ModelContext(modelContainer), isolation: isolation)
  }
}

extension ResultsObserver where SectionName == String {
  /// Observes the results of a fetch in a context, in sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which objects, in which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContext: Whose objects, with what is pending there.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectionBy, modelContext, isolation: isolation)
  }

  /// Observes the results of a fetch in a context of its own, in sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which objects, in which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContainer: The container.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectionBy, ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes the objects that a predicate finds in a context, in sections.
  ///
  /// - Parameters:
  ///   - filterBy: Which objects; `nil` for all.
  ///   - sortBy: In which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContext: Whose objects, with what is pending there.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy, modelContext,
      isolation: isolation)
  }

  /// Observes the objects that a predicate finds, in a context of its own and in sections.
  ///
  /// - Parameters:
  ///   - filterBy: Which objects; `nil` for all.
  ///   - sortBy: In which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContainer: The container.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy,
      ModelContext(modelContainer), isolation: isolation)
  }
}

extension ResultsObserver where SectionName == String? {
  /// Observes the results of a fetch in a context, in sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which objects, in which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContext: Whose objects, with what is pending there.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectionBy, modelContext, isolation: isolation)
  }

  /// Observes the results of a fetch in a context of its own, in sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which objects, in which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContainer: The container.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, sectionBy, ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes the objects that a predicate finds in a context, in sections.
  ///
  /// - Parameters:
  ///   - filterBy: Which objects; `nil` for all.
  ///   - sortBy: In which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContext: Whose objects, with what is pending there.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy, modelContext,
      isolation: isolation)
  }

  /// Observes the objects that a predicate finds, in a context of its own and in sections.
  ///
  /// - Parameters:
  ///   - filterBy: Which objects; `nil` for all.
  ///   - sortBy: In which order.
  ///   - sectionBy: The property that names an object's section.
  ///   - modelContainer: The container.
  ///   - isolation: Where the observer is used.
  /// - Throws: As ``ModelContext/fetch(_:)``; a `StorageError` if a file cannot be watched.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy,
      ModelContext(modelContainer), isolation: isolation)
  }
}
