import VaultStorage

/// Where the entities of a store stand, and which inherits from which, found once for all questions.
struct EntityPlaces {
  let byName: [String: Int]
  let byNumber: [Int64: Int]
  /// By number: the entity at the top.
  let roots: [Int64: Int64]
  /// By number: the entity and those that inherit from it.
  let families: [Int64: Set<Int64>]

  /// - Throws: ``StorageError`` with code `.damaged` if there are more entities than any program
  ///   has, if one inherits from itself, or over too many others.
  init(_ entities: [CoreDataFile.NumberedEntity], path: String) throws(StorageError) {
    guard entities.count <= CoreDataModel.maximumEntities else {
      throw StorageError(
        .damaged, "\(path) lists more than \(CoreDataModel.maximumEntities) entities")
    }
    byName = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    byNumber = Dictionary(
      entities.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
    var roots: [Int64: Int64] = [:]
    var families: [Int64: Set<Int64>] = [:]
    for entity in entities {
      families[entity.number, default: []].insert(entity.number)
      var root = entity
      var depth = 1
      while let place = byNumber[root.superentity] {
        root = entities[place]
        families[root.number, default: []].insert(entity.number)
        depth += 1
        guard depth <= CoreDataModel.maximumDepth else {
          throw StorageError(
            .damaged,
            "the entity \(entity.name) of \(path) inherits from itself, or from more than "
              + "\(CoreDataModel.maximumDepth) others")
        }
      }
      roots[entity.number] = root.number
    }
    self.roots = roots
    self.families = families
  }
}
