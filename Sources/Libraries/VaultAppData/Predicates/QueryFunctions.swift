import Synchronization
import VaultDataStore
import VaultStorage

/// SQL functions implemented in Swift: characters, checked arithmetic, the user's language.
///
/// Made for a connection; nothing of it is in the schema, so that any program reads and checks the
/// file without it.
enum QueryFunctions {
  /// Makes the functions and collations known to a connection.
  ///
  /// - Throws: ``StorageError``.
  static func register(on connection: SQLiteConnection) throws {
    try registerText(on: connection)
    try registerFormats(on: connection)
    try registerNumbers(on: connection)
    try registerValues(on: connection)
    try connection.createCollation("vault_localized_standard") { left, right in
      string(left).localizedStandardCompare(string(right)).rawValue
    }
    try connection.createCollation("vault_localized") { left, right in
      string(left).localizedCompare(string(right)).rawValue
    }
  }

  private static func string(_ bytes: RawSpan) -> String {
    unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Text

  private static func registerText(on connection: SQLiteConnection) throws {
    try text(connection, "vault_composed") { .text($0.normalized) }
    try text(connection, "vault_count") { .integer(Int64($0.count)) }
    try text(connection, "vault_first") { $0.first.map { .text(String($0)) } ?? .null }
    try text(connection, "vault_last") { $0.last.map { .text(String($0)) } ?? .null }
    try registerJSON(on: connection)
    try texts(connection, "vault_contains") { .integer(holds($0, $1) ? 1 : 0) }
    try texts(connection, "vault_starts") { .integer($0.starts(with: $1) ? 1 : 0) }
    let isPlain = LocalizedSearch.isPlainLanguage
    try connection.createFunction("vault_localized_standard_contains", argumentCount: 2) {
      arguments in
      if arguments.isNull(at: 0) || arguments.isNull(at: 1) { return .null }
      let found =
        isPlain
        ? arguments.withText(at: 0) { text in
          arguments.withText(at: 1) { part in LocalizedSearch.plain(text, part) }
        } : nil
      if let found { return .integer(found ? 1 : 0) }
      return .integer(
        arguments.string(at: 0).localizedStandardContains(arguments.string(at: 1)) ? 1 : 0)
    }
    try texts(connection, "vault_localized_compare") {
      .integer(Int64($0.localizedCompare($1).rawValue))
    }
    try texts(connection, "vault_case_insensitive_compare") {
      .integer(Int64($0.caseInsensitiveCompare($1).rawValue))
    }
    var patterns: [String: Regex<AnyRegexOutput>] = [:]
    try texts(connection, "vault_matches") { text, pattern in
      if patterns[pattern] == nil {
        if patterns.count > 64 { patterns.removeAll() }
        patterns[pattern] = try Regex(pattern)
      }
      return .integer(patterns[pattern].map { text.contains($0) } == true ? 1 : 0)
    }
  }

  /// Texts that hold U+0000, at which SQLite's own functions of JSON end them.
  private static func registerJSON(on connection: SQLiteConnection) throws {
    try text(connection, "vault_json_string") { text in
      (try? ValueCoding.decode(text, as: String?.self)).flatMap { $0 }.map { .text($0) } ?? .null
    }
    try texts(connection, "vault_json_member") { text, key in
      guard case .members(let members)? = try? ValueCoding.decode(text, as: JSONTree.self),
        let member = members[key]
      else { return .null }
      return .text(try ValueCoding.encode(member))
    }
    try text(connection, "vault_digits") { digits in
      .text(String(decoding: bytes(ofDigits: digits), as: UTF8.self))
    }
  }

  /// Values that are kept as JSON, compared by `==` of their type.
  private static func registerValues(on connection: SQLiteConnection) throws {
    func register(_ name: String, isOptional: Bool) throws {
      try connection.createFunction(name, argumentCount: 3) { arguments in
        let (isLeftNull, isRightNull) = (arguments.isNull(at: 1), arguments.isNull(at: 2))
        if isLeftNull || isRightNull {
          return isOptional ? .integer(isLeftNull && isRightNull ? 1 : 0) : .null
        }
        let isEqual = ValueComparisons.areEqual(
          arguments.int64(at: 0), arguments.string(at: 1), arguments.string(at: 2))
        return .integer(isEqual ? 1 : 0)
      }
    }
    try register("vault_equal_value", isOptional: false)
    try register("vault_is_value", isOptional: true)
  }

  private static func bytes(ofDigits digits: String) -> [UInt8] {
    func value(_ digit: UInt8) -> UInt8 { digit > 0x39 ? digit - 0x37 : digit - 0x30 }
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count - digits.count % 2, by: 2)
      .map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
  }

  /// What ``PredicateFormat`` asks of texts.
  private static func registerFormats(on connection: SQLiteConnection) throws {
    try text(connection, "vault_lowercase") { .text($0.lowercased()) }
    try text(connection, "vault_uppercase") { .text($0.uppercased()) }
    try texts(connection, "vault_ends") {
      .integer($0.reversed().starts(with: $1.reversed()) ? 1 : 0)
    }
    try texts(connection, "vault_like") { .integer(FormatFolding.isLike($0, $1) ? 1 : 0) }
    try connection.createFunction("vault_fold", argumentCount: 2) { arguments in
      if arguments.isNull(at: 0) { return .null }
      let options = FormatComparison.Options(rawValue: Int(arguments.int64(at: 1)))
      return .text(FormatFolding.folded(arguments.string(at: 0), options))
    }
    var patterns: [String: Regex<AnyRegexOutput>] = [:]
    try texts(connection, "vault_matches_all") { text, pattern in
      if patterns[pattern] == nil {
        if patterns.count > 64 { patterns.removeAll() }
        patterns[pattern] = try Regex(pattern)
      }
      return .integer(try patterns[pattern]?.wholeMatch(in: text) != nil ? 1 : 0)
    }
  }

  /// As a predicate does it: `String.contains` itself looks at scalars.
  private static func holds<Whole: Collection, Part: Collection>(
    _ whole: Whole, _ part: Part
  ) -> Bool where Whole.Element: Equatable, Whole.Element == Part.Element {
    whole.contains(part)
  }

  private static func text(
    _ connection: SQLiteConnection, _ name: String, _ body: @escaping (String) -> SQLiteValue
  ) throws {
    try connection.createFunction(name, argumentCount: 1) { arguments in
      arguments.isNull(at: 0) ? .null : body(arguments.string(at: 0))
    }
  }

  private static func texts(
    _ connection: SQLiteConnection, _ name: String,
    _ body: @escaping (String, String) throws -> SQLiteValue
  ) throws {
    try connection.createFunction(name, argumentCount: 2) { arguments in
      if arguments.isNull(at: 0) || arguments.isNull(at: 1) { return .null }
      return try body(arguments.string(at: 0), arguments.string(at: 1))
    }
  }

  // MARK: Numbers

  private static func registerNumbers(on connection: SQLiteConnection) throws {
    // The integer if it is one of so many bits; NULL beyond the range.
    try connection.createFunction("vault_integer", argumentCount: 2) { arguments in
      guard arguments.type(at: 0) == .integer else { return .null }
      let value = arguments.int64(at: 0)
      let bits = arguments.int64(at: 1)
      let isInRange =
        switch bits {
        case 64...: true
        case 1...: value >= -(1 << (bits - 1)) && value < 1 << (bits - 1)
        case ...(-64): value >= 0
        default: value >= 0 && value < 1 << -bits
        }
      return isInRange ? .integer(value) : .null
    }
    try connection.createFunction("vault_unsigned_arithmetic", argumentCount: 3) { arguments in
      guard let left = unsigned(arguments, 0), let right = unsigned(arguments, 2) else {
        return .null
      }
      let result: (partialValue: UInt64, overflow: Bool) =
        switch arguments.string(at: 1) {
        case "+": left.addingReportingOverflow(right)
        case "-": left.subtractingReportingOverflow(right)
        case "*": left.multipliedReportingOverflow(by: right)
        case "/": left.dividedReportingOverflow(by: right)
        default: left.remainderReportingOverflow(dividingBy: right)
        }
      return result.overflow ? .null : try result.partialValue.slot.columnValue() ?? .null
    }
    try connection.createFunction("vault_unsigned", argumentCount: 1) { arguments in
      try unsigned(arguments, 0)?.slot.columnValue() ?? .null
    }
    try connection.createFunction("vault_divide", argumentCount: 2) { arguments in
      if arguments.isNull(at: 0) || arguments.isNull(at: 1) { return .null }
      return .real(arguments.double(at: 0) / arguments.double(at: 1))
    }
    try connection.createFunction("vault_float", argumentCount: 1) { arguments in
      arguments.isNull(at: 0) ? .null : .real(Double(Float(arguments.double(at: 0))))
    }
    try connection.createFunction("vault_bits", argumentCount: 1) { arguments in
      if arguments.isNull(at: 0) { return .null }
      return .real(Double(bitPattern: UInt64(bitPattern: arguments.int64(at: 0))))
    }
    // A number as JSON has it, with those that JSON has not as texts.
    try text(connection, "vault_real") { text in
      let plain = text.filter { $0 != "\"" }
      return Double(plain == "Infinity" ? "inf" : plain == "-Infinity" ? "-inf" : plain)
        .map { .real($0) } ?? .null
    }
    try text(connection, "vault_decimal_order") { DecimalOrder.key($0).map { .text($0) } ?? .null }
    try connection.createFunction("vault_decimal", argumentCount: 3) { arguments in
      guard !arguments.isNull(at: 0), !arguments.isNull(at: 2),
        let left = Decimal(slot: .text(arguments.string(at: 0))),
        let right = Decimal(slot: .text(arguments.string(at: 2)))
      else { return .null }
      let result =
        switch arguments.string(at: 1) {
        case "+": left + right
        case "-": left - right
        default: left * right
        }
      return result.isNaN ? .null : .text(result.description)
    }
  }

  private static func unsigned(_ arguments: borrowing SQLiteArguments, _ index: Int) -> UInt64? {
    arguments.isNull(at: index) ? nil : UInt64(arguments.string(at: index))
  }
}
