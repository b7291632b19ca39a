import VaultDataStore

/// That a property has shown another value than the store's, which does not decode, or not open.
///
/// What is assigned afterwards may have been made of it: `list.append(x)` is a read and an
/// assignment. The stored value is not to be lost that way. Only a value that is assigned without
/// such a read, since the program has heard of it, counts as one that is meant to replace it.
struct ShownValue {
  /// How often the program had been told of such values when it was first shown.
  let first: Int
  /// The same when it was last shown.
  var last: Int
}

extension PendingChanges {
  /// Notes that a property shows another value than the store's.
  func noteUndecoded(_ record: Record, _ index: Int) {
    guard let plan = record.entity else { return }
    if let known = record.shown[index] {
      record.shown[index] = ShownValue(first: known.first, last: undecoded.tellings)
    } else {
      record.shown[index] = ShownValue(first: undecoded.tellings, last: undecoded.tellings)
      // What does not open is one of the problems.
      if !record.isClosed(index) { undecoded.add(record, index, plan) }
    }
  }

  /// Whether a value that is assigned is to replace one that does not decode.
  func replacesUndecoded(_ record: Record, _ index: Int) -> Bool {
    guard record.state == .stored, let shown = record.shown[index],
      record.isClosed(index) || !record.description.decodes(record.slots[index], index)
    else { return true }
    // A case is a whole value, not made of another.
    let isWhole = record.description.properties[index].isEnum && shown.first < undecoded.tellings
    return isWhole || shown.last < undecoded.tellings
  }

  /// Objects with a value that was refused.
  private var refused: [(record: Record, indices: [Int])] {
    records.filter { $0.state == .stored && !$0.refused.isEmpty }
      .map { ($0, $0.refused.keys.sorted()) }
  }

  /// The error of a save of the program's own: of values that were refused at each save, of those
  /// that were only read once.
  func takeUndecoded() -> SwiftDataError? {
    let refused = refused
    guard let (record, indices) = refused.first, let index = indices.first,
      let plan = record.entity
    else { return undecoded.take(nil, 0) }
    let isClosed = record.isClosed(index)
    let reason = isClosed ? "open" : "decode as \(plan.description.properties[index].valueType)"
    let error = plan.failure(
      record, index,
      "was changed where another value is shown for a stored one that does not \(reason); the "
        + "stored one stays until the property is set without having been read")
    if isClosed { problems.removeAll { $0 == .sealedAttribute } }
    return undecoded.take(
      isClosed ? .sealedAttribute.saying(error.message) : error,
      refused.reduce(-1) { $0 + $1.indices.count })
  }

  /// Leaves out of a save, of which nobody is told, what may have been made of a value that was
  /// shown in place of the store's.
  ///
  /// - Returns: What ``putBack(_:)`` makes pending again.
  func holdUndecoded() -> [(record: Record, index: Int)] {
    var held: [(record: Record, index: Int)] = []
    for (record, indices) in refused {
      for index in indices where record.changed.contains(index) {
        record.changed.remove(index)
        held.append((record, index))
      }
    }
    return held
  }
}

/// The values that do not decode of which the program has yet to hear.
struct UndecodedNotes {
  private var first: SwiftDataError?
  private var count = 0
  /// By store: those that are not noted in the file yet, each with its type.
  private var new: [Int: [UndecodedValues.Place: String]] = [:]
  /// How often the program has heard of such values, or has discarded what it made of them.
  private(set) var tellings = 0

  fileprivate mutating func add(_ record: _AppData.Record, _ index: Int, _ plan: EntityPlan) {
    count += 1
    let property = plan.description.properties[index]
    let place = UndecodedValues.Place(plan.name, property.name, record.key)
    new[plan.store, default: [:]][place] = "\(property.valueType)"
    if first == nil {
      first = plan.failure(
        record, index,
        "does not decode as \(property.valueType), and stays in the store as it is until the "
          + "property is set")
    }
  }

  /// The error to throw; `nil` if there is nothing to tell.
  fileprivate mutating func take(_ refused: SwiftDataError?, _ others: Int) -> SwiftDataError? {
    guard let error = refused ?? first else { return nil }
    let others = refused == nil ? count - 1 : others
    (first, count) = (nil, 0)
    tellings += 1
    switch others {
    case 0: return error
    case 1: return error.saying("\(error.message); there is 1 other such value")
    default: return error.saying("\(error.message); there are \(others) other such values")
    }
  }

  /// What was shown before does not count any more: the program has discarded what it made of it.
  mutating func discard() { tellings += 1 }

  /// The values that are not noted in the file yet, by store.
  mutating func takeNew() -> [Int: [UndecodedValues.Place: String]] {
    defer { new = [:] }
    return new
  }
}

extension PropertyDescription {
  /// Whether it is an enum, or an optional one.
  fileprivate var isEnum: Bool {
    (plainType is any RawRepresentable.Type || plainType is any CaseIterable.Type)
      && !(plainType is any OptionSet.Type) && !(plainType is any _AppData.StoredValue.Type)
  }
}
