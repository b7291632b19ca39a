extension ObjectGraph {
  /// Puts an object into the context, and every object that it leads to.
  func insert(_ model: any PersistentModel) {
    // Most objects lead nowhere, and need no list of what is still to be inserted.
    if let record = model.record, record.state == .detached,
      let plan = plan(record.description), plan.relationships.isEmpty
    {
      return Inserting.attach(record, model, plan, to: self)
    }
    var inserting = Inserting(self)
    inserting.insert(model)
  }
}

/// One insertion: an object with all that it leads to.
struct Inserting {
  typealias Record = _AppData.Record
  typealias RowList = _AppData.RowList

  private let graph: ObjectGraph
  /// The links of the objects before they had keys.
  private var links: [NewLinks] = []

  private struct NewLinks {
    let relationship: RelationshipPlan
    let owner: Record
    let models: [any PersistentModel]
  }

  fileprivate init(_ graph: ObjectGraph) { self.graph = graph }

  fileprivate mutating func insert(_ model: any PersistentModel) {
    var open: [any PersistentModel] = [model]
    var index = 0
    while index < open.count {
      defer { index += 1 }
      let model = open[index]
      guard let record = model.record else { continue }
      switch record.state {
      case .detached, .gone:
        guard let plan = graph.container.plan(record.description) else {
          graph.pending.problems.append(
            .modelValidationFailure.saying(
              "\(record.description.entityName) is not in the container's schema"))
          continue
        }
        let known = links.count
        collect(record, plan)
        Self.attach(record, model, plan, to: graph)
        open += links[known...].flatMap(\.models)
      case .deleted where record.isIn(graph.home):
        graph.perform(.undelete(record))
      case .inserted, .stored, .deleted:
        if !record.isIn(graph.home) { graph.reportForeign(record) }
      }
    }
    connect()
  }

  /// Notes what a new object leads to, and empties its slots for keys.
  private mutating func collect(_ record: Record, _ plan: EntityPlan) {
    if record.slots.isEmpty { record.fillEmpty() }
    for relationship in plan.relationships {
      let index = relationship.index
      if case .models(let list) = record.slots[index], !list.models.isEmpty {
        // What others have deleted does not come back with what leads to it.
        let models = list.models.filter { $0.record?.former !== graph.home }
        links.append(NewLinks(relationship: relationship, owner: record, models: models))
      }
      guard relationship.isToMany else {
        record.slots[index] = .null
        continue
      }
      let list = RowList()
      list.isNil = record.slots[index].isNull
      record.slots[index] = .rows(list)
    }
  }

  /// Gives a new object its key.
  fileprivate static func attach(
    _ record: Record, _ model: any PersistentModel, _ plan: EntityPlan, to graph: ObjectGraph
  ) {
    record.model = model
    if record.slots.isEmpty { record.fillEmpty() }
    model._$writeConstants()
    record.slots.resize(to: max(record.slots.count, plan.slotCount))
    record.key = graph.pending.nextKey(plan)
    record.unsaved = nil
    record.isStored = false
    record.changed = PropertySet()
    graph.insert(record, plan, model)
  }

  /// Turns the models of new objects into keys, and leads back from them.
  private func connect() {
    // Arrays first, since they have an order.
    for new in links where new.relationship.isToMany {
      for model in new.models {
        guard let key = graph.admit(model, new.relationship)?.key,
          case .rows(let list) = new.owner.slots[new.relationship.index], !list.contains(key)
        else { continue }
        graph.link(new.relationship, new.owner, key)
      }
    }
    for new in links where !new.relationship.isToMany {
      graph.setTarget(new.relationship, of: new.owner, new.models.first)
    }
    for new in links where new.relationship.inverse?.isToMany == true { order(new) }
  }

  /// Gives an array the order that it had: the other sides of its links may have come first.
  private func order(_ new: NewLinks) {
    guard case .rows(let list) = new.owner.slots[new.relationship.index] else { return }
    let keys = new.models.compactMap { $0.record?.key }
    if keys == list.keys { return }
    let places = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
    let ordered = list.keys.enumerated().sorted {
      (places[$0.element] ?? Int.max, $0.offset) < (places[$1.element] ?? Int.max, $1.offset)
    }.map(\.element)
    if ordered != list.keys { graph.reorder(new.relationship, new.owner, ordered) }
  }
}
