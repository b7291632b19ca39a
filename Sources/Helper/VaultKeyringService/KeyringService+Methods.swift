import VaultCredentials
import VaultDBus
import VaultKeyringTransport
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
      var (unlocked, locked) = ([String](), [String]())
      for vault in vaults {
        for item in vault.items(with: wanted) {
          if isLocked(item, in: vault) {
            locked.append(item.path)
          } else {
            unlocked.append(item.path)
          }
        }
      }
      return [.objectPaths(unlocked + memory.paths(with: wanted)), .objectPaths(locked)]
    case ("GetSecrets", "aoo"): return try getSecrets(call)
    case ("Unlock", "ao"): return try unlock(call)
    case ("Lock", "ao"):
      let paths = try existing(call)
      for vault in vaults(of: paths) where !vault.isLocked { try lock(vault) }
      return [.objectPaths(paths), .objectPath(SecretServiceNames.nothing)]
    case ("ReadAlias", "s"):
      let alias = try call.arguments()[0].text ?? ""
      let name = "\(SecretServiceNames.aliases)/\(alias)"
      let path = resolved(name)
      return [.objectPath(path == name ? SecretServiceNames.nothing : path)]
    case ("SetAlias", "so"):
      let values = try call.arguments()
      let alias = "\(SecretServiceNames.aliases)/\(values[0].text ?? "")"
      guard resolved(alias) != alias, resolved(alias) == resolved(values[1].path ?? "") else {
        throw BusError(BusErrorName.notSupported, "Only the 'default' alias is supported")
      }
      return []
    case ("CreateCollection", "a{sv}s"):
      // Whoever wants a default collection gets the one that there is.
      guard try call.arguments()[1].text == "default" else {
        throw BusError(BusErrorName.notSupported, "Only vaults are collections here")
      }
      return [.objectPath(defaultCollection), .objectPath(SecretServiceNames.nothing)]
    default: throw Self.unknownMethod(call)
    }
  }

  private func getSecrets(_ call: DBusMessage) throws -> [DBusValue] {
    let values = try call.arguments()
    let session = try session(values[1].path ?? "", call)
    var used: [(vault: ServedVault, item: ServedItem)] = []
    let secrets = try (values[0].texts ?? []).compactMap { path -> DBusValue? in
      switch object(at: path) {
      case .memoryItem(let item)?:
        return .entry(
          key: .objectPath(path),
          value: try session.wrapped(item.secret, contentType: item.contentType))
      case .item(let item, let vault)?:
        // What is locked or refused is left out, as by gnome-keyring.
        guard try !vault.isLocked && mayUse(item, in: vault) else { return nil }
        used.append((vault, item))
        return .entry(
          key: .objectPath(path),
          value: try session.wrapped(vault.secret(of: item), contentType: item.contentType))
      default:
        // A path that is none is left out, as the specification has it.
        recordHidden(at: path)
        return nil
      }
    }
    // Before the answer: no secret leaves without its record.
    for vault in vaults {
      record(used.filter { $0.vault === vault }.map(\.item), in: vault)
    }
    return [.array(of: .entry(key: .objectPath, value: Self.secretType), secrets)]
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

  /// The vaults to which paths lead, in their order.
  private func vaults(of paths: [String]) -> [ServedVault] {
    let meant = paths.compactMap { path -> ServedVault? in
      switch object(at: path) {
      case .item(_, let vault)?, .collection(let vault)?: vault
      default: nil
      }
    }
    return vaults.filter { vault in meant.contains { $0 === vault } }
  }

  private func unlock(_ call: DBusMessage) throws -> [DBusValue] {
    let paths = try existing(call)
    var steps: [ServicePrompt.Step] = []
    for vault in vaults(of: paths) where vault.isLocked {
      if let opened = try? vault.door.reopen() { try unlock(vault, opened) }
      // No word of a person brings a file back.
      if let obstacle = vault.obstacle { throw obstacle }
      if vault.isLocked { steps.append(.open(vault)) }
    }
    var (open, closed) = ([String](), [String]())
    for path in paths {
      switch object(at: path) {
      case .item(let item, let vault)? where isLocked(item, in: vault):
        // What was refused for good is not asked for again.
        if standing(program, item) == false {
          vault.record([item], by: caller, isAllowed: false)
          continue
        }
        closed.append(path)
        if options.confirm != nil { steps.append(.permit(item, vault)) }
      case .collection(let vault)? where vault.isLocked: closed.append(path)
      default: open.append(path)
      }
    }
    guard !closed.isEmpty else {
      return [.objectPaths(open), .objectPath(SecretServiceNames.nothing)]
    }
    let prompt = try prompt(for: call.sender, steps, dismissed: .objectPaths([])) { _ in
      .objectPaths(closed)
    }
    return [.objectPaths(open), .objectPath(prompt)]
  }

  func collectionMethod(
    _ member: String, _ signature: String, _ vault: ServedVault, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("SearchItems", "a{ss}"):
      let wanted = try call.arguments()[0].textEntries ?? [:]
      return [.objectPaths(vault.items(with: wanted).map(\.path))]
    case ("CreateItem", "a{sv}(oayays)b"):
      try checkWritable()
      let new = try newItem(call)
      let path = try vault.store(
        new.secret, label: new.label, attributes: new.attributes, contentType: new.contentType,
        replaces: new.replaces
      ) { try permit($0, in: vault) }
      return [.objectPath(path), .objectPath(SecretServiceNames.nothing)]
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
    attributes[SecretServiceNames.schemaAttribute] =
      attributes[SecretServiceNames.schemaAttribute] ?? property("Type")?.text
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
    _ member: String, _ signature: String, _ item: ServedItem, _ vault: ServedVault,
    _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch (member, signature) {
    case ("GetSecret", "o"):
      let session = try session(call.arguments()[0].path ?? "", call)
      try permit(item, in: vault)
      let secret = try vault.secret(of: item)
      record([item], in: vault)
      return [try session.wrapped(secret, contentType: item.contentType)]
    case ("SetSecret", "(oayays)"):
      try checkWritable()
      let (secret, contentType) = try secret(call.arguments()[0], call)
      try permit(item, in: vault)
      try vault.setSecret(of: item, to: secret, contentType: contentType)
      return []
    case ("Delete", ""):
      try checkWritable()
      if vault.isLocked {
        let steps: [ServicePrompt.Step] =
          [.open(vault)] + (options.confirm == nil ? [] : [.permit(item, vault)])
        let path = try prompt(for: call.sender, steps, dismissed: .string("")) { service in
          // It may be another one's by now, or gone.
          if let item = vault[item.path] {
            try service.permit(item, in: vault)
            try vault.remove(item)
          }
          return .string("")
        }
        return [.objectPath(path)]
      }
      try permit(item, in: vault)
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
