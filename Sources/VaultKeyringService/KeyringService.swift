package import VaultCredentials
package import VaultDBus
import VaultSealing

/// The Secret Service over a vault: calls in, replies and signals out.
///
/// `org.freedesktop.secrets` with one collection, which is the vault. Documentation/keyring.md has
/// what differs from gnome-keyring. All calls come on one thread.
package final class KeyringService: BusService {
  /// The well-known name.
  package static let name = "org.freedesktop.secrets"
  /// The second name on the session bus, by which `vault` knows that the keyring is the vault.
  package static let ownName = "io.github.vault_swift.Keyring"
  /// The one collection; some clients look for this path before they ask for an alias.
  static let collection = "\(SecretServiceNames.collections)/login"
  private static let aliases = [
    "default": collection, "login": collection, "session": SessionCollection.path,
  ]

  /// What clients may do.
  package struct Options: Sendable {
    /// Which items are served.
    package var scope = ServedScope([])
    /// Whether clients may change nothing.
    package var isReadOnly = false
    /// What keeps the vault open, and opens it again.
    package var door: VaultDoor

    package init(door: VaultDoor) { self.door = door }
  }

  let options: Options
  let vault: ServedVault
  let memory = SessionCollection()
  var prompts: [String: ServicePrompt] = [:]
  private var nextPrompt = 1
  /// What prompts have led to, from the threads that they wait on.
  let outcomes = PromptOutcomes()
  var sessions: [String: TransportSession] = [:]
  private var nextSession = 1
  var signals: [DBusMessage] = []
  /// What follows the reply.
  private var later: [DBusMessage] = []
  /// Who is asking.
  private(set) var caller: LocalSocket.Peer?
  /// Sessions of one client.
  private static let maximumSessions = 64
  /// Prompts of one client.
  private static let maximumPrompts = 16

  /// A service over an open vault.
  ///
  /// - Throws: `CredentialError` if the vault cannot be read.
  package init(_ vault: UnlockedVault, options: Options) throws {
    self.options = options
    self.vault = ServedVault(vault, scope: options.scope, collection: Self.collection)
    _ = try self.vault.refresh()
  }

  // MARK: The bus

  package func answer(_ call: DBusMessage, from caller: LocalSocket.Peer) -> [DBusMessage] {
    self.caller = caller
    do {
      try lockIfDue()
      try refresh()
      let values = try result(of: call)
      // What the call has changed is seen before its reply.
      if vault.hasChanged { try refresh() }
      return take(try call.reply(values), call)
    } catch {
      let error = Self.busError(error)
      guard let message = try? call.error(error.name, error.words) else { return [] }
      return take(message, call)
    }
  }

  package func clientLeft(_ name: String) -> [DBusMessage] {
    sessions = sessions.filter { $0.value.owner != name }
    for prompt in prompts.values where prompt.owner == name {
      prompt.cancel?()
      prompts[prompt.path] = nil
    }
    return []
  }

  package func catchUp() -> [DBusMessage] {
    try? lockIfDue()
    try? finishPrompts()
    try? refresh()
    defer { (signals, later) = ([], []) }
    return signals + later
  }

  private func take(_ reply: DBusMessage, _ call: DBusMessage) -> [DBusMessage] {
    defer { (signals, later) = ([], []) }
    return signals + (call.wantsNoReply ? [] : [reply]) + later
  }

  // MARK: Locking

  /// Forgets the key if `vault lock` was used.
  private func lockIfDue() throws {
    guard !vault.isLocked, !options.door.mayStayOpen() else { return }
    try lock()
  }

  /// Forgets the key, and says so.
  func lock() throws {
    options.door.close()
    vault.lock()
    try emitLock(true)
  }

  /// Goes on with the vault that was opened.
  func unlock(_ opened: UnlockedVault) throws {
    vault.unlock(opened)
    try emitLock(false)
    try refresh()
  }

  private func emitLock(_ isLocked: Bool) throws {
    for item in vault.items {
      try emit(
        Self.collection, SecretServiceNames.collection, "ItemChanged", [.objectPath(item.path)])
      try emitChanged(item.path, SecretServiceNames.item, ["Locked": .boolean(isLocked)])
    }
    try emitChanged(
      Self.collection, SecretServiceNames.collection, ["Locked": .boolean(isLocked)])
    try emit(
      SecretServiceNames.root, SecretServiceNames.service, "CollectionChanged",
      [.objectPath(Self.collection)])
  }

  /// Makes a prompt for a client, which asks for what opens the vault.
  ///
  /// - Parameters:
  ///   - owner: The client.
  ///   - nothing: What the signal has where the prompt was dismissed.
  ///   - body: What is done when the vault is open.
  /// - Returns: Its path.
  /// - Throws: `BusError` if the client has too many.
  func prompt(
    for owner: String?, dismissed nothing: DBusValue,
    then body: @escaping (KeyringService) throws -> DBusValue
  ) throws -> String {
    let owner = owner ?? ""
    guard prompts.values.count(where: { $0.owner == owner }) < Self.maximumPrompts else {
      throw BusError(BusErrorName.limitsExceeded, "too many prompts")
    }
    let path = "\(SecretServiceNames.prompts)/p\(nextPrompt)"
    nextPrompt += 1
    prompts[path] = ServicePrompt(path: path, owner: owner, nothing: nothing, then: body)
    return path
  }

  /// Ends a prompt, and tells its client.
  ///
  /// - Parameters:
  ///   - prompt: The prompt.
  ///   - result: What the signal has; `nil` if the prompt was dismissed.
  /// - Throws: `MarshallingError` if the result cannot be sent.
  func complete(_ prompt: ServicePrompt, _ result: DBusValue?) throws {
    prompts[prompt.path] = nil
    var signal = try DBusMessage.signal(
      prompt.path, SecretServiceNames.prompt, "Completed",
      [.boolean(result == nil), .variant(result ?? prompt.nothing)])
    signal.destination = prompt.owner
    later.append(signal)
  }

  private static func busError(_ error: any Error) -> BusError {
    switch error {
    case let error as BusError: return error
    case is MarshallingError:
      return BusError(BusErrorName.invalidArguments, "The arguments cannot be read")
    case let error as CredentialError where error.code == .itemNotFound:
      return BusError(SecretServiceError.noSuchObject, "The item does not exist")
    case let error as CredentialError where error.code == .invalidValue:
      return BusError(BusErrorName.invalidArguments, error.message)
    case let error as CredentialError: return BusError(BusErrorName.failed, error.message)
    default: return BusError(BusErrorName.failed, "The call failed")
    }
  }

  /// Looks at the vault, and makes the signals for what has changed.
  func refresh() throws {
    let change = try vault.refresh()
    guard !change.isEmpty else { return }
    let collection = Self.collection
    for (member, paths) in [
      ("ItemCreated", change.added), ("ItemChanged", change.changed),
      ("ItemDeleted", change.removed),
    ] {
      for path in paths {
        try emit(collection, SecretServiceNames.collection, member, [.objectPath(path)])
      }
    }
    for path in change.changed {
      guard let item = vault[path] else { continue }
      try emitChanged(path, SecretServiceNames.item, item.properties(isLocked: vault.isLocked))
    }
    guard !change.added.isEmpty || !change.removed.isEmpty else { return }
    try emitChanged(
      collection, SecretServiceNames.collection,
      ["Items": .objectPaths(vault.items.map(\.path))])
  }

  func emit(
    _ path: String, _ interface: String, _ member: String, _ values: [DBusValue]
  ) throws {
    signals.append(try DBusMessage.signal(path, interface, member, values))
  }

  func emitChanged(
    _ path: String, _ interface: String, _ properties: [String: DBusValue]
  ) throws {
    try emit(
      path, StandardInterfaces.properties, "PropertiesChanged",
      [.string(interface), .properties(properties), .strings([])])
  }

  // MARK: Calls

  /// An object that a path names.
  enum Object {
    case service
    case collection
    case item(ServedItem)
    case memory
    case memoryItem(SessionCollection.Item)
    case session(TransportSession)
    case prompt(ServicePrompt)
    /// A folder of objects, which is there for those who look around.
    case folder

    var interface: String? {
      switch self {
      case .service: SecretServiceNames.service
      case .collection, .memory: SecretServiceNames.collection
      case .item, .memoryItem: SecretServiceNames.item
      case .session: SecretServiceNames.session
      case .prompt: SecretServiceNames.prompt
      case .folder: nil
      }
    }
  }

  func object(at path: String) -> Object? {
    let path = Self.resolved(path)
    switch path {
    case SecretServiceNames.root: return .service
    case Self.collection: return .collection
    case SessionCollection.path: return .memory
    case "/", "/org", "/org/freedesktop", SecretServiceNames.collections,
      SecretServiceNames.aliases, SecretServiceNames.sessions, SecretServiceNames.prompts:
      return .folder
    default:
      return vault[path].map { .item($0) } ?? sessions[path].map { .session($0) }
        ?? prompts[path].map { .prompt($0) } ?? memory[path].map { .memoryItem($0) }
    }
  }

  /// The path with a collection in place of its alias.
  static func resolved(_ path: String) -> String {
    for (name, collection) in aliases {
      let alias = "\(SecretServiceNames.aliases)/\(name)"
      if path == alias { return collection }
      if path.utf8.starts(with: "\(alias)/".utf8) {
        return collection + String(decoding: path.utf8.dropFirst(alias.utf8.count), as: UTF8.self)
      }
    }
    return path
  }

  private func result(of call: DBusMessage) throws -> [DBusValue] {
    let path = call.path ?? ""
    guard let object = object(at: path) else {
      throw BusError(SecretServiceError.noSuchObject, "No such object: \(path)")
    }
    let signature = call.signature.description
    switch (call.interface, call.member ?? "", signature) {
    case (StandardInterfaces.peer?, "Ping", ""): return []
    case (StandardInterfaces.peer?, "GetMachineId", ""):
      return [.string(StandardInterfaces.machine)]
    case (StandardInterfaces.introspectable?, "Introspect", ""):
      return [.string(description(of: object, at: path))]
    case (StandardInterfaces.properties?, let member, _):
      return try property(member, of: object, call)
    case (let interface, let member, _) where interface == nil || interface == object.interface:
      return try method(member, signature, of: object, call)
    default: throw Self.unknownMethod(call)
    }
  }

  static func unknownMethod(_ call: DBusMessage) -> BusError {
    let name = [call.interface, call.member].compactMap(\.self).joined(separator: ".")
    return BusError(BusErrorName.unknownMethod, "No such method: \(name)(\(call.signature))")
  }

  private func method(
    _ member: String, _ signature: String, of object: Object, _ call: DBusMessage
  ) throws -> [DBusValue] {
    switch object {
    case .service: try serviceMethod(member, signature, call)
    case .collection: try collectionMethod(member, signature, call)
    case .item(let item): try itemMethod(member, signature, item, call)
    case .memory: try memoryMethod(member, signature, call)
    case .memoryItem(let item): try memoryItemMethod(member, signature, item, call)
    case .session(let session):
      try sessionMethod(member, signature, session, call)
    case .prompt(let prompt): try promptMethod(member, signature, prompt, call)
    case .folder: throw Self.unknownMethod(call)
    }
  }

  private func sessionMethod(
    _ member: String, _ signature: String, _ session: TransportSession, _ call: DBusMessage
  ) throws -> [DBusValue] {
    guard member == "Close", signature == "" else { throw Self.unknownMethod(call) }
    _ = try self.session(session.path, call)
    sessions[session.path] = nil
    return []
  }

  // MARK: Sessions

  /// The session at a path, if it is the caller's.
  func session(_ path: String, _ call: DBusMessage) throws -> TransportSession {
    guard let session = sessions[path], session.owner == call.sender else {
      throw BusError(SecretServiceError.noSession, "The session does not exist")
    }
    return session
  }

  func openSession(_ call: DBusMessage) throws -> [DBusValue] {
    let values = try call.arguments()
    guard case .string(let algorithm) = values[0], let input = values[1].content,
      let owner = call.sender
    else { throw Self.unknownMethod(call) }
    guard sessions.values.count(where: { $0.owner == owner }) < Self.maximumSessions else {
      throw BusError(BusErrorName.limitsExceeded, "too many sessions")
    }
    let path = "\(SecretServiceNames.sessions)/s\(nextSession)"
    switch algorithm {
    case TransportSession.plain:
      guard input.text == "" else {
        throw BusError(BusErrorName.invalidArguments, "The input of a plain session is empty text")
      }
      nextSession += 1
      sessions[path] = TransportSession(path: path, owner: owner, key: nil)
      return [.variant(.string("")), .objectPath(path)]
    case TransportSession.encrypted:
      let pair = try SessionCryptography.keyPair()
      guard let peer = input.bytes,
        let key = try SessionCryptography.sessionKey(pair.privateKey, peer: peer)
      else { throw BusError(BusErrorName.invalidArguments, "The public key cannot be used") }
      nextSession += 1
      sessions[path] = TransportSession(path: path, owner: owner, key: key)
      return [.variant(.bytes(pair.publicKey)), .objectPath(path)]
    default:
      throw BusError(BusErrorName.notSupported, "The algorithm '\(algorithm)' is not supported")
    }
  }

  /// Fails where clients may change nothing.
  func checkWritable() throws {
    guard !options.isReadOnly else {
      throw BusError(BusErrorName.accessDenied, "The vault is served for reading only")
    }
  }
}
