import Foundation
import TestSupport
import Testing

/// Homes of a space, as machines have them, and what lies between them.
enum SyncedHomes {
  /// Two homes, and a folder for what lies between them.
  static func make() throws -> (
    laptop: ThrowawayVault, desktop: ThrowawayVault, store: TemporaryHome
  ) {
    (try ThrowawayVault(), try ThrowawayVault(), try TemporaryHome())
  }

  /// Brings two homes into one space.
  static func join(_ laptop: ThrowawayVault, _ desktop: ThrowawayVault, at store: String) throws {
    let initialized = try laptop("sync", "init", store, "--label", "laptop")
    try #require(initialized.status == 0, "\(initialized.errors)")
    try join(desktop.command, "desktop", invitedBy: laptop, at: store)
  }

  /// Brings another home into the space.
  static func join(
    _ machine: VaultProcess, _ label: String, invitedBy laptop: ThrowawayVault, at store: String,
    _ options: String...
  ) throws {
    let invitation = try laptop("sync", "invite", "--role", "writer")
    try #require(invitation.status == 0, "\(invitation.errors)")
    let joined = try machine.run(
      ["sync", "join", store, "--stdin", "--label", label, "--merge"] + options,
      input: invitation.output)
    try #require(joined.status == 0, "\(joined.errors)")
  }

  /// The id of a machine's stream.
  static func stream(_ label: String, on machine: ThrowawayVault) throws -> String {
    let output = try machine("sync", "devices", "--json").output
    let object = try JSONSerialization.jsonObject(with: output) as? [String: Any]
    let devices = object?["devices"] as? [[String: Any]]
    let device = devices?.first { $0["label"] as? String == label }
    return try #require(device?["id"] as? String)
  }

  /// The newest record of a machine in a folder.
  static func newestRecord(_ stream: String, in store: String) throws -> String {
    let spaces = try FileManager.default.contentsOfDirectory(atPath: store)
    let folder = "\(store)/\(try #require(spaces.first))/s/\(stream)"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return "\(folder)/\(try #require(names.max()))"
  }

  /// Copies a home as `cp -a` does.
  static func copy(_ home: TemporaryHome) throws -> TemporaryHome {
    let copy = try TemporaryHome()
    try FileManager.default.removeItem(atPath: copy.path)
    try FileManager.default.copyItem(atPath: home.path, toPath: copy.path)
    return copy
  }
}

extension VaultProcess.Result {
  /// Whether it failed with one sentence that says what, and one that says what to do.
  func says(_ status: Int32, _ words: String) -> Bool {
    let lines = errors.split(separator: "\n")
    return self.status == status && errors.contains(words)
      && lines.count { $0.hasPrefix("vault: error: ") } == 1
      && lines.count { $0.hasPrefix("vault: hint: ") } >= 1
  }
}
