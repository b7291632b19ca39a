import Synchronization
import VaultDataStore

/// Key paths that lead to a property by way of a protocol, in a generic function, or by way of a
/// subclass: `\BusinessTrip.name` is another path than `\Trip.name`.
///
/// ```swift
/// func named<T: PersistentModel & Named>(_ name: String) -> FetchDescriptor<T> {
///   FetchDescriptor(predicate: #Predicate { $0.name == name })
/// }
/// ```
///
/// `\T.name` differs there from the class's own `\Trip.name`, and on Linux a key path does not know
/// its name. So an object is filled with random values, again and again, and the property is the
/// one whose values the key path always reads. A key path that computes something else matches no
/// property.
extension ModelDescription {
  /// The number of the property that such a key path leads to.
  func index(ofGeneric path: AnyKeyPath) -> Int? {
    guard KeyPathHeader.mayLeadThroughProtocol(path) || parent != nil else { return nil }
    let type = Swift.type(of: path).valueType
    let candidates = properties.filter { Swift.type(of: $0.keyPath).valueType == type }
    guard !candidates.isEmpty else { return nil }
    if let known = Self.found.withLock({ $0[path] }) { return known }
    // Not under the lock: the program's getters run.
    var search = GenericKeyPath(self, path)
    let index = search.index(among: candidates.map(\.index))
    Self.found.withLock { $0[path] = .some(index) }
    return index
  }

  private static let found = Mutex(KnownPaths())

  private struct KnownPaths: @unchecked Sendable {
    // Key paths are immutable.
    private var indexes: [AnyKeyPath: Int?] = [:]

    subscript(path: AnyKeyPath) -> Int?? {
      get { indexes[path] }
      set { indexes[path] = newValue }
    }
  }
}

/// Finds by trial which property a key path reads.
private struct GenericKeyPath {
  private let description: ModelDescription
  private let path: AnyKeyPath
  private var random = Chance(state: 7)
  /// Properties whose values are not random: what a type is, only its decoder knows.
  private var fixed: Set<Int> = []
  private static let rounds = 48

  init(_ description: ModelDescription, _ path: AnyKeyPath) {
    self.description = description
    self.path = path
  }

  mutating func index(among candidates: [Int]) -> Int? {
    var left = candidates
    for round in 0..<Self.rounds where !left.isEmpty {
      let record = _AppData.Record(description, key: DetachedKey.make())
      // Empty values come last: by then only the property itself is still being read.
      let slots = description.properties.map { slot($0, mayBeEmpty: round > Self.rounds / 2) }
      record.fillEmpty()
      for index in slots.indices { record.slots[index] = slots[index] }
      let model = Materialization.make(description.type, of: record)
      let value = value(of: model)
      left = left.filter { index in
        !fixed.contains(index) && isSame(slots[index], value, description.properties[index])
      }
    }
    return left.count == 1 ? left[0] : nil
  }

  private func value(of model: any PersistentModel) -> Any {
    func read<Model: PersistentModel>(_ model: Model) -> Any { model[keyPath: path] as Any }
    let value = read(model)
    // The key path's root is erased, which adds a layer of optionality.
    return (value as? any OptionalValue)?.wrapped ?? value
  }

  private func isSame(
    _ slot: _AppData.Slot, _ value: Any, _ property: PropertyDescription
  ) -> Bool {
    if case .models(let list) = slot {
      let found: [any PersistentModel] =
        if let model = value as? any PersistentModel { [model] } else {
          value as? [any PersistentModel] ?? []
        }
      return !found.isEmpty
        && found.map { ObjectIdentifier($0) }
          == list.models.map { ObjectIdentifier($0) }
    }
    switch (slot, property.slot(of: value)) {
    case (.null, .null): return true
    case (.integer(let left), .integer(let right)): return left == right
    case (.real(let left), .real(let right)): return left == right
    case (.text(let left), .text(let right)): return left == right
    case (.data(let left), .data(let right)): return left == right
    case (.boxed(let left), .boxed(let right)):
      return (try? left.encoded()).map { $0 == (try? right.encoded()) } ?? false
    default: return false
    }
  }

  // MARK: Random values

  private mutating func slot(
    _ property: PropertyDescription, mayBeEmpty: Bool
  ) -> _AppData.Slot {
    if property.isOptional, mayBeEmpty, random.next(4) == 0 { return .null }
    guard case .attribute(let type, let isRaw) = property.kind else {
      guard let destination = property.destination else { return .null }
      let record = _AppData.Record(.of(destination), key: DetachedKey.make())
      return .models(_AppData.ModelList([Materialization.make(destination, of: record)]))
    }
    if isRaw {
      let cases = (property.plainType as? any CaseIterable.Type)?.all ?? []
      guard !cases.isEmpty else { return .fault }
      return property.slot(of: cases[random.next(cases.count)]) ?? .fault
    }
    let number = random.next(120) + 1
    switch type {
    case .boolean: return .integer(Int64(random.next(2)))
    case .integer, .unsigned: return .integer(mayBeEmpty && number < 40 ? 0 : Int64(number))
    case .float, .double, .date:
      return .real(mayBeEmpty && number < 40 ? 0 : Double(number) + 0.25)
    case .decimal: return .text("\(number).5")
    case .string:
      return .text(mayBeEmpty && number < 40 ? "" : " Ab\(number) \(random.next(1_000_000)) é ")
    case .character: return .text(String(UnicodeScalar(UInt8(random.next(26)) + 0x61)))
    case .uuid: return .text(UUID().uuidString)
    case .url: return .text("https://example.com/\(number)")
    case .data: return .data(Data((0..<8).map { _ in UInt8(random.next(256)) }))
    case .json: return json(property)
    case .transformable, .sealed: return .fault
    }
  }

  /// A random array or dictionary of simple values; of any other type, some value.
  private mutating func json(_ property: PropertyDescription) -> _AppData.Slot {
    guard let type = property.plainType as? any Decodable.Type else { return .fault }
    let (one, two) = (random.next(1_000_000) + 2, random.next(1_000_000) + 2)
    for text in [
      "[\"a\(one)\",\"b\(two)\",\"c\"]", "[\(one),\(two),1]", "[\(one % 100),\(two % 100),1]",
      "{\"a\(one)\":\"b\(two)\",\"c\":\"d\"}", "{\"a\(one)\":\(two),\"c\":1}",
    ] {
      // Of a dictionary or a set, the order is lost: they are compared as they come back.
      if let value = try? ValueCoding.decode(text, as: type), value is any Collection {
        return property.slot(of: value) ?? .fault
      }
    }
    fixed.insert(property.index)
    return CodingKeyRecorder.sample(of: type).flatMap { property.slot(of: $0) } ?? .fault
  }
}

/// A random number generator with a fixed seed (SplitMix64, Steele and others 2014).
private struct Chance {
  var state: UInt64

  mutating func next(_ count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(count))
  }
}

extension CaseIterable {
  fileprivate static var all: [Any] { Array(allCases) }
}
