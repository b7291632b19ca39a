import Synchronization
public import VaultCredentials
package import VaultSealing

/// A desktop keyring for tests, in any of the states in which a real one may be found.
///
/// It needs no bus, no daemon and no display, and it waits for nothing: what takes a real keyring
/// five seconds to fail at fails at once.
///
/// ```swift
/// let keyring = TestKeyring()
/// var options = VaultOptions()
/// options.use(keyring)
/// let vault = try InMemoryVault(options: options)
/// keyring.state = .notAnswering
/// ```
public final class TestKeyring: Sendable {
  /// How it stands.
  public enum State: String, Sendable, CaseIterable {
    /// It answers, and is open.
    case unlocked
    /// It is locked, and there is no display to ask on.
    case locked = "locked-without-display"
    /// It is locked, and a person who is asked on the display unlocks it.
    case lockedWithDisplay = "locked-with-display"
    /// It is locked, and a person who is asked says no.
    case promptDismissed = "prompt-dismissed"
    /// It is locked, and nobody answers its prompt.
    case promptTimedOut = "prompt-timed-out"
    /// It is open, and its items are locked one by one, as some keyrings do it.
    case itemLocked = "item-locked"
    /// It offers no encrypted connection, and one is asked for.
    case plainSessionOnly = "plain-session-only"
    /// libsecret is not installed.
    case libraryMissing = "library-missing"
    /// There is no session bus.
    case noBus = "no-bus"
    /// Nothing listens at the address of the session bus.
    case deadBus = "dead-bus"
    /// No program on the bus is a keyring.
    case noProvider = "no-provider"
    /// The keyring's program could not be started.
    case activationFailed = "activation-failed"
    /// The keyring's program did not come up in time.
    case activationTimedOut = "activation-timed-out"
    /// It does not answer in time.
    case notAnswering = "not-answering"
    /// No keyring was ever made.
    case noCollection = "no-collection"
    /// It goes away when a secret is read or written.
    case serviceGone = "service-gone"
    /// It answers with something that makes no sense.
    case unusableReply = "unusable-reply"
  }

  fileprivate struct Stored {
    var item: KeyringItem
    var secret: SecretBytes
  }

  fileprivate struct Contents {
    var state: State
    var items: [String: Stored] = [:]
    var next = 1
    var program: String?
  }

  private let contents: Mutex<Contents>

  /// A keyring without items.
  ///
  /// - Parameter state: How it stands.
  public init(_ state: State = .unlocked) { contents = Mutex(Contents(state: state)) }

  /// How it stands; what it holds stays as it is.
  public var state: State {
    get { contents.withLock { $0.state } }
    set { contents.withLock { $0.state = newValue } }
  }

  /// The name of the program that it says it is.
  package var program: String? {
    get { contents.withLock { $0.program } }
    set { contents.withLock { $0.program = newValue } }
  }

  /// What it holds for a service and a user, as another program would read it; also while it is
  /// locked.
  ///
  /// - Parameters:
  ///   - service: The attribute `service`.
  ///   - username: The attribute `username`.
  /// - Returns: The secret, or `nil`.
  public func secret(service: String, username: String) -> Secret? {
    contents.withLock { contents in
      let found = contents.items.values.first { stored in
        stored.item.attributes["service"] == service
          && stored.item.attributes["username"] == username
      }
      return found.map { Secret($0.secret) }
    }
  }

  /// Stores or replaces an item, as another program would; also while it is locked.
  ///
  /// - Parameters:
  ///   - secret: The secret.
  ///   - attributes: What it is found by.
  ///   - label: What people see of it.
  public func store(_ secret: Secret, attributes: [String: String], label: String = "") {
    contents.withLock { contents in
      let same = contents.items.first { $0.value.item.attributes == attributes }?.key
      let path = same ?? contents.newPath()
      contents.items[path] = Stored(
        item: KeyringItem(path: path, attributes: attributes, label: label), secret: secret.bytes)
    }
  }

  /// Every item's attributes, in no order.
  public var attributes: [[String: String]] {
    contents.withLock { $0.items.values.map(\.item.attributes) }
  }
}

extension TestKeyring.State {
  var keyringState: KeyringError.State? {
    switch self {
    case .unlocked: nil
    case .promptDismissed, .promptTimedOut: .lockedWithDisplay
    default: KeyringError.State(rawValue: rawValue)
    }
  }

  /// Whether the keyring itself is locked.
  var isLocked: Bool { locksItems && self != .itemLocked }

  /// Whether what it holds cannot be read.
  var locksItems: Bool { keyringState?.isLocked == true }

  /// What ends every call: a locked keyring, and one that fails at secrets alone, still answer.
  func require() throws(KeyringError) {
    guard let keyringState, !locksItems, !failsAtSecrets else { return }
    throw KeyringError(keyringState)
  }

  /// What ends a call that reads or writes a secret.
  func requireSecrets() throws(KeyringError) {
    try require()
    guard failsAtSecrets, let keyringState else { return }
    throw KeyringError(keyringState)
  }

  private var failsAtSecrets: Bool { self == .serviceGone || self == .plainSessionOnly }
}

extension TestKeyring: DesktopKeyring {
  package var canPrompt: Bool {
    switch state {
    case .lockedWithDisplay, .promptDismissed, .promptTimedOut: true
    default: false
    }
  }

  package func probe(openingSession: Bool) -> KeyringReport {
    let state = state
    var report = KeyringReport(hasDisplay: canPrompt)
    report.canPrompt = canPrompt
    report.owner = program.map { KeyringOwner(busName: ":1.1", process: nil, program: $0) }
    if let obstacle = state.keyringState, state != .serviceGone, state != .itemLocked {
      report.obstacle = KeyringError(obstacle, provider: report.owner?.provider)
    }
    if state == .unlocked || state == .plainSessionOnly || state.locksItems {
      report.collection = "/org/freedesktop/secrets/collection/test"
      report.isLocked = state.isLocked
      report.isSessionEncrypted = openingSession ? state != .plainSessionOnly : nil
    }
    return report
  }

  package func items(
    matching attributes: [String: String]
  ) throws(KeyringError) -> KeyringMatches {
    try state.require()
    let isLocked = state.locksItems
    let found = contents.withLock { contents in
      contents.items.values.map(\.item)
        .filter { item in attributes.allSatisfy { item.attributes[$0.key] == $0.value } }
        .sorted { $0.path < $1.path }
    }
    var matches = KeyringMatches()
    if isLocked { matches.locked = found } else { matches.unlocked = found }
    return matches
  }

  package func secret(of identity: KeyringIdentity) throws(KeyringError) -> SecretBytes {
    let matches = try items(matching: identity.attributes)
    guard matches.locked.isEmpty else { throw KeyringError(.itemLocked) }
    guard let item = matches.unlocked.first else { throw KeyringError(.itemMissing) }
    guard let secret = try secrets(of: [item.path])[item.path] else {
      throw KeyringError(.itemMissing)
    }
    return secret
  }

  package func secrets(of paths: [String]) throws(KeyringError) -> [String: SecretBytes] {
    try state.requireSecrets()
    guard !state.locksItems else { return [:] }
    return contents.withLock { contents in
      paths.reduce(into: [:]) { $0[$1] = contents.items[$1]?.secret }
    }
  }

  package func create(
    _ identity: KeyringIdentity, label: String, secret: SecretBytes
  ) throws(KeyringError) -> String {
    // What is new is not locked by what is there.
    if state != .itemLocked { try requireWritable() }
    return contents.withLock { contents in
      let path = contents.newPath()
      contents.items[path] = Stored(
        item: KeyringItem(path: path, attributes: identity.attributes, label: label), secret: secret
      )
      return path
    }
  }

  package func change(
    _ path: String, of identity: KeyringIdentity, to secret: SecretBytes
  ) throws(KeyringError) {
    try requireWritable()
    let isThere = contents.withLock { contents in
      guard contents.holds(path, identity) else { return false }
      contents.items[path]?.secret = secret
      return true
    }
    guard isThere else { throw KeyringError(.itemMissing) }
  }

  package func delete(_ path: String, of identity: KeyringIdentity) throws(KeyringError) {
    try requireWritable()
    let isThere = contents.withLock { contents in
      guard contents.holds(path, identity) else { return false }
      contents.items[path] = nil
      return true
    }
    guard isThere else { throw KeyringError(.itemMissing) }
  }

  package var hasSentInClear: Bool { false }

  package func unlock(
    cancellation: PromptCancellation?, for identity: KeyringIdentity?
  ) throws(KeyringError) {
    try state.require()
    switch state {
    case .locked: throw KeyringError(.lockedWithoutDisplay)
    case .promptDismissed: throw KeyringError(.promptDismissed)
    case .promptTimedOut: throw KeyringError(.promptTimedOut)
    case .lockedWithDisplay: state = .unlocked
    default: break
    }
  }

  package func unlock(
    password: SecretBytes, for identities: [KeyringIdentity]
  ) throws(KeyringError) -> PasswordUnlock {
    try state.require()
    throw KeyringError(.unlockUnsupported)
  }

  package func isLocked(for identities: [KeyringIdentity]) throws(KeyringError) -> Bool {
    try state.require()
    return state.isLocked
  }

  private func requireWritable() throws(KeyringError) {
    try state.requireSecrets()
    if let locked = state.keyringState { throw KeyringError(locked) }
  }
}

extension TestKeyring.Contents {
  /// Whether the item at `path` is the one of that identity: a path may be another item's by now.
  fileprivate func holds(_ path: String, _ identity: KeyringIdentity) -> Bool {
    guard let item = items[path]?.item else { return false }
    return identity.searched.allSatisfy { item.attributes[$0.key] == $0.value }
  }

  fileprivate mutating func newPath() -> String {
    defer { next += 1 }
    return "/org/freedesktop/secrets/collection/test/\(next)"
  }
}

extension VaultOptions {
  /// Makes vaults with these options use `keyring` in place of the desktop's.
  ///
  /// - Parameter keyring: The keyring; several vaults may share one.
  public mutating func use(_ keyring: TestKeyring) {
    desktopKeyring = keyring
    usesKeyring = true
    allowsKeyringPrompt = true
  }
}
