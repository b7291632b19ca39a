/// The files by which systemd brings a vault and its store together every ten minutes.
///
/// systemd.timer(5), systemd.service(5); the link is what `systemctl --user enable` makes.
package struct SyncTimer {
  private static let mark = "# Written for the vault, and removed when sync is disconnected."

  private let name: String
  private let command: [String]

  /// The files for a vault.
  ///
  /// - Parameters:
  ///   - vault: The vault's name; `nil` for the default one.
  ///   - command: The words of the line that synchronizes, the first a whole path.
  package init(vault: String?, command: [String]) {
    name = vault.map { "vault-sync-\($0)" } ?? "vault-sync"
    self.command = command
  }

  /// The timer's name, as systemctl(1) takes it.
  package var timerName: String { "\(name).timer" }
  /// The path of the service below the user's configuration folder.
  package var servicePath: String { "systemd/user/\(name).service" }
  /// The path of the timer.
  package var timerPath: String { "systemd/user/\(timerName)" }
  /// The path of the link that has the timer run from the next session on.
  package var linkPath: String { "systemd/user/timers.target.wants/\(timerName)" }
  /// Where the link points.
  package var linkTarget: String { "../\(timerName)" }

  /// What is run.
  ///
  /// A store that is away, another run, and a locked vault are no failures.
  package var service: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=A vault and its store are brought together", "",
      "[Service]", "Type=oneshot", "SuccessExitStatus=69 75 77",
      "ExecStart=\(command.map(UnitFile.word).joined(separator: " "))",
    ])
  }

  /// When it is run.
  package var timer: String {
    UnitFile.text([
      Self.mark, "[Unit]", "Description=A vault and its store, every ten minutes", "", "[Timer]",
      "OnStartupSec=1min", "OnUnitInactiveSec=10min", "RandomizedDelaySec=1min", "", "[Install]",
      "WantedBy=timers.target",
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
