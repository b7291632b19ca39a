import VaultProtocols
import VaultStorage
import VaultTerminal

/// What a killed command left beside the files of other programs that it was writing: `FILE.<16 hex
/// digits>~`, the new text, which may have secrets.
package enum Leftovers {
  /// The files that are written, and others that are known to have secrets.
  private static var places: [String] {
    guard let home = StoreLocation.namedHome(ProcessState.variable) else { return [] }
    let configuration =
      ProcessState.variable("XDG_CONFIG_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
      ?? "\(home)/.config"
    let own = ["\(configuration)/git/config", "\(configuration)/pip/pip.conf"]
    let git = ProcessState.variable("GIT_CONFIG_GLOBAL").map { [$0] } ?? []
    let files =
      ClearTextProgram.allCases.flatMap { $0.paths { ProcessState.variable($0) } } + git + own
      + ["\(home)/.gitconfig", "\(home)/.ssh/config"]
      + OtherClearText.paths(home)
    var seen: Set<String> = []
    return files.filter { seen.insert($0).inserted }
  }

  /// Those that are there.
  package static func found() -> [String] {
    places.flatMap { UserFile.leftovers(of: $0) }.sorted()
  }

  /// Removes them, and says so.
  ///
  /// - Parameter dryRun: Whether to say only what would be removed.
  /// - Returns: What is still there, and why.
  package static func remove(dryRun: Bool) -> [(path: String, reason: String)] {
    guard !dryRun else {
      for path in found() { StandardError.note("would remove \(sentence(path))") }
      return []
    }
    return places.flatMap { place in
      let (removed, kept) = UserFile.removeLeftovers(of: place)
      for path in removed { StandardError.note("removed \(sentence(path))") }
      return kept.map { ($0, "a command that was killed left it, and it cannot be removed") }
    }
  }

  private static func sentence(_ path: String) -> String {
    "\(StandardOutput.shown(path)), which a command that was killed left"
  }
}
