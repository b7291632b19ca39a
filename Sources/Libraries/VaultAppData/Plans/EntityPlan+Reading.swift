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
    case (.boxed(let box), .text(let text)): (try? box.encoded()) == text
    default: false
    }
  }
}
