import VaultDataStore
import VaultStorage

extension EntityPlan {
  /// Binds the key and every slot with a column, as ``insertion`` has them.
  ///
  /// - Returns: The parameter after them.
  @discardableResult func bindAll(
    _ record: _AppData.Record, to statement: SQLiteStatement, from first: Int = 1,
    isChecked: Bool = true
  ) throws -> Int {
    try statement.bind(record.key, at: first)
    return try bindSlots(
      record, bound, ordered, to: statement, from: first + 1, isChecked: isChecked)
  }

  /// Binds the key, the class where the table has one, and the slots of one table, as that class's
  /// ``insertion`` has them; `part` is one of the tables that the object's row is in.
  @discardableResult func bindAll(
    _ record: _AppData.Record, _ part: TablePart, to statement: SQLiteStatement,
    from first: Int = 1, isChecked: Bool = true
  ) throws -> Int {
    try statement.bind(record.key, at: first)
    var parameter = first + 1
    if part.entity.hasClassColumn {
      try statement.bind(name, at: parameter)
      parameter += 1
    }
    return try bindSlots(
      record, part.bound, part.ordered, to: statement, from: parameter, isChecked: isChecked)
  }

  private func bindSlots(
    _ record: _AppData.Record, _ bound: [Int], _ ordered: [Int], to statement: SQLiteStatement,
    from first: Int, isChecked: Bool
  ) throws -> Int {
    var parameter = first
    for index in bound {
      try bind(record, index, to: statement, at: parameter, isChecked: isChecked)
      parameter += 1
    }
    for index in ordered {
      try bindOrder(record, index, to: statement, at: parameter)
      parameter += 1
    }
    return parameter
  }

  /// Binds some slots and then the key, as ``update(_:)`` has them.
  func bind(
    _ record: _AppData.Record, _ changed: [Int], to statement: SQLiteStatement,
    isChecked: Bool = true
  ) throws {
    var parameter = 1
    for index in changed {
      try bind(record, index, to: statement, at: parameter, isChecked: isChecked)
      parameter += 1
    }
    if hasOrder {
      for index in changed where slots[index].orderColumn != nil {
        try bindOrder(record, index, to: statement, at: parameter)
        parameter += 1
      }
    }
    try statement.bind(record.key, at: parameter)
  }

  private func bind(
    _ record: _AppData.Record, _ index: Int, to statement: SQLiteStatement, at parameter: Int,
    isChecked: Bool
  ) throws {
    if hasSealed, slots[index].isSealed {
      // What queries see has nothing of it.
      let sealed = isChecked ? try sealed(record, index) : .null
      return try statement.bind(sealed, at: parameter)
    }
    switch record.slots[index] {
    case .integer(let value): try statement.bind(value, at: parameter)
    case .text(let value):
      if isChecked, slots[index].orderColumn != nil, value == "NaN" {
        throw failure(record, index, "is not a number")
      }
      noteText(value, index)
      try statement.bind(value, at: parameter)
    case .real(let value):
      if value.isNaN, isChecked { throw failure(record, index, "is not a number") }
      try statement.bind(value, at: parameter)
    case .null: try statement.bindNull(at: parameter)
    case .data(let value): try statement.bind([UInt8](value), at: parameter)
    case .boxed(let box):
      do {
        let value = try box.columnValue()
        if case .text(let text) = value { noteText(text, index) }
        try statement.bind(value, at: parameter)
      } catch EncodingError.invalidValue(let value, let context) {
        throw failure(
          record, index, "cannot be encoded: \(context.debugDescription)",
          EncodingError.invalidValue(value, context))
      }
    case .fault, .rows, .models:
      let value =
        index < description.properties.count
        ? description.properties[index].defaultValue : nil
      let slot = value.flatMap { description.properties[index].slot(of: $0) } ?? .null
      try statement.bind(try slot.columnValue() ?? .null, at: parameter)
    }
  }

  private func bindOrder(
    _ record: _AppData.Record, _ index: Int, to statement: SQLiteStatement, at parameter: Int
  ) throws {
    if case .text(let text) = record.slots[index], let key = DecimalOrder.key(text) {
      try statement.bind(key, at: parameter)
    } else {
      try statement.bindNull(at: parameter)
    }
  }

  /// The error of an attribute that somebody else has changed, too.
  func conflict(_ record: _AppData.Record, _ index: Int) -> SwiftDataError {
    .saveConflict.saying(
      "\(name).\(description.properties[index].name) of object \(record.key) has been changed by "
        + "another context or process")
  }

  /// An error about a property of an object.
  func failure(
    _ record: _AppData.Record, _ index: Int, _ what: String, _ error: (any Error)? = nil
  ) -> SwiftDataError {
    failure(record.key, index, what, error)
  }

  /// An error about a property of the object with a key.
  func failure(
    _ key: Int64, _ index: Int, _ what: String, _ error: (any Error)? = nil
  ) -> SwiftDataError {
    let property = index < description.properties.count ? description.properties[index].name : "?"
    return .modelValidationFailure.saying(
      "\(name).\(property) of object \(key) \(what)", underlying: error)
  }
}
