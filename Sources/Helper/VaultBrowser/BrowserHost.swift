import Synchronization
package import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage

/// KeePassXC's protocol over a vault: messages of the extension in, answers out.
///
/// All calls come on one thread. What comes in is whatever a browser sends, and a browser is what a
/// web page may have taken over: nothing is given before a person has associated the browser, and
/// allowed the item for the site.
///
/// Source: github.com/keepassxreboot/keepassxc-browser, the page of its protocol.
package final class BrowserHost {
  /// The version that the extension is told: what it may ask for, and no passkeys.
  static let version = "2.7.6"
  /// Exchanges of keys that are remembered: the extension makes one each time it connects.
  private static let maximumClients = 16
  /// Requests that wait for a person at the same time.
  private static let maximumPending = 16
  private static let (maximumAction, maximumID) = (64, 256)
  /// How often it is looked whether somebody has opened the vault.
  private static let lookingInterval = Duration.seconds(2)

  /// What the host is to know and to call.
  package struct Options: Sendable {
    package var browser: BrowserIdentity
    /// Asks a person.
    package var question: BrowserQuestion.Asking
    /// The answer that is kept for a ``BrowserQuestion/identity``; `nil` if there is none.
    package var standing: @Sendable (String) -> Approval? = { _ in nil }
    /// Tells the browser's log what went wrong.
    package var warn: @Sendable (String) -> Void = { _ in }
    /// Wakes the thread of the host, from any other.
    package var wake: @Sendable () -> Void

    package init(
      browser: BrowserIdentity, question: @escaping BrowserQuestion.Asking,
      wake: @escaping @Sendable () -> Void
    ) {
      (self.browser, self.question, self.wake) = (browser, question, wake)
    }
  }

  /// A request, and what its answer is sealed with.
  struct Exchange {
    let client: BrowserClient
    let action: String
    let nonce: [UInt8]
    let requestID: String?
  }

  /// A request that waits for a person.
  private struct Pending {
    let exchange: Exchange
    var approvals: [Approval?]
    var cancels: [@Sendable () -> Void] = []
    let resume: ([Approval]) throws -> Void
  }

  /// What persons have said, from other threads.
  private final class Outcomes: Sendable {
    let all = Mutex<[(pending: Int, place: Int, approval: Approval)]>([])
  }

  let options: Options
  private let door: BrowserDoor
  private var vault: UnlockedVault?
  private var logins: BrowserLogins?
  /// Folders that the extension has made, until their first items are stored.
  var newFolders: Set<String> = []
  private var clients: [(id: String, client: BrowserClient)] = []
  private var pending: [Int: Pending] = [:]
  private var lastPending = 0
  private var lastLook = ContinuousClock.now - lookingInterval
  private let outcomes = Outcomes()
  private var output: [[UInt8]] = []

  package init(door: BrowserDoor, options: Options) {
    (self.door, self.options) = (door, options)
    open(isLooking: false)
  }

  /// The messages that are to be sent, in their order.
  package func takeOutput() -> [[UInt8]] {
    defer { output = [] }
    return output
  }

  /// When ``catchUp()`` has something to do without a message.
  package var nextLook: ContinuousClock.Instant? {
    vault == nil ? lastLook + Self.lookingInterval : door.end()
  }

  /// Takes what has changed: the vault was locked or opened, a person has answered.
  package func catchUp() {
    lockIfAsked()
    if vault == nil, .now >= lastLook + Self.lookingInterval, open(isLooking: true) {
      signal("database-unlocked")
    }
    let all = outcomes.all.withLock { all in
      defer { all = [] }
      return all
    }
    for (number, place, approval) in all {
      guard pending[number] != nil else { continue }
      pending[number]?.approvals[place] = approval
      goOn(number)
    }
  }

  /// Ends what is being asked, and forgets the vault.
  package func close() {
    for waiting in pending.values { for cancel in waiting.cancels { cancel() } }
    pending = [:]
    (vault, logins) = (nil, nil)
    door.close()
  }

  // MARK: Messages

  /// Takes a message, without its length.
  package func take(_ message: RawSpan) {
    guard let object = try? JSONValue.parse(message.array(0..<message.byteCount)),
      case .object = object
    else { return send(.empty, action: "", nil) }
    let action = Self.text(object, "action", Self.maximumAction) ?? ""
    let requestID = Self.text(object, "requestID", Self.maximumID)
    do throws(BrowserError) {
      if action == "change-public-keys" { return try changeKeys(object) }
      try take(object, action, requestID)
    } catch {
      send(error, action: action, requestID)
    }
  }

  private func changeKeys(_ object: JSONValue) throws(BrowserError) {
    guard let key = Self.bytes(object, "publicKey", 32),
      let nonce = Self.bytes(object, "nonce", 24),
      let id = Self.text(object, "clientID", Self.maximumID)
    else { throw .noPublicKey }
    let client = try BrowserClient(publicKey: key)
    clients.removeAll { $0.id.isSame(as: id) }
    if clients.count == Self.maximumClients { clients.removeFirst() }
    clients.append((id, client))
    send([
      ("action", .string("change-public-keys")), ("version", .string(Self.version)),
      ("publicKey", .string(Base64Text.encode(client.ownPublicKey))),
      ("nonce", .string(Base64Text.encode(BrowserClient.next(nonce)))),
      ("success", .string("true")),
    ])
  }

  private func take(
    _ object: JSONValue, _ action: String, _ requestID: String?
  ) throws(BrowserError) {
    guard let id = Self.text(object, "clientID", Self.maximumID),
      let client = clients.first(where: { $0.id.isSame(as: id) })?.client
    else { throw .noPublicKey }
    guard let nonce = Self.bytes(object, "nonce", 24) else { throw .unreadable }
    let exchange = Exchange(client: client, action: action, nonce: nonce, requestID: requestID)
    var inner = JSONValue.object([])
    if action == "generate-password", object["message"] == nil {
      // Older extensions send no contents.
      try client.use(nonce)
    } else {
      guard case .string(let text)? = object["message"], let sealed = Base64Text.decode(text.utf8)
      else { throw .unreadable }
      let opened = try client.open(sealed, nonce: nonce)
      guard let read = try? JSONValue.parse(opened.withBytes { $0.array(0..<$0.byteCount) }),
        case .object = read
      else { throw .unreadable }
      inner = read
      // What was sealed is what is meant.
      guard inner["action"]?.scalarText?.isSame(as: action) == true else { throw .notSupported }
    }
    try answer(inner, exchange)
  }

  private func answer(_ inner: JSONValue, _ exchange: Exchange) throws(BrowserError) {
    do {
      switch exchange.action {
      case "get-databasehash": try tellHash(exchange)
      case "associate": try associate(inner, exchange)
      case "test-associate": try testAssociation(inner, exchange)
      case "get-logins": try getLogins(inner, exchange)
      case "get-totp": try getCode(inner, exchange)
      case "set-login": try setLogin(inner, exchange)
      case "generate-password": try generatePassword(exchange)
      case "get-database-groups": try tellFolders(exchange)
      case "create-new-group": try makeFolder(inner, exchange)
      case "lock-database": try lock(exchange)
      default: throw BrowserError.notSupported
      }
    } catch {
      throw Self.browserError(error)
    }
  }

  private static func browserError(_ error: any Error) -> BrowserError {
    switch error {
    case let error as BrowserError: error
    case let error as CredentialError where error.code == .locked: .locked
    default: .denied
    }
  }

  private func tellHash(_ exchange: Exchange) throws {
    let hash = try hash()
    reply([("action", .string("hash")), ("hash", .string(hash))], to: exchange)
  }

  private func lock(_ exchange: Exchange) throws {
    try requireAssociation(exchange)
    door.lock()
    lockNow()
    throw BrowserError.locked
  }

  // MARK: The vault

  /// The logins of the vault as it is now.
  ///
  /// - Throws: ``BrowserError/locked``; what reading throws.
  func read() throws -> BrowserLogins {
    lockIfAsked()
    if vault == nil { open(isLooking: false) }
    guard let vault else { throw BrowserError.locked }
    if let new = try vault.blocking.read(unlessUnchangedSince: logins?.snapshot) {
      logins = try BrowserLogins(new)
    }
    guard let logins else { throw BrowserError.locked }
    return logins
  }

  /// Changes the vault.
  func change(_ body: (inout VaultEdit) throws -> Void) throws {
    guard let vault else { throw BrowserError.locked }
    try vault.blocking.edit(body)
  }

  /// A data key of the vault; `nil` if it has none with this id.
  func dataKey(_ id: [UInt8]) -> SecretBytes? { try? vault?.blocking.dataKey(id: id) }

  /// The data key that proves what a person has allowed here for good; the first call makes it.
  func proofKey() throws -> (id: [UInt8], key: SecretBytes) {
    guard let vault else { throw BrowserError.locked }
    return try vault.blocking.currentDataKey(for: BrowserAssociation.keyPurpose)
  }

  /// The id of the vault.
  var vaultID: String { vault?.id ?? "" }

  /// What the extension knows the vault by: 64 digits.
  func hash() throws -> String {
    _ = try read()
    return Hexadecimal.text(try Hash.blake2b(Array("vault-browser\n\(vaultID)".utf8), count: 32))
  }

  /// Opens the vault if something opens it without a question.
  @discardableResult
  private func open(isLooking: Bool) -> Bool {
    lastLook = .now
    vault = try? door.open(isLooking)
    return vault != nil
  }

  private func lockIfAsked() {
    guard vault != nil, !door.mayStayOpen() else { return }
    lockNow()
  }

  /// Forgets the key, and all that was given with it.
  private func lockNow() {
    (vault, logins, newFolders) = (nil, nil, [])
    door.close()
    lastLook = .now
    for (_, client) in clients { (client.association, client.given) = (nil, [:]) }
    let waiting = pending
    pending = [:]
    for one in waiting.values {
      for cancel in one.cancels { cancel() }
      send(.locked, action: one.exchange.action, one.exchange.requestID)
    }
    signal("database-locked")
  }

  // MARK: Questions

  /// Asks a person, and goes on with the answers, one for each question.
  ///
  /// - Parameters:
  ///   - questions: What is asked; an answer that is there already stands in its place.
  ///   - exchange: The request that waits.
  ///   - resume: Goes on.
  /// - Throws: ``BrowserError/denied`` if too many requests wait; what `resume` throws.
  func ask(
    _ questions: [(question: BrowserQuestion, known: Approval?)], _ exchange: Exchange,
    _ resume: @escaping ([Approval]) throws -> Void
  ) throws {
    guard pending.count < Self.maximumPending else { throw BrowserError.denied }
    lastPending += 1
    let (number, outcomes, wake) = (lastPending, outcomes, options.wake)
    pending[number] = Pending(
      exchange: exchange, approvals: questions.map(\.known), resume: resume)
    for (place, one) in questions.enumerated() where one.known == nil {
      let cancel = options.question(one.question) { approval in
        outcomes.all.withLock { $0.append((number, place, approval)) }
        wake()
      }
      pending[number]?.cancels.append(cancel)
    }
    goOn(number)
  }

  /// Ends what waits of an action, so that a later request takes its place.
  func endWaiting(for action: String) {
    for (number, waiting) in pending where waiting.exchange.action == action {
      pending[number] = nil
      for cancel in waiting.cancels { cancel() }
      send(.denied, action: action, waiting.exchange.requestID)
    }
  }

  private func goOn(_ number: Int) {
    guard let waiting = pending[number] else { return }
    let approvals = waiting.approvals.compactMap(\.self)
    guard approvals.count == waiting.approvals.count else { return }
    pending[number] = nil
    do {
      try waiting.resume(approvals)
    } catch {
      send(Self.browserError(error), action: waiting.exchange.action, waiting.exchange.requestID)
    }
  }

  // MARK: Answers

  /// Answers a request.
  func reply(_ members: [(String, JSONValue)], to exchange: Exchange) {
    let next = BrowserClient.next(exchange.nonce)
    let inner = JSONValue.object(
      members + [
        ("version", .string(Self.version)), ("success", .string("true")),
        ("nonce", .string(Base64Text.encode(next))),
      ])
    do throws(BrowserError) {
      guard let text = try? SecretBytes(text: inner.text()) else { throw .cannotSeal }
      let sealed = try exchange.client.seal(text, nonce: next)
      let answer = Self.outer(
        [
          ("action", .string(exchange.action)), ("message", .string(Base64Text.encode(sealed))),
          ("nonce", .string(Base64Text.encode(next))),
        ], exchange.requestID)
      guard let framed = NativeMessage.framed(answer.text()) else { throw .cannotSeal }
      output.append(framed)
    } catch {
      send(error, action: exchange.action, exchange.requestID)
    }
  }

  private static func outer(
    _ members: [(String, JSONValue)], _ requestID: String?
  ) -> JSONValue {
    .object(members + (requestID.map { [("requestID", .string($0))] } ?? []))
  }

  /// An error goes without a nonce, by which the extension knows that it is one.
  private func send(_ error: BrowserError, action: String, _ requestID: String?) {
    let answer = Self.outer(
      [
        ("action", .string(action)), ("errorCode", .string(String(error.rawValue))),
        ("error", .string(error.message)),
      ], requestID)
    if let framed = NativeMessage.framed(answer.text()) { output.append(framed) }
  }

  private func send(_ members: [(String, JSONValue)]) {
    if let framed = NativeMessage.framed(JSONValue.object(members).text()) { output.append(framed) }
  }

  private func signal(_ action: String) { send([("action", .string(action))]) }

  // MARK: Members

  /// The text of a member; `nil` if it is none, or too long.
  static func text(_ object: JSONValue, _ name: String, _ maximum: Int) -> String? {
    guard case .string(let text)? = object[name], text.utf8.count <= maximum else { return nil }
    return text
  }

  /// The bytes of a member in base64; `nil` if they are not as many.
  static func bytes(_ object: JSONValue, _ name: String, _ count: Int) -> [UInt8]? {
    guard let text = text(object, name, 4 * count), let bytes = Base64Text.decode(text.utf8),
      bytes.count == count
    else { return nil }
    return bytes
  }
}
