import VaultSealing

/// Keeps the copies in the keyring that other programs read.
///
/// A copy is found by service and name, recognised by its attributes and by the keyed hash of what
/// was published (``CopyStanding``), and changed and deleted by its path. What is another program's
/// is told and never overwritten. Whoever changes copies holds the lock for it:
/// ``UnlockedVault/withCopiesLocked(_:)``.
struct CopyPublisher {
  let keyring: any DesktopKeyring
  /// The attribute `service`: `vault` for the default vault in its default place, else with its id.
  let service: String
  /// The keyed hash by which a copy is recognised.
  let hash: (SecretBytes) throws -> [UInt8]
  /// Whether the keyring gives a secret back as it is (``KeyringReport/keeps(_:)``).
  let isKept: (SecretBytes) -> Bool

  /// The copy that the keyring is to hold under one name.
  struct Wanted {
    let name: String
    let secret: SecretBytes
    /// Keyed hashes of what was published under this name before.
    let known: Set<[UInt8]>
    /// Whether an earlier version of the item had this keyed hash.
    let wasHeld: ([UInt8]) -> Bool
    /// Whether a copy that others changed is overwritten.
    let isOverwriting: Bool
  }

  /// The outcome for one copy.
  struct Outcome: Equatable {
    enum Kind: Equatable {
      /// The keyring holds the secret now, once.
      case published(hash: [UInt8])
      /// The keyring does not hold our copy any more.
      case withdrawn
      /// What was published has been changed by another program since.
      case changedByOthers
      /// Another program's item is in its place.
      case foreign
      /// The keyring does not give back what it was given; the copy is gone again.
      case inexact
    }

    var kind: Kind
    /// Whether another program's item has the same service and name.
    var hasForeign = false
  }

  /// Makes the one copy of a name hold its secret; other copies of ours of that name go.
  ///
  /// - Throws: ``KeyringError``.
  func publish(_ copy: Wanted) throws -> Outcome {
    let identity = KeyringIdentity(service: service, username: copy.name)
    let wanted = try hash(copy.secret)
    let found = try found(identity)
    guard isKept(copy.secret) else {
      // Also what an earlier version put there, which may have come back as another text.
      let ours = found.filter { $0.carriesOurs || copy.known.contains($0.hash) }
      for kept in ours { try keyring.delete(kept.path, of: identity) }
      return Outcome(kind: .inexact, hasForeign: ours.count < found.count)
    }
    let standing = CopyStanding(found, wanted: wanted, known: copy.known, wasHeld: copy.wasHeld)
    var ours = standing.ours
    if ours.isEmpty, !standing.changed.isEmpty {
      guard copy.isOverwriting else {
        return Outcome(kind: .changedByOthers, hasForeign: !standing.foreign.isEmpty)
      }
      ours = standing.changed.filter(\.carriesOurs)
      if ours.isEmpty { ours = Array(standing.changed.prefix(1)) }
    }
    let hasForeign = found.contains { item in !ours.contains(item) }
    guard let kept = ours.first else {
      // A second item of the name would hide the other one, or be hidden by it.
      if hasForeign { return Outcome(kind: .foreign, hasForeign: true) }
      let path = try keyring.create(identity, label: "vault: \(copy.name)", secret: copy.secret)
      return Outcome(kind: try kind(of: path, identity, copy.secret, wanted))
    }
    var kind = Outcome.Kind.published(hash: wanted)
    if kept.hash != wanted {
      try keyring.change(kept.path, of: identity, to: copy.secret)
      kind = try self.kind(of: kept.path, identity, copy.secret, wanted)
    }
    for surplus in ours.dropFirst() { try keyring.delete(surplus.path, of: identity) }
    return Outcome(kind: kind, hasForeign: hasForeign)
  }

  /// Looks whether what was written is what the keyring holds, where some keyrings fail: at what is
  /// long, and at what is no plain text.
  private func kind(
    of path: String, _ identity: KeyringIdentity, _ secret: SecretBytes, _ wanted: [UInt8]
  ) throws -> Outcome.Kind {
    guard !Self.isPlain(secret), let kept = try keyring.secrets(of: [path])[path],
      try hash(kept) != wanted
    else { return .published(hash: wanted) }
    try keyring.delete(path, of: identity)
    return .inexact
  }

  private static func isPlain(_ secret: SecretBytes) -> Bool {
    secret.withBytes { bytes in
      (1...8_192).contains(bytes.byteCount)
        && (0..<bytes.byteCount).allSatisfy { (0x20...0x7E).contains(bytes.byte(at: $0)) }
    }
  }

  /// Takes every copy of ours under `name` out of the keyring.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - known: Keyed hashes of what was published under it: such an item is ours whatever it
  ///     carries.
  /// - Returns: What became of it.
  /// - Throws: ``KeyringError``, also where a keyring that is not there seems to hold nothing.
  func withdraw(_ name: String, known: Set<[UInt8]>) throws -> Outcome {
    let identity = KeyringIdentity(service: service, username: name)
    let found = try found(identity)
    if found.isEmpty { try requireKeyring() }
    let ours = found.filter { $0.carriesOurs || known.contains($0.hash) }
    for copy in ours { try keyring.delete(copy.path, of: identity) }
    return Outcome(kind: .withdrawn, hasForeign: ours.count < found.count)
  }

  /// Everything in the keyring under our service, by name; two requests and one for each item.
  ///
  /// - Throws: ``KeyringError``, also where a keyring that is not there seems to hold nothing.
  func all() throws -> [String: [FoundCopy]] {
    let found = try found(["service": service])
    if found.isEmpty { try requireKeyring() }
    return Dictionary(found.map { ($0.name, [$0.copy]) }, uniquingKeysWith: +)
  }

  /// Tells "the copy is gone" from "there is no keyring to look in".
  private func requireKeyring() throws {
    if let obstacle = keyring.probe(openingSession: false).obstacle { throw obstacle }
  }

  private func found(_ identity: KeyringIdentity) throws -> [FoundCopy] {
    try found(identity.searched).map(\.copy)
  }

  private func found(
    _ attributes: [String: String]
  ) throws -> [(name: String, copy: FoundCopy)] {
    let items = try keyring.items(matching: attributes)
    guard items.locked.isEmpty else { throw KeyringError(.itemLocked) }
    guard !items.unlocked.isEmpty else { return [] }
    let secrets = try keyring.secrets(of: items.unlocked.map(\.path))
    return try items.unlocked.compactMap { item in
      guard let name = item.attributes["username"], let secret = secrets[item.path] else {
        return nil
      }
      let identity = KeyringIdentity(service: service, username: name)
      return (
        name,
        FoundCopy(
          path: item.path, hash: try hash(secret), carriesOurs: identity.isCarried(by: item),
          modified: item.modified)
      )
    }
  }
}
