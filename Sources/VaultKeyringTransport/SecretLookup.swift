package import VaultCredentials
import VaultDBus
package import VaultSealing

/// One lookup in the Secret Service without libsecret: what opens a vault at each command line.
///
/// Loading libsecret and the libraries that it stands on takes more than the whole rest of a
/// `vault get`. This asks the same questions with the same checks, and leaves everything that is
/// not the usual case to libsecret: a keyring that has to be started or unlocked, one without an
/// encrypted session, several items of the same identity.
package enum SecretLookup {
  /// Looks up the secret of our one item of that identity.
  ///
  /// - Parameters:
  ///   - identity: What the item is found by.
  ///   - address: The address of the session bus.
  ///   - end: When to give up.
  /// - Returns: The secret; `nil` if libsecret has to say more.
  /// - Throws: ``KeyringError`` with state `.notAnswering` if the keyring does not answer in time,
  ///   `.serviceGone` if it leaves the bus; anything else stands for `nil`.
  package static func secret(
    of identity: KeyringIdentity, bus address: String, until end: ContinuousClock.Instant
  ) throws -> SecretBytes? {
    let client = try BusClient(address, until: end)
    guard let owner = try owner(client, until: end) else { return nil }
    do {
      return try Lookup(client: client, owner: owner, end: end).secret(of: identity)
    } catch BusClient.Failure.late {
      throw KeyringError(.notAnswering)
    } catch let error as BusError where isOfTheBus(error) {
      throw KeyringError(.serviceGone)
    }
  }

  /// Whether the bus says that nobody is there any more.
  private static func isOfTheBus(_ error: BusError) -> Bool {
    [BusErrorName.noReply, BusErrorName.serviceUnknown, BusErrorName.nameHasNoOwner]
      .contains(error.name)
  }

  /// The unique name of the keyring; `nil` if none runs, or it is the vault itself.
  private static func owner(
    _ client: BusClient, until end: ContinuousClock.Instant
  ) throws -> String? {
    let keyring = try client.askBus("GetNameOwner", [.string(SecretServiceNames.serviceName)])
    let served = try client.askBus("GetNameOwner", [.string(SecretServiceNames.servedName)])
    guard let owner = try client.reply(to: keyring, until: end).first?.text else { return nil }
    do {
      guard try client.reply(to: served, until: end).first?.text != owner else { return nil }
    } catch let error as BusError where error.name == BusErrorName.nameHasNoOwner {}
    return owner == SecretServiceNames.servedUniqueName ? nil : owner
  }
}

/// The questions to one keyring; each step asks all that it can before it waits.
private struct Lookup {
  let client: BusClient
  let owner: String
  let end: ContinuousClock.Instant

  func secret(of identity: KeyringIdentity) throws -> SecretBytes? {
    let pair = try SessionCryptography.keyPair()
    let opening = try ask(
      "OpenSession", [.string(TransportSession.encrypted), .variant(.bytes(pair.publicKey))])
    let search = try ask("SearchItems", [.texts(identity.attributes)])
    guard let session = try session(opening, pair) else { return nil }
    let found = try client.reply(to: search, until: end)
    guard found.count == 2, let unlocked = found[0].parts, unlocked.count == 1,
      let item = unlocked[0].path
    else { return nil }
    let attributes = try client.ask(
      owner, item, SecretServiceNames.properties, "Get",
      [.string(SecretServiceNames.item), .string("Attributes")])
    let secrets = try ask("GetSecrets", [.objectPaths([item]), .objectPath(session.path)])
    // A keyring that finds by hashes may find another item.
    guard
      let carried = try client.reply(to: attributes, until: end).first?.content?.textEntries,
      identity.attributes.allSatisfy({ carried[$0.key] == $0.value })
    else { return nil }
    guard let entries = try client.reply(to: secrets, until: end).first?.entries,
      let parts = entries[item]?.parts, parts.count == 4, parts[0].path == session.path,
      let parameters = parts[1].bytes, let value = parts[2].bytes
    else { return nil }
    return try session.unwrapped(parameters: parameters, value: value)
  }

  private func ask(_ member: String, _ values: [DBusValue]) throws -> BusClient.Call {
    try client.ask(
      owner, SecretServiceNames.servicePath, SecretServiceNames.service, member, values)
  }

  /// The session that was opened; `nil` if what the keyring sent makes no key.
  private func session(
    _ opening: BusClient.Call, _ pair: SessionCryptography.KeyPair
  ) throws -> TransportSession? {
    let opened = try client.reply(to: opening, until: end)
    guard opened.count == 2, let peer = opened[0].content?.bytes, let path = opened[1].path,
      let key = try SessionCryptography.sessionKey(pair.privateKey, peer: peer)
    else { return nil }
    return TransportSession(path: path, owner: owner, key: key)
  }
}
