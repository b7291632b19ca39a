import VaultStorage

/// The files by which systemd starts the vault as an agent of ssh, and ssh finds it.
///
/// systemd.socket(5), ssh_config(5).
package struct SSHAgentUnit {
  /// The paths of the files below the user's configuration folder.
  package static let (socketPath, servicePath) = (
    "systemd/user/\(socketUnit)", "systemd/user/vault-ssh-agent.service"
  )
  /// The path of the link that has the socket made from the next login on.
  package static let linkPath = "systemd/user/sockets.target.wants/\(socketUnit)"
  /// Where the link points.
  package static let linkTarget = "../\(socketUnit)"
  /// The unit of the socket, as systemctl(1) takes it.
  package static let socketUnit = "vault-ssh-agent.socket"
  /// The socket below `$XDG_RUNTIME_DIR`.
  package static let socketFile = "vault-ssh/agent"

  /// The variable of what `ssh-agent -- COMMAND` runs, which has an agent of its own.
  package static let variable = "VAULT_SSH_AGENT"

  /// By this line a file is known to be ours.
  private static let mark = "# Written for the vault, and removed when ssh is disconnected."

  /// The words that serve the vault.
  private let command: [String]

  /// The files for a command.
  ///
  /// - Parameter command: The words of the line that serves the vault, the first a whole path.
  package init(command: [String]) { self.command = command }

  /// Where systemd listens.
  package var socket: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=The vault as an agent of ssh", "", "[Socket]",
      "ListenStream=%t/\(Self.socketFile)", "SocketMode=0600", "DirectoryMode=0700",
      "RemoveOnStop=yes", "", "[Install]", "WantedBy=sockets.target",
    ])
  }

  /// What systemd starts at the first connection.
  package var service: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=The vault as an agent of ssh", "", "[Service]",
      "ExecStart=\(command.map(UnitFile.word).joined(separator: " "))",
    ])
  }

  /// A `.pub` file, which ssh takes for `IdentityFile`; it skips the first line.
  package static func publicFile(_ line: String) -> String { "\(mark)\n\(line)\n" }

  /// Whether a file is what this writes, for whichever command or key.
  ///
  /// - Parameters:
  ///   - text: The file.
  ///   - own: What this writes.
  /// - Returns: `nil` if the file is none of ours; `false` if it was changed since.
  package static func isOwn(_ text: String, like own: String) -> Bool? {
    UnitFile.isOwn(text, like: own, mark: mark)
  }

  /// Whether a `.pub` file is one that this wrote, for whichever key.
  ///
  /// - Returns: `nil` if it is none of ours; `false` if it was changed since.
  package static func isOwnPublicFile(_ text: String) -> Bool? {
    UnitFile.isOwn(text, mark: mark, beginnings: [""])
  }

  /// Refuses a path that `~/.ssh/config` cannot have between quotes: ssh reads no file any more that has
  /// a line it does not understand.
  ///
  /// ssh_config(5): quotes and backslashes are not told apart by every version, and `${…}` is a
  /// variable.
  ///
  /// - Parameter path: The socket, as ssh reads it.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`.
  package static func check(socket path: String) throws(ProtocolError) {
    guard ServiceCredential.isPlain(path), !path.utf8.contains(where: "\"'\\$".utf8.contains) else {
      throw ProtocolError(
        .invalidRequest,
        "the path of the agent's socket holds one of \" ' $ \\ or a control character, which cannot be "
          + "written into ssh's configuration")
    }
  }

  /// The lines of `~/.ssh/config`, at its end: what the person says for a host comes first, and wins.
  ///
  /// `IdentityAgent` would win over `SSH_AUTH_SOCK`, so what `ssh-agent -- COMMAND` runs is left out.
  ///
  /// - Parameter path: The socket, as ssh reads it.
  /// - Returns: The block.
  package static func configuration(socket path: String) -> MarkedBlock {
    MarkedBlock(
      title: "connect ssh", section: "Match exec \"sh -c 'test -z $\(variable)'\"",
      settings: ["  IdentityAgent \"\(path)\""],
      allowsOthers: true, sectionWords: ["Host", "Match"])
  }
}
