import VaultStorage

extension StoreConnection {
  /// Reports each statement of the connection.
  func report(to report: StoreReport?) {
    guard let report else { return }
    sqlite.onStatement { run in
      report.observer.store(
        report.name,
        didRun: StoreStatement(
          text: run.text, duration: run.duration, waited: run.waited, rows: run.rows))
    }
  }
}
