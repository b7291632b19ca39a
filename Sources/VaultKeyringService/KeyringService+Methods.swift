import VaultDBus
import VaultSealing

// The methods of the service, its collection and its items, by name and signature.

extension KeyringService {
  func serviceMethod(
    _ member: String, _ signature: String, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("OpenSession", "sv"): return try openSession(call)
    case ("SearchItems", "a{ss}"):
      let wanted = try call.arguments()[0].textEntries ?? [:]
      let (found, inMemory) = (vault.items(with: wanted).map(\.path), memory.paths(with: wanted))
      return vault.isLocked
        ? [.objectPaths(inMemory), .objectPaths(found)]
        : [.objectPaths(found + inMemory), .objectPaths([])]
    case ("GetSecrets", "aoo"):
      let values = try call.arguments()
      let session = try session(values[1].path ?? "", call)
      var used: [ServedItem] = []
      let secrets = try (values[0].texts ?? []).compactMap { path -> DBusValue? in
        if case .memoryItem(let item) = object(at: path) {
          return .entry(
            key: .objectPath(path),
            value: try session.wrapped(item.secret, contentType: item.contentType))
        }
        // A path that is none is left out, as the specification has it.
        // So is what is locked, as by gnome-keyring.
        guard case .item(let item) = object(at: path), !vault.isLocked else { return nil }
        used.append(item)
        return .entry(
          key: .objectPath(path),
          value: try session.wrapped(vault.secret(of: item), contentType: item.contentType))
      }
      // Before the answer: no secret leaves without its record.
      vault.record(used, by: caller)
      return [.array(of: .entry(key: .objectPath, value: Self.secretType), secrets)]
    case ("Unlock", "ao"): return try unlock(call)
    case ("Lock", "ao"):
      let paths = try existing(call)
      if !paths.isEmpty, !vault.isLocked { try lock() }
      return [.objectPaths(paths), .objectPath(SecretServiceNames.nothing)]
    case ("ReadAlias", "s"):
      let alias = try call.arguments()[0].text ?? ""
      let name = "\(SecretServiceNames.aliases)/\(alias)"
      let path = Self.resolved(name)
      return [.objectPath(path == name ? SecretServiceNames.nothing : path)]
    case ("SetAlias", "so"):
      let values = try call.arguments()
      let alias = "\(SecretServiceNames.aliases)/\(values[0].text ?? "")"
      guard Self.resolved(alias) == Self.collection,
        Self.resolved(values[1].path ?? "") == Self.collection
      else { throw BusError(BusErrorName.notSupported, "Only the 'default' alias is supported") }
      return []
    case ("CreateCollection", "a{sv}s"):
      // Whoever wants a default collection gets the one that there is.
      guard try call.arguments()[1].text == "default" else {
        throw BusError(
          BusErrorName.notSupported, "The vault is the only collection that is served")
      }
      return [.objectPath(Self.collection), .objectPath(SecretServiceNames.nothing)]
    default: throw Self.unknownMethod(call)
    }
  }

  /// Those of the paths in a call that are items or collections.
  private func existing(_ call: DBusMessage) throws -> [String] {
    try (call.arguments()[0].texts ?? []).filter { path in
      switch object(at: path) {
      case .item, .collection: true
      // What is in memory has no lock.
      case .memory, .memoryItem: call.member == "Unlock"
      default: false
      }
    }
  }

  private func unlock(_ call: DBusMessage) throws -> [DBusValue] {
    let paths = try existing(call)
    let opened = DBusValue.objectPaths(paths)
    let needsVault = paths.contains { path in
      switch object(at: path) {
      case .item, .collection: true
      default: false
      }
    }
    if vault.isLocked, needsVault {
      guard let vault = try? options.door.reopen() else {
        let prompt = try prompt(for: call.sender, dismissed: .objectPaths([])) { _ in opened }
        return [.objectPaths([]), .objectPath(prompt)]
      }
      try unlock(vault)
    }
    return [opened, .objectPath(SecretServiceNames.nothing)]
  }

  func collectionMethod(
    _ member: String, _ signature: String, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("SearchItems", "a{ss}"):
      let wanted = try call.arguments()[0].textEntries ?? [:]
      return [.objectPaths(vault.items(with: wanted).map(\.path))]
    case ("CreateItem", "a{sv}(oayays)b"):
      try checkWritable()
      return [
        .objectPath(try createItem(call)), .objectPath(SecretServiceNames.nothing),
      ]
    case ("Delete", ""):
      throw BusError(BusErrorName.accessDenied, "The vault cannot be deleted by a program")
    default: throw Self.unknownMethod(call)
    }
  }

  func memoryMethod(
    _ member: String, _ signature: String, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("SearchItems", "a{ss}"):
      return [.objectPaths(memory.paths(with: try call.arguments()[0].textEntries ?? [:]))]
    case ("CreateItem", "a{sv}(oayays)b"):
      return [.objectPath(try createInMemory(call)), .objectPath(SecretServiceNames.nothing)]
    case ("Delete", ""):
      throw BusError(BusErrorName.notSupported, "The session's collection cannot be deleted")
    default: throw Self.unknownMethod(call)
    }
  }

  private func createItem(_ call: DBusMessage) throws -> String {
    let new = try newItem(call)
    return try vault.store(
      new.secret, label: new.label, attributes: new.attributes, contentType: new.contentType,
      replaces: new.replaces)
  }

  /// What `CreateItem` says.
  struct NewItem {
    let label: String
    let attributes: [String: String]
    let secret: SecretBytes
    let contentType: String
    let replaces: Bool
  }

  func newItem(_ call: DBusMessage) throws -> NewItem {
    let values = try call.arguments()
    let properties = (values[0].entries ?? [:]).compactMapValues(\.content)
    func property(_ name: String) -> DBusValue? {
      properties["\(SecretServiceNames.item).\(name)"]
    }
    var attributes = property("Attributes")?.textEntries ?? [:]
    // As gnome-keyring: a client that searches with a schema finds what another stored without.
    attributes[SecretServiceNames.schema] =
      attributes[SecretServiceNames.schema] ?? property("Type")?.text
      ?? SecretServiceNames.genericSchema
    try check(attributes)
    let (secret, contentType) = try secret(values[1], call)
    return NewItem(
      label: property("Label")?.text ?? "", attributes: attributes, secret: secret,
      contentType: contentType, replaces: values[2].boolean == true)
  }

  func check(_ attributes: [String: String]) throws {
    guard ServedItem.areUsable(attributes) else {
      throw BusError(
        BusErrorName.invalidArguments, "Names of attributes that begin with 'vault:' are reserved")
    }
  }

  /// The secret in `(oayays)`, and its content type.
  func secret(
    _ value: DBusValue, _ call: DBusMessage
  ) throws -> (SecretBytes, String) {
    guard let parts = value.parts, parts.count == 4, let path = parts[0].path,
      let parameters = parts[1].bytes, let bytes = parts[2].bytes, let contentType = parts[3].text
    else { throw BusError(BusErrorName.invalidArguments, "The secret cannot be read") }
    let secret = try session(path, call).unwrapped(parameters: parameters, value: bytes)
    return (secret, contentType.isEmpty ? "text/plain" : contentType)
  }

  func itemMethod(
    _ member: String, _ signature: String, _ item: ServedItem, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("GetSecret", "o"):
      let session = try session(call.arguments()[0].path ?? "", call)
      let secret = try vault.secret(of: item)
      vault.record([item], by: caller)
      return [try session.wrapped(secret, contentType: item.contentType)]
    case ("SetSecret", "(oayays)"):
      try checkWritable()
      let (secret, contentType) = try secret(call.arguments()[0], call)
      try vault.setSecret(of: item, to: secret, contentType: contentType)
      return []
    case ("Delete", ""):
      try checkWritable()
      if vault.isLocked {
        let path = try prompt(for: call.sender, dismissed: .string("")) { service in
          // It may be another one's by now, or gone.
          if let item = service.vault[item.path] { try service.vault.remove(item) }
          return .string("")
        }
        return [.objectPath(path)]
      }
      try vault.remove(item)
      return [.objectPath(SecretServiceNames.nothing)]
    default: throw Self.unknownMethod(call)
    }
  }

  /// `(oayays)`.
  private static let secretType = DBusType.structure([
    .objectPath, .array(.byte), .array(.byte), .string,
  ])
}
