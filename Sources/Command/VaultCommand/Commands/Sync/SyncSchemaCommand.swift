import ArgumentParser
import VaultCommandCore
import VaultStorage
import VaultSyncEngines
import VaultTerminal

/// `vault sync schema`.
struct SyncSchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print what an administrator runs in a database for spaces.",
    discussion: """
      The vault itself changes no schema. Roles and rights are explained in the statements.

      \(ProgramName.current) sync schema postgresql | psql -v ON_ERROR_STOP=1 DATABASE
      """)

  @Argument(help: "postgresql.", completion: .list(["postgresql"]))
  var server: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard server == "postgresql" else {
      throw CommandError.usage(
        "there is a schema for postgresql alone",
        hint: "\(ProgramName.current) sync schema postgresql")
    }
    if settings.writesJSON {
      return try StandardOutput.write([("statements", .string(PostgresSchema.text))])
    }
    try StandardOutput.write(PostgresSchema.text)
  }
}
