import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// Answers the programs behind `vault guard` from the items that the line lets out, and from no other.
///
/// It belongs to one thread. Whoever asks is the adversary: it may send any bytes, as often as it
/// wants. What it gets comes from a snapshot in which nothing else is (``VaultSnapshot/narrowed(to:)``),
/// so that no request, however it is made, finds or counts another item.
///
/// A question to a person before an answer belongs into ``answer(_:from:)``, where the response is
/// known and nothing is given yet.
final class GuardBroker {
  private static let version = "guard"

  /// `nil` while the vault is locked.
  private var vault: UnlockedVault.Blocking?
  private var whole: VaultSnapshot?
  private var part: VaultSnapshot?
  private let door: VaultDoor
  private let patterns: [NamePattern]
  private let isReadOnly: Bool
  private var changes = GuardChanges()
  private var uses = GuardUses()

  /// A broker.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - door: What keeps it open.
  ///   - patterns: Patterns of the items that are let out; none of them if there is none.
  ///   - isReadOnly: Whether nothing is stored and forgotten.
  init(_ vault: UnlockedVault, door: VaultDoor, patterns: [String], isReadOnly: Bool) {
    (self.vault, self.door, self.isReadOnly) = (vault.blocking, door, isReadOnly)
    self.patterns = patterns.map { NamePattern($0) }
  }

  private func isWithin(_ name: String) -> Bool { patterns.contains { $0.matches(name) } }

  /// Forgets the key if the vault was locked.
  func lockIfAsked() {
    guard vault != nil, !door.mayStayOpen() else { return }
    (vault, whole, part) = (nil, nil, nil)
    door.close()
  }

  /// Answers a message without its length.
  func answer(_ message: RawSpan, from peer: LocalSocket.Peer) -> GuardAnswer {
    do {
      let asked = try GuardRequest(message)
      guard GuardRequest.faces.contains(asked.face) else {
        return .failure(
          code: "usage", message: "behind the guard only git, docker and aws are answered")
      }
      return try answer(asked, from: peer)
    } catch let refusal as DockerRequest.Refusal {
      return .refusal(refusal)
    } catch let error as ProtocolError {
      return .failure(code: error.code.rawValue, message: error.message)
    } catch let error as CredentialError {
      return .failure(code: error.code.rawValue, message: error.message)
    } catch {
      return .failure(code: "internal", message: "the request could not be answered")
    }
  }

  private func answer(
    _ asked: GuardRequest, from peer: LocalSocket.Peer
  ) throws -> GuardAnswer {
    let request = try asked.request(version: Self.version)
    let (vault, snapshot) = try open()
    let response = try request.response(in: snapshot)
    let removed = response.changes.compactMap(Self.removed)
    let word = "\(asked.face.rawValue) \(Self.word(response))"
    if !response.changes.isEmpty {
      do {
        try check(response.changes, asked)
      } catch {
        // Of what is not there yet the log has no record.
        let items = response.changes.compactMap { whole?[Self.name(of: $0)] }
        record(items.map { ($0, nil) }, word, peer, false)
        throw error
      }
    }
    record(response.uses.map { ($0.item, $0.field) }, asked.face.rawValue, peer)
    if !response.changes.isEmpty {
      try vault.edit { try response.apply(to: &$0) }
      _ = try open()
      let stored = response.changes.compactMap { Self.removed($0) == nil ? Self.name(of: $0) : nil }
      record(
        (removed + stored.compactMap { whole?[$0] }).map { ($0, nil) }, word, peer)
    }
    if response.isNegative { return .negative }
    return .output(response.output)
  }

  /// Whether changes may be made: by the line, by their names, and by how many there were.
  private func check(_ changes: [CredentialResponse.Change], _ asked: GuardRequest) throws {
    guard !isReadOnly else {
      throw CredentialError(
        .permissionDenied, "the guard stores and forgets nothing without --store")
    }
    for change in changes {
      guard isWithin(Self.name(of: change).text) else {
        throw CredentialError(
          .permissionDenied, "the guard lets no item of that name be changed, see --only")
      }
    }
    guard self.changes.take(changes.map { Self.name(of: $0).text }, bytes: asked.input.count) else {
      throw CredentialError(
        .permissionDenied, "one line under the guard has stored and forgotten all that it may")
    }
  }

  /// Records what was given, changed or refused; see ``GuardUses``.
  private func record(
    _ items: [(item: Item, field: String?)], _ word: String, _ peer: LocalSocket.Peer,
    _ isAllowed: Bool = true
  ) {
    let namespace = Self.namespace(of: peer.process)
    let usages = items.compactMap { item, field in
      uses.count(item.id, field, word, isAllowed).map { count in
        let verb = UsageRecord.Verb.guarded(word, namespace: namespace)
        let times = count > 1 ? ", \(Plural.of(count, "time"))" : ""
        return Usage(
          item, field: .init(field), verb: .init(rawValue: verb.rawValue + times),
          isAllowed: isAllowed)
      }
    }
    // Of a helper of ours the kernel tells no more than its name: it lets nobody look into it.
    let isKnown = peer.program == nil || peer.isSameProgram
    whole?.record(
      usages, by: UsageCaller(process: peer.process, user: peer.user, isSameProgram: isKnown))
  }

  /// The vault as it is now, and the part of it that is let out.
  private func open() throws -> (UnlockedVault.Blocking, VaultSnapshot) {
    lockIfAsked()
    let vault = try vault ?? door.reopen().blocking
    self.vault = vault
    if let new = try vault.read(unlessUnchangedSince: whole) {
      whole = new
      part = new.narrowed(to: isWithin)
    }
    guard let part else { throw HelperFailure("the vault cannot be read") }
    return (vault, part)
  }

  private static func name(of change: CredentialResponse.Change) -> ItemName {
    switch change {
    case .store(let draft): draft.name
    case .set(let name, _): name
    case .remove(let item): item.name
    }
  }

  private static func removed(_ change: CredentialResponse.Change) -> Item? {
    if case .remove(let item) = change { item } else { nil }
  }

  /// What a response does, as helpers call it.
  private static func word(_ response: CredentialResponse) -> String {
    response.changes.contains { removed($0) == nil } ? "store" : "erase"
  }

  /// The namespace of a process's ids, as the kernel names it; `nil` if the kernel does not say.
  private static func namespace(of process: Int32) -> String? {
    System.linkTarget("/proc/\(process)/ns/pid").map { String(decoding: $0, as: UTF8.self) }
  }
}
