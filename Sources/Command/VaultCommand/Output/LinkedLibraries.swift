import VaultCommandCore
import VaultDataImport
import VaultDefaultsTool
import VaultOneTimeCodes
import VaultPreferences
import VaultSealing
import VaultStorage

/// The C libraries that are linked statically into the installed command.
///
/// Updates of the system's packages do not reach them, so `vault check` lists them.
enum LinkedLibraries {
  /// Their names and versions.
  static var all: [(name: String, version: String)] {
    [
      ("libsodium", Sodium.version), ("SQLite", SQLiteLibrary.version),
      ("expat", ExpatLibrary.version), ("Mbed TLS", MbedTLSLibrary.version),
      ("zlib", ZlibLibrary.version), ("toml++", TOMLLibrary.version),
    ]
  }
}
