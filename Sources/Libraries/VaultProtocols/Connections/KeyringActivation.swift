import VaultStorage

/// The files by which a session bus, or systemd for it, starts the vault as its keyring.
///
/// D-Bus specification, "Message Bus Starting Services"; systemd.service(5).
package struct KeyringActivation {
  /// The path of the bus' file below the user's data folder.
  package static let servicePath = "dbus-1/services/org.freedesktop.secrets.service"
  /// The path of systemd's file below the user's configuration folder.
  package static let unitPath = "systemd/user/\(unit)"

  private static let unit = "vault-keyring.service"
  /// By this line a file is known to be ours.
  private static let mark = "# Written for the vault, and removed when the keyring is disconnected."

  /// The words that serve the vault.
  private let command: [String]

  /// The files for a command.
  ///
  /// - Parameter command: The words of the line that serves the vault, the first a whole path.
  package init(command: [String]) { self.command = command }

  /// What the bus reads.
  package var service: String {
    UnitFile.text([
      Self.mark, "[D-BUS Service]", "Name=org.freedesktop.secrets",
      "Exec=\(command.map(Self.serviceWord).joined(separator: " "))",
      "SystemdService=\(Self.unit)",
    ])
  }

  /// What systemd reads.
  package var unit: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=The vault as the keyring of the session bus", "",
      "[Service]", "Type=dbus", "BusName=org.freedesktop.secrets",
      "ExecStart=\(command.map(UnitFile.word).joined(separator: " "))",
    ])
  }

  // MARK: A bus of its own

  /// The paths of the socket's files below the user's configuration folder.
  package static let (socketPath, socketServicePath) = (
    "systemd/user/\(socketUnit)", "systemd/user/vault-bus.service"
  )
  /// The path of the link that has the socket made from the next session on.
  package static let socketLinkPath = "systemd/user/sockets.target.wants/\(socketUnit)"
  /// Where the link points.
  package static let socketLinkTarget = "../\(socketUnit)"
  /// The unit of the socket, as systemctl(1) takes it.
  package static let socketUnit = "vault-bus.socket"
  /// The address by which programs find the bus.
  package static let socketAddress = "unix:path=$XDG_RUNTIME_DIR/\(socketFile)"

  private static let socketFile = "vault-bus/bus"

  /// Where systemd listens: systemd.socket(5).
  package var socket: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=A bus on which the vault is the keyring", "", "[Socket]",
      "ListenStream=%t/\(Self.socketFile)", "SocketMode=0600", "DirectoryMode=0700",
      "RemoveOnStop=yes", "",
      "[Install]", "WantedBy=sockets.target",
    ])
  }

  /// What systemd starts at the first connection.
  package var socketService: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=The vault as the keyring of a bus of its own", "",
      "[Service]", "ExecStart=\(command.map(UnitFile.word).joined(separator: " "))",
    ])
  }

  /// Whether a file is what this writes, for whichever command.
  ///
  /// - Parameters:
  ///   - text: The file.
  ///   - own: What this writes.
  /// - Returns: `nil` if the file is none of ours; `false` if it was changed since.
  package static func isOwn(_ text: String, like own: String) -> Bool? {
    UnitFile.isOwn(text, like: own, mark: mark)
  }

  /// A word as a shell has it, in a value in which backslashes are escapes.
  private static func serviceWord(_ word: String) -> String {
    UnitFile.isPlain(word)
      ? word
      : UnitFile.escaped(Quoting.shell(word), [(0x5C, "\\\\"), (0x0A, "\\n"), (0x0D, "\\r")])
  }
}
