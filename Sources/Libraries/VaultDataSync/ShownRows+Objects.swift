import VaultDataStore
import VaultStorage
import VaultSync

/// Which objects have a row: deny before cascade, and who requires what is not there waits.
extension ShownRows {
  /// An object of which it is not known yet whether it is shown.
  private struct Candidate {
    var object: StoreState.Object
    var isAlive: Bool
    var isKept = false
    var isHidden = false
    /// What it leads to, by the places of the columns; of a deleted object without a row only once
    /// its values were looked up.
    var targets: [Int: WireValue]
    /// The values that the records have, for a deleted object without a row.
    var values: [String: WireValue]?
  }

  func settleObjects(_ open: Set<Int64>) throws {
    var region: [Int64: Candidate] = [:]
    try gather(open.sorted(), &region)
    guard !region.isEmpty else { return }
    try keep(&region)
    try hide(&region)
    try hideCollided(&region)
    let candidates = region.values.sorted { $0.object.id < $1.object.id }
    for candidate in candidates where candidate.isAlive || candidate.isKept {
      if candidate.isHidden, candidate.object.row != nil { try hide(candidate.object) }
    }
    for candidate in candidates where !candidate.isAlive && !candidate.isKept {
      if candidate.object.row != nil { try remove(candidate.object) }
    }
    for candidate in candidates
    where candidate.isHidden && candidate.object.row == nil && candidate.isAlive
      && !(mode == .joins && collided.contains(candidate.object.id))
    {
      try noteHidden(candidate.object)
    }
    for candidate in candidates where candidate.isAlive || candidate.isKept {
      if candidate.isKept { kept.insert(candidate.object.id) }
      guard !candidate.isHidden, candidate.object.row == nil else { continue }
      try show(candidate.object, candidate.values)
    }
  }

  // MARK: Looking

  private func targets(
    of object: StoreState.Object, _ shape: TrackedClass, _ values: [SQLiteValue]?
  ) throws -> [Int: WireValue] {
    var targets: [Int: WireValue] = [:]
    for (place, _) in shape.references {
      targets[place] = try current(of: object, shape.columns[place], values?[place])
    }
    return targets
  }

  /// Takes objects that may come or go, and all that depend on them.
  private func gather(_ open: [Int64], _ region: inout [Int64: Candidate]) throws {
    var open = open.map { (id: $0, depends: false) }
    while let (id, depends) = open.popLast() {
      guard region[id] == nil, let object = try state.object(id: id),
        let shape = shape(of: object), let rows = rows[shape.name]
      else { continue }
      let values = try object.row.flatMap { try rows.values(of: $0) }
      let isAlive = try isAlive(object)
      let targets = try targets(of: object, shape, values)
      if isAlive {
        // Its deletion may be denied now.
        for (place, reference) in shape.references where reference.rule == .deny {
          guard case .reference(let identity)? = targets[place],
            let target = try self.object(identity, at: reference),
            try !self.isAlive(target)
          else { continue }
          open.append((target.id, false))
        }
      }
      guard try depends || !isAlive || object.row == nil || hasOpenTarget(shape, targets) else {
        continue
      }
      region[id] = Candidate(object: object, isAlive: isAlive, targets: targets)
      for (other, column) in incoming[shape.name] ?? [] where column.isHard {
        open += try referrers(of: object, other, column).map { ($0.id, true) }
      }
    }
  }

  /// Whether something that an object needs has no row, or is to be looked at itself.
  private func hasOpenTarget(
    _ shape: TrackedClass, _ targets: [Int: WireValue]
  ) throws -> Bool {
    for (place, reference) in shape.references where shape.columns[place].isHard {
      guard case .reference(let identity)? = targets[place] else {
        if shape.columns[place].isRequired { return true }
        continue
      }
      guard let target = try object(identity, at: reference) else {
        if shape.columns[place].isRequired { return true }
        continue
      }
      if try target.row == nil || !isAlive(target) { return true }
    }
    return false
  }

  // MARK: Deny

  /// Finds the deletions that are undone.
  private func keep(_ region: inout [Int64: Candidate]) throws {
    var goesOn = true
    while goesOn {
      goesOn = false
      for id in region.keys.sorted() {
        guard let candidate = region[id], !candidate.isAlive, !candidate.isKept,
          try isDenied(candidate.object, region)
        else { continue }
        try keep(id, &region)
        goesOn = true
      }
    }
  }

  private func isDenied(_ target: StoreState.Object, _ region: [Int64: Candidate]) throws -> Bool {
    let denying = (incoming[target.path] ?? []).filter { $0.column.reference?.rule == .deny }
    guard !denying.isEmpty else { return false }
    let deletions = try state.deletions(of: target).filter { !$0.isUndone }
    for (shape, column) in denying {
      for other in try referrers(of: target, shape, column) {
        guard try region[other.id]?.isKept ?? false || isAlive(other) else { continue }
        let stamp = try stamp(of: other, column.name)
        // What was not told yet nobody knows.
        let isUnknown = deletions.allSatisfy { !stamp.isKnown(by: $0.past) }
        if isUnknown || stamp.number == 0 { return true }
      }
    }
    return false
  }

  /// Keeps an object, and what it belongs to or needs.
  private func keep(_ first: Int64, _ region: inout [Int64: Candidate]) throws {
    var open = [first]
    while let id = open.popLast() {
      if region[id] == nil { try gather([id], &region) }
      guard var candidate = region[id], !candidate.isAlive, !candidate.isKept,
        let shape = shape(of: candidate.object)
      else { continue }
      if candidate.object.row == nil {
        let values = try recorded(candidate.object)
        guard try isComplete(values, shape) else { continue }
        candidate.values = values
        candidate.targets = Dictionary(
          uniqueKeysWithValues: shape.references.map { place, _ in
            (place, values[shape.columns[place].name] ?? .null)
          })
      }
      candidate.isKept = true
      region[id] = candidate
      for (place, reference) in shape.references
      where shape.columns[place].isHard || reference.rule == .deny {
        guard case .reference(let identity)? = candidate.targets[place],
          let target = try object(identity, at: reference),
          try !isAlive(target)
        else { continue }
        open.append(target.id)
      }
    }
  }

  /// Whether a row can be made of values.
  func isComplete(_ values: [String: WireValue], _ shape: TrackedClass) throws -> Bool {
    guard let rows = rows[shape.name] else { return false }
    return try shape.columns.allSatisfy { column in
      guard let value = values[column.name], value != .null else {
        return !column.isRequired || column.hasDefault && values[column.name] == nil
      }
      return try accepts(value, in: column, rows)
    }
  }

  /// Whether the store takes a value that came.
  func accepts(
    _ value: WireValue, in column: TrackedColumn, _ rows: TrackedRows
  ) throws -> Bool {
    if column.reference != nil {
      if case .reference = value { return true }
      return value == .null && !column.isRequired
    }
    return try value.stored.map { try rows.accepts($0, in: column) } ?? false
  }

  // MARK: Cascade, and what is required

  /// Finds who cannot be shown, since another one has a unique value, or is to have it.
  private func hideCollided(_ region: inout [Int64: Candidate]) throws {
    for id in region.keys { collided.remove(id) }
    var found: Set<Int64> = []
    while true {
      let open = region.values.filter { candidate in
        (candidate.isAlive || candidate.isKept) && !candidate.isHidden
          && candidate.object.row == nil
          && shape(of: candidate.object)?.contested.isEmpty == false
      }.sorted { $0.object.identity < $1.object.identity }
      let candidates = try open.map { ($0.object, try $0.values ?? state.values(of: $0.object)) }
      let more = try collisions(candidates) { object in
        guard let other = region[object.id] else { return false }
        return other.isHidden || !other.isAlive && !other.isKept
      }
      guard !more.isEmpty else { break }
      found.formUnion(more)
      for id in region.keys { region[id]?.isHidden = false }
      try hide(&region, found)
    }
    collided.formUnion(found)
  }

  /// Finds who belongs to what is not shown, or needs it.
  private func hide(_ region: inout [Int64: Candidate], _ first: Set<Int64> = []) throws {
    var dependents: [Int64: [Int64]] = [:]
    var open = Array(first)
    for (id, candidate) in region {
      guard candidate.isAlive || candidate.isKept else {
        open.append(id)
        continue
      }
      var (needs, lacks) = try needs(candidate, region)
      if let shape = shape(of: candidate.object), candidate.object.row == nil,
        try !isComplete(candidate.values ?? state.values(of: candidate.object), shape)
      {
        lacks = true
      }
      if lacks { open.append(id) }
      for target in needs { dependents[target, default: []].append(id) }
    }
    while let id = open.popLast() {
      guard region[id]?.isHidden == false else { continue }
      region[id]?.isHidden = true
      open += dependents[id] ?? []
    }
  }

  /// The candidates that an object needs, and whether it lacks something else.
  private func needs(
    _ candidate: Candidate, _ region: [Int64: Candidate]
  ) throws -> (needs: [Int64], lacks: Bool) {
    guard let shape = shape(of: candidate.object) else { return ([], true) }
    var needs: [Int64] = []
    for (place, reference) in shape.references where shape.columns[place].isHard {
      guard case .reference(let identity)? = candidate.targets[place],
        let target = try object(identity, at: reference)
      else {
        if shape.columns[place].isRequired { return (needs, true) }
        continue
      }
      if region[target.id] != nil {
        needs.append(target.id)
      } else if target.row == nil {
        return (needs, true)
      }
    }
    return (needs, false)
  }

  // MARK: Rows

  /// Takes an object out of the rows; its values stay beside them.
  func hide(_ object: StoreState.Object) throws {
    guard let shape = shape(of: object), let rows = rows[shape.name], let row = object.row
    else { return }
    var object = object
    if let values = try rows.values(of: row) {
      for (place, column) in shape.columns.enumerated() {
        let value = try current(of: object, column, values[place])
        try state.setValue(of: object, column.name, value)
        if try object.made.number == 0 || isTyped(values[place], object, place) {
          typed[object.id, default: []].append(column.name)
        }
      }
    }
    try clear(object, shape, row)
    try rows.delete(row)
    history.note(.delete, shape.entity, row)
    (object.row, object.marks) = (nil, [])
    try state.update(object)
    hidden += 1
    try noteHidden(object)
  }

  /// What is not shown is kept with what lost, until it is shown.
  private func noteHidden(_ object: StoreState.Object) throws {
    waiting += 1
    for (property, value) in try state.values(of: object) where value != .null {
      try lose(value, object, property, stamp(of: object, property))
    }
  }

  /// What still waits for a unique value is kept with what lost, as what is not shown for another
  /// reason.
  func noteCollided() throws {
    guard mode == .joins else { return }
    for id in collided.sorted() {
      if let object = try state.object(id: id), object.row == nil { try noteHidden(object) }
    }
  }

  /// Removes the row of a deleted object; what its deleter did not know is kept with what lost.
  private func remove(_ object: StoreState.Object) throws {
    guard let shape = shape(of: object), let rows = rows[shape.name], let row = object.row
    else { return }
    var object = object
    let values = try rows.values(of: row)
    let deletions = try state.deletions(of: object).filter { !$0.isUndone }
    for (place, column) in shape.columns.enumerated() {
      if let value = values?[place], try isTyped(value, object, place) {
        // It was typed, and not told.
        try lose(
          wire(value, column), object, column.name,
          Stamp(stream: own ?? object.made.stream, number: .max, time: object.made.time))
      }
      for change in try state.changes(of: object, column.name)
      where deletions.contains(where: { !change.stamp.isKnown(by: $0.past) }) {
        let value = try change.value ?? values.map { try current(of: object, column, $0[place]) }
        if let value { try lose(value, object, column.name, change.stamp) }
      }
    }
    try noteTargets(of: object, values)
    try clear(object, shape, row)
    try rows.delete(row)
    history.note(.delete, shape.entity, row)
    try state.forgetChanges(of: object)
    try state.forgetValues(of: object)
    (object.row, object.marks) = (nil, [])
    try state.update(object)
    if values != nil { hidden += 1 }
  }

  /// Has nothing lead to a row that goes; who did leads there again when the object comes back.
  func clear(_ object: StoreState.Object, _ shape: TrackedClass, _ row: Int64) throws {
    for (other, column) in incoming[shape.name] ?? [] {
      guard let rows = rows[other.name], let place = other.columns.firstIndex(of: column) else {
        continue
      }
      for key in try rows.rows(with: row, in: column) {
        guard var referrer = try state.object(of: other.family, row: key) else {
          if !column.isRequired { _ = try rows.update(key, [(column, .null)]) }
          continue
        }
        if try state.value(of: referrer, column.name) == nil {
          try state.setValue(of: referrer, column.name, .reference(object.identity))
        }
        openReferences.insert(referrer.id)
        // Who requires it goes, too.
        if !column.isRequired { try write(.null, &referrer, other, place, evenTyped: true) }
      }
    }
    try clearLinks(of: object, row)
    try noteMovedArrays(of: shape)
  }

  /// Gives an object a row again, or its first one.
  func show(_ object: StoreState.Object, _ recorded: [String: WireValue]?) throws {
    guard let shape = shape(of: object), let rows = rows[shape.name] else { return }
    var object = object
    let values = try recorded ?? state.values(of: object)
    var known: [(column: TrackedColumn, value: SQLiteValue)] = []
    for column in shape.columns {
      guard let value = values[column.name] else { continue }
      if column.reference != nil {
        try state.setValue(of: object, column.name, value)
        // A key that no row has, until all rows are there; another one for each object.
        if column.isRequired { known.append((column, .integer(-object.id))) }
      } else if let stored = value.stored, try rows.accepts(stored, in: column) {
        known.append((column, stored))
        if recorded == nil { try state.setValue(of: object, column.name, nil) }
        forms.note(stored, in: column, of: shape)
      }
    }
    let row = try rows.insert(known)
    object.row = row
    if object.made.number == 0 {
      untold.append(.init(table: shape.table, row: row))
    } else {
      var marks = [UInt8](repeating: 0, count: 8 * shape.columns.count)
      for (column, value) in known {
        try marks.set(WireValue(value).mark(), at: shape.place(of: column))
      }
      for (place, column) in shape.columns.enumerated()
      where values[column.name] != nil && column.reference != nil && !column.isRequired {
        try marks.set(WireValue.null.mark(), at: place)
      }
      object.marks = marks
    }
    try state.update(object)
    for column in shape.columns where values[column.name] != nil {
      try regain(object, column.name, stamp(of: object, column.name))
    }
    openReferences.insert(object.id)
    for (other, _) in try state.waiting(for: object.identity) { openReferences.insert(other.id) }
    try noteLinks(of: object)
    history.note(.insert, shape.entity, row)
    shown += 1
  }
}
