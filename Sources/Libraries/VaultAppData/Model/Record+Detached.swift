/// Relationships of objects that are in no context: both sides hold each other, as models.
///
/// Inserting one of them finds all that are linked; then keys take the models' place.
extension _AppData.Record {
  /// The models that a relationship leads to while the object is in no context.
  private func linked(_ index: Int) -> [any PersistentModel] {
    if !slots.isEmpty, case .models(let list) = slots[index] { list.models } else { [] }
  }

  /// Changes what a relationship leads to, on both sides.
  func setDetached(_ index: Int, _ targets: [any PersistentModel]?) {
    let old = linked(index)
    var seen: Set<ObjectIdentifier> = []
    let new = (targets ?? []).filter { seen.insert(ObjectIdentifier($0)).inserted }
    if slots.isEmpty { fillEmpty() }
    slots[index] = targets == nil ? .null : .models(_AppData.ModelList(new))
    guard let model else { return }
    if let inverse = description.inverse(of: index) {
      for target in old where !seen.contains(ObjectIdentifier(target)) {
        target.record?.dropLink(inverse.index, to: model)
      }
      let before = Set((new.isEmpty ? [] : old).map(ObjectIdentifier.init))
      for target in new where !before.contains(ObjectIdentifier(target)) {
        target.record?.addLink(inverse, to: model, from: index, of: target)
      }
    }
    join(new, model)
  }

  /// Adds a model at the end of an array; `nil` if it is there already, `false` if it cannot be.
  func appendDetached(_ index: Int, _ target: any PersistentModel) -> Bool? {
    guard let model, case .models(let list) = slots[index] else { return false }
    if list.contains(target) { return nil }
    list.append(target)
    if let inverse = description.inverse(of: index) {
      target.record?.addLink(inverse, to: model, from: index, of: target)
    }
    join([target], model)
    return true
  }

  /// Takes models out of an array by their places; `false` if that is not how it is done here.
  func removeDetached(_ places: [Int], _ index: Int) -> Bool {
    guard state == .detached, let model, case .models(let list) = slots[index],
      places.allSatisfy({ $0 < list.count })
    else { return false }
    let gone = list.remove(at: places)
    if let inverse = description.inverse(of: index) {
      for target in gone { target.record?.dropLink(inverse.index, to: model) }
    }
    return true
  }

  /// Leads back to a new object from all that its initializer linked.
  func leadBack(to model: any PersistentModel) {
    guard !slots.isEmpty else { return }
    for index in description.relationships {
      let targets = linked(index)
      guard !targets.isEmpty else { continue }
      linking(targets, index) {
        if let inverse = description.inverse(of: index) {
          for target in targets {
            target.record?.addLink(inverse, to: model, from: index, of: target)
          }
        }
        join(targets, model)
      }
    }
  }

  /// Inserts the object into the context of a model that it is linked with.
  private func join(_ targets: [any PersistentModel], _ model: any PersistentModel) {
    if let former = former?.context {
      // The link goes with the row, which others have deleted; new objects stay.
      for target in targets where target.record?.state == .detached { former.insert(target) }
      return
    }
    guard state == .detached || state == .gone,
      let context = targets.lazy
        .compactMap({ $0.record?.context ?? $0.record?.former?.context }).first,
      context.container.plan(description) != nil
    else { return }
    context.graph.insert(model)
  }

  /// Adds a model to one side, which is this record's.
  ///
  /// - Parameters:
  ///   - property: The relationship here.
  ///   - other: The model.
  ///   - index: The relationship of the model that leads here.
  ///   - model: This record's object.
  private func addLink(
    _ property: PropertyDescription, to other: any PersistentModel, from index: Int,
    of model: any PersistentModel
  ) {
    // An object of a context gets the link with the one that is inserted.
    guard state == .detached || state == .gone, context == nil else { return }
    if slots.isEmpty { fillEmpty() }
    guard case .models(let list) = slots[property.index], !list.models.isEmpty else {
      model._$changing(property.index)
      slots[property.index] = .models(_AppData.ModelList([other]))
      return
    }
    if property.isToOne {
      guard let old = list.models.first, old !== other else { return }
      model._$changing(property.index)
      old.record?.dropLink(index, to: model)
      slots[property.index] = .models(_AppData.ModelList([other]))
    } else if !list.contains(other) {
      model._$changing(property.index)
      list.append(other)
    }
  }

  /// Takes a model out of one side, which is this record's.
  private func dropLink(_ index: Int, to other: any PersistentModel) {
    guard !slots.isEmpty, case .models(let list) = slots[index], list.contains(other) else {
      return
    }
    model?._$changing(index)
    if description.properties[index].isToOne { slots[index] = .null } else { list.remove(other) }
  }
}

extension _AppData {
  /// Related models in order, held while they cannot be found by key.
  public final class ModelList: @unchecked Sendable {
    // Belongs to one record, which is in no context.
    private(set) var models: [any PersistentModel]
    /// Made when it is first asked for: most lists are short, or never searched.
    private var members: Set<ObjectIdentifier> = []
    /// Raised by every change.
    private(set) var version: UInt32 = 0
    /// The array as the program last had it, while it is changed in place.
    var open: OpenArray?

    init(_ models: [any PersistentModel]) { self.models = models }

    var count: Int { models.count }

    func contains(_ model: any PersistentModel) -> Bool {
      if models.count < 16 { return models.contains { $0 === model } }
      if members.isEmpty { members = Set(models.map { ObjectIdentifier($0) }) }
      return members.contains(ObjectIdentifier(model))
    }

    func append(_ model: any PersistentModel) {
      let isOpen = open?.version == version
      version &+= 1
      if isOpen { open?.append(model, version: version) }
      models.append(model)
      if !members.isEmpty { members.insert(ObjectIdentifier(model)) }
    }

    /// Takes out the models at some places, which ascend.
    func remove(at places: [Int]) -> [any PersistentModel] {
      version &+= 1
      let gone = places.map { models[$0] }
      var (place, next) = (-1, places[...])
      models.removeAll { _ in
        place += 1
        guard place == next.first else { return false }
        next.removeFirst()
        return true
      }
      for model in gone { members.remove(ObjectIdentifier(model)) }
      return gone
    }

    func remove(_ model: any PersistentModel) {
      version &+= 1
      models.removeAll { $0 === model }
      members.remove(ObjectIdentifier(model))
    }
  }
}
