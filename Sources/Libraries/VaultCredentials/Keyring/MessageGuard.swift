import CVaultSecret
import Synchronization

/// Reads along on one bus connection: refuses what would harm libsecret, and hears prompts end.
///
/// libsecret takes the peer's Diffie-Hellman value on trust, whatever its type and size. The guard
/// sees each reply to OpenSession first, and lets an unusable one through as an error. GLib calls
/// it on its own thread, for every message: no main loop is needed for signals.
final class MessageGuard: Sendable {
  /// The name of the error that takes an unusable reply's place.
  static let unusableReply = "org.freedesktop.DBus.Error.InvalidSignature"

  enum PromptResult: Equatable {
    /// With the path of what came of it, where it names one object.
    case completed(object: String?)
    case dismissed
    case unusable
  }

  private struct State {
    var sessionCalls: [UInt32: String] = [:]
    var hasRefusedSession = false
    var prompts: [String: PromptResult] = [:]
    var waiting: [String: WaitFlag] = [:]
    var lostNames: Set<String> = []
  }

  private let state = Mutex(State())

  /// Whether a reply to OpenSession was refused.
  var hasRefusedSession: Bool { state.withLock { $0.hasRefusedSession } }

  // MARK: Sessions

  func sent(sessionCall serial: UInt32, algorithm: String) {
    state.withLock { $0.sessionCalls[serial] = algorithm }
  }

  /// Which algorithm the call had asked for that this is the reply to; `nil` for any other call.
  func algorithm(ofReplyTo serial: UInt32) -> String? {
    state.withLock { $0.sessionCalls.removeValue(forKey: serial) }
  }

  func refusedSession() { state.withLock { $0.hasRefusedSession = true } }

  /// Whether a reply to OpenSession can be handed on.
  static func isUsable(_ reply: BusValue?, algorithm: String) -> Bool {
    guard let reply, reply.type == "(vo)", let value = reply.part(0)?.content else { return false }
    guard algorithm != "plain" else { return true }
    guard let bytes = value.bytes else { return false }
    return DiffieHellmanGroup.holds(publicValue: bytes)
  }

  // MARK: Prompts

  /// A signal that is raised when the prompt at `path` completes.
  func expectPrompt(_ path: String) -> WaitFlag {
    state.withLock { state in
      let signal = WaitFlag()
      state.waiting[path] = signal
      return signal
    }
  }

  func promptCompleted(_ path: String, body: BusValue?) {
    let result: PromptResult
    if let body, body.type == "(bv)", let dismissed = body.part(0)?.boolean {
      let object = body.part(1)?.content
      result =
        dismissed ? .dismissed : .completed(object: object?.type == "o" ? object?.text : nil)
    } else {
      result = .unusable
    }
    state.withLock { state in
      guard let signal = state.waiting[path] else { return }
      state.prompts[path] = result
      signal.raise()
    }
  }

  /// The bus says that `name` is nobody's now.
  func lost(_ name: String) { state.withLock { _ = $0.lostNames.insert(name) } }

  func hasLost(_ name: String) -> Bool { state.withLock { $0.lostNames.contains(name) } }

  /// How the prompt ended, and forgets it.
  func promptResult(_ path: String) -> PromptResult? {
    state.withLock { state in
      state.waiting[path] = nil
      return state.prompts.removeValue(forKey: path)
    }
  }
}
