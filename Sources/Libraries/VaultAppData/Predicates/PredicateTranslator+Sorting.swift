import VaultDataStore

extension PredicateTranslator {
  /// A part of ORDER BY: `nil` before every value, or after it in the reverse order.
  func order<T: PersistentModel>(_ sort: SortDescriptor<T>, of root: Term) throws -> SQLFragment {
    do {
      guard let path = sort.keyPath else { throw Self.unsupported(SortDescriptor<T>.self) }
      guard !isComputed(path, of: root) else {
        throw Self.unsupported(
          SortDescriptor<T>.self,
          "\(readable(path, of: root)) ends in a computed property, which has no order in the store; "
            + "store what is to be sorted by")
      }
      let term = try member(path, of: root, in: SortDescriptor<T>.self)
      let scalar = try scalar(term, in: SortDescriptor<T>.self)
      let key = try order(of: scalar, in: SortDescriptor<T>.self)
      return "\(key)\(sql: sort.order == .reverse ? " DESC" : "")"
    } catch let error as SwiftDataError {
      throw SwiftDataError.unsupportedSortDescriptor.saying(error.message)
    }
  }

  /// Whether a key path leads to something that the library does not know by name, such as
  /// `rawValue`.
  private func isComputed(_ path: AnyKeyPath, of root: Term) -> Bool {
    do {
      _ = try member(path, of: root, in: AnyKeyPath.self)
      return false
    } catch {
      return !hasMetSealed && KeyPathText(path).components.contains { !$0.isPlain }
    }
  }

  /// A key path with the names of the properties that are known.
  func readable(_ path: AnyKeyPath, of root: Term) -> String {
    guard case .model(let model) = root else { return "\(path)" }
    var properties = model.plan.description.properties
    var names = [model.plan.name]
    for component in KeyPathText(path).components {
      let found = properties.first { KeyPathText($0.keyPath).ends(in: component) }
      properties = found?.destination.map { ModelDescription.of($0).properties } ?? []
      names.append(found?.name ?? (component.isPlain ? component.text : "…"))
    }
    return names.joined(separator: ".")
  }
}
