package import FoundationEssentials

/// What an examination of the usage log found.
package struct UsageLogReport: Sendable, Equatable {
  /// A sign that the log is not as it was written.
  package enum Problem: Sendable, Equatable {
    /// Records between others are gone.
    case missing(ClosedRange<UInt64>)
    /// Records at the end are gone. A power failure can do that, since nothing waits for the disk.
    case cutOff(ClosedRange<UInt64>)
    /// Records at the beginning are gone that were not pruned, up to this one.
    case beginningMissing(upTo: UInt64)
    /// A record does not open: it was changed.
    case changed(UInt64)
    /// A record was moved or repeated.
    case outOfPlace(UInt64)
    /// A record does not follow the one before it, as if that had been exchanged.
    case unchained(UInt64)
    /// A record was sealed under a key that the vault had given up before.
    case formerKey(UInt64)
    /// Bytes between records are none.
    case unreadable(offset: Int, count: Int)
    /// The file is no log of this vault.
    case foreign
    /// There is no head: records at the end may be gone.
    case headMissing
    /// The head was not made with the vault's key: records at the end may be gone.
    case headChanged
    /// The head is that of another log with as many records.
    case headElsewhere
    /// When this record was written, the head was gone: records before it may be, too.
    case headWasMissing(before: UInt64, at: Date)
  }

  /// The number of uses that can be read.
  package var records = 0
  /// The time of the first of them.
  package var first: Date?
  /// The time of the last of them.
  package var last: Date?
  /// The number of the last record that was pruned, as the log's beginning says; 0 for none.
  package var pruned: UInt64 = 0
  /// The time of that record.
  package var prunedUntil: Date?
  /// Bytes at the end that a writer left that was killed: of a use that did not take place.
  package var tornBytes = 0
  /// The records whose time is before that of the record before them: the clock was set back.
  package var clockSetBack: [UInt64] = []
  /// What is wrong.
  package var problems: [Problem] = []

  /// Whether something was taken out, changed, moved or cut off.
  package var isTampered: Bool { !problems.isEmpty }
}
