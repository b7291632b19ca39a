import VaultStorage
import VaultSync

/// What a PostgreSQL, or the way to it, says when something fails, as an error of the store.
struct PostgresFailure: Error {
  let error: SyncError
  /// Whether another connection may do better; what was sent may have been done.
  let isPassing: Bool

  private init(
    _ code: SyncError.Code, _ message: String, hint: String, isPassing: Bool = false
  ) {
    error = SyncError(code, message, hint: hint)
    self.isPassing = isPassing
  }

  private static let states: [(prefix: String, failure: @Sendable (String) -> PostgresFailure)] = [
    (
      "23505",
      { _ in
        PostgresFailure(
          .taken, "another record has that number",
          hint: "this machine's state was put back or copied")
      }
    ),
    (
      "42501",
      { said in
        PostgresFailure(
          .notAllowed, "the role may not do that in this database\(said)",
          hint: "an administrator gives rights by a row in vault_sync.access, and by granting "
            + "vault_sync or vault_read")
      }
    ),
    ("3F000", notPrepared), ("42P01", notPrepared), ("42883", notPrepared), ("42703", notPrepared),
    (
      "25006",
      { said in
        PostgresFailure(
          .unavailable, "the server is a standby, which takes nothing\(said)",
          hint: "name the primary in the address as well", isPassing: true)
      }
    ),
    (
      "55000",
      { said in
        PostgresFailure(
          .unavailable, "the database lacks records of this machine\(said)",
          hint: "synchronize again: they are brought there")
      }
    ),
    (
      "53300",
      { said in
        PostgresFailure(
          .unavailable, "the server has no connection left\(said)",
          hint: "raise max_connections, or have fewer machines listen", isPassing: true)
      }
    ),
    (
      "53100",
      { said in
        PostgresFailure(
          .unavailable, "the server's disk is full\(said)", hint: "make room there")
      }
    ),
    ("28", refused),
    (
      otherVersion,
      { _ in
        PostgresFailure(
          .notPrepared, "the database is prepared for another version of this program",
          hint: "this one knows version 1 of the schema")
      }
    ),
    (
      otherCluster,
      { _ in
        PostgresFailure(
          .rolledBack, "the servers of the address are not copies of one database",
          hint: "leave out of the address what belongs to another one")
      }
    ),
  ]

  private static func notPrepared(_ said: String) -> PostgresFailure {
    PostgresFailure(
      .notPrepared, "the database is not prepared for spaces\(said)",
      hint: "an administrator runs there what 'sync schema postgresql' prints")
  }

  private static func refused(_ said: String) -> PostgresFailure {
    PostgresFailure(
      .unavailable, "the server refused the credentials\(said)",
      hint: "see pg_hba.conf there, or give another password, with the same address")
  }

  /// Stand in for an SQLSTATE where the server itself sees nothing wrong.
  static let otherCluster = "other-cluster"
  static let otherVersion = "other-version"

  /// Of a connection or a statement.
  init(_ failure: PostgresConnection.Failure) {
    // libpq writes lines, some of them with a tab before them.
    let words = failure.message.split { $0.isWhitespace }.joined(separator: " ")
    let said = words.isEmpty ? "" : ": \(Quoting.visible(String(words.prefix(300))))"
    if let found = Self.states.first(where: {
      !failure.state.isEmpty && failure.state.hasPrefix($0.prefix)
    }) {
      self = found.failure(said)
      return
    }
    func says(_ words: String...) -> Bool {
      words.contains { failure.message.contains(bytes: $0) }
    }
    // A connection that was not made has no SQLSTATE.
    if says(
      "password authentication failed", "no password supplied", "no pg_hba.conf entry",
      "authentication failed", "channel binding")
    {
      self = Self.refused(said)
    } else if says("certificate", "SSL", "root.crt") {
      self = PostgresFailure(
        .unavailable, "the server does not show who it is\(said)",
        hint: "name the file of its roots by ?sslrootcert=; no password was sent", isPassing: true)
    } else if says("permission denied") {
      self = PostgresFailure(
        .notAllowed, "the role may not do that in this database\(said)",
        hint: "an administrator gives the role rights there")
    } else if says("slots are reserved", "too many clients") {
      self = PostgresFailure(
        .unavailable, "the server has no connection left\(said)",
        hint: "raise max_connections, or have fewer machines listen", isPassing: true)
    } else {
      self = PostgresFailure(
        .unavailable, "the server cannot be used\(said)",
        hint: "see whether it runs, and whether a firewall is between", isPassing: true)
    }
  }
}
