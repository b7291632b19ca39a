import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault sync mirror`.
struct SyncMirrorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror",
    abstract: "Publish the space in a folder, for those who read it by a subscription.",
    discussion: """
      Synchronizes, and then writes sealed files that never change, and 'feed', which is signed and says which they \
      are. Any web server or CDN hands them out. The folder is for the mirror alone, and is made if it is missing.

      \(ProgramName.current) sync mirror /srv/www/vault
      \(ProgramName.current) sync mirror /srv/www/vault --every 1m --watch
      """)

  @Argument(help: "The folder.", completion: .directory)
  var folder: String

  @Option(
    help: ArgumentHelp(
      "How often you do that: a feed three times as old is told where it is read. 5s to 7d.",
      valueName: "time"))
  var every = "1m"

  @Flag(help: "Do it again and again, until it is ended.")
  var watch = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard let seconds = TimeSpan.seconds(every), (5...7 * 86_400).contains(seconds) else {
      throw CommandError.usage("--every must be between 5s and 7d", hint: "such as: --every 1m")
    }
    if watch { return try MirrorWatch(settings, folder: folder, every: seconds).run() }
    let (report, mirror) = try settings.publish(to: folder, every: seconds)
    if settings.writesJSON {
      try StandardOutput.write([
        ("files", .number(Int64(mirror.files))), ("machines", .number(Int64(mirror.streams))),
        ("subscriptions", .number(Int64(mirror.subscriptions))), ("closed", .bool(mirror.isClosed)),
        ("stores", .strings(mirror.stores)),
        ("problems", .strings(report.problems.map(\.code.rawValue))),
      ])
    } else {
      StandardError.note(
        "published: \(Plural.of(mirror.files, "new file")), for "
          + Plural.of(mirror.subscriptions, "subscription"),
        hint: mirror.subscriptions > 0
          ? nil : "nobody can read it yet: \(ProgramName.current) sync subscription create NAME")
    }
    mirror.warn()
    if !settings.acceptsRollback, let problem = report.problems.first { throw problem }
  }
}
