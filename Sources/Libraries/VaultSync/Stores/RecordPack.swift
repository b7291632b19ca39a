import VaultSealing

/// Several records of a stream in one file: each `u32` length and its bytes.
package enum RecordPack {
  /// Records in the smaller packs.
  package static let step: UInt64 = 64
  /// How many smaller packs a larger one has.
  package static let stepsInLarge: UInt64 = 16
  /// Records in the larger packs.
  package static let largeStep: UInt64 = step * stepsInLarge
  /// Most bytes of a pack.
  package static let maximumLength = 8 << 20

  /// Which records lie together in a stream of some length: never the newest ones, so that what was
  /// just written is not written again.
  ///
  /// - Parameters:
  ///   - count: The number of the stream's records.
  ///   - step: The records of a smaller pack.
  /// - Returns: The numbers, in order, without a gap from 1.
  package static func ranges(upTo count: UInt64, step: UInt64 = step) -> [ClosedRange<UInt64>] {
    guard count >= 2 * step else { return [] }
    let largeStep = step * stepsInLarge
    let end = (count / step - 1) * step
    let large = end / largeStep
    let whole = (0..<large).map { $0 * largeStep + 1...($0 + 1) * largeStep }
    let rest = (large * largeStep / step..<end / step).map { $0 * step + 1...($0 + 1) * step }
    return whole + rest
  }

  /// The parts of a range that fit into a pack: all of it, or those of its smaller packs that do.
  ///
  /// - Parameters:
  ///   - range: The numbers of the records.
  ///   - step: The records of a smaller pack.
  ///   - length: The bytes that the records of a range have in a pack.
  /// - Returns: The parts.
  static func fitting(
    _ range: ClosedRange<UInt64>, step: UInt64, length: (ClosedRange<UInt64>) throws -> Int
  ) rethrows -> [ClosedRange<UInt64>] {
    if try length(range) <= maximumLength { return [range] }
    let size = UInt64(range.count)
    guard size > step else { return [] }
    return try stride(from: range.lowerBound, to: range.upperBound, by: Int(step)).flatMap {
      try fitting($0...$0 + step - 1, step: step, length: length)
    }
  }

  /// The bytes of a pack.
  package static func bytes(of records: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(records.reduce(0) { $0 + 4 + $1.count })
    for record in records {
      bytes.append(littleEndian: UInt32(record.count))
      bytes += record
    }
    return bytes
  }

  /// The records in a pack.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, of which nothing is believed.
  ///   - count: How many records it is said to have.
  /// - Returns: The records; `nil` if it has others than that many, or a part of one.
  package static func records(in bytes: [UInt8], count: Int) -> [[UInt8]]? {
    var records: [[UInt8]] = []
    var place = 0
    while place < bytes.count {
      guard bytes.count - place >= 4, records.count < count else { return nil }
      let length = Int(bytes.withRawSpan { $0.littleEndian(UInt32.self, at: place) })
      place += 4
      guard length <= bytes.count - place else { return nil }
      records.append(Array(bytes[place..<place + length]))
      place += length
    }
    return records.count == count ? records : nil
  }
}
