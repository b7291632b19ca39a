package import VaultSealing

extension Keyring {
  /// The items that carry every one of `attributes`; none to find all.
  ///
  /// What the service names without having it is left out, and what does not carry the attributes
  /// too.
  package func items(
    matching attributes: [String: String]
  ) throws(KeyringError) -> KeyringMatches {
    try perform { connection, call in try connection.items(matching: attributes, during: call) }
  }

  /// The secret of our one item of that identity.
  ///
  /// - Throws: `.itemMissing`; `.itemLocked` or a locked state; and whatever ends a call.
  package func secret(of identity: KeyringIdentity) throws(KeyringError) -> SecretBytes {
    if let secret = try lookedUp(identity) { return secret }
    let options = options
    return try perform { connection, call in
      let path = try connection.readableItem(identity, options, during: call)
      let secrets = try connection.secrets(of: [path], options, during: call)
      guard let secret = secrets[path] else { throw BusFailure(.unusable) }
      return secret
    }
  }

  /// The secrets of several items, by their paths, in one request; locked ones are not among them.
  package func secrets(of paths: [String]) throws(KeyringError) -> [String: SecretBytes] {
    let options = options
    return try perform { connection, call in
      try connection.secrets(of: paths, options, during: call)
    }
  }
}

extension ServiceConnection {
  func items(
    matching attributes: [String: String], during call: KeyringCall
  ) throws -> KeyringMatches {
    guard !attributes.isEmpty else { return try allItems(during: call) }
    var (unlocked, locked) = try search(attributes, during: call)
    if !locked.isEmpty, let collection = try defaultCollection(during: call),
      try mayHaveNoPassword(collection, during: call),
      try !isLocked(collection, during: call)
    {
      // It had no password, and is open now.
      (unlocked, locked) = try search(attributes, during: call)
    }
    var matches = KeyringMatches()
    for path in unlocked {
      guard let item = try item(path, isLocked: false, during: call) else { continue }
      if item.holds(attributes) { matches.unlocked.append(item) }
    }
    // A keyring that was never unlocked shows hashes for attributes: nothing can be compared.
    for path in locked {
      if let item = try item(path, isLocked: true, during: call) { matches.locked.append(item) }
    }
    return matches
  }

  /// Every item of every collection.
  ///
  /// A search for no attributes finds everything at gnome-keyring, and nothing at KeePassXC, which
  /// names its items as the collections'.
  private func allItems(during call: KeyringCall) throws -> KeyringMatches {
    let found = try search([:], during: call)
    var paths = found.unlocked + found.locked
    let listed = Set(paths)
    paths += try itemsOfCollections(during: call).filter { !listed.contains($0) }
    let locked = Set(found.locked)
    var matches = KeyringMatches()
    for path in paths {
      guard let item = try item(path, isLocked: locked.contains(path) ? true : nil, during: call)
      else { continue }
      if item.isLocked { matches.locked.append(item) } else { matches.unlocked.append(item) }
    }
    return matches
  }

  private func itemsOfCollections(during call: KeyringCall) throws -> [String] {
    func paths(_ name: String, of interface: String, at path: String) throws -> [String] {
      do {
        return try property(name, of: interface, at: path, during: call).texts
      } catch let failure as BusFailure where failure.kind == .noSuchObject {
        return []
      }
    }
    var seen: Set<String> = []
    return try paths(
      "Collections", of: SecretServiceNames.service, at: SecretServiceNames.servicePath
    )
    .flatMap { try paths("Items", of: SecretServiceNames.collection, at: $0) }
    .filter { seen.insert($0).inserted }
  }

  func search(
    _ attributes: [String: String], during call: KeyringCall
  ) throws -> (unlocked: [String], locked: [String]) {
    let reply = try ask(
      SecretServiceNames.servicePath, SecretServiceNames.service, "SearchItems",
      [library.dictionary(attributes)],
      reply: "(aoao)", during: call)
    return (reply.part(0)?.texts ?? [], reply.part(1)?.texts ?? [])
  }

  /// The item at `path`; `nil` if there is none.
  ///
  /// Whether it is locked, it says itself where `isLocked` is `nil`.
  func item(_ path: String, isLocked: Bool?, during call: KeyringCall) throws -> KeyringItem? {
    do {
      let properties = try properties(of: SecretServiceNames.item, at: path, during: call)
      guard properties["Attributes"]?.type == "a{ss}" else { throw BusFailure(.unusable) }
      return KeyringItem(
        path, properties, isLocked: isLocked ?? (properties["Locked"]?.boolean == true))
    } catch let failure as BusFailure where failure.kind == .noSuchObject {
      return nil
    }
  }

  /// The path of our item; the newest, should there be more than one.
  func readableItem(
    _ identity: KeyringIdentity, _ options: KeyringOptions, during call: KeyringCall
  ) throws -> String {
    let matches = try items(matching: identity.attributes, during: call)
    if let newest = matches.unlocked.max(by: { $0.modified < $1.modified }) { return newest.path }
    guard matches.locked.isEmpty else { throw KeyringError(.itemLocked) }
    try checkCollection(options, during: call)
    throw KeyringError(.itemMissing)
  }

  /// Tells "nothing found" from "nothing to be found in".
  private func checkCollection(_ options: KeyringOptions, during call: KeyringCall) throws {
    guard let collection = try defaultCollection(during: call) else {
      throw noCollection(during: call)
    }
    guard try isLocked(collection, during: call) else { return }
    // gnome-keyring finds locked items too, by their hashes: what it does not find is not there.
    guard try !process(during: call).isGnomeKeyring else { return }
    throw KeyringError(options.lockedState)
  }

  /// The secrets of the items at `paths`, in one request; only what was asked for is returned.
  func secrets(
    of paths: [String], _ options: KeyringOptions, during call: KeyringCall
  ) throws -> [String: SecretBytes] {
    guard !paths.isEmpty else { return [:] }
    let session = try session(options, during: call)
    let asked = try paths.map { try library.path($0) }
    let arguments = [try library.array(of: "o", asked), try library.path(session.path)]
    let reply = try ask(
      SecretServiceNames.servicePath, SecretServiceNames.service, "GetSecrets", arguments,
      reply: "(a{o(oayays)})",
      during: call)
    var secrets: [String: SecretBytes] = [:]
    for (path, secret) in reply.part(0)?.entries ?? [:] where paths.contains(path) {
      secrets[path] = try session.decode(secret)
    }
    return secrets
  }
}

extension KeyringOptions {
  var lockedState: KeyringError.State {
    environment.hasDisplay ? .lockedWithDisplay : .lockedWithoutDisplay
  }
}
