import VaultDataStore
import VaultStorage

extension SQLiteConnection {
  /// Neighboring keys that are worth a statement of their own, by their ends.
  private static let longRun = 8

  /// Runs a statement for some keys at a time, until it has been run for all.
  ///
  /// Keys that follow one another go by their ends, which costs nothing for each of them.
  ///
  /// - Parameters:
  ///   - keys: Keys of rows.
  ///   - body: Gets a condition to put behind the name of a column of keys, and its values.
  /// - Throws: What `body` throws.
  func forParts(
    of keys: KeyRanges, _ body: (_ condition: String, _ values: [SQLiteValue]) throws -> Void
  ) throws {
    var single: [Int64] = []
    for run in keys.ranges {
      if run.count < Self.longRun {
        single += run
      } else {
        try body(
          "BETWEEN ? AND ?", [.integer(run.lowerBound), .integer(run.upperBound - 1)])
      }
    }
    for start in stride(from: 0, to: single.count, by: 10_000) {
      let part = Array(single[start..<min(start + 10_000, single.count)])
      try body("IN (SELECT value FROM json_each(?))", [.text(SQLText.array(of: part))])
    }
  }
}
