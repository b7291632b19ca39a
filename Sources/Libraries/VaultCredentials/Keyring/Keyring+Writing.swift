package import VaultSealing

extension Keyring {
  /// Makes an item of ours in the default collection.
  ///
  /// It never replaces one: look first, and change what is there by its path. It never unlocks: a
  /// copy is not worth a prompt.
  ///
  /// - Returns: The new item's path.
  /// - Throws: A locked state where the keyring is locked; and whatever ends a call.
  package func create(
    _ identity: KeyringIdentity, label: String, secret: SecretBytes
  ) throws(KeyringError) -> String {
    let options = options
    return try perform { connection, call in
      try connection.create(identity, label: label, secret: secret, options, during: call)
    }
  }

  /// Gives the item at `path` another secret, if it still is the one of that identity.
  package func change(
    _ path: String, of identity: KeyringIdentity, to secret: SecretBytes
  ) throws(KeyringError) {
    let options = options
    try perform { connection, call in
      try connection.change(path, of: identity, to: secret, options, during: call)
    }
  }

  /// Deletes the item at `path`, if it still is the one of that identity.
  package func delete(_ path: String, of identity: KeyringIdentity) throws(KeyringError) {
    let options = options
    try perform { connection, call in
      try connection.delete(path, of: identity, options, during: call)
    }
  }
}

extension ServiceConnection {
  func create(
    _ identity: KeyringIdentity, label: String, secret: SecretBytes, _ options: KeyringOptions,
    during call: KeyringCall
  ) throws -> String {
    let collection = try unlockedDefaultCollection(options, during: call)
    var attributes = identity.attributes
    attributes[SecretServiceNames.schemaAttribute] = SecretServiceNames.genericSchema
    let properties = try library.properties([
      ("\(SecretServiceNames.item).Label", library.text(label)),
      ("\(SecretServiceNames.item).Attributes", library.dictionary(attributes)),
    ])
    let arguments = [
      properties, try session(options, during: call).encode(secret), try library.boolean(false),
    ]
    let reply: BusValue
    do {
      reply = try ask(
        collection, SecretServiceNames.collection, "CreateItem", arguments, reply: "(oo)",
        during: call)
    } catch let failure as BusFailure where failure.kind == .locked {
      throw KeyringError(options.lockedState)
    } catch let failure as BusFailure where failure.kind == .noSuchObject {
      throw noCollection(during: call)
    }
    if let path = reply.part(0)?.text, path != SecretServiceNames.nothing { return path }
    guard let prompt = reply.part(1)?.text, prompt != SecretServiceNames.nothing else {
      throw BusFailure(.unusable)
    }
    // KeePassXC makes every item by a prompt, and asks nobody while its database is open.
    let made = try run(prompt, options, cancellation: nil, isUnlocked: true, during: call)
    do {
      guard let made else { return try readableItem(identity, options, during: call) }
      try check(made, is: identity, during: call)
      return made
    } catch {
      // What cannot be found again must not stay.
      if let made { try? remove(made, options, during: call) }
      throw error
    }
  }

  func change(
    _ path: String, of identity: KeyringIdentity, to secret: SecretBytes,
    _ options: KeyringOptions, during call: KeyringCall
  ) throws {
    try check(path, is: identity, during: call)
    let secret = try session(options, during: call).encode(secret)
    _ = try ask(path, SecretServiceNames.item, "SetSecret", [secret], reply: "()", during: call)
  }

  func delete(
    _ path: String, of identity: KeyringIdentity, _ options: KeyringOptions,
    during call: KeyringCall
  ) throws {
    try check(path, is: identity, during: call)
    try remove(path, options, during: call)
  }

  private func remove(
    _ path: String, _ options: KeyringOptions, during call: KeyringCall
  ) throws {
    let reply = try ask(path, SecretServiceNames.item, "Delete", reply: "(o)", during: call)
    guard let prompt = reply.part(0)?.text else { throw BusFailure(.unusable) }
    guard prompt != SecretServiceNames.nothing else { return }
    try run(prompt, options, cancellation: nil, isUnlocked: true, during: call)
    guard try item(path, isLocked: false, during: call) == nil else {
      throw KeyringError(.itemLocked)
    }
  }

  /// A path may stand for another item by now.
  private func check(
    _ path: String, is identity: KeyringIdentity, during call: KeyringCall
  ) throws {
    let properties = try properties(
      of: SecretServiceNames.item, at: library.path(path).text ?? "", during: call)
    // A keyring that was never unlocked shows hashes for attributes; it refuses the change itself.
    guard properties["Locked"]?.boolean != true else { throw KeyringError(.itemLocked) }
    guard KeyringItem(path, properties, isLocked: false).holds(identity.searched) else {
      throw KeyringError(.itemMissing)
    }
  }

  /// The default collection, if it is unlocked.
  private func unlockedDefaultCollection(
    _ options: KeyringOptions, during call: KeyringCall
  ) throws -> String {
    guard let collection = try defaultCollection(during: call) else {
      throw noCollection(during: call)
    }
    guard try !isLocked(collection, during: call) else { throw KeyringError(options.lockedState) }
    return collection
  }
}
