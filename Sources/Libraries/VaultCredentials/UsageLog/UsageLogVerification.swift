import FoundationEssentials
import VaultSealing

/// Examines a usage log: whether every record is there, unchanged, in its place.
struct UsageLogVerification {
  private let scan: UsageScan
  private(set) var report = UsageLogReport()
  private(set) var uses: [UsageRecord] = []

  /// The number that the next record has to have, and the hash that it has to name.
  private var expected: (sequence: UInt64, previous: [UInt8]?)?
  /// The numbers of the records that were read.
  private var present: Set<UInt64> = []
  private var last: UInt64 = 0
  private var newestKey = Int.max
  private var latest: Int64 = .min
  /// The hash of the record that the head names, as it is in the log.
  private var hashAtHead: [UInt8]?
  private var missing: [ClosedRange<UInt64>] = []

  /// Examines the bytes of a log and its head.
  ///
  /// - Parameters:
  ///   - log: The bytes of the log; `nil` if there is none.
  ///   - head: The bytes of the head.
  ///   - scan: The vault and its keys.
  /// - Throws: `SealingError` where there is no memory.
  init(log: [UInt8]?, head: [UInt8]?, scan: UsageScan) throws {
    self.scan = scan
    let known = try head.flatMap { bytes in
      try scan.keys.lazy.compactMap { try UsageHead(bytes, $0, vaultID: scan.vaultID) }.first
    }
    let log = log ?? []
    if log.isEmpty {
      if let known, known.count > 0 { report.problems.append(.cutOff(1...known.count)) }
      if known == nil, head?.isEmpty == false { report.problems.append(.headChanged) }
      return
    }
    guard log.starts(with: UsageScan.header(vaultID: scan.vaultID)) else {
      report.problems.append(.foreign)
      return
    }
    try log.withRawSpan { bytes in
      try scan.walk(bytes) { piece, offset in
        switch piece {
        case .record(let entry, let contents?, let key?):
          let hash = try entry.hashForNext(bytes, at: offset)
          if entry.sequence == known?.count { hashAtHead = hash }
          try take(entry, hash, contents, key: key)
        case .record(let entry, _, _): takeUnopened(entry, at: offset)
        case .garbage(let count):
          report.problems.append(.unreadable(offset: offset, count: count))
          expected?.previous = nil
        case .tail(let count): report.tornBytes = count
        }
      }
    }
    report.problems += missing.flatMap(stillMissing).map { .missing($0) }
    compare(known, isThere: head?.isEmpty == false)
  }

  /// A record that no key opens.
  private mutating func takeUnopened(_ entry: UsageEntry, at offset: Int) {
    guard let expected, entry.sequence == expected.sequence else {
      report.problems.append(.unreadable(offset: offset, count: entry.length))
      self.expected?.previous = nil
      return
    }
    report.problems.append(.changed(entry.sequence))
    present.insert(entry.sequence)
    last = max(last, entry.sequence)
    self.expected = (entry.sequence + 1, nil)
  }

  private mutating func take(
    _ entry: UsageEntry, _ hash: [UInt8], _ contents: SecretBytes, key: Int
  ) throws {
    if entry.kind == .start {
      guard expected == nil else {
        report.problems.append(.outOfPlace(entry.sequence))
        return
      }
      try begin(entry, hash, contents)
    } else {
      follow(entry)
      guard present.insert(entry.sequence).inserted else { return }
      try read(entry, contents)
      expected = (entry.sequence + 1, hash)
    }
    last = max(last, entry.sequence)
    // The first key is the current one: the numbers fall from one epoch to the next.
    if key > newestKey { report.problems.append(.formerKey(entry.sequence)) }
    newestKey = min(newestKey, key)
  }

  private mutating func begin(
    _ entry: UsageEntry, _ hash: [UInt8], _ contents: SecretBytes
  ) throws {
    let start = try UsageEntry.Start(contents)
    expected = (entry.sequence + 1, hash)
    switch start.reason {
    case .first: break
    case .pruned:
      report.pruned = entry.sequence
      report.prunedUntil = start.prunedUntil == 0 ? nil : Date(milliseconds: start.prunedUntil)
    case .lost: report.problems.append(.beginningMissing(upTo: entry.sequence))
    case .unknown:
      report.problems.append(
        .headWasMissing(before: entry.sequence + 1, at: Date(milliseconds: start.time)))
    }
  }

  /// Holds a record against the one before it.
  private mutating func follow(_ entry: UsageEntry) {
    guard let expected else {
      if entry.sequence > 0 {
        report.problems.append(.beginningMissing(upTo: entry.sequence - 1))
      }
      return
    }
    if entry.sequence < expected.sequence {
      report.problems.append(.outOfPlace(entry.sequence))
    } else if entry.sequence > expected.sequence {
      missing.append(expected.sequence...entry.sequence - 1)
    } else if let previous = expected.previous, previous != entry.previous {
      report.problems.append(.unchained(entry.sequence))
    }
  }

  private mutating func read(_ entry: UsageEntry, _ contents: SecretBytes) throws {
    switch entry.kind {
    case .use:
      let use = try UsageEntry.record(sequence: entry.sequence, contents: contents)
      let time = use.time.milliseconds
      if time < latest { report.clockSetBack.append(entry.sequence) }
      latest = time
      uses.append(use)
      report.records += 1
      report.first = report.first ?? use.time
      report.last = use.time
    case .gap:
      let gap = try UsageEntry.Gap(contents)
      if !gap.hasHead {
        report.problems.append(
          .headWasMissing(before: entry.sequence, at: Date(milliseconds: gap.time)))
      }
    case .start: break
    }
  }

  /// The parts of a range of missing records that were not found elsewhere.
  private func stillMissing(_ range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
    // A forged number cannot make this long: every record that was taken has been opened.
    var ranges: [ClosedRange<UInt64>] = []
    var start = range.lowerBound
    for found in present.filter(range.contains).sorted() {
      if found > start { ranges.append(start...found - 1) }
      start = found + 1
    }
    if start <= range.upperBound { ranges.append(start...range.upperBound) }
    return ranges
  }

  /// Holds the end of the log against its head.
  private mutating func compare(_ head: UsageHead?, isThere: Bool) {
    guard let head else {
      report.problems.append(isThere ? .headChanged : .headMissing)
      return
    }
    if head.count > last {
      report.problems.append(.cutOff(last + 1...head.count))
    } else if let hashAtHead, hashAtHead != head.hash {
      report.problems.append(.headElsewhere)
    }
  }
}
