import VaultSync

/// The names of the files in a folder of streams: ``FolderEngine`` has where they lie.
package enum FolderNames {
  /// The name of a record: 16 hex digits, so that names sort as numbers do.
  package static func name(_ sequence: UInt64) -> String {
    let digits = String(sequence, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The name of a pack.
  package static func name(_ range: ClosedRange<UInt64>) -> String {
    "\(name(range.lowerBound))-\(name(range.upperBound))"
  }

  /// The number of a record by its name; `nil` for another one.
  package static func number(_ name: some StringProtocol) -> UInt64? {
    guard name.utf8.count == 16, let number = UInt64(name, radix: 16), number > 0,
      self.name(number) == name
    else { return nil }
    return number
  }

  /// The numbers of a pack's records by its name; `nil` for another one.
  package static func range(_ name: some StringProtocol) -> ClosedRange<UInt64>? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = number(parts[0]), let last = number(parts[1]),
      first <= last, last - first < RecordPack.largeStep
    else { return nil }
    return first...last
  }
}
