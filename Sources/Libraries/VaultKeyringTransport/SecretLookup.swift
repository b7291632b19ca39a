import Synchronization
package import VaultCredentials
import VaultDBus
package import VaultSealing

/// Lookups in the Secret Service without libsecret: of what opens a vault at each command line.
///
/// Loading libsecret and the libraries that it stands on takes more than the whole rest of a
/// `vault get`. This asks the same questions with the same checks, and leaves everything that is
/// not the usual case to libsecret: a keyring that has to be started or unlocked, one without an
/// encrypted session, several items of the same identity. Lookups share a connection and a session.
package final class SecretLookup: Sendable {
  private let known = Mutex<(keyring: OpenKeyring, address: String)?>(nil)

  /// Touches nothing: the first lookup connects.
  package init() {}

  /// Looks up the secret of our one item of that identity.
  ///
  /// - Parameters:
  ///   - identity: What the item is found by.
  ///   - address: The address of the session bus.
  ///   - end: When to give up.
  /// - Returns: The secret; `nil` if libsecret has to say more.
  /// - Throws: ``KeyringError`` with state `.notAnswering` if the keyring does not answer in time,
  ///   `.serviceGone` if it leaves the bus; anything else stands for `nil`.
  package func secret(
    of identity: KeyringIdentity, bus address: String, until end: ContinuousClock.Instant
  ) throws -> SecretBytes? {
    try known.withLock { known -> SecretBytes? in
      if let open = known, open.address == address {
        do {
          return try open.keyring.secret(of: identity, until: end)
        } catch let error as KeyringError where error.state == .notAnswering {
          throw error
        } catch {
          // What was open may be gone, and the keyring back.
          known = nil
        }
      }
      guard let keyring = try OpenKeyring(bus: address, until: end) else { return nil }
      known = (keyring, address)
      return try keyring.secret(of: identity, until: end)
    }
  }
}

/// The keyring's program on the bus, and the session with it; each step asks all that it can before
/// it waits.
private final class OpenKeyring {
  private let client: BusClient
  /// The unique name of the program: what is asked stays with the one that was asked first.
  private let owner: String
  private var session: TransportSession?

  /// Connects; `nil` if no keyring runs, or it is the vault itself.
  init?(bus address: String, until end: ContinuousClock.Instant) throws {
    let client = try BusClient(address, until: end)
    let keyring = try client.askBus("GetNameOwner", [.string(SecretServiceNames.serviceName)])
    let served = try client.askBus("GetNameOwner", [.string(SecretServiceNames.servedName)])
    guard let owner = try client.reply(to: keyring, until: end).first?.text,
      owner != SecretServiceNames.servedUniqueName
    else { return nil }
    do {
      guard try client.reply(to: served, until: end).first?.text != owner else { return nil }
    } catch let error as BusError where error.name == BusErrorName.nameHasNoOwner {}
    self.client = client
    self.owner = owner
  }

  func secret(
    of identity: KeyringIdentity, until end: ContinuousClock.Instant
  ) throws -> SecretBytes? {
    do {
      return try found(identity, until: end)
    } catch BusClient.Failure.late {
      throw KeyringError(.notAnswering)
    } catch let error as BusError where Self.isOfTheBus(error) {
      throw KeyringError(.serviceGone)
    }
  }

  /// Whether the bus says that nobody is there any more.
  private static func isOfTheBus(_ error: BusError) -> Bool {
    [BusErrorName.noReply, BusErrorName.serviceUnknown, BusErrorName.nameHasNoOwner]
      .contains(error.name)
  }

  private func found(
    _ identity: KeyringIdentity, until end: ContinuousClock.Instant
  ) throws -> SecretBytes? {
    let opening = session == nil ? try Opening(self) : nil
    let search = try ask("SearchItems", [.texts(identity.attributes)])
    if let opening { session = try opening.session(self, until: end) }
    guard let session else { return nil }
    let found = try client.reply(to: search, until: end)
    guard found.count == 2, let unlocked = found[0].parts, unlocked.count == 1,
      let item = unlocked[0].path
    else { return nil }
    let properties = try client.ask(
      owner, item, SecretServiceNames.properties, "GetAll", [.string(SecretServiceNames.item)])
    let secrets = try ask("GetSecrets", [.objectPaths([item]), .objectPath(session.path)])
    // A keyring that finds by hashes may find another item.
    guard
      let carried = try client.reply(to: properties, until: end).first?.entries?["Attributes"]?
        .content?.textEntries,
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

  /// A session that was asked for.
  private struct Opening {
    let pair: SessionCryptography.KeyPair
    let call: BusClient.Call

    init(_ keyring: OpenKeyring) throws {
      pair = try SessionCryptography.keyPair()
      call = try keyring.ask(
        "OpenSession", [.string(TransportSession.encrypted), .variant(.bytes(pair.publicKey))])
    }

    /// The session; `nil` if what the keyring sent makes no key.
    func session(
      _ keyring: OpenKeyring, until end: ContinuousClock.Instant
    ) throws -> TransportSession? {
      let opened = try keyring.client.reply(to: call, until: end)
      guard opened.count == 2, let peer = opened[0].content?.bytes, let path = opened[1].path,
        let key = try SessionCryptography.sessionKey(pair.privateKey, peer: peer)
      else { return nil }
      return TransportSession(path: path, owner: keyring.owner, key: key)
    }
  }
}
