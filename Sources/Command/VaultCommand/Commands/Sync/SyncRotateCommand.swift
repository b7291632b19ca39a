import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault sync rotate`.
struct SyncRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Seal what is written from now on with a new key.",
    discussion: """
      All machines get the key. Nobody is put out by it, and what is in the store stays as it is: 'sync remove' \
      puts a machine out and does this by itself; 'key rotate' renews the vault's own key.

      \(ProgramName.current) sync rotate
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let epoch = try settings.withSpace { try $0.rotate() }
    if settings.writesJSON { return try StandardOutput.write([("epoch", .number(Int64(epoch)))]) }
    StandardError.note("what is written from now on is sealed with a new key", hint: nil)
  }
}
