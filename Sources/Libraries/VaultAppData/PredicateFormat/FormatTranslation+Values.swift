import VaultStorage

/// Values: constants, paths, functions, arithmetic.
extension FormatTranslation {
  func term(_ value: FormatValue) throws -> Term {
    try at(value.position) {
      switch value.kind {
      case .constant(let constant): return FormatCoercion.term(constant)
      case .root: return root
      case .variable(let name): return variables[name] ?? .null
      case .member(let base, let name):
        if name.hasPrefix("@") { return try function(name, of: base, at: value.position) }
        return try member(base, name, at: value.position)
      case .element(let base, at: let index):
        return try translator.element(at: term(index), of: term(base), in: Self.node)
      case .end(let base, isFirst: let isFirst):
        return try translator.end(of: term(base), first: isFirst, in: Self.node)
      case .count(let base): return try translator.count(of: term(base), in: Self.node)
      case .list: throw Self.failure(value.position, "a list belongs behind IN or BETWEEN")
      case .arithmetic(let sign, let left, let right):
        return try arithmetic(sign, term(left), term(right), at: value.position)
      case .call(let name, let arguments): return try call(name, arguments, at: value.position)
      case .subquery:
        throw Self.failure(value.position, "of a SUBQUERY only @count is known: SUBQUERY(…).@count")
      case .choice(let test, let first, let second):
        return try choice(test, term(first), term(second))
      }
    }
  }

  /// A property behind a path; a function of a collection in it is for all that follows.
  private func member(_ base: FormatValue, _ name: String, at position: Int) throws -> Term {
    if case .member(let collection, let function) = base.kind,
      ["@sum", "@avg", "@min", "@max"].contains(function)
    {
      return try aggregate(
        function, of: term(collection), [FormatStep(name: name, position: position)], at: position)
    }
    return try member(name, of: term(base), at: position)
  }

  private func function(_ name: String, of base: FormatValue, at position: Int) throws -> Term {
    switch name {
    case "@count":
      if case .subquery(let collection, variable: let variable, let test) = base.kind {
        return try count(of: collection, as: variable, test)
      }
      return try translator.count(of: term(base), in: Self.node)
    case "@sum", "@avg", "@min", "@max":
      // `stops.days.@sum`, and an array of numbers.
      return try aggregate(name, of: base, at: position)
    default:
      throw Self.failure(
        position, "\(name) is not supported: there are @count, @sum, @avg, @min and @max")
    }
  }

  private func call(_ name: String, _ arguments: [FormatValue], at position: Int) throws -> Term {
    func one() throws -> FormatValue {
      guard let first = arguments.first, arguments.count == 1 else {
        throw Self.failure(position, "\(name) takes one value")
      }
      return first
    }
    func two() throws -> (Term, Term) {
      guard arguments.count == 2 else {
        throw Self.failure(position, "\(name) takes two values")
      }
      return (try term(arguments[0]), try term(arguments[1]))
    }
    switch name {
    case "now":
      guard arguments.isEmpty else { throw Self.failure(position, "now takes no value") }
      return .captured(Date.now)
    case "count:", "length:": return try translator.count(of: term(one()), in: Self.node)
    case "sum:": return try aggregate("@sum", of: one(), at: position)
    case "average:": return try aggregate("@avg", of: one(), at: position)
    case "min:": return try aggregate("@min", of: one(), at: position)
    case "max:": return try aggregate("@max", of: one(), at: position)
    case "lowercase:": return try text("vault_lowercase", term(one()))
    case "uppercase:": return try text("vault_uppercase", term(one()))
    case "abs:": return try absolute(term(one()), at: position)
    case "add:to:":
      let (left, right) = try two()
      return try arithmetic("+", left, right, at: position)
    case "from:subtract:":
      let (left, right) = try two()
      return try arithmetic("-", left, right, at: position)
    case "multiply:by:":
      let (left, right) = try two()
      return try arithmetic("*", left, right, at: position)
    case "divide:by:":
      let (left, right) = try two()
      return try arithmetic("/", left, right, at: position)
    case "modulus:by:":
      let (left, right) = try two()
      return try arithmetic("%", left, right, at: position)
    default:
      throw Self.failure(
        position,
        "\(name) is not supported: there are now, count, length, sum, average, min, max, "
          + "lowercase, uppercase, abs, and arithmetic")
    }
  }

  private func text(_ function: String, _ operand: Term) throws -> Term {
    guard translator.isText(operand) else {
      throw SwiftDataError.unsupportedPredicate.saying("this function is for texts")
    }
    var scalar = try translator.scalar(operand, in: Self.node)
    scalar.sql = "\(sql: function)(\(scalar.sql))"
    scalar.form = .string
    return .scalar(scalar)
  }

  private func absolute(_ operand: Term, at position: Int) throws -> Term {
    var scalar = try translator.scalar(operand, in: Self.node)
    guard scalar.form.kind == .integer || scalar.form.kind == .double else {
      throw Self.failure(position, "abs: is for integers and floating-point numbers")
    }
    // abs() of the least integer is an error: sqlite.org/lang_corefunc.html.
    scalar.sql = "abs(NULLIF(\(scalar.sql), -9223372036854775808))"
    scalar.canFail = true
    return .scalar(scalar)
  }

  private func arithmetic(
    _ sign: String, _ left: Term, _ right: Term, at position: Int
  ) throws -> Term {
    let left = try FormatCoercion.term(left, like: right, at: position)
    let right = try FormatCoercion.term(right, like: left, at: position)
    let kinds = try [left, right].map { try translator.scalar($0, in: Self.node).form.kind }
    let type: any Any.Type
    if kinds.contains(.decimal) {
      type = Decimal.self
    } else if kinds.allSatisfy({ $0 == .integer }) {
      type = Int.self
    } else if kinds.allSatisfy({ [.integer, .float, .double].contains($0) }) {
      type = Double.self
    } else {
      throw Self.failure(position, "arithmetic is for numbers")
    }
    if type != Int.self, sign == "%" {
      throw Self.failure(position, "modulus:by: is for integers")
    }
    let result = try translator.arithmetic(
      sign, numeric(left, type), numeric(right, type), of: type, in: Self.node)
    guard translator.isOptional(left) || translator.isOptional(right) else { return result }
    guard case .scalar(var scalar) = result else { return result }
    scalar.isOptional = true
    return .scalar(scalar)
  }

  /// An integer as the floating-point number that the other operand is.
  private func numeric(_ term: Term, _ type: any Any.Type) throws -> Term {
    guard type == Double.self else { return term }
    var scalar = try translator.scalar(term, in: Self.node)
    if scalar.form.kind == .integer { scalar.sql = "CAST(\(scalar.sql) AS REAL)" }
    scalar.form = .double
    return .scalar(scalar)
  }

  private func choice(_ test: FormatCondition, _ first: Term, _ second: Term) throws -> Term {
    let condition = try condition(test)
    let left = try FormatCoercion.term(first, like: second, at: 0)
    let right = try FormatCoercion.term(second, like: first, at: 0)
    return try translator.merge(left, right, in: Self.node) {
      "CASE WHEN \(condition) THEN \($0) ELSE \($1) END"
    }
  }
}

/// Values of the program in the type that they are compared with: the language has one kind of
/// number.
enum FormatCoercion {
  static func term(_ constant: (any Sendable)?) -> Term {
    guard let constant else { return .null }
    if let optional = constant as? any OptionalValue {
      return optional.wrapped.map { .captured($0) } ?? .null
    }
    if let integer = constant as? Int64 { return .captured(Int(integer)) }
    return .captured(constant)
  }

  /// A constant as a value of what the other operand holds.
  static func term(_ term: Term, like other: Term, at position: Int) throws -> Term {
    guard case .captured(let value) = term else { return term }
    switch other {
    case .scalar(let scalar): return .captured(try coerced(value, scalar.form, position))
    case .model:
      guard value is PersistentIdentifier else {
        throw failure(position, value, "a PersistentIdentifier")
      }
      return term
    case .captured(let other):
      // Two constants: one kind of number.
      if value is any BinaryInteger, other is any BinaryFloatingPoint {
        return .captured(try coerced(value, .double, position))
      }
      return term
    default: return term
    }
  }

  private static func failure(_ position: Int, _ value: Any, _ wanted: String) -> SwiftDataError {
    FormatTranslation.failure(
      position, "a value of \(Swift.type(of: value)) is compared with \(wanted)")
  }

  private static func coerced(_ value: Any, _ form: ValueForm, _ position: Int) throws -> Any {
    let wanted = "one of \(form.type)"
    switch form.kind {
    case .boolean:
      if value is Bool { return value }
      if let number = value as? any BinaryInteger { return Int(truncatingIfNeeded: number) }
    case .integer:
      if let flag = value as? Bool { return flag ? 1 : 0 }
      if let integer = value as? any BinaryInteger, let fitting = Int(exactly: integer) {
        return fitting
      }
      // An integer is compared with 2.5 as a number.
      if let real = value as? any BinaryFloatingPoint { return Double(real) }
      if isRaw(value, form) { return value }
    case .unsigned:
      if let integer = value as? any BinaryInteger, let fitting = UInt64(exactly: integer) {
        return fitting
      }
      if isRaw(value, form) { return value }
    case .float, .double:
      if let integer = value as? any BinaryInteger { return Double(integer) }
      if let real = value as? any BinaryFloatingPoint { return Double(real) }
      if let decimal = value as? Decimal { return Double("\(decimal)") ?? .nan }
      if isRaw(value, form) { return value }
    case .decimal:
      if let decimal = value as? Decimal { return decimal }
      if let integer = value as? any BinaryInteger, let fitting = Int64(exactly: integer) {
        return Decimal(fitting)
      }
      if let real = value as? any BinaryFloatingPoint { return Decimal(Double(real)) }
    case .date:
      if value is Date { return value }
    case .text:
      if form.type == UUID.self, let text = value as? String {
        return UUID(uuidString: text) ?? text
      }
      if value is String || value is Character || value is UUID || value is URL { return value }
      if let part = value as? Substring { return String(part) }
      if isRaw(value, form) { return value }
    case .key:
      if value is PersistentIdentifier { return value }
    case .data:
      if value is Data { return value }
    case .json, .base64, .external: return value
    }
    throw failure(position, value, wanted)
  }

  /// Whether it is a case of the enum that a property holds.
  private static func isRaw(_ value: Any, _ form: ValueForm) -> Bool {
    value is any RawRepresentable && Swift.type(of: value) == form.type
  }
}
