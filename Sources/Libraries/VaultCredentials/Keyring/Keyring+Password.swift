package import VaultSealing

/// How a keyring came to be unlocked with its password.
package enum PasswordUnlock: String, Sendable {
  /// It was not locked.
  case wasUnlocked = "was-unlocked"
  /// The password opened it.
  case unlocked
  /// The password opened it with a newline added: it was once set by `echo password |`.
  case unlockedWithNewline = "unlocked-with-newline"
}

extension Keyring {
  /// Unlocks a collection with its own password, without any prompt: the default one; and where items
  /// that are wanted lie locked in another one, as in a keyring that was put aside, that one.
  ///
  /// First by gnome-keyring's control socket, as the login does, then by its master-password call.
  /// A denied password is tried once more with a newline added, which `echo` may have made part of
  /// it.
  ///
  /// The password goes over the bus on an encrypted session alone, whatever the options say: on a
  /// desktop it is the login password.
  ///
  /// - Parameters:
  ///   - password: The password.
  ///   - identities: The items that are wanted.
  /// - Returns: How it came to be unlocked.
  /// - Throws: `.wrongPassword`; `.plainSessionOnly`; `.unlockUnsupported` where the service knows
  ///   neither way.
  package func unlock(
    password: SecretBytes, for identities: [KeyringIdentity]
  ) throws(KeyringError) -> PasswordUnlock {
    var options = options
    options.requiresEncryptedSession = true
    return try perform { [options] connection, call in
      let collections = try connection.lockedCollections(for: identities, during: call)
      guard !collections.isEmpty else { return .wasUnlocked }
      for collection in collections {
        let unlocking = PasswordUnlocking(
          connection: connection, collection: collection, options: options, call: call)
        if try unlocking.isOpened(by: password) { return .unlocked }
        if try unlocking.isOpened(by: password.addingNewline()) { return .unlockedWithNewline }
      }
      throw KeyringError(.wrongPassword)
    }
  }

  /// Whether there is something that ``unlock(password:for:)`` would unlock.
  ///
  /// - Parameter identities: The items that are wanted.
  /// - Returns: Whether the default collection is locked, or one with all of a wanted item's.
  /// - Throws: `.noCollection`, and what keeps the keyring from answering.
  package func isLocked(for identities: [KeyringIdentity]) throws(KeyringError) -> Bool {
    try perform { connection, call in
      try !connection.lockedCollections(for: identities, during: call).isEmpty
    }
  }
}

extension ServiceConnection {
  /// The default collection and those of wanted items, where they are locked.
  fileprivate func lockedCollections(
    for identities: [KeyringIdentity], during call: KeyringCall
  ) throws -> [String] {
    guard let collection = try defaultCollection(during: call) else {
      throw noCollection(during: call)
    }
    var collections = try isLocked(collection, during: call) ? [collection] : []
    for identity in identities {
      let found = try search(identity.searched, during: call)
      guard found.unlocked.isEmpty else { continue }
      collections += found.locked.map(Self.collection(ofItem:)).filter {
        !collections.contains($0)
      }
    }
    return collections
  }

  /// The collection of an item: the path above it.
  fileprivate static func collection(ofItem path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? path
  }
}

/// One attempt, by every way there is.
private struct PasswordUnlocking {
  let connection: ServiceConnection
  let collection: String
  let options: KeyringOptions
  let call: KeyringCall

  /// `false` if the password is wrong.
  func isOpened(by password: SecretBytes) throws -> Bool {
    let control = try ControlSocket.unlock(
      with: password, environment: options.environment, until: call.deadline)
    // "Done" may be a lie, and the socket may be another keyring's: what counts is the collection.
    if control == .done, try !connection.isLocked(collection, during: call) { return true }
    do {
      let secret = try connection.session(options, during: call).encode(password)
      _ = try connection.ask(
        SecretServiceNames.servicePath, SecretServiceNames.masterPassword,
        "UnlockWithMasterPassword",
        [connection.library.path(collection), secret], reply: "()", during: call)
      return try !connection.isLocked(collection, during: call)
    } catch let failure as BusFailure {
      switch failure.kind {
      case .wrongPassword: return false
      case .noSuchObject, .notSupported, .refused:
        guard control == .denied else { throw KeyringError(.unlockUnsupported) }
        return false
      default: throw failure
      }
    }
  }
}

extension SecretBytes {
  fileprivate func addingNewline() throws -> SecretBytes {
    try SecretBytes(capacity: count + 1) { output in
      withBytes { output.write($0, at: 0) }
      output.write(byte: UInt8(ascii: "\n"), at: count)
      return count + 1
    }
  }
}
