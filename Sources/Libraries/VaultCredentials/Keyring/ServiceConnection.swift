import Glibc
import Synchronization
import VaultStorage

/// The bus, and the program on it that is the keyring.
final class ServiceConnection: Sendable {
  let bus: BusConnection
  /// The unique name of the owner: what is asked stays with the program that was asked first.
  let owner: String
  private let openSession = Mutex<SecretSession?>(nil)

  var library: LibSecret { bus.library }

  /// Asks the bus for the owner; starts it where the bus knows how.
  init(_ options: KeyringOptions, during call: KeyringCall) throws {
    bus = try BusConnection(address: options.environment.sessionBus(), during: call)
    owner = try Self.owner(on: bus, during: call)
    // The vault itself, served as a keyring: to ask it for what opens the vault would be a circle.
    if try Self.isServedVault(owner, on: bus, during: call) {
      throw KeyringError(
        .noProvider, "the keyring on the session bus is the vault itself",
        remedy: "programs have its items there already, without copies; a passphrase or key file "
          + "opens it")
    }
  }

  /// Whether the owner of the keyring's name is a `vault keyring serve`.
  ///
  /// On a bus of its own its unique name says so; on the session bus it has a second name.
  private static func isServedVault(
    _ owner: String, on bus: BusConnection, during call: KeyringCall
  ) throws -> Bool {
    if owner == SecretServiceNames.servedUniqueName { return true }
    return try currentOwner(SecretServiceNames.servedName, on: bus, during: call) == owner
  }

  private static func owner(on bus: BusConnection, during call: KeyringCall) throws -> String {
    let name = SecretServiceNames.serviceName
    if let owner = try currentOwner(name, on: bus, during: call) { return owner }
    let activatable = try ask(bus, "ListActivatableNames", reply: "(as)", during: call)
    guard activatable.part(0)?.texts.contains(SecretServiceNames.serviceName) == true else {
      throw KeyringError(.noProvider)
    }
    do {
      _ = try ask(
        bus, "StartServiceByName",
        [bus.library.text(SecretServiceNames.serviceName), bus.library.number(0)],
        reply: "(u)", during: call)
    } catch let failure as BusFailure {
      switch failure.kind {
      case .timedOut: throw KeyringError(.activationTimedOut)
      case .closed: throw failure
      default: throw KeyringError(.activationFailed)
      }
    }
    guard let owner = try currentOwner(name, on: bus, during: call) else {
      throw KeyringError(.activationFailed)
    }
    return owner
  }

  private static func currentOwner(
    _ name: String, on bus: BusConnection, during call: KeyringCall
  ) throws -> String? {
    do {
      let reply = try ask(
        bus, "GetNameOwner", [bus.library.text(name)], reply: "(s)",
        during: call)
      return reply.part(0)?.text
    } catch let failure as BusFailure where failure.kind == .noOwner {
      return nil
    } catch let failure as BusFailure where failure.kind == .timedOut {
      throw KeyringError(.deadBus, "the session bus did not answer in time")
    }
  }

  static func ask(
    _ bus: BusConnection, _ method: String, _ arguments: [BusValue] = [], reply: String,
    during call: KeyringCall
  ) throws -> BusValue {
    try bus.call(
      SecretServiceNames.bus, SecretServiceNames.busPath, SecretServiceNames.bus, method, arguments,
      reply: reply, during: call)
  }

  /// Asks the keyring.
  func ask(
    _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = [],
    reply: String, during call: KeyringCall
  ) throws -> BusValue {
    let answer = try bus.call(
      owner, path, interface, method, arguments, reply: reply, during: call)
    call.hasAnswer()
    return answer
  }

  /// One property of an object of the keyring's.
  func property(
    _ name: String, of interface: String, at path: String, during call: KeyringCall
  ) throws -> BusValue {
    let reply = try ask(
      path, SecretServiceNames.properties, "Get", [library.text(interface), library.text(name)],
      reply: "(v)",
      during: call)
    guard let value = reply.part(0)?.content else { throw BusFailure(.unusable) }
    return value
  }

  /// All properties of an object of the keyring's.
  func properties(
    of interface: String, at path: String, during call: KeyringCall
  ) throws -> [String: BusValue] {
    let reply = try ask(
      path, SecretServiceNames.properties, "GetAll", [library.text(interface)], reply: "(a{sv})",
      during: call)
    return reply.part(0)?.entries ?? [:]
  }

  /// The session that secrets travel in, opened on the first call.
  ///
  /// With `carriesSecret` one is about to travel, which is noted where the session is plain.
  func session(
    _ options: KeyringOptions, carriesSecret: Bool = true, during call: KeyringCall
  ) throws -> SecretSession {
    let session = try openSession.withLock { session in
      if let session { return session }
      let opened = try opened(during: call)
      session = opened
      return opened
    }
    guard session.isEncrypted || !options.requiresEncryptedSession else {
      throw KeyringError(.plainSessionOnly)
    }
    if carriesSecret, !session.isEncrypted { call.isInClear = true }
    return session
  }

  /// Opens a session, with up to three keys.
  ///
  /// libsecret leaves out the zeros that its public key begins with, and KWallet refuses a key that
  /// is shorter than the group's prime: one in 256 (kwalletd `createSession`).
  private func opened(during call: KeyringCall) throws -> SecretSession {
    for _ in 0..<3 {
      do {
        return try SecretSession(bus, owner: owner, during: call)
      } catch let failure as BusFailure where failure.kind == .invalidArguments {}
    }
    throw KeyringError(.sessionRefused)
  }

  /// The collection behind the alias `default`; `nil` if there is none.
  ///
  /// Never `/collection/login`: KeePassXC and KWallet have none.
  func defaultCollection(during call: KeyringCall) throws -> String? {
    let reply = try ask(
      SecretServiceNames.servicePath, SecretServiceNames.service, "ReadAlias",
      [library.text("default")], reply: "(o)",
      during: call)
    guard let path = reply.part(0)?.text else { throw BusFailure(.unusable) }
    return path == SecretServiceNames.nothing ? nil : path
  }

  func isLocked(_ collection: String, during call: KeyringCall) throws -> Bool {
    let locked = try property(
      "Locked", of: SecretServiceNames.collection, at: collection, during: call)
    guard let locked = locked.boolean else { throw BusFailure(.unusable) }
    guard locked, try mayHaveNoPassword(collection, during: call) else { return locked }
    return try !unlockWithoutPassword(collection, during: call)
  }

  /// Whether gnome-keyring may open a collection without a question: its file is one without a password,
  /// or lies where this process does not see it.
  func mayHaveNoPassword(_ collection: String, during call: KeyringCall) throws -> Bool {
    let owner = try process(during: call)
    guard owner.isGnomeKeyring else { return false }
    return try protection(of: collection, owner, during: call) != .encrypted
  }

  /// Unlocks a keyring if it has no password, which needs nobody.
  ///
  /// gnome-keyring does so for every program that asks. One that has a password stays locked, and no
  /// prompt is shown: gnome-keyring names one, which nobody runs.
  private func unlockWithoutPassword(
    _ collection: String, during call: KeyringCall
  ) throws -> Bool {
    let paths = try library.array(of: "o", [library.path(collection)])
    let reply = try ask(
      SecretServiceNames.servicePath, SecretServiceNames.service, "Unlock", [paths],
      reply: "(aoo)", during: call)
    return reply.part(0)?.texts.contains(collection) == true
  }

  /// The owner's process, as the bus knows it.
  func process(during call: KeyringCall) throws -> KeyringOwner {
    let reply = try? Self.ask(
      bus, "GetConnectionUnixProcessID", [library.text(owner)], reply: "(u)", during: call)
    let process = reply?.part(0)?.number.map { Int32(clamping: $0) }
    return KeyringOwner(
      busName: owner, process: process, program: process.flatMap(KeyringOwner.program))
  }
}

/// The program that is the keyring.
package struct KeyringOwner: Sendable, Equatable {
  /// Its unique name on the bus.
  package let busName: String
  /// Its process, in this process's namespace, where the bus tells.
  package let process: Int32?
  /// The name of its program.
  package let program: String?

  /// Whether it is gnome-keyring's daemon.
  var isGnomeKeyring: Bool { program?.hasPrefix("gnome-keyring") == true }

  package init(busName: String, process: Int32?, program: String?) {
    self.busName = busName
    self.process = process
    self.program = program
  }

  static func program(of process: Int32) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = unsafe readlink("/proc/\(process)/exe", &buffer, buffer.count)
    guard length > 0 else { return nil }
    let path = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(path.lastComponent)
  }
}
