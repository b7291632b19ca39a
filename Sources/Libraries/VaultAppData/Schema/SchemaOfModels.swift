import Synchronization
import VaultDataStore

/// What follows from a list of classes alone, made once for each list: a program that opens its
/// containers again and again has it from the first time.
final class SchemaOfModels: Sendable {
  private static let known = Mutex<[[ObjectIdentifier]: SchemaOfModels]>([:])

  let entities: [Schema.Entity]
  /// The classes, and those that they lead to.
  let types: [any PersistentModel.Type]
  private let storedEntities = Mutex<[StoredEntity]?>(nil)

  private init(_ given: [any PersistentModel.Type]) {
    let all = ModelDescription.reachable(from: given)
    entities = Schema.Entity.entities(of: all)
    types = all.map(\.type)
  }

  /// What follows from a list of classes.
  static func of(_ types: [any PersistentModel.Type]) -> SchemaOfModels {
    let list = types.map { ObjectIdentifier($0) }
    if let made = known.withLock({ $0[list] }) { return made }
    let made = SchemaOfModels(types)
    known.withLock { $0[list] = made }
    return made
  }

  /// The entities as the store has them, made by `make` at the first call.
  func stored(_ make: () -> [StoredEntity]) -> [StoredEntity] {
    if let made = storedEntities.withLock({ $0 }) { return made }
    let made = make()
    storedEntities.withLock { $0 = made }
    return made
  }
}
