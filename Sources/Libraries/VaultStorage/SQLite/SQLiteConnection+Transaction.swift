/// The kind of a transaction: sqlite.org/lang_transaction.html.
package enum SQLiteTransactionKind: Sendable {
  /// Takes no lock until the first statement; a later write may fail because the snapshot is
  /// outdated.
  case deferred
  /// Takes the writers' lock at once: nothing that was read changes before the commit.
  case immediate
  /// As immediate; outside WAL it also excludes readers.
  case exclusive

  fileprivate var begin: String {
    switch self {
    case .deferred: "BEGIN DEFERRED"
    case .immediate: "BEGIN IMMEDIATE"
    case .exclusive: "BEGIN EXCLUSIVE"
    }
  }
}

extension SQLiteConnection {
  /// Runs `body` in a transaction: committed if it returns, rolled back if it throws.
  ///
  /// - Throws: What `body` throws, or ``StorageError``; afterwards no transaction is open.
  package func transaction<Result>(
    _ kind: SQLiteTransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    try execute(kind.begin)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // After a full disk or a damaged page SQLite may have ended the transaction already.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body` inside an open transaction, and undoes only its changes if it throws.
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("SAVEPOINT vault")
    do {
      let result = try body()
      try execute("RELEASE vault")
      return result
    } catch {
      if isInTransaction {
        try? execute("ROLLBACK TO vault")
        try? execute("RELEASE vault")
      }
      throw error
    }
  }
}
