import VaultOneTimeCodes
import VaultPreferences
import VaultSealing
import VaultStorage

/// The C libraries whose code is part of the installed command: an update of the system's packages does not reach
/// them.
enum LinkedLibraries {
  /// Their names and versions.
  static var all: [(name: String, version: String)] {
    [
      ("libsodium", Sodium.version), ("SQLite", SQLiteLibrary.version),
      ("expat", ExpatLibrary.version), ("Mbed TLS", MbedTLSLibrary.version),
    ]
  }
}
