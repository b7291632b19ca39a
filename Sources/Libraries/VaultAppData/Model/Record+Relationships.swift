/// Relationships: models while the object is in no context, keys afterwards.
extension _AppData.Record {
  /// The models of a collection; `nil` if it is.
  static func models<Value: RelationshipCollection>(_ value: Value) -> [any PersistentModel]? {
    if let array = value as? [Value.PersistentElement] { return array }
    if let sequence = value as? any Sequence<Value.PersistentElement> {
      return sequence.map { $0 }
    }
    return nil
  }

  // MARK: Reading

  func related(_ index: Int) -> (any PersistentModel)? {
    switch slot(index) {
    case .integer(let key):
      guard let plan = entity?.relationshipByProperty[index], let context = readingContext else {
        return nil
      }
      return context.home.use.during(.load, self) {
        context.graph.target(plan, key, near: self)
      }
    case .models(let list): return list.models.first
    default: return nil
    }
  }

  func relatedOrMissing<Value: PersistentModel>(_ index: Int, as type: Value.Type) -> Value {
    if let value = related(index) as? Value { return value }
    // Never a crash: an object without a row and with empty values.
    let record = _AppData.Record(Value._$description, key: DetachedKey.make())
    record.state = .gone
    return Materialization.make(type, of: record)
  }

  func relatedMany<Value: RelationshipCollection>(_ index: Int, as type: Value.Type) -> Value {
    typealias Element = Value.PersistentElement
    var found: [Element] = []
    let slot = slot(index)
    let open =
      if let context {
        context.home.use.during(.load, self) { openArray(index, of: Element.self) }
      } else {
        openArray(index, of: Element.self)
      }
    if let open {
      if let value = open as? Value ?? Optional.some(open) as? Value { return value }
    }
    switch slot {
    case .rows(let list):
      if list.isNil, let none = Value.nothing { return none }
      if let plan = entity?.relationshipByProperty[index], let context = readingContext {
        found = context.home.use.during(.load, self) {
          context.graph.targets(plan, list.keys, near: self)
        }
      }
    case .models(let list): found = list.models.compactMap { $0 as? Element }
    case .null: if let none = Value.nothing { return none }
    default: break
    }
    if let value = found as? Value { return value }
    if let value = Optional.some(found) as? Value { return value }
    preconditionFailure(
      "\(description.entityName).\(description.properties[index].name): a relationship to many "
        + "models is an array, not \(type)")
  }

  // MARK: Writing

  /// Runs `body`, which links the object with others, in the context of those that have one: the
  /// object comes into it.
  func linking<Result>(
    _ targets: [any PersistentModel]?, _ index: Int, _ body: () -> Result
  ) -> Result {
    guard let home = targets?.lazy.compactMap({ $0.record?.place?.home }).first else {
      return body()
    }
    return home.use.during(.change, self, index, body)
  }

  func setRelated(_ index: Int, _ target: (any PersistentModel)?) {
    switch state {
    case .detached, .gone:
      let targets = target.map { [$0] }
      linking(targets, index) { setDetached(index, targets) }
    case .inserted, .stored, .deleted:
      guard let context, let plan = entity?.relationshipByProperty[index] else { return }
      context.home.use.during(.change, self, index) {
        context.graph.setTarget(plan, of: self, target)
      }
    }
  }

  /// Changes a relationship to many models; `nil` for an array that is.
  func setRelatedMany(_ index: Int, _ targets: [any PersistentModel]?) {
    switch state {
    case .detached, .gone: linking(targets, index) { setDetached(index, targets) }
    case .inserted, .stored, .deleted:
      guard let context, let plan = entity?.relationshipByProperty[index] else { return }
      context.home.use.during(.change, self, index) {
        context.graph.setTargets(plan, of: self, targets)
      }
    }
  }
}

extension RelationshipCollection {
  /// `nil`, if the collection may be that.
  fileprivate static var nothing: Self? {
    (Self.self as? any OptionalValue.Type)?.nothing as? Self
  }
}
