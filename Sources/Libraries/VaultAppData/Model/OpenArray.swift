import Glibc

/// An array of related models between two changes in place, such as two calls of `append`.
///
/// A relationship's setter gets a whole array, and has to find out what is new in it. While nothing
/// else changes the relationship, the array is handed out and comes back without being made or
/// copied; what it held before is still there if its objects are, which is one comparison of
/// memory.
@safe final class OpenArray {
  /// An array of the property's element type; `nil` while it is handed out.
  private var models: AnyObject?
  /// The list's version that the models are of.
  private(set) var version: UInt32
  /// The models' addresses when the array was handed out.
  private var objects: ContiguousArray<ObjectIdentifier>

  /// Holds the array; a class, so that the array can be changed in place.
  private final class Holder<Element: AnyObject>: ModelHolder {
    var models: [Element]
    init(_ models: [Element]) { self.models = models }

    func append(_ model: AnyObject) -> Bool {
      guard let model = model as? Element else { return false }
      models.append(model)
      return true
    }
  }

  /// Notes an array that has just been handed out.
  init<Element: PersistentModel>(of models: [Element], version: UInt32) {
    self.version = version
    objects = ContiguousArray(models.lazy.map { ObjectIdentifier($0) })
  }

  /// The models, which stay here; `nil` while they are handed out, or are of another version.
  func models<Element: PersistentModel>(of version: UInt32, _ type: Element.Type) -> [Element]? {
    version == self.version ? (models as? Holder<Element>)?.models : nil
  }

  /// Hands out the only reference to the array, so that it can be changed in place.
  func take<Element: PersistentModel>(of version: UInt32, _ type: Element.Type) -> [Element]? {
    guard version == self.version, let holder = models as? Holder<Element> else { return nil }
    models = nil
    return holder.models
  }

  /// The models appended to an array that was handed out; `nil` if it changed anywhere else.
  func added<Element: PersistentModel>(in array: [Element]) -> ArraySlice<Element>? {
    let count = objects.count
    guard array.count >= count else { return nil }
    guard RuntimeTricks.isOn(.arrayMemory),
      MemoryLayout<Element>.stride == MemoryLayout<ObjectIdentifier>.stride
    else {
      let isSame = zip(array, objects).allSatisfy { ObjectIdentifier($0) == $1 }
      return isSame ? array[count...] : nil
    }
    let isSame = unsafe array.withUnsafeBytes { new in
      unsafe objects.withUnsafeBytes { old in
        guard count > 0, let new = new.baseAddress, let old = old.baseAddress else { return true }
        return unsafe memcmp(new, old, count * MemoryLayout<ObjectIdentifier>.stride) == 0
      }
    }
    return isSame ? array[count...] : nil
  }

  /// The places of the models that were taken out of an array that was handed out; `nil` if it
  /// changed otherwise, or not at all.
  func removed<Element: PersistentModel>(from array: [Element]) -> [Int]? {
    guard array.count < objects.count else { return nil }
    var removed: [Int] = []
    removed.reserveCapacity(objects.count - array.count)
    var next = 0
    for (place, object) in objects.enumerated() {
      if next < array.count, ObjectIdentifier(array[next]) == object {
        next += 1
      } else {
        removed.append(place)
      }
    }
    return next == array.count ? removed : nil
  }

  /// Takes back an array from which models were taken out.
  func putShortened<Element: PersistentModel>(_ array: [Element], version: UInt32) {
    objects = ContiguousArray(array.lazy.map { ObjectIdentifier($0) })
    models = Holder(array)
    self.version = version
  }

  /// Follows a change that was made at the other side: a model has been added at the end.
  func append(_ model: any PersistentModel, version: UInt32) {
    guard let holder = models as? any ModelHolder, holder.append(model) else { return }
    objects.append(ObjectIdentifier(model))
    self.version = version
  }

  /// Takes back an array that has only grown.
  func put<Element: PersistentModel>(_ array: [Element], version: UInt32) {
    objects.append(contentsOf: array[objects.count...].lazy.map { ObjectIdentifier($0) })
    models = Holder(array)
    self.version = version
  }
}

/// An array of models of a type that only the array knows.
private protocol ModelHolder: AnyObject {
  func append(_ model: AnyObject) -> Bool
}

/// The destinations of a relationship to many models, in the order of the array.
protocol LinkList: AnyObject {
  var count: Int { get }
  /// Raised by every change.
  var version: UInt32 { get }
  /// The array as the program last had it, while it is changed in place.
  var open: OpenArray? { get set }
}

extension _AppData.RowList: LinkList {}
extension _AppData.ModelList: LinkList {}

extension _AppData.Record {
  private func list(_ index: Int) -> (any LinkList)? {
    guard !slots.isEmpty else { return nil }
    switch slots[index] {
    case .rows(let list): return list
    case .models(let list): return list
    default: return nil
    }
  }

  /// The array that was last put back, if nothing has changed it since.
  func openArray<Element: PersistentModel>(_ index: Int, of type: Element.Type) -> [Element]? {
    guard let list = list(index) else { return nil }
    return list.open?.models(of: list.version, type)
  }

  /// Hands out the array of a relationship to many models, to be changed in place and put back.
  func take<Value: RelationshipCollection>(_ index: Int, as type: Value.Type) -> Value {
    guard let context else { return takeAlone(index, as: type) }
    return context.home.use.during(.change, self, index) { takeAlone(index, as: type) }
  }

  private func takeAlone<Value: RelationshipCollection>(
    _ index: Int, as type: Value.Type
  ) -> Value {
    typealias Element = Value.PersistentElement
    _ = current.slot(index)
    if let list = list(index), let open = list.open,
      let models = open.take(of: list.version, Element.self)
    {
      if let value = models as? Value ?? Optional.some(models) as? Value { return value }
    }
    let value = relatedMany(index, as: type)
    if let list = list(index) {
      list.open = nil
      if let models = value as? [Element], models.count == list.count {
        list.open = OpenArray(of: models, version: list.version)
        if let rows = list as? _AppData.RowList { context?.graph.openLists.append(rows) }
      }
    }
    return value
  }

  /// Takes an array back that was handed out.
  func put<Value: RelationshipCollection>(_ index: Int, _ value: Value) {
    guard let models = value as? [Value.PersistentElement], let list = list(index),
      let open = list.open, open.version == list.version
    else { return setRelatedMany(index, Self.models(value)) }
    guard let added = open.added(in: models) else {
      if let removed = open.removed(from: models), remove(removed, index),
        let now = self.list(index)
      {
        open.putShortened(models, version: now.version)
        now.open = open
        if let rows = now as? _AppData.RowList { context?.graph.openLists.append(rows) }
        return
      }
      return setRelatedMany(index, Self.models(value))
    }
    list.open = nil
    var twice = 0
    for model in added {
      switch append(index, model) {
      case true?: continue
      // There already, as what an initializer has linked: `x.list.append(Child(parent: x))`.
      case nil where twice == 0 && model === added.last: twice = 1
      default: return setRelatedMany(index, models)
      }
    }
    // An object that was appended may have brought others, or this one into its context.
    guard let now = self.list(index), now.count == models.count - twice else { return }
    open.put(twice == 0 ? models : models.dropLast(twice), version: now.version)
    now.open = open
    if now !== list, let rows = now as? _AppData.RowList { context?.graph.openLists.append(rows) }
  }

  /// Takes models out of an array by their places; `false` if that is not how it is done here.
  private func remove(_ places: [Int], _ index: Int) -> Bool {
    if context == nil { return removeDetached(places, index) }
    guard state == .inserted || state == .stored, let context,
      let plan = entity?.relationshipByProperty[index]
    else { return false }
    return context.home.use.during(.change, self, index) {
      context.graph.remove(places, from: plan, of: self)
    }
  }

  /// Adds a model at the end of an array; `nil` if it is there already, `false` if it cannot be.
  private func append(_ index: Int, _ model: some PersistentModel) -> Bool? {
    switch state {
    case .detached, .gone: return linking([model], index) { appendDetached(index, model) }
    case .inserted, .stored, .deleted:
      guard let context, let plan = entity?.relationshipByProperty[index] else { return false }
      return context.home.use.during(.change, self, index) {
        context.graph.append(model, to: plan, of: self)
      }
    }
  }
}
