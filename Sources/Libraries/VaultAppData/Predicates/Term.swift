import VaultStorage

/// An expression of a predicate, in SQL.
indirect enum Term {
  /// A value of a column, or one that is computed.
  case scalar(Scalar)
  /// A row, or none.
  case model(ModelTerm)
  /// The rows of a relationship to many.
  case rows(RowsTerm)
  /// The values of an array, one by one.
  case elements(ElementsTerm)
  /// A value of the program, whose form in SQL depends on what it is compared with.
  case captured(Any)
  case range(RangeTerm)
  case null
  /// Swift's evaluation ends where it gets here, whatever the row.
  case failure

  static func boolean(_ sql: SQLFragment, canFail: Bool = false) -> Term {
    .scalar(Scalar(sql: sql, form: .boolean, canFail: canFail))
  }
}

/// A value in SQL.
struct Scalar {
  var sql: SQLFragment
  var form: ValueForm
  /// Whether NULL stands for `nil`.
  var isOptional = false
  /// Whether NULL stands for an evaluation that would trap or throw.
  ///
  /// `nil` unwrapped, a sum beyond the type's range: no row matches then.
  var canFail = false
  /// Whether NULL stands for NaN, which equals nothing.
  var mayBeNaN = false
  /// A key that sorts as the value does, if the value itself does not.
  var order: SQLFragment?
  /// The text as it was given, where the value is its composed form.
  var given: SQLFragment?
  /// The row without which this is NULL.
  var alias: String?
  /// The path of the value in a JSON document.
  var place: JSONPlace?

  /// The same value, known not to be `nil`.
  var unwrapped: Scalar {
    var copy = self
    copy.isOptional = false
    return copy
  }
}

/// A place in a JSON document.
struct JSONPlace {
  var document: SQLFragment
  /// A text in SQL.
  var path: SQLFragment
  /// What members begin with that the value lacks, if its type has gained them since.
  var defaults: MemberDefaults?
  /// The path of the nearest part without which the value is `nil`: there, no member is missing.
  private var owner: SQLFragment = "'$'"

  init(
    _ document: SQLFragment, path: SQLFragment = "'$'", defaults: MemberDefaults? = nil
  ) {
    self.document = document
    self.path = path
    self.defaults = defaults
  }

  /// The place of a member; `isOptional` says whether that may be missing for good.
  func member(_ name: String, isOptional: Bool) -> JSONPlace {
    var member = JSONPlace(
      document, path: "\(path) || \(value: .text(".\"\(name.normalized)\""))",
      defaults: defaults?.member(name))
    member.owner = isOptional ? member.path : owner
    return member
  }

  var value: SQLFragment { "json_extract(\(document), \(path))" }
  /// The value of a text: SQLite ends one at U+0000, which JSON writes as `\u0000`.
  var string: SQLFragment {
    "CASE WHEN \(holdsNUL) THEN vault_json_string(\(text)) ELSE \(value) END"
  }
  /// Whether SQLite perhaps does not read a text of the document to its end.
  var holdsNUL: SQLFragment { "instr(\(document), '\\u0000') > 0" }
  /// Whether the value was stored before its type had it.
  var isGained: SQLFragment {
    "json_type(\(document), \(path)) IS NULL AND json_type(\(document), \(owner)) = 'object'"
  }
  /// The value as it is written in the document: numbers keep all their digits.
  var text: SQLFragment { "(\(document) -> (\(path)))" }
}

/// A row of an entity.
struct ModelTerm {
  enum Source {
    /// In a table of the query.
    case alias(String)
    /// Joined when one of its columns is needed.
    case relationship(RelationshipPlan, ownerAlias: String)
    /// Known by its key only.
    case key
  }

  let plan: EntityPlan
  var source: Source
  var key: SQLFragment
  var isOptional = false
  var canFail = false

  var unwrapped: ModelTerm {
    var copy = self
    copy.isOptional = false
    return copy
  }
}

/// The rows that belong to an owner by a relationship to many.
struct RowsTerm {
  let relationship: RelationshipPlan
  let owner: SQLFragment
  /// Whether there may be no owner; the array of an owner is never `nil` in the file.
  var isOptional = false
  var filters: [ElementFilter] = []
}

/// The values of a JSON array.
struct ElementsTerm {
  let place: JSONPlace
  let type: any Any.Type
  /// Whether floating-point numbers are given as the integers of their bits, exact.
  var holdsBits = false
  /// Whether texts are given as the hexadecimal digits of their bytes.
  var holdsDigits = false
  var filters: [ElementFilter] = []
}

/// A condition on the elements of a sequence, with the meaning of the names in it.
struct ElementFilter {
  let variable: PredicateExpressions.VariableID
  let test: any PredicateExpression
  let bindings: [PredicateExpressions.VariableID: Term]
}

/// From here to there.
struct RangeTerm {
  var lower: Term?
  var upper: Term?
  var includesUpper: Bool
}
