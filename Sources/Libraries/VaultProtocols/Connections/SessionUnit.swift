/// The file by which systemd has the sessions of all vaults end when the person leaves.
///
/// systemd.service(5); the link is what `systemctl --user enable` makes.
package struct SessionUnit {
  private static let mark = "# Written for the vault, and removed when session is disconnected."

  private let command: [String]

  /// The file for a command.
  ///
  /// - Parameter command: The words of the line that watches, the first a whole path.
  package init(command: [String]) { self.command = command }

  /// The service's name, as systemctl(1) takes it.
  package static let name = "vault-session.service"
  /// The path of the service below the user's configuration folder.
  package static let path = "systemd/user/\(name)"
  /// The path of the link that has it run from the next login on.
  package static let linkPath = "systemd/user/default.target.wants/\(name)"
  /// Where the link points.
  package static let linkTarget = "../\(name)"

  /// What is run, and locks when it ends: at the end of the login, too.
  package var text: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=Locks the vaults when their owner leaves", "", "[Service]",
      "ExecStart=\(command.map(UnitFile.word).joined(separator: " "))", "Restart=on-failure",
      "RestartSec=5", "", "[Install]", "WantedBy=default.target",
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
}
