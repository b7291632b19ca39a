extension Space {
  /// Whether another record is known here than the one that counts.
  func contradicts(_ fork: SettledFork) -> Bool {
    record(fork.record.stream, fork.record.sequence).map { $0.hash != fork.record.hash } ?? false
  }
}
