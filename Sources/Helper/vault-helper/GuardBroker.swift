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
/// Where a person has to allow a use, the response is known and nothing is given yet; what is asked
/// meanwhile is computed anew after the answer, from the vault as it is then.
final class GuardBroker {
  /// What becomes of a request.
  enum Outcome {
    case answer(GuardAnswer)
    /// A person has to allow this use first.
    case question(GuardUse, ApprovalRequest)
  }

  /// What the person has said to the uses of one request so far.
  typealias Approvals = [GuardUse: Approval]

  private static let version = "guard"

  /// `nil` while the vault is locked.
  private var vault: UnlockedVault.Blocking?
  private var whole: VaultSnapshot?
  private var part: VaultSnapshot?
  private let door: VaultDoor
  private let patterns: [NamePattern]
  private let isReadOnly: Bool
  /// Patterns of the items that a person is asked about.
  private let confirmed: [NamePattern]
  private let program: String?
  private var changes = GuardChanges()
  private var uses = GuardUses()

  /// A broker.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - door: What keeps it open.
  ///   - patterns: Patterns of the items that are let out; none of them if there is none.
  ///   - isReadOnly: Whether nothing is stored and forgotten.
  ///   - confirmed: Patterns of the items that a person is asked about.
  ///   - program: The file of the command, which the wall shows at a place of its own.
  init(
    _ vault: UnlockedVault, door: VaultDoor, patterns: [String], isReadOnly: Bool,
    confirmed: [String], program: String?
  ) {
    self.program = program
    (self.vault, self.door, self.isReadOnly) = (vault.blocking, door, isReadOnly)
    self.confirmed = confirmed.map { NamePattern($0) }
    self.patterns = patterns.map { NamePattern($0) }
  }

  private func isWithin(_ name: String) -> Bool { patterns.contains { $0.matches(name) } }

  /// Forgets the key if the vault was locked.
  func lockIfAsked() {
    guard vault != nil, !door.mayStayOpen() else { return }
    (vault, whole, part) = (nil, nil, nil)
    door.close()
  }

  /// Reads a message without its length.
  ///
  /// - Throws: What is said to the program: ``answer(_:)``.
  func request(_ message: RawSpan) throws -> GuardRequest {
    let asked = try GuardRequest(message)
    guard GuardRequest.faces.contains(asked.face) else { throw UnknownFace() }
    return asked
  }

  /// Answers a request, or says what a person has to allow before.
  func outcome(
    of asked: GuardRequest, from peer: LocalSocket.Peer, _ approvals: Approvals
  ) -> Outcome {
    do {
      return try answer(asked, from: peer, approvals)
    } catch {
      return .answer(Self.answer(error))
    }
  }

  /// What a program is told that gets nothing.
  static func answer(_ error: any Error) -> GuardAnswer {
    switch error {
    case let refusal as DockerRequest.Refusal: .refusal(refusal)
    case let error as ProtocolError: .failure(code: error.code.rawValue, message: error.message)
    case let error as CredentialError: .failure(code: error.code.rawValue, message: error.message)
    case is UnknownFace:
      .failure(
        code: "usage", message: "behind the guard only git, docker, aws, pip and uv are answered")
    case let refusal as ApprovalRefusal:
      .failure(code: GuardAnswer.notApproved, message: refusal.message)
    default: .failure(code: "internal", message: "the request could not be answered")
    }
  }

  private func answer(
    _ asked: GuardRequest, from peer: LocalSocket.Peer, _ approvals: Approvals
  ) throws -> Outcome {
    let request = try asked.request(version: Self.version)
    let (vault, snapshot) = try open()
    let response = try request.response(in: snapshot)
    let removed = response.changes.compactMap(Self.removed)
    let word = "\(asked.face.rawValue) \(Self.word(response))"
    let place = GuardRequest.place(of: request)
    func account(_ approval: Approval? = nil) -> UsageAccount {
      UsageAccount(purpose: place, reason: asked.reason, by: approval?.by)
    }
    if !response.changes.isEmpty {
      do {
        try check(response.changes, asked)
      } catch {
        // Of what is not there yet the log has no record.
        let items = response.changes.compactMap { whole?[Self.name(of: $0)] }
        record(
          items.map { Recorded(item: $0, account: account()) }, word, peer, isAllowed: false)
        throw error
      }
    }
    let uses =
      response.uses.map { GuardUse(word: asked.face.rawValue, $0.item) }
      + response.changes.map { change in
        GuardUse(word: word, Self.name(of: change), Self.removed(change))
      }
    for use in uses where isConfirmed(use.name) {
      guard let approval = approvals[use] else {
        return .question(use, question(use, asked, request, peer))
      }
      guard approval.isAllowed else {
        let item = whole?[use.name]
        record(
          [item].compactMap(\.self).map {
            Recorded(item: $0, account: account(approval), isAlways: approval.isByPerson)
          }, use.word, peer, isAllowed: false)
        throw ApprovalRefusal(message: approval.refusal ?? "a person has refused it")
      }
    }
    // Only what will be done counts against the limits of one line.
    try take(response.changes, asked)
    record(
      response.uses.map { one in
        let approval = approvals[GuardUse(word: asked.face.rawValue, one.item)]
        return Recorded(
          item: one.item, field: one.field, account: account(approval),
          isAlways: approval?.isByPerson == true)
      }, asked.face.rawValue, peer)
    if !response.changes.isEmpty {
      try vault.edit { try response.apply(to: &$0) }
      _ = try open()
      let stored = response.changes.compactMap { Self.removed($0) == nil ? Self.name(of: $0) : nil }
      record(
        (removed + stored.compactMap { whole?[$0] }).map { item in
          let approval = approvals.first { $0.key.word == word && $0.key.name == item.name }?.value
          return Recorded(
            item: item, account: account(approval), isAlways: approval?.isByPerson == true)
        }, word, peer)
    }
    if response.isNegative { return .answer(.negative) }
    return .answer(.output(response.output))
  }

  private func isConfirmed(_ name: ItemName) -> Bool {
    confirmed.contains { $0.matches(name.text) }
  }

  /// What a person is asked before a use.
  ///
  /// Behind the wall every program is the same one: each can run git, and be its parent. So an answer
  /// that is kept holds for the item and the line, and not for a program in it.
  private func question(
    _ use: GuardUse, _ asked: GuardRequest, _ request: any CredentialRequest,
    _ peer: LocalSocket.Peer
  ) -> ApprovalRequest {
    let caller = caller(peer)
    let does =
      switch use.word.split(separator: " ").last {
      case "store": "store a new version of"
      case "erase": "remove"
      default: "use"
      }
    return ApprovalRequest(
      identity: "\(use.word) \(use.item ?? use.name.text)",
      question: ApprovalQuestion(
        item: use.name.text, use: use.word, purpose: GuardRequest.place(of: request),
        sentence:
          "\(Person.name(of: caller)) wants to \(does) '\(Quoting.visible(use.name.text))'.",
        programs: caller.approvalPrograms, folder: CallerPlace.folder(of: caller),
        reason: asked.reason))
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
    // Nobody is asked about what is not done.
    var counts = self.changes
    guard counts.take(changes.map { Self.name(of: $0).text }, bytes: asked.input.count) else {
      throw Self.isFull
    }
  }

  private static let isFull = CredentialError(
    .permissionDenied, "one line under the guard has stored and forgotten all that it may")

  /// Counts changes that are made.
  private func take(_ changes: [CredentialResponse.Change], _ asked: GuardRequest) throws {
    guard !changes.isEmpty else { return }
    guard self.changes.take(changes.map { Self.name(of: $0).text }, bytes: asked.input.count) else {
      throw Self.isFull
    }
  }

  /// A use for the log.
  private struct Recorded {
    let item: Item
    var field: String?
    let account: UsageAccount
    /// Whether it has a record of its own however many there were before: a person has answered.
    var isAlways = false
  }

  /// Records what was given, changed or refused; see ``GuardUses``.
  private func record(
    _ items: [Recorded], _ word: String, _ peer: LocalSocket.Peer, isAllowed: Bool = true
  ) {
    let namespace = Self.namespace(of: peer.process)
    let usages = items.compactMap { one in
      uses.count(one.item.id, one.field, word, isAllowed, isAlways: one.isAlways).map { count in
        let verb = UsageRecord.Verb.guarded(word, namespace: namespace)
        let times = count > 1 && !one.isAlways ? ", \(Plural.of(count, "time"))" : ""
        return Usage(
          one.item, field: .init(one.field), verb: .init(rawValue: verb.rawValue + times),
          isAllowed: isAllowed, account: one.account)
      }
    }
    whole?.record(usages, by: caller(peer))
  }

  private func caller(_ peer: LocalSocket.Peer) -> UsageCaller {
    UsageCaller(
      process: peer.process, user: peer.user, isSameProgram: isKnown(peer), known: program)
  }

  /// Of a helper of ours the kernel tells no more than its name: it lets nobody look into it.
  private func isKnown(_ peer: LocalSocket.Peer) -> Bool {
    peer.program == nil || peer.isSameProgram
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

/// A use that a person has to allow.
struct GuardUse: Hashable {
  /// The face, and what it does besides giving: `git`, `git store`.
  let word: String
  let name: ItemName
  /// The item's id; `nil` for one that would be new.
  let item: String?

  init(word: String, _ item: Item) { self.init(word: word, item.name, item) }

  init(word: String, _ name: ItemName, _ item: Item?) {
    (self.word, self.name, self.item) = (word, name, item?.id)
  }
}

/// A protocol that is not answered behind the wall.
private struct UnknownFace: Error {}

/// A person has not allowed it.
struct ApprovalRefusal: Error { let message: String }
