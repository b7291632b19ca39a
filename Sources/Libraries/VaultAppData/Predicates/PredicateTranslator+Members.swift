import VaultDataStore
import VaultStorage

/// Properties of models, and of values that lie in JSON.
extension PredicateTranslator {
  func member(_ path: AnyKeyPath, of root: Term, in node: Any.Type) throws -> Term {
    switch root {
    case .model(let model): return try property(path, of: model, in: node)
    case .scalar(let scalar):
      if let member = try member(path, of: scalar) { return member }
      return try composite(path, of: root, in: node)
    case .null: return .null
    case .captured, .rows, .elements, .range, .failure:
      throw Self.unsupported(node, "\(path)")
    }
  }

  private func property(_ path: AnyKeyPath, of model: ModelTerm, in node: Any.Type) throws -> Term {
    if let index = model.plan.description.index(of: path) {
      return try property(model.plan.description.properties[index], of: model)
    }
    if model.plan.isIdentifier(path) { return key(of: model) }
    return try composite(path, of: .model(model), in: node)
  }

  private func key(of model: ModelTerm) -> Term {
    .scalar(
      Scalar(
        sql: model.key, form: ValueForm(.key, PersistentIdentifier.self, entity: model.plan),
        isOptional: model.isOptional, canFail: model.canFail, alias: model.alias))
  }

  func property(_ property: PropertyDescription, of model: ModelTerm) throws -> Term {
    if let relationship = model.plan.relationshipByProperty[property.index] {
      if relationship.isToMany {
        return .rows(RowsTerm(relationship: relationship, owner: model.key))
      }
      return .model(related(relationship, of: model, isOptional: property.isOptional))
    }
    let slot = model.plan.slots[property.index]
    if slot.isSealed {
      hasMetSealed = true
      throw SwiftDataError.unsupportedPredicate.saying(
        "\(model.plan.name).\(property.name) is sealed, and the store cannot look at it")
    }
    var scalar = Scalar(
      sql: column(slot.column ?? "", of: model), form: ValueForm.of(property.plainType),
      isOptional: property.isOptional, canFail: model.canFail && !property.isOptional)
    if case .attribute(.json, _) = property.kind {
      scalar.form = ValueForm(.json, property.plainType)
    }
    if slot.kind == .external || property.transformer != nil {
      scalar.form = ValueForm(.external, property.plainType)
    }
    if scalar.form.isText, model.plan.mayHoldOtherForms(property.index) {
      scalar.given = scalar.sql
      scalar.sql = "vault_composed(\(scalar.sql))"
    }
    scalar.order = slot.orderColumn.map { column($0, of: model) }
    scalar.alias = tableAlias(of: model)
    if scalar.form.kind == .json {
      scalar.place = JSONPlace(
        scalar.sql, defaults: MemberDefaults(model.plan.description, property.index))
    }
    return .scalar(scalar)
  }

  /// The table in which a row is, joined if it is not yet; nil for a row known by its key only.
  private func tableAlias(of model: ModelTerm) -> String? {
    switch model.source {
    case .alias(let alias): alias
    case .relationship(let relationship, let owner): join(relationship, to: owner)
    case .key: nil
    }
  }

  private func column(_ name: String, of model: ModelTerm) -> SQLFragment {
    column(quoted: SQLText.name(name), of: model)
  }

  private func column(quoted name: String, of model: ModelTerm) -> SQLFragment {
    if let alias = tableAlias(of: model) { return "\(sql: alias).\(sql: name)" }
    let alias = newAlias()
    return """
      (SELECT \(sql: alias).\(sql: name) FROM \(sql: model.plan.source) AS \(sql: alias) \
      WHERE \(sql: alias).\(name: StoredEntity.keyColumn) = \(model.key))
      """
  }

  private func related(
    _ relationship: RelationshipPlan, of model: ModelTerm, isOptional: Bool
  ) -> ModelTerm {
    let canFail = model.canFail && !isOptional
    if relationship.links.place == .owners {
      // The key is in the owner's row: comparing with it needs no join.
      let key = column(quoted: relationship.links.destination, of: model)
      let source: ModelTerm.Source =
        tableAlias(of: model).map { .relationship(relationship, ownerAlias: $0) } ?? .key
      return ModelTerm(
        plan: relationship.destination, source: source, key: key, isOptional: isOptional,
        canFail: canFail)
    }
    if let owner = tableAlias(of: model) {
      let alias = join(relationship, to: owner)
      return ModelTerm(
        plan: relationship.destination, source: .alias(alias),
        key: "\(sql: alias).\(name: StoredEntity.keyColumn)", isOptional: isOptional,
        canFail: canFail)
    }
    let alias = newAlias()
    let key: SQLFragment = """
      (SELECT \(sql: alias).\(name: StoredEntity.keyColumn) \
      FROM \(sql: relationship.destination.source) AS \(sql: alias) \
      WHERE \(sql: alias).\(sql: relationship.links.owner) = \(model.key))
      """
    return ModelTerm(
      plan: relationship.destination, source: .key, key: key, isOptional: isOptional,
      canFail: canFail)
  }

  // MARK: Members of values

  /// A member of a value that is not a model; `nil` if it is not known.
  private func member(_ path: AnyKeyPath, of scalar: Scalar) throws -> Term? {
    if path == \Date.timeIntervalSinceReferenceDate {
      return derived(scalar, scalar.sql, .double)
    }
    if path == \Date.timeIntervalSince1970 {
      return derived(scalar, "(\(scalar.sql) + 978307200.0)", .double)
    }
    if path == \URL.absoluteString || path == \UUID.uuidString {
      return derived(scalar, scalar.sql, .string)
    }
    if let sorted = sortKey(path, of: scalar) { return sorted }
    if let place = scalar.place, scalar.form.kind == .json {
      let text = KeyPathText(path)
      guard text.components.count == 1, let name = text.components.first, name.isPlain else {
        return nil
      }
      return .scalar(try storedMember(name.text, type(of: path).valueType, of: scalar, place))
    }
    return nil
  }

  /// The orders of ``SortDescriptor/init(_:order:)``.
  private func sortKey(_ path: AnyKeyPath, of scalar: Scalar) -> Term? {
    switch path {
    case SortKeyPaths.truth, SortKeyPaths.optionalTruth: derived(scalar, scalar.sql, .integer)
    case SortKeyPaths.standard, SortKeyPaths.optionalStandard:
      derived(scalar, "\(scalar.given ?? scalar.sql) COLLATE vault_localized_standard", .string)
    case SortKeyPaths.localized, SortKeyPaths.optionalLocalized:
      derived(scalar, "\(scalar.given ?? scalar.sql) COLLATE vault_localized", .string)
    default: nil
    }
  }

  nonisolated(unsafe) private static let sortKeys: [(text: KeyPathText, path: AnyKeyPath)] = {
    // Key paths are immutable.
    let paths: [AnyKeyPath] = [
      SortKeyPaths.truth, SortKeyPaths.optionalTruth, SortKeyPaths.standard,
      SortKeyPaths.optionalStandard, SortKeyPaths.localized, SortKeyPaths.optionalLocalized,
    ]
    return paths.map { (KeyPathText($0), $0) }
  }()

  private func derived(_ scalar: Scalar, _ sql: SQLFragment, _ form: ValueForm) -> Term {
    .scalar(
      Scalar(
        sql: sql, form: form, isOptional: scalar.isOptional, canFail: scalar.canFail,
        alias: scalar.alias))
  }

  private func storedMember(
    _ name: String, _ type: any Any.Type, of scalar: Scalar, _ place: JSONPlace
  ) throws -> Scalar {
    guard let decodable = scalar.form.type as? any Decodable.Type,
      CodingKeyRecorder.isKey(name, of: decodable)
    else {
      throw SwiftDataError.unsupportedPredicate.saying(
        "\(scalar.form.type).\(name) is not stored under its name")
    }
    let inner = place.member(name, isOptional: type is any OptionalValue.Type)
    var member = leaf(inner, type)
    if let begin = try inner.defaults?.text(in: decodable, as: type) {
      let gained = leaf(JSONPlace("\(value: .text(begin))"), type)
      member.sql =
        "COALESCE(\(member.sql), CASE WHEN \(inner.isGained) THEN \(gained.sql) END)"
      // Members of a structure are looked for one by one; elements are only in a whole array.
      if type is any Sequence.Type {
        member.place = JSONPlace(member.sql, defaults: inner.defaults)
      }
    }
    member.canFail = scalar.canFail && !member.isOptional
    member.alias = scalar.alias
    return member
  }

  /// The value at a place in JSON.
  func leaf(_ place: JSONPlace, _ type: any Any.Type) -> Scalar {
    let form = ValueForm.of(type)
    let isOptional = type is any OptionalValue.Type
    func scalar(_ sql: SQLFragment, _ form: ValueForm) -> Scalar {
      Scalar(sql: sql, form: form, isOptional: isOptional)
    }
    switch form.kind {
    // SQLite reads a number less exactly than Swift writes it.
    case .float: return scalar("vault_float(vault_real(\(place.text)))", form)
    case .double, .date: return scalar("vault_real(\(place.text))", form)
    case .decimal: return scalar("NULLIF(\(place.text), 'null')", form)
    case .unsigned: return scalar("vault_unsigned(NULLIF(\(place.text), 'null'))", form)
    case .data: return scalar(place.value, ValueForm(.base64, form.type))
    case .json:
      // As JSON writes it: a text is not the value that a type coded as one text has.
      var made = scalar("NULLIF(\(place.text), 'null')", form)
      made.place = place
      return made
    case .text: return scalar(place.string, form)
    default: return scalar(place.value, form)
    }
  }

  // MARK: Key paths of several parts

  /// A key path such as `\Task.project?.name`: part by part, found by what the parts are called.
  private func composite(_ path: AnyKeyPath, of root: Term, in node: Any.Type) throws -> Term {
    let text = KeyPathText(path)
    guard text.components.count > 1 else { throw unknown(path, of: root, in: node) }
    var term = root
    var isOptional = false
    for (place, component) in text.components.enumerated() {
      let isLast = place == text.components.count - 1
      let type = isLast ? type(of: path).valueType : nil
      guard let next = try part(component, of: term, as: type) else {
        throw unknown(path, of: root, in: node)
      }
      term = next
      if component.isChained { isOptional = true }
      if component.isChained || component.isForced {
        term = unwrapped(term, canFail: component.isForced)
      }
    }
    return isOptional ? optional(term) : term
  }

  private func unknown(_ path: AnyKeyPath, of root: Term, in node: Any.Type) -> SwiftDataError {
    guard case .model = root else { return Self.unsupported(node, "\(path)") }
    return Self.unsupported(
      node,
      "\(readable(path, of: root)) is a computed or transient property, which the store does not "
        + "have; ask for stored ones")
  }

  /// The property or member that a part of a key path names, of a type that may be known; `nil` if
  /// there is none.
  func part(
    _ component: KeyPathText.Component, of term: Term, as type: (any Any.Type)? = nil
  ) throws -> Term? {
    switch term {
    case .model(let model):
      let properties = model.plan.description.properties
      guard let found = properties.first(where: { KeyPathText($0.keyPath).ends(in: component) })
      else { return nil }
      return try property(found, of: model)
    case .scalar(let scalar):
      if let known = unsafe Self.sortKeys.first(where: { $0.text.ends(in: component) }) {
        return sortKey(known.path, of: scalar)
      }
      guard component.isPlain, let place = scalar.place,
        let type = CodingKeyRecorder.type(of: component.text, in: scalar.form.type) ?? type
      else { return nil }
      return .scalar(try storedMember(component.text, type, of: scalar, place))
    default: return nil
    }
  }

  func unwrapped(_ term: Term, canFail: Bool) -> Term {
    switch term {
    case .scalar(var scalar):
      scalar.canFail = scalar.canFail || (canFail && scalar.isOptional)
      return .scalar(scalar.unwrapped)
    case .model(var model):
      model.canFail = model.canFail || (canFail && model.isOptional)
      return .model(model.unwrapped)
    case .captured(let value):
      guard let optional = value as? any OptionalValue else { return term }
      return optional.wrapped.map { .captured($0) } ?? .null
    default: return term
    }
  }

  /// A scalar or a model that may be missing.
  func optional(_ term: Term) -> Term {
    switch term {
    case .scalar(var scalar):
      scalar.isOptional = true
      return .scalar(scalar)
    case .model(var model):
      model.isOptional = true
      return .model(model)
    default: return term
    }
  }
}

extension EntityPlan {
  /// Whether a key path is `persistentModelID`, or `id` where that is the same.
  func isIdentifier(_ path: AnyKeyPath) -> Bool {
    Self.isIdentifier(path, description.type)
  }

  private static func isIdentifier<Model: PersistentModel>(
    _ path: AnyKeyPath, _ type: Model.Type
  ) -> Bool {
    // There is no other property of this type that a model could have.
    Swift.type(of: path).valueType == PersistentIdentifier.self
  }
}
