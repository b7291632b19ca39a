/// How much of a usage log is kept.
package struct UsageLogLimits: Sendable, Equatable {
  /// Bytes of the file: the older half goes when it is longer.
  package var size = 16 << 20
  /// Milliseconds: what is older goes, once the oldest record is older by a tenth.
  package var age: Int64 = 400 * 86_400_000
  /// Of how many of the last records the time in the middle is what counts as now, for the age.
  package var recordsForTime = 15
  /// Bytes of the file that are read, where it does not end as it should.
  var readSize: Int { 2 * size }
  /// How long to wait for another process that writes to the log.
  package var patience: Duration = .seconds(2)

  /// The standard limits.
  package init() {}
}
