/// Relationships: models while the object is in no context, keys afterwards.
extension _AppData.Record {
  static func models<Value: RelationshipCollection>(_ value: Value) -> [any PersistentModel] {
    if let array = value as? [Value.PersistentElement] { return array }
    if let sequence = value as? any Sequence<Value.PersistentElement> {
      return sequence.map { $0 }
    }
    return []
  }

  // MARK: Reading

  func related(_ index: Int) -> (any PersistentModel)? {
    switch slot(index) {
    case .integer(let key):
      guard let plan = entity?.relationshipByProperty[index], let context else { return nil }
      return context.target(plan, key, near: self)
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
    switch slot(index) {
    case .rows(let list):
      if let plan = entity?.relationshipByProperty[index], let context {
        found = context.targets(plan, list.keys, near: self)
      }
    case .models(let list): found = list.models.compactMap { $0 as? Element }
    default: break
    }
    if let value = found as? Value { return value }
    if let value = Optional.some(found) as? Value { return value }
    preconditionFailure(
      "\(description.entityName).\(description.properties[index].name): a relationship to many "
        + "models is an array, not \(type)")
  }

  // MARK: Writing

  func setRelated(_ index: Int, _ target: (any PersistentModel)?) {
    switch state {
    case .detached, .gone:
      if slots.isEmpty { fillEmpty() }
      if let target, let context = target.record?.context, let model,
        context.container.plan(description) != nil
      {
        // What is linked with an object of a context belongs to the context.
        slots[index] = .models(_AppData.ModelList([target]))
        context.insert(any: model)
      } else {
        slots[index] = target.map { .models(_AppData.ModelList([$0])) } ?? .null
      }
    case .inserted, .stored, .deleted:
      guard let context, let plan = entity?.relationshipByProperty[index] else { return }
      context.setTarget(plan, of: self, target)
    }
  }

  func setRelatedMany(_ index: Int, _ targets: [any PersistentModel]) {
    switch state {
    case .detached, .gone:
      if slots.isEmpty { fillEmpty() }
      slots[index] = .models(_AppData.ModelList(targets))
      if let context = targets.lazy.compactMap({ $0.record?.context }).first, let model,
        context.container.plan(description) != nil
      {
        context.insert(any: model)
      }
    case .inserted, .stored, .deleted:
      guard let context, let plan = entity?.relationshipByProperty[index] else { return }
      context.setTargets(plan, of: self, targets)
    }
  }
}
