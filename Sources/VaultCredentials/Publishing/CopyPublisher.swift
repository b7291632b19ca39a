import VaultSealing

/// Keeps the copies in the keyring that other programs read.
///
/// A copy is found by service and name, recognised by the keyed hash of what was published, and changed and
/// deleted by its path. What is there and was not published by this vault belongs to another program: it is
/// told and never overwritten.
struct CopyPublisher {
  let keyring: any DesktopKeyring
  /// The attribute `service`: `vault` for the default vault in its default place, else with its id.
  let service: String
  /// The keyed hash by which a copy is recognised.
  let hash: (SecretBytes) throws -> [UInt8]

  /// What became of a copy.
  enum Outcome: Equatable {
    /// The keyring holds the secret now.
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

  /// Makes the copy of `name` hold `secret`.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - secret: What the copy is to hold.
  ///   - known: The keyed hash of what was published before; zero if nothing was.
  ///   - overwriting: Whether a copy that others changed is overwritten.
  /// - Returns: What became of it.
  /// - Throws: ``KeyringError``.
  func publish(
    _ name: String, secret: SecretBytes, known: [UInt8], overwriting: Bool = false
  ) throws -> Outcome {
    let identity = KeyringIdentity(service: service, username: name)
    let wanted = try hash(secret)
    let copies = try copies(of: identity)
    guard !copies.isEmpty else {
      let path = try keyring.create(identity, label: "vault: \(name)", secret: secret)
      return try outcome(of: path, identity, secret, wanted)
    }
    if copies.contains(where: { $0.hash == wanted }) { return .published(hash: wanted) }
    let wasPublished = known.contains { $0 != 0 }
    if let ours = copies.first(where: { $0.hash == known && wasPublished }) {
      try keyring.change(ours.path, of: identity, to: secret)
      return try outcome(of: ours.path, identity, secret, wanted)
    }
    if overwriting, let first = copies.first {
      try keyring.change(first.path, of: identity, to: secret)
      return try outcome(of: first.path, identity, secret, wanted)
    }
    return wasPublished ? .changedByOthers : .foreign
  }

  /// Looks whether what was written is what the keyring holds, where some keyrings fail: at what is long, and at
  /// what is no plain text.
  private func outcome(
    of path: String, _ identity: KeyringIdentity, _ secret: SecretBytes, _ wanted: [UInt8]
  ) throws -> Outcome {
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

  /// Takes the copy of `name` out of the keyring, if it is the one that was published.
  func withdraw(_ name: String, known: [UInt8]) throws -> Outcome {
    let identity = KeyringIdentity(service: service, username: name)
    let copies = try copies(of: identity)
    if copies.isEmpty { try requireKeyring() }
    let ours = copies.filter { $0.hash == known }
    for copy in ours { try keyring.delete(copy.path, of: identity) }
    return ours.isEmpty && !copies.isEmpty ? .changedByOthers : .withdrawn
  }

  /// The keyed hashes of everything in the keyring under our service, by name; two requests and one for each item.
  ///
  /// - Throws: ``KeyringError``, also where a keyring that is not there seems to hold nothing.
  func all() throws -> [String: [[UInt8]]] {
    let items = try keyring.items(matching: ["service": service])
    guard items.locked.isEmpty else { throw KeyringError(.itemLocked) }
    if items.unlocked.isEmpty { try requireKeyring() }
    let secrets = try keyring.secrets(of: items.unlocked.map(\.path))
    var hashes: [String: [[UInt8]]] = [:]
    for item in items.unlocked {
      guard let name = item.attributes["username"], let secret = secrets[item.path] else {
        continue
      }
      hashes[name, default: []].append(try hash(secret))
    }
    return hashes
  }

  /// Tells "the copy is gone" from "there is no keyring to look in".
  private func requireKeyring() throws {
    if let obstacle = keyring.probe(openingSession: false).obstacle { throw obstacle }
  }

  private struct Found {
    var path: String
    var hash: [UInt8]
  }

  private func copies(of identity: KeyringIdentity) throws -> [Found] {
    let items = try keyring.items(matching: identity.searched)
    guard items.locked.isEmpty else { throw KeyringError(.itemLocked) }
    guard !items.unlocked.isEmpty else { return [] }
    let secrets = try keyring.secrets(of: items.unlocked.map(\.path))
    return try items.unlocked.compactMap { item in
      try secrets[item.path].map { Found(path: item.path, hash: try hash($0)) }
    }
  }
}
