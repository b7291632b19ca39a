/// The file by which systemd keeps a vault and its store together all the time.
///
/// systemd.service(5); the link is what `systemctl --user enable` makes.
package struct SyncService {
  private static let mark = "# Written for the vault, and removed when sync watch is disconnected."

  private let command: [String]
  /// The service's name, as systemctl(1) takes it.
  package let name: String

  /// The file for a vault.
  ///
  /// - Parameters:
  ///   - vault: The vault's name; `nil` for the default one.
  ///   - command: The words of the line that watches, the first a whole path.
  package init(vault: String?, command: [String]) {
    name = (vault.map { "vault-watch-\($0)" } ?? "vault-watch") + ".service"
    self.command = command
  }

  /// The path of the service below the user's configuration folder.
  package var path: String { "systemd/user/\(name)" }
  /// The path of the link that has it run from the next login on.
  package var linkPath: String { "systemd/user/default.target.wants/\(name)" }
  /// Where the link points.
  package var linkTarget: String { "../\(name)" }

  /// What is run.
  ///
  /// A line that is wrong, a store that was altered, a locked vault and a wrong setting are for a
  /// person: starting again betters none of them.
  package var text: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=Keeps a vault and its store together",
      "StartLimitIntervalSec=0", "", "[Service]", "Type=notify",
      "ExecStart=\(command.map(UnitFile.word).joined(separator: " "))", "Restart=on-failure",
      "RestartSec=5s", "RestartPreventExitStatus=64 65 77 78", "WatchdogSec=180", "MemoryMax=256M",
      "NoNewPrivileges=yes", "", "[Install]", "WantedBy=default.target",
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
