import CVaultPostgres
import Glibc
import VaultSync

/// libpq, opened when an engine first needs it.
// @unchecked: the table is filled before init returns, and never changes.
@safe final class PostgresLibrary: @unchecked Sendable {
  let functions: cvault_pg

  private static let shared = PostgresLibrary("libpq.so.5")

  /// The library.
  ///
  /// - Throws: `SyncError` with code `.unavailable` where it is not installed.
  static func open() throws -> PostgresLibrary {
    guard let shared else {
      throw SyncError(
        .unavailable, "the library libpq is missing, and a PostgreSQL as the store needs it",
        hint: "install libpq5 (Debian, Ubuntu) or libpq (Fedora)")
    }
    return shared
  }

  private init?(_ name: String) {
    guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    var table = cvault_pg()
    guard unsafe cvault_pg_resolve(handle, &table) != 0 else { return nil }
    functions = table
  }
}
