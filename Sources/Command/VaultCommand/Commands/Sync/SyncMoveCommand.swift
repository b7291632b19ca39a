import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// `vault sync move`.
struct SyncMoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Follow the store, which lies in another place now.",
    discussion: """
      All files of the store have to be there first: it is compared with what this machine knows. Each machine \
      follows by itself. With the same address, --store-password gives another password. A vault that follows a \
      feed follows it to its other address.

      \(ProgramName.current) sync move /media/disk/vault
      \(ProgramName.current) sync move https://other.example.org/vault/feed
      """)

  @Argument(
    help: """
      A folder; a git repository: its URL, host:path, or a bare one's path; etcd://, postgresql://, \
      rclone:REMOTE:path or exec:PROGRAM. Of a feed, https:// or a file.
      """,
    completion: .directory)
  var store: String

  @Flag(help: "Use a folder that is in a work tree of git.")
  var inWorkTree = false

  @Option(
    help: ArgumentHelp(
      "The store's password: env:NAME, file:PATH, fd:N, stdin or cmd:COMMAND.", valueName: "source")
  )
  var storePassword: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if try settings.followsFeed() {
      guard storePassword == nil, !inWorkTree else {
        throw CommandError.usage(
          "this vault follows a feed, which has no password and no work tree",
          hint: "name the feed alone: \(ProgramName.current) sync move https://HOST/feed")
      }
      return try settings.followFeed(to: store)
    }
    let (engine, place, password) = try settings.engine(
      typed: store, takesWorkTree: inWorkTree, passwordSource: storePassword)
    try settings.followStore(to: engine, at: place, password: password)
  }
}
