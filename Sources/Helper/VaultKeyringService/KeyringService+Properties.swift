import VaultCredentials
import VaultDBus

// The properties of the objects, and their descriptions.

extension ServedItem {
  /// The properties of `org.freedesktop.Secret.Item`.
  func properties(isLocked: Bool) -> [String: DBusValue] {
    [
      "Locked": .boolean(isLocked), "Attributes": .texts(attributes), "Label": .string(label),
      "Type": .string(
        attributes[SecretServiceNames.schemaAttribute] ?? SecretServiceNames.genericSchema),
      "Created": .uint64(created), "Modified": .uint64(modified),
    ]
  }
}

extension KeyringService {
  /// The properties of an object, each of which is made when it is asked for: a list of thousands
  /// of items is none of a label's business.
  private func properties(of object: Object) -> [String: () -> DBusValue] {
    switch object {
    case .service:
      return [
        "Collections": { [self] in .objectPaths(vaults.map(\.path) + [SessionCollection.path]) }
      ]
    case .collection(let vault):
      return [
        "Items": { .objectPaths(vault.items.map(\.path)) }, "Label": { .string(vault.label) },
        "Locked": { .boolean(vault.isLocked) },
        "Created": { .uint64(vault.items.map(\.created).min() ?? 0) },
        "Modified": { .uint64(vault.items.map(\.modified).max() ?? 0) },
      ]
    case .memory:
      let items = memory.items
      return [
        "Items": { .objectPaths(items.map(\.path)) }, "Label": { .string("") },
        "Locked": { .boolean(false) }, "Created": { .uint64(items.map(\.created).min() ?? 0) },
        "Modified": { .uint64(items.map(\.modified).max() ?? 0) },
      ]
    case .memoryItem(let item): return item.properties.mapValues { value in { value } }
    case .item(let item, let vault):
      return item.properties(isLocked: isLocked(item, in: vault)).mapValues { value in { value } }
    case .session, .prompt, .folder: return [:]
    }
  }

  func property(
    _ member: String, of object: Object, _ call: DBusMessage
  ) throws -> [DBusValue] {
    let values = try call.arguments()
    let interface = values.first?.text
    guard interface == object.interface || interface == "" else {
      throw BusError(
        BusErrorName.unknownInterface, "The object has no interface '\(interface ?? "")'")
    }
    switch (member, call.signature.description) {
    case ("GetAll", "s"): return [.properties(properties(of: object).mapValues { $0() })]
    case ("Get", "ss"):
      guard let value = properties(of: object)[values[1].text ?? ""] else {
        throw Self.unknownProperty(values[1].text ?? "")
      }
      return [.variant(value())]
    case ("Set", "ssv"):
      guard let value = values[2].content else { throw Self.unknownMethod(call) }
      try set(values[1].text ?? "", to: value, of: object)
      return []
    default: throw Self.unknownMethod(call)
    }
  }

  private func set(_ name: String, to value: DBusValue, of object: Object) throws {
    guard properties(of: object)[name] != nil else { throw Self.unknownProperty(name) }
    if case .memoryItem(let item) = object, try setInMemory(name, to: value, of: item) { return }
    if case .memoryItem = object {
      let isChangeable = name == "Label" || name == "Attributes"
      throw BusError(
        isChangeable ? BusErrorName.invalidArguments : BusErrorName.propertyReadOnly,
        "The property '\(name)' cannot be set to this")
    }
    guard case .item(let item, let vault) = object else {
      throw BusError(BusErrorName.propertyReadOnly, "The property '\(name)' cannot be set")
    }
    switch (name, value) {
    case ("Label", .string(let label)):
      try checkWritable()
      try permit(item, in: vault)
      try vault.setLabel(of: item, to: label)
    case ("Attributes", _) where value.type == DBusValue.texts([:]).type:
      try checkWritable()
      let attributes = value.textEntries ?? [:]
      try check(attributes)
      try permit(item, in: vault)
      try vault.setAttributes(of: item, to: attributes)
    case ("Label", _), ("Attributes", _):
      throw BusError(BusErrorName.invalidArguments, "The property '\(name)' has another type")
    default:
      throw BusError(BusErrorName.propertyReadOnly, "The property '\(name)' cannot be set")
    }
  }

  private static func unknownProperty(_ name: String) -> BusError {
    BusError(BusErrorName.unknownProperty, "No such property '\(name)'")
  }

  /// The document for `Introspect`.
  func description(of object: Object, at path: String) -> String {
    let children =
      switch (object, path) {
      case (.service, _): ["aliases", "collection", "session"]
      case (.collection(let vault), _): vault.items.map(\.item.id)
      case (.memory, _):
        memory.items.map { String($0.path.dropFirst(SessionCollection.path.count + 1)) }
      case (_, "/"): ["org"]
      case (_, "/org"): ["freedesktop"]
      case (_, "/org/freedesktop"): ["secrets"]
      case (_, SecretServiceNames.collections): vaults.map(\.name) + ["session"]
      case (_, SecretServiceNames.aliases): ["default"]
      default: [String]()
      }
    return StandardInterfaces.document(
      ServiceDescription.interface(of: object), children: children)
  }
}
