import VaultDataStore
import VaultStorage

/// Relationships to many as queries within the query, arrays as tables of their elements.
extension PredicateTranslator {
  /// The FROM and WHERE of a sequence's elements, and what an element is in them.
  private func source(
    _ sequence: Term, in node: Any.Type, and test: (Term) throws -> SQLFragment?
  ) throws -> (from: SQLFragment, element: Term, order: SQLFragment) {
    switch try elements(sequence, in: node) {
    case .rows(let rows): return try source(rows, and: test)
    case .elements(let elements): return try source(elements, and: test)
    default: throw Self.unsupported(node, "this is no sequence that the store knows")
    }
  }

  private func source(
    _ rows: RowsTerm, and test: (Term) throws -> SQLFragment?
  ) throws -> (from: SQLFragment, element: Term, order: SQLFragment) {
    let alias = newAlias()
    let relationship = rows.relationship
    let destination = relationship.destination
    let key: SQLFragment = "\(sql: alias).\(name: StoredEntity.keyColumn)"
    let element = Term.model(
      ModelTerm(plan: destination, source: .alias(alias), key: key))
    var from: SQLFragment
    var conditions: [SQLFragment]
    let place: SQLFragment?
    let links = relationship.links
    if links.place == .joinTable {
      let link = newAlias("j")
      from = """
        FROM \(sql: links.table) AS \(sql: link) JOIN \(sql: destination.source) AS \(sql: alias) \
        ON \(key) = \(sql: link).\(sql: links.destination)
        """
      conditions = ["\(sql: link).\(sql: links.owner) = \(rows.owner)"]
      place = links.position.map { "\(sql: link).\(sql: $0)" }
    } else {
      from = "FROM \(sql: destination.source) AS \(sql: alias)"
      conditions = ["\(sql: alias).\(sql: links.owner) = \(rows.owner)"]
      place = links.position.map { "\(sql: alias).\(sql: $0)" }
    }
    let (_, joins) = try withLevel(alias) {
      conditions += try tests(rows.filters, element)
      if let test = try test(element) { conditions.append(test) }
    }
    from = "\(from)\(joins) WHERE \(.joined(conditions, by: " AND "))"
    return (from, element, place.map { "\($0), \(key)" } ?? key)
  }

  private func source(
    _ elements: ElementsTerm, and test: (Term) throws -> SQLFragment?
  ) throws -> (from: SQLFragment, element: Term, order: SQLFragment) {
    let alias = newAlias("e")
    let element = Term.scalar(self.element(alias, elements))
    var conditions = try tests(elements.filters, element)
    if let test = try test(element) { conditions.append(test) }
    let table: SQLFragment =
      "FROM json_each(\(elements.place.document), \(elements.place.path)) AS \(sql: alias)"
    let filter: SQLFragment =
      conditions.isEmpty ? "" : " WHERE \(.joined(conditions, by: " AND "))"
    return ("\(table)\(filter)", element, "\(sql: alias).key")
  }

  private func element(_ alias: String, _ elements: ElementsTerm) -> Scalar {
    let value: SQLFragment = "\(sql: alias).value"
    let isOptional = elements.type is any OptionalValue.Type
    let form = ValueForm.of(elements.type)
    var scalar = Scalar(sql: value, form: form, isOptional: isOptional)
    if elements.holdsBits {
      if form.isReal { scalar.sql = "vault_bits(\(value))" }
      if elements.holdsDigits { scalar.sql = "vault_digits(\(value))" }
      if form.kind == .json { scalar.place = JSONPlace(scalar.sql) }
      return scalar
    }
    let place = JSONPlace("\(sql: alias).json", path: "\(sql: alias).fullkey")
    switch form.kind {
    case .float, .double, .date, .decimal, .unsigned, .data:
      return leaf(place, elements.type)
    case .text:
      scalar.sql =
        "CASE WHEN \(place.holdsNUL) THEN vault_json_string(\(place.text)) ELSE \(value) END"
      return scalar
    case .json:
      scalar.sql = """
        CASE \(sql: alias).type WHEN 'object' THEN \(value) WHEN 'array' THEN \(value) \
        WHEN 'null' THEN NULL ELSE \(place.text) END
        """
      scalar.place = JSONPlace(value, defaults: elements.place.defaults)
      return scalar
    default: return scalar
    }
  }

  private func tests(_ filters: [ElementFilter], _ element: Term) throws -> [SQLFragment] {
    try filters.map { filter in
      try withBindings(filter.bindings) {
        try binding(filter.variable, to: element) { try condition(filter.test) }
      }
    }
  }

  /// A sequence as rows or as elements.
  func elements(_ sequence: Term, in node: Any.Type) throws -> Term {
    switch sequence {
    case .rows, .elements: return sequence
    case .scalar(let scalar):
      guard let place = scalar.place, let array = Self.elementType(of: scalar.form.type) else {
        throw Self.unsupported(node, "\(scalar.form.type) is no sequence that the store knows")
      }
      return .elements(ElementsTerm(place: place, type: array))
    case .captured(let value):
      guard let values = value as? any Sequence else { throw Self.unsupported(node) }
      return .elements(try captured(values, in: node))
    default: throw Self.unsupported(node, "this is no sequence that the store knows")
    }
  }

  private static func elementType(of type: any Any.Type) -> (any Any.Type)? {
    func element<Value: Sequence>(_ type: Value.Type) -> any Any.Type { Value.Element.self }
    if type is any DictionaryValue.Type { return nil }
    return (type as? any Sequence.Type).map { element($0) }
  }

  /// The program's own values as a JSON array, of any length.
  private func captured<Values: Sequence>(
    _ values: Values, in node: Any.Type
  ) throws -> ElementsTerm {
    let form = ValueForm.of(Values.Element.self)
    var items: [CapturedElement] = []
    for value in values {
      switch try form.encode(value) {
      case .null: items.append(.null)
      case .integer(let integer): items.append(.integer(integer))
      case .real(let real): items.append(.integer(Int64(bitPattern: real.bitPattern)))
      case .text(let text): items.append(.text(text))
      case .blob: throw Self.unsupported(node, "an array of data")
      }
    }
    let (document, holdsDigits) = try CapturedElement.document(items)
    return ElementsTerm(
      place: JSONPlace("\(value: .text(document))"), type: Values.Element.self, holdsBits: true,
      holdsDigits: holdsDigits)
  }

  private enum CapturedElement: Encodable {
    case null, integer(Int64), text(String)

    /// Elements as one array: texts as they are, or as digits where SQLite would end one of them at
    /// U+0000.
    static func document(_ items: [CapturedElement]) throws -> (text: String, holdsDigits: Bool) {
      let holdsDigits = items.contains { item in
        if case .text(let text) = item { text.utf8.contains(0) } else { false }
      }
      let items =
        !holdsDigits
        ? items
        : items.map { item in
          if case .text(let text) = item { .text(hexadecimal(Array(text.utf8))) } else { item }
        }
      return (String(decoding: try JSONEncoder().encode(items), as: UTF8.self), holdsDigits)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .integer(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      }
    }
  }

  // MARK: Questions

  func exists(
    _ sequence: Term, isNegated: Bool = false, in node: Any.Type,
    where test: (Term) throws -> SQLFragment?
  ) throws -> Term {
    let from = try source(sequence, in: node, and: test).from
    return .boolean("\(sql: isNegated ? "NOT " : "")EXISTS (SELECT 1 \(from))")
  }

  /// Whether an element, or each, passes a test.
  ///
  /// The first one that decides counts, as in Swift; if the test fails for it, no row matches.
  func decide(
    _ sequence: Term, isForAll: Bool, in node: Any.Type, _ test: (Term) throws -> Scalar
  ) throws -> Term {
    var canFail = false
    var result = SQLFragment("")
    let (from, _, order) = try source(sequence, in: node) { element in
      let scalar = try test(element)
      (canFail, result) = (scalar.canFail, scalar.sql)
      if canFail { return "(\(result)) IS NOT \(sql: isForAll ? "1" : "0")" }
      return isForAll ? "NOT (\(result))" : result
    }
    guard canFail else {
      return .boolean("\(sql: isForAll ? "NOT " : "")EXISTS (SELECT 1 \(from))")
    }
    let (found, other): (SQLFragment, SQLFragment) = isForAll ? ("0", "1") : ("1", "0")
    return .boolean(
      """
      CASE (SELECT CASE (\(result)) WHEN \(found) THEN 1 ELSE 2 END \(from) ORDER BY \(order) LIMIT 1) \
      WHEN 1 THEN \(found) WHEN 2 THEN NULL ELSE \(other) END
      """, canFail: true)
  }

  func count(of root: Term, in node: Any.Type) throws -> Term {
    if case .scalar(let scalar) = root {
      var sql: SQLFragment?
      if scalar.form.kind == .text { sql = "vault_count(\(scalar.sql))" }
      if scalar.form.kind == .data { sql = "length(\(scalar.sql))" }
      if let place = scalar.place, let dictionary = scalar.form.type as? any DictionaryValue.Type {
        guard dictionary.hasTextKeys else { throw Self.unsupported(node, "\(dictionary)") }
        sql = "(SELECT count(*) FROM json_each(\(place.document), \(place.path)))"
      } else if let place = scalar.place {
        sql = "json_array_length(\(place.document), \(place.path))"
      }
      guard let sql else { throw Self.unsupported(node, "the length of \(scalar.form.type)") }
      return .scalar(Scalar(sql: sql, form: .integer, canFail: scalar.canFail))
    }
    let from = try source(root, in: node) { _ in nil }.from
    return .scalar(Scalar(sql: "(SELECT count(*) \(from))", form: .integer))
  }

  /// The number of elements that pass a test.
  func count(
    of sequence: Term, in node: Any.Type, where test: (Term) throws -> SQLFragment?
  ) throws -> Term {
    let from = try source(sequence, in: node, and: test).from
    return .scalar(Scalar(sql: "(SELECT count(*) \(from))", form: .integer))
  }

  /// The sum, the average, the least or the largest of a value of each element.
  func aggregate(
    _ function: String, of sequence: Term, in node: Any.Type, _ value: (Term) throws -> Term
  ) throws -> Term {
    var found: Scalar?
    let (from, _, _) = try source(sequence, in: node) { element in
      found = try scalar(value(element), in: node)
      return nil
    }
    guard let member = found, [.integer, .float, .double, .date].contains(member.form.kind),
      member.form.kind != .date || function == "@min" || function == "@max"
    else { throw Self.unsupported(node, "\(function) is for integers and floating-point numbers") }
    let form = member.form.kind == .float ? ValueForm.double : member.form
    switch function {
    case "@sum":
      // A sum beyond 64 bits is a floating-point number, which compares all the same.
      let sum: SQLFragment = form.isReal ? "total(\(member.sql))" : "sum(\(member.sql))"
      return .scalar(Scalar(sql: "COALESCE((SELECT \(sum) \(from)), 0)", form: form))
    case "@avg":
      return .scalar(
        Scalar(sql: "(SELECT avg(\(member.sql)) \(from))", form: .double, isOptional: true))
    default:
      let name: SQLFragment = function == "@min" ? "min" : "max"
      return .scalar(
        Scalar(
          sql: "(SELECT \(name)(\(member.sql)) \(from))", form: form, isOptional: true))
    }
  }

  func isEmpty(_ root: Term, in node: Any.Type) throws -> Term {
    guard case .scalar(let scalar) = root else {
      return try exists(root, isNegated: true, in: node) { _ in nil }
    }
    if scalar.form.kind == .text {
      return .boolean("(\(scalar.sql) = '')", canFail: scalar.canFail)
    }
    return try comparison(count(of: root, in: node), "=", .captured(0), in: node)
  }

  /// The first or the last element, which there may not be.
  func end(of root: Term, first: Bool, in node: Any.Type) throws -> Term {
    if case .scalar(let scalar) = root, scalar.form.kind == .text {
      let name = first ? "vault_first" : "vault_last"
      return .scalar(
        Scalar(
          sql: "\(sql: name)(\(scalar.sql))", form: ValueForm(.text, Character.self),
          isOptional: true))
    }
    return try element(of: root, isOptional: true, in: node) { value, from, order in
      // Of two sort keys, each is turned round.
      let order = first ? order.text : order.text.replacing(", ", with: " DESC, ") + " DESC"
      return "(SELECT \(value) \(from) ORDER BY \(sql: order) LIMIT 1)"
    }
  }

  func element(at index: Term, of root: Term, in node: Any.Type) throws -> Term {
    if case .scalar(let scalar) = root, scalar.form.kind == .text {
      throw Self.unsupported(node, "an index of a text")
    }
    let place = try scalar(index, as: .integer, in: node).sql
    return try element(of: root, isOptional: false, in: node) { value, from, order in
      if case .captured = index {
        return """
          (SELECT \(value) \(from) ORDER BY \(order) \
          LIMIT 1 OFFSET CASE WHEN \(place) >= 0 THEN \(place) ELSE 9223372036854775807 END)
          """
      }
      // An OFFSET sees no row of the queries around it.
      return """
        (SELECT v FROM (SELECT \(value) AS v, row_number() OVER (ORDER BY \(order)) - 1 AS n \(from)) \
        WHERE n = \(place))
        """
    }
  }

  /// An element of a collection of the program's, at an index that depends on the row.
  func element(
    at index: Term, ofCaptured values: some Collection, in node: Any.Type
  ) throws -> Term {
    guard values.startIndex as? Int == 0 else {
      throw Self.unsupported(node, "an index of \(type(of: values)) that depends on the row")
    }
    return try element(at: index, of: .captured(values), in: node)
  }

  /// A value of a dictionary of the program's, under a key that depends on the row.
  func value(
    ofCaptured dictionary: any DictionaryValue, forKey key: Term, in node: Any.Type
  ) throws -> Term {
    func elements(_ values: some Sequence) throws -> ElementsTerm { try captured(values, in: node) }
    let pairs = dictionary.pairs
    let (keys, values) = (try elements(pairs.keys), try elements(pairs.values))
    let (left, right) = (newAlias("e"), newAlias("e"))
    let isKey = try scalar(
      equality(.scalar(element(left, keys)), key, in: node), in: node)
    var value = element(right, values)
    value.sql = """
      (SELECT \(value.sql) FROM json_each(\(keys.place.document)) AS \(sql: left) \
      JOIN json_each(\(values.place.document)) AS \(sql: right) \
      ON \(sql: right).key = \(sql: left).key WHERE \(isKey.sql) LIMIT 1)
      """
    value.place = value.form.kind == .json ? JSONPlace(value.sql) : nil
    value.isOptional = true
    return .scalar(value)
  }

  private func element(
    of root: Term, isOptional: Bool, in node: Any.Type,
    _ select: (_ value: SQLFragment, _ from: SQLFragment, _ order: SQLFragment) -> SQLFragment
  ) throws -> Term {
    let (from, element, order) = try source(root, in: node) { _ in nil }
    switch element {
    case .model(let model):
      return .model(
        ModelTerm(
          plan: model.plan, source: .key,
          key: select(model.key, from, order), isOptional: isOptional, canFail: !isOptional))
    case .scalar(var scalar):
      scalar.sql = select(scalar.sql, from, order)
      scalar.canFail = !isOptional && !scalar.isOptional
      scalar.isOptional = scalar.isOptional || isOptional
      scalar.order = nil
      if scalar.form.kind == .json {
        scalar.place = JSONPlace(scalar.sql, defaults: scalar.place?.defaults)
      }
      return .scalar(scalar)
    default: throw Self.unsupported(node)
    }
  }

  func extreme(of root: Term, largest: Bool, in node: Any.Type) throws -> Term {
    var key = SQLFragment("")
    let (from, element, _) = try source(root, in: node) { element in
      key = try order(of: scalar(element, in: node), in: node)
      return nil
    }
    guard case .scalar(var scalar) = element else { throw Self.unsupported(node) }
    scalar.sql = """
      (SELECT \(scalar.sql) \(from) ORDER BY \(key)\(sql: largest ? " DESC" : "") LIMIT 1)
      """
    scalar.isOptional = true
    scalar.canFail = false
    scalar.order = nil
    return .scalar(scalar)
  }

  /// Whether an element, a row or a text is in a sequence, a number in a range.
  func contains(_ sequence: Term, _ element: Term, in node: Any.Type) throws -> Term {
    if case .range(let range) = sequence { return try rangeContains(range, element, in: node) }
    if case .captured(let value) = sequence, let range = value as? any CapturedRange {
      return try rangeContains(range.term, element, in: node)
    }
    if isText(sequence) { return try textContains(sequence, element, in: node) }
    if case .captured(let value) = sequence, let values = value as? any Sequence {
      return try isIn(values, element, in: node)
    }
    return try exists(sequence, in: node) {
      try scalar(equality($0, element, in: node), in: node).sql
    }
  }

  private func isIn<Values: Sequence>(
    _ values: Values, _ element: Term, in node: Any.Type
  ) throws -> Term {
    var form = ValueForm.of(Values.Element.self)
    if case .scalar(let scalar) = element { form = scalar.form }
    let value = try scalar(element, as: form, in: node)
    var hasNil = false
    var items: [CapturedElement] = []
    for member in values {
      switch try form.encode(member) {
      case .null: hasNil = (member as? any OptionalValue)?.isNil == true || hasNil
      case .integer(let integer): items.append(.integer(integer))
      // A number that is none is in no list.
      case .real(let real) where real.isNaN: continue
      case .real(let real): items.append(.integer(Int64(bitPattern: real.bitPattern)))
      case .text(let text):
        items.append(.text(form.kind == .decimal ? DecimalOrder.key(text) ?? "" : text))
      case .blob(let bytes): items.append(.text(Self.hexadecimal(bytes)))
      }
    }
    let (document, holdsDigits) = try CapturedElement.document(items)
    let member: SQLFragment =
      holdsDigits ? "vault_digits(value)" : form.isReal ? "vault_bits(value)" : "value"
    var sought = value.sql
    if form.kind == .decimal { sought = value.order ?? "vault_decimal_order(\(value.sql))" }
    if form.kind == .data { sought = "hex(\(value.sql))" }
    var list: SQLFragment =
      "\(sought) IN (SELECT \(member) FROM json_each(\(value: .text(document))))"
    if form.kind == .json {
      let test = try equalValues(
        value, Scalar(sql: member, form: form), in: node, isOptional: false)
      let values: SQLFragment = "json_each(\(value: .text(document)))"
      list = "(\(sought) IS NOT NULL AND EXISTS (SELECT 1 FROM \(values) WHERE \(test)))"
    }
    if hasNil, value.isOptional { return .boolean("(\(value.sql) IS NULL OR \(list))") }
    if value.isOptional || value.mayBeNaN {
      return .boolean("(\(value.sql) IS NOT NULL AND \(list))")
    }
    return .boolean("(\(list))", canFail: value.canFail)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// A dictionary, for code that knows its type only at run time.
protocol DictionaryValue {
  static var keyType: any Any.Type { get }
  static var valueType: any Any.Type { get }
  /// The keys, and the values in their order.
  var pairs: (keys: any Sequence, values: any Sequence) { get }
}

extension Dictionary: DictionaryValue {
  var pairs: (keys: any Sequence, values: any Sequence) { (Array(keys), Array(values)) }
  static var keyType: any Any.Type { Key.self }
  static var valueType: any Any.Type { Value.self }
}

extension DictionaryValue {
  /// Whether it is a JSON object: with other keys, it is an array of keys and values.
  static var hasTextKeys: Bool { keyType == String.self || keyType == Int.self }
}
