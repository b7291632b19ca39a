import VaultDataStore
import VaultStorage

extension EntityPlan {
  /// Fills slots from the statement's row, whose first column is the key.
  func read(_ row: SQLiteStatement, into slots: inout _AppData.Slots, _ wanted: Set<Int>? = nil) {
    var column = 0
    slots.fill(count: kinds.count) { index in
      let kind = kinds[index]
      if kind == .none || kind == .external { return .fault }
      if let wanted, !wanted.contains(index) { return .fault }
      column += 1
      return kind.read(row, column)
    }
  }
}

extension EntityPlan {
  /// Fills slots from a row of this class or of one that it inherits from: `columns` has the column
  /// of each slot in ``EntityFamily/selection(of:)``, and 0 for what is not read.
  func read(_ row: SQLiteStatement, into slots: inout _AppData.Slots, at columns: [Int]) {
    slots.fill(count: kinds.count) { index in
      columns[index] == 0 ? .fault : kinds[index].read(row, columns[index])
    }
  }
}

extension SlotPlan.Kind {
  /// The value of a column.
  func read(_ row: SQLiteStatement, _ column: Int) -> _AppData.Slot {
    switch self {
    case .integer:
      // SQLite reads NULL as 0, so only zeros need the second call.
      let value = row.int64(at: column)
      return value == 0 && row.isNull(at: column) ? .null : .integer(value)
    case .real:
      let value = row.double(at: column)
      return value == 0 && row.isNull(at: column) ? .null : .real(value)
    case .text: return row.optionalString(at: column).map { .text($0) } ?? .null
    case .data:
      return row.isNull(at: column) ? .null : .data(Data(row.bytes(at: column)))
    case .any, .external:
      if row.isNull(at: column) { return .null }
      switch row.type(at: column) {
      case .integer: return .integer(row.int64(at: column))
      case .blob: return .data(Data(row.bytes(at: column)))
      default: return .text(row.string(at: column))
      }
    case .none: return .fault
    }
  }
}

extension _AppData.Slot {
  /// Whether both hold the same column value.
  func isSame(as other: _AppData.Slot) -> Bool {
    switch (self, other) {
    case (.null, .null), (.fault, .fault): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.boxed(let box), .text(let text)), (.text(let text), .boxed(let box)):
      box.isSame(asJSON: text)
    case (.boxed(let box), .data(let data)), (.data(let data), .boxed(let box)):
      (try? box.data()) == data
    case (.boxed(let left), .boxed(let right)): left === right || left.isSame(as: right)
    default: false
    }
  }
}

extension _AppData.Slot {
  /// Whether both are texts of the same JSON.
  func isSameJSON(as other: _AppData.Slot) -> Bool {
    guard case .text(let left) = self, case .text(let right) = other else { return false }
    return JSONTree.areSame(left, right)
  }
}

extension PropertyDescription {
  /// Whether its values are kept as JSON.
  var isJSON: Bool { kind == .attribute(.json, isRaw: false) && transformer == nil }
}

extension _AppData.ValueBox {
  /// Whether both come to the same bytes, or to the same JSON.
  fileprivate func isSame(as other: _AppData.ValueBox) -> Bool {
    guard let data = try? data() else {
      return (try? other.data()) == nil && (try? other.encoded()).map(isSame) == true
    }
    return (try? other.data()) == data
  }

  /// Whether it is the same JSON, however its members are ordered and its numbers are written.
  fileprivate func isSame(asJSON text: String) -> Bool {
    guard (try? data()) == nil, let own = try? encoded() else { return false }
    return JSONTree.areSame(own, text)
  }
}

extension JSONTree {
  /// Whether two texts are the same JSON.
  static func areSame(_ left: String, _ right: String) -> Bool {
    if left.utf8.elementsEqual(right.utf8) { return true }
    guard let first = try? ValueCoding.decode(left, as: JSONTree.self),
      let second = try? ValueCoding.decode(right, as: JSONTree.self)
    else { return false }
    return first.isSame(as: second)
  }

  /// Whether both are the same value: members in any order, numbers by what they are.
  func isSame(as other: JSONTree) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.members(let left), .members(let right)):
      left.count == right.count
        && left.allSatisfy { name, value in right[name].map(value.isSame) ?? false }
    default: number.map { $0 == other.number } ?? false
    }
  }

  /// A number with all its digits, or as a Double where it has too many or is too large for that.
  private var number: JSONNumber? {
    switch self {
    case .integer(let value): JSONNumber(decimal: Decimal(value), real: Double(value))
    case .unsigned(let value): JSONNumber(decimal: Decimal(value), real: Double(value))
    case .decimal(let value):
      JSONNumber(decimal: value, real: Double("\(value)") ?? .nan)
    case .real(let value): JSONNumber(decimal: nil, real: value)
    case .null, .bool, .text, .list, .members: nil
    }
  }
}

private struct JSONNumber: Equatable {
  let decimal: Decimal?
  let real: Double

  static func == (left: Self, right: Self) -> Bool {
    guard let first = left.decimal, let second = right.decimal else {
      return left.real == right.real
    }
    return first == second
  }
}
