import Glibc
package import VaultSealing

/// What a process knows about its desktop: the variables by which a keyring is found.
package struct KeyringEnvironment: Sendable {
  /// `DBUS_SESSION_BUS_ADDRESS`.
  package var busAddress: String?
  /// `XDG_RUNTIME_DIR`.
  package var runtimeDirectory: String?
  /// `GNOME_KEYRING_CONTROL`.
  package var controlDirectory: String?
  /// Whether `DISPLAY` or `WAYLAND_DISPLAY` names a display.
  package var hasDisplay: Bool

  package init(
    busAddress: String?, runtimeDirectory: String?, controlDirectory: String? = nil,
    hasDisplay: Bool = false
  ) {
    self.busAddress = busAddress
    self.runtimeDirectory = runtimeDirectory
    self.controlDirectory = controlDirectory
    self.hasDisplay = hasDisplay
  }

  /// The environment of this process.
  package static func current() -> KeyringEnvironment {
    KeyringEnvironment(
      busAddress: variable("DBUS_SESSION_BUS_ADDRESS"),
      runtimeDirectory: variable("XDG_RUNTIME_DIR"),
      controlDirectory: variable("GNOME_KEYRING_CONTROL"),
      hasDisplay: variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The address of the session bus; never one that would start a bus.
  ///
  /// `autolaunch:` needs an X display and starts a bus that nobody else is on. A relative runtime
  /// directory is ignored, as the XDG Base Directory Specification wants it.
  func sessionBus() throws(KeyringError) -> String {
    if let busAddress {
      guard !busAddress.hasPrefix("autolaunch:") else { throw KeyringError(.noBus) }
      return busAddress
    }
    guard let runtimeDirectory, runtimeDirectory.hasPrefix("/") else {
      throw KeyringError(.noBus)
    }
    let socket = "\(runtimeDirectory)/bus"
    guard unsafe access(socket, F_OK) == 0 else { throw KeyringError(.noBus) }
    return "unix:path=\(Self.escaped(socket))"
  }

  /// D-Bus Specification, "Server Addresses": a `~` is escaped, too, and a slash is not.
  private static func escaped(_ path: String) -> String {
    PercentEncoding.encoded(path) { byte in
      byte == UInt8(ascii: "/")
        || (PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~"))
    }
  }
}

/// Looks up the secret of our one item of an identity, by the address of the session bus, until a
/// moment; `nil`, or any error but a ``KeyringError``, where libsecret has to say more.
package typealias KeyringLookup =
  @Sendable (KeyringIdentity, String, ContinuousClock.Instant) throws -> SecretBytes?

/// How long the keyring may take, and whether it may ask.
package struct KeyringOptions: Sendable {
  /// The time that a whole operation may take, prompts aside.
  package var timeout: Duration = .seconds(5)
  /// The time that a prompt may stay on a display.
  package var promptTimeout: Duration = .seconds(60)
  /// Whether the keyring may show a prompt; without a display it never does.
  package var allowsPrompt = false
  /// Whether a session without encryption is an error.
  package var requiresEncryptedSession = false
  /// Where the desktop is.
  package var environment: KeyringEnvironment
  /// The library's name for dlopen(3): a seam for the test of its absence.
  package var libraryName = "libsecret-1.so.0"
  /// A quicker way to one secret than libsecret, where the program has one.
  package var lookup: KeyringLookup?

  package init(environment: KeyringEnvironment = .current()) {
    self.environment = environment
  }

  var canPrompt: Bool { allowsPrompt && environment.hasDisplay }
}
