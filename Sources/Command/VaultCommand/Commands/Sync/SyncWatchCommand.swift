import ArgumentParser
import VaultCommandCore

/// `vault sync watch`.
struct SyncWatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Keep the vault and its store together until it is ended.",
    discussion: """
      It runs when the store signals a change (etcd, PostgreSQL), when the vault, a preference or an application's \
      row that goes along changes here, and every minute. \
      For a service: Type=notify; SIGTERM ends it between two runs.

      \(ProgramName.current) sync watch --key-file /etc/vault/vault.key
      \(ProgramName.current) sync watch --metrics /var/lib/prometheus/node-exporter/vault.prom
      """)

  @Option(
    help: ArgumentHelp(
      "Write numbers for Prometheus to a file after each run: for the collector of text files.",
      valueName: "path"), completion: .file())
  var metrics: String?

  @Option(
    help: ArgumentHelp("Tell these numbers over HTTP on a Unix socket.", valueName: "path"),
    completion: .file())
  var metricsSocket: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    try StoreWatch(
      common.settings(), beside: { DesktopCopies($0) },
      WatchMetrics(file: metrics, socket: metricsSocket)
    ).run()
  }
}
