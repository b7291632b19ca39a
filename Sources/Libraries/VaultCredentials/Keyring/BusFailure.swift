import CVaultSecret

/// Why one call on the bus failed, before it is known what the call was for.
struct BusFailure: Error, Equatable {
  enum Kind: Equatable {
    case timedOut
    case closed
    case noOwner
    case noReply
    case cannotConnect
    case locked
    case noSession
    case noSuchObject
    case notSupported
    case wrongPassword
    case spawnFailed
    case unusable
    case invalidRequest
    /// What the service calls an argument that it cannot use.
    case invalidArguments
    /// A secret came that the session's key does not open.
    case undecryptable
    case refused(String)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  /// An error that the bus or the service sent.
  init(remoteError name: String) {
    switch name {
    case "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NameHasNoOwner":
      kind = .noOwner
    // What dbus-daemon says when the callee leaves the bus without an answer.
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
      kind = .noReply
    case "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Timeout":
      kind = .timedOut
    case "org.freedesktop.Secret.Error.IsLocked": kind = .locked
    case "org.freedesktop.Secret.Error.NoSession": kind = .noSession
    // gnome-keyring answers with UnknownMethod for an object that is not there.
    case "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownMethod":
      kind = .noSuchObject
    case "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.NotSupported":
      kind = .notSupported
    case "org.freedesktop.DBus.Error.InvalidArgs": kind = .invalidArguments
    case "org.gnome.keyring.Error.Denied": kind = .wrongPassword
    case MessageGuard.unusableReply: kind = .unusable
    case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."): kind = .spawnFailed
    default: kind = .refused(Self.harmless(name))
    }
  }

  /// An error of GLib's own.
  init(domain: String, code: Int32) {
    guard domain == "g-io-error-quark", code >= 0 else {
      kind = .unusable
      return
    }
    switch Int(code) {
    case cvault_io_timed_out, cvault_io_cancelled: kind = .timedOut
    case cvault_io_closed, cvault_io_broken_pipe: kind = .closed
    // What g_dbus_connection_call_sync() says of a reply whose type is not the expected one.
    case cvault_io_invalid_argument: kind = .unusable
    // An error of the service's, whose name libsecret has taken off.
    case cvault_io_dbus_error: kind = .refused("an error of the service's own")
    default: kind = .cannotConnect
    }
  }

  /// Whether the call cannot have reached a service, so that it may be made again.
  var wasNeverDelivered: Bool { kind == .noOwner || kind == .noSession }

  /// Whether the two sides of the session may have come to different keys, so that the call may be
  /// made again in another one: nothing was done.
  ///
  /// KWallet (ksecretd, kwalletd) takes the secret that both sides share without the zeros that it
  /// begins with, libsecret with them: one session in 256 is of no use. QCA `DHKey::deriveKey`,
  /// OpenSSL `DH_compute_key`; libsecret `egg_dh_gen_secret`.
  var mayBeOfSession: Bool { kind == .undecryptable || kind == .invalidArguments }

  /// Whether what the connection stands for is gone.
  var endsConnection: Bool {
    switch kind {
    case .closed, .noOwner, .noReply, .noSession, .undecryptable: true
    default: false
    }
  }

  /// What it means where nothing special was asked for.
  var keyringError: KeyringError {
    switch kind {
    case .timedOut: KeyringError(.notAnswering)
    case .closed, .noOwner, .noReply: KeyringError(.serviceGone)
    case .cannotConnect: KeyringError(.deadBus)
    case .locked: KeyringError(.itemLocked)
    case .noSession, .unusable, .undecryptable: KeyringError(.unusableReply)
    case .noSuchObject: KeyringError(.itemMissing)
    case .notSupported: KeyringError(.refused, "the keyring does not support this")
    case .wrongPassword: KeyringError(.wrongPassword)
    case .spawnFailed: KeyringError(.activationFailed)
    case .invalidRequest: KeyringError(.invalidRequest)
    case .invalidArguments: KeyringError(.refused, "the keyring cannot use what it was asked with")
    case .refused(let name): KeyringError(.refused, "the keyring refused: \(name)")
    }
  }

  /// Error names are letters, digits, dots and underscores; a service may send something else.
  private static func harmless(_ name: String) -> String {
    let bytes = name.utf8.prefix(255).filter { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"): true
      default: false
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
