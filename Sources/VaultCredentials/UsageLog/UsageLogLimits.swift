/// How much of a usage log is kept.
package struct UsageLogLimits: Sendable, Equatable {
  /// Bytes of the file: the older half goes when it is longer.
  package var size = 16 << 20
  /// Milliseconds: what is older goes, once the oldest record is older by a tenth.
  package var age: Int64 = 400 * 86_400_000
  /// How long to wait for another process that writes to the log.
  package var patience: Duration = .seconds(2)

  /// The standard limits.
  package init() {}
}
