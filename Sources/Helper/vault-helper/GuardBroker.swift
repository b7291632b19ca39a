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

  /// A broker.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - door: What keeps it open, and opens it again.
  ///   - patterns: Patterns of the items that are let out; none of them if there is none.
  init(_ vault: UnlockedVault, door: VaultDoor, patterns: [String]) {
    (self.vault, self.door) = (vault.blocking, door)
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
    for change in response.changes {
      guard isWithin(Self.name(of: change)) else {
        throw CredentialError(
          .permissionDenied, "the guard lets no item of that name be changed, see --only")
      }
    }
    let verb = UsageRecord.Verb.guarded(
      asked.face.rawValue, namespace: Self.namespace(of: peer.process))
    // Of a helper of ours the kernel tells no more than its name: it lets nobody look into it.
    let isKnown = peer.program == nil || peer.isSameProgram
    snapshot.record(
      response.uses.map { Usage($0.item, field: .init($0.field), verb: verb) },
      by: UsageCaller(process: peer.process, user: peer.user, isSameProgram: isKnown))
    if !response.changes.isEmpty { try vault.edit { try response.apply(to: &$0) } }
    if response.isNegative { return .negative }
    return .output(response.output)
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

  private static func name(of change: CredentialResponse.Change) -> String {
    switch change {
    case .store(let draft): draft.name.text
    case .set(let name, _): name.text
    case .remove(let item): item.name.text
    }
  }

  /// The namespace of a process's ids, as the kernel names it; `nil` if the kernel does not say.
  private static func namespace(of process: Int32) -> String? {
    System.linkTarget("/proc/\(process)/ns/pid").map { String(decoding: $0, as: UTF8.self) }
  }
}
