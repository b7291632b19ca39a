package import VaultCredentials
package import VaultDBus
import VaultKeyringTransport
import VaultSealing

/// The Secret Service over vaults: calls in, replies and signals out.
///
/// `org.freedesktop.secrets` with a collection for each vault, the first of which is the default.
/// Documentation/keyring.md has what differs from gnome-keyring. All calls come on one thread.
package final class KeyringService: BusService {
  /// The collection of the first vault; some clients look there before they ask for an alias.
  package static let firstCollection = "login"

  /// What clients may do.
  package struct Options: Sendable {
    /// Which items are served.
    package var scope = ServedScope([])
    /// Whether clients may change nothing.
    package var isReadOnly = false
    /// Asks a person whether a client may use an item, on another thread; `nil` where all may.
    ///
    /// The answer is called once. It returns what ends the question.
    package var confirm:
      (
        @Sendable (_ asked: Asked, _ answer: @escaping @Sendable (Approval) -> Void)
          -> @Sendable () -> Void
      )?
    /// The answer that is kept for uses of an ``Asked/identity``; `nil` if there is none.
    package var standing: @Sendable (String) -> Approval? = { _ in nil }
    /// Wakes the server, from any thread.
    package var wake: @Sendable () -> Void

    package init(wake: @escaping @Sendable () -> Void) { self.wake = wake }
  }

  /// What a person is asked.
  package struct Asked: Sendable {
    /// Who asks.
    package let client: LocalSocket.Peer
    /// The item's name.
    package let item: String
    /// What an answer that is kept is for: a program and the item; `nil` if none can be kept.
    package let identity: String?
  }

  let options: Options
  /// The vaults; the first one is the default collection.
  let vaults: [ServedVault]
  let memory = SessionCollection()
  /// The collections' paths by the names that clients know besides.
  private let aliases: [String: String]
  var prompts: [String: ServicePrompt] = [:]
  private var nextPrompt = 1
  /// Calls that wait for a person, by the ids of their questions.
  var waitingCalls: [String: WaitingCall] = [:]
  var nextWaitingCall = 1
  var permissions = Permissions()
  /// What questions have led to, from the threads that they wait on.
  let outcomes = QuestionOutcomes()
  var sessions: [String: TransportSession] = [:]
  private var nextSession = 1
  var signals: [DBusMessage] = []
  /// What follows the reply.
  var later: [DBusMessage] = []
  /// Who is asking.
  private(set) var caller: LocalSocket.Peer?
  /// The unique name of who is asking.
  private(set) var sender = ""
  /// The executable of who is asking; `nil` if the kernel does not say.
  private(set) var program: String?
  /// What a person has answered for this call alone, by the items' paths.
  var answers: [String: Approval] = [:]
  /// Sessions of one client.
  private static let maximumSessions = 64
  /// Prompts of one client, and calls of it that wait for a person.
  static let maximumPrompts = 16

  /// A service over open vaults.
  ///
  /// - Parameters:
  ///   - collections: At least one; the first is the default collection.
  ///   - options: What clients may do.
  /// - Throws: `CredentialError` if a vault cannot be read.
  package init(_ collections: [ServedCollection], options: Options) throws {
    self.options = options
    vaults = collections.map { ServedVault($0, scope: options.scope) }
    var aliases = ["session": SessionCollection.path]
    for vault in vaults { aliases[vault.name] = vault.path }
    aliases["default"] = vaults.first?.path
    self.aliases = aliases
    for vault in vaults { _ = try vault.refresh() }
  }

  // MARK: The bus

  package func answer(_ call: DBusMessage, from caller: LocalSocket.Peer) -> [DBusMessage] {
    answer(call, from: caller, answers: [:])
  }

  /// Answers a call, of which a person has answered some questions.
  func answer(
    _ call: DBusMessage, from caller: LocalSocket.Peer, answers: [String: Approval]
  ) -> [DBusMessage] {
    self.answers = answers
    do {
      try lockIfDue()
      try refresh()
      let values = try onBehalf(of: caller, call.sender ?? "") { try lastingResult(of: call) }
      // What the call has changed is seen before its reply.
      if vaults.contains(where: \.hasChanged) { try refresh() }
      return take(try call.reply(values), call)
    } catch let question as UnansweredQuestion {
      do {
        try ask(about: question.item, for: call, from: caller)
        return take(nil, call)
      } catch {
        return take(error, call)
      }
    } catch {
      return take(error, call)
    }
  }

  /// What a call gives, also while the vault's key is rotated: what finds another key has done
  /// nothing yet, and is done again with that one.
  private func lastingResult(of call: DBusMessage) throws -> [DBusValue] {
    for _ in 0..<4 {
      do {
        return try result(of: call)
      } catch let error as CredentialError where error.code == .changedMeanwhile {
        try refresh()
      }
    }
    return try result(of: call)
  }

  /// Does something for a client.
  func onBehalf<Result>(
    of caller: LocalSocket.Peer, _ sender: String, _ body: () throws -> Result
  ) rethrows -> Result {
    self.caller = caller
    self.sender = sender
    program = options.confirm == nil ? nil : permissions.program(of: caller)
    return try body()
  }

  package func clientLeft(_ name: String) -> [DBusMessage] {
    sessions = sessions.filter { $0.value.owner != name }
    permissions.forget(name)
    for prompt in prompts.values where prompt.owner == name {
      prompt.cancel?()
      prompts[prompt.path] = nil
    }
    for (id, waiting) in waitingCalls where waiting.message.sender == name {
      waiting.cancel?()
      waitingCalls[id] = nil
    }
    return []
  }

  package func catchUp() -> [DBusMessage] {
    try? lockIfDue()
    let messages = takeOutcomes()
    try? refresh()
    defer { (signals, later) = ([], []) }
    return messages + signals + later
  }

  private func take(_ error: any Error, _ call: DBusMessage) -> [DBusMessage] {
    let error = Self.busError(error)
    return take(try? call.error(error.name, error.words), call)
  }

  private func take(_ reply: DBusMessage?, _ call: DBusMessage) -> [DBusMessage] {
    defer { (signals, later) = ([], []) }
    let reply = call.wantsNoReply ? nil : reply
    return signals + [reply].compactMap(\.self) + later
  }

  // MARK: Locking

  /// Forgets the keys if `vault lock` was used.
  private func lockIfDue() throws {
    for vault in vaults where !vault.isLocked && !vault.door.mayStayOpen() { try lock(vault) }
  }

  /// Forgets a vault's key, and says so.
  func lock(_ vault: ServedVault) throws {
    vault.door.close()
    vault.lock()
    try emitLock(of: vault)
  }

  /// Goes on with a vault that was opened.
  func unlock(_ vault: ServedVault, _ opened: UnlockedVault) throws {
    vault.unlock(opened)
    try emitLock(of: vault)
    try refresh()
  }

  private func emitLock(of vault: ServedVault) throws {
    let locked: [String: DBusValue] = ["Locked": .boolean(vault.isLocked)]
    for item in vault.items {
      try emit(
        vault.path, SecretServiceNames.collection, "ItemChanged", [.objectPath(item.path)])
      // Which client may use an item that a person is asked about is no news for the others.
      if vault.isLocked || options.confirm == nil {
        try emitChanged(item.path, SecretServiceNames.item, locked)
      }
    }
    try emitChanged(vault.path, SecretServiceNames.collection, locked)
    try emit(
      SecretServiceNames.servicePath, SecretServiceNames.service, "CollectionChanged",
      [.objectPath(vault.path)])
  }

  /// Makes a prompt for a client.
  ///
  /// - Parameters:
  ///   - owner: The client.
  ///   - steps: What a person is asked for.
  ///   - nothing: What the signal has where the prompt was dismissed.
  ///   - body: What is done when all of it is there.
  /// - Returns: Its path.
  /// - Throws: `BusError` if the client has too many.
  func prompt(
    for owner: String?, _ steps: [ServicePrompt.Step], dismissed nothing: DBusValue,
    then body: @escaping (KeyringService) throws -> DBusValue
  ) throws -> String {
    let owner = owner ?? ""
    guard prompts.values.count(where: { $0.owner == owner }) < Self.maximumPrompts else {
      throw BusError(BusErrorName.limitsExceeded, "too many prompts")
    }
    let path = "\(SecretServiceNames.prompts)/p\(nextPrompt)"
    nextPrompt += 1
    prompts[path] = ServicePrompt(
      path: path, owner: owner, steps: steps, nothing: nothing, then: body)
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

  /// Looks at the vaults, and makes the signals for what has changed.
  ///
  /// A vault that cannot be read stops no other one.
  func refresh() throws {
    for vault in vaults {
      let before = vault.obstacle
      do {
        try refresh(vault)
        vault.obstacle = nil
      } catch let error as CredentialError {
        vault.obstacle = error
      }
      if (before == nil) != (vault.obstacle == nil) { try emitLock(of: vault) }
    }
  }

  private func refresh(_ vault: ServedVault) throws {
    let change: ServedVault.Change
    do {
      change = try vault.refresh()
    } catch let error as CredentialError where error.code == .changedMeanwhile {
      // The key was rotated: whoever may open the vault opens it by its new slots.
      guard let opened = try? vault.door.reopen() else { return try lock(vault) }
      vault.unlock(opened)
      change = try vault.refresh()
    }
    guard !change.isEmpty else { return }
    let collection = vault.path
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
      var properties = item.properties(isLocked: vault.isLocked)
      if options.confirm != nil { properties["Locked"] = nil }
      try emitChanged(path, SecretServiceNames.item, properties)
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
    case collection(ServedVault)
    case item(ServedItem, ServedVault)
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
    let path = resolved(path)
    switch path {
    case SecretServiceNames.servicePath: return .service
    case SessionCollection.path: return .memory
    case "/", "/org", "/org/freedesktop", SecretServiceNames.collections,
      SecretServiceNames.aliases, SecretServiceNames.sessions, SecretServiceNames.prompts:
      return .folder
    default:
      for vault in vaults {
        if vault.path == path { return .collection(vault) }
        if let item = vault[path] { return .item(item, vault) }
      }
      return sessions[path].map { .session($0) } ?? prompts[path].map { .prompt($0) }
        ?? memory[path].map { .memoryItem($0) }
    }
  }

  /// The path with a collection in place of its alias.
  func resolved(_ path: String) -> String {
    for (name, collection) in aliases {
      let alias = "\(SecretServiceNames.aliases)/\(name)"
      if path == alias { return collection }
      if path.utf8.starts(with: "\(alias)/".utf8) {
        return collection + String(decoding: path.utf8.dropFirst(alias.utf8.count), as: UTF8.self)
      }
    }
    return path
  }

  /// The path of the default collection.
  var defaultCollection: String { aliases["default"] ?? SecretServiceNames.nothing }

  /// Records that whoever is asking wanted an item that is not served.
  func recordHidden(at path: String) {
    for vault in vaults { vault.recordHidden(at: resolved(path), by: caller) }
  }

  private func result(of call: DBusMessage) throws -> [DBusValue] {
    let path = call.path ?? ""
    guard let object = object(at: path) else {
      if call.member == "GetSecret" { recordHidden(at: path) }
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
    case .collection(let vault), .item(_, let vault):
      if let obstacle = vault.obstacle { throw obstacle }
    default: break
    }
    return switch object {
    case .service: try serviceMethod(member, signature, call)
    case .collection(let vault): try collectionMethod(member, signature, vault, call)
    case .item(let item, let vault): try itemMethod(member, signature, item, vault, call)
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
