package import VaultSealing

/// Secrets to take out of texts: what all streams have in common.
package final class Redactor: Sendable {
  /// What a secret is replaced by.
  package static let replacement = Array("<redacted>".utf8)

  package let table: SecretTable
  let filter: PrefixFilter

  /// Prepares for a set of secrets; see ``SecretTable/init(_:)`` for what is looked for.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package init(_ secrets: [SecretBytes]) throws {
    table = try SecretTable(secrets)
    filter = try PrefixFilter(table)
  }
}

/// One stream, in which every secret is replaced, however it is cut into pieces.
///
/// ```swift
/// let stream = try RedactingStream(Redactor([token]))
/// var output: [UInt8] = []
/// try stream.append(bytes)
/// stream.take(into: &output)      // what cannot be the beginning of a secret
/// stream.takeAfterPause(&output)  // after a pause, the rest but for what tells of a secret
/// stream.takeAll(into: &output)   // at the end
/// ```
///
/// Occurrences that overlap become one replacement. What has not been given out is in locked
/// memory.
package final class RedactingStream {
  private struct Candidate {
    var start: Int
    var shownEnd: Int
  }

  private enum Mark {
    static let gap: UInt8 = 1
    static let secret: UInt8 = 2
    static let first: UInt8 = 4
    static let covered: UInt8 = gap | secret
  }

  private let redactor: Redactor
  private var matcher: SecretMatcher
  private var buffer: LockedArea
  /// The bytes in the buffer; before `given` they have been given out.
  private var count = 0
  private var given = 0
  /// Behind the last place where an occurrence has been looked for.
  private var searched = 0
  /// What is known of each byte of the buffer; empty if nothing was found.
  private var marks: [UInt8] = []
  /// Where something begins that may become a secret, in order.
  private var candidates: [Candidate] = []

  /// Starts a stream.
  ///
  /// - Parameters:
  ///   - redactor: The secrets to find.
  ///   - capacity: The number of bytes that usually come at once.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package init(_ redactor: Redactor, capacity: Int = 64 << 10) throws {
    self.redactor = redactor
    matcher = SecretMatcher(redactor.table)
    buffer = try LockedArea(capacity: capacity + 4096)
  }

  /// Whether bytes are held back.
  package var isHolding: Bool { given < count }

  /// Adds bytes.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package func append(_ bytes: RawSpan) throws {
    try append(upTo: bytes.byteCount) { room in
      room.write(bytes, at: 0)
      return bytes.byteCount
    }
  }

  /// Adds what `body` writes, such as by read(2), and returns how much it was.
  ///
  /// - Throws: `SealingError` with code `.outOfMemory`, or what `body` throws.
  @discardableResult
  package func append(
    upTo most: Int, _ body: (inout MutableRawSpan) throws -> Int
  ) throws -> Int {
    try makeRoom(most)
    let added = try buffer.withMutableBytes { bytes in
      var room = bytes._mutatingExtracting(count..<count + most)
      return try body(&room)
    }
    precondition(added >= 0 && added <= most)
    count += added
    if !marks.isEmpty { marks.append(contentsOf: repeatElement(0, count: added)) }
    return added
  }

  /// Takes what cannot be a secret or the beginning of one.
  package func take(into output: inout [UInt8]) {
    search()
    give(upTo: candidates.first?.start ?? count, into: &output)
  }

  /// Takes more, because nothing has come for a while and somebody may be waiting.
  ///
  /// What is held back is the beginning of a secret, so that no more is given than tells nothing of
  /// it: a quarter, and four bytes at most. If the rest of it comes, that is replaced.
  package func takeAfterPause(_ output: inout [UInt8]) {
    var end = candidates.map(\.shownEnd).min() ?? count
    // What is covered by a whole secret is not shown, whatever follows.
    while end < count, !marks.isEmpty, marks[end] & Mark.covered != 0 { end += 1 }
    give(upTo: max(end, given), into: &output)
  }

  /// Takes the rest at the end.
  package func takeAll(into output: inout [UInt8]) {
    search()
    candidates = []
    give(upTo: count, into: &output)
  }

  // MARK: - Searching

  private func search() {
    guard !redactor.table.isEmpty else {
      searched = count
      return
    }
    let earlier = candidates
    candidates = []
    buffer.withBytes { bytes in
      let text = bytes.extracting(0..<count)
      for candidate in earlier { look(at: candidate.start, in: text) }
      while searched < count {
        searched = redactor.filter.next(in: text, from: searched)
        guard searched < count else { break }
        look(at: searched, in: text)
        searched += 1
      }
    }
  }

  private func look(at start: Int, in text: RawSpan) {
    let found = matcher.find(at: start, in: text)
    if let end = found.end { mark(start..<end, besides: found.gaps, in: text) }
    if let shownEnd = found.shownEnd {
      candidates.append(Candidate(start: start, shownEnd: shownEnd))
    }
  }

  private func mark(_ range: Range<Int>, besides gaps: [Range<Int>], in text: RawSpan) {
    if marks.isEmpty { marks = Array(repeating: 0, count: count) }
    let from = max(range.lowerBound, given)
    guard from < range.upperBound else { return }
    let continues =
      marks[from] & Mark.covered != 0 && marks[from] & Mark.first == 0
      || from > range.lowerBound && marks[from - 1] & Mark.covered != 0
    for place in from..<range.upperBound { marks[place] &= ~Mark.first }
    if !continues { marks[from] |= Mark.first }
    var next = from
    for gap in gaps where gap.upperBound > next {
      for place in next..<max(next, gap.lowerBound) { marks[place] |= Mark.secret }
      // A return by itself would let what follows overwrite the replacement.
      let isReturn =
        (gap.lowerBound..<gap.upperBound).contains { text.byte(at: $0) == 0x0D }
        && text.byte(at: gap.upperBound) != 0x0A
      for place in max(next, gap.lowerBound)..<gap.upperBound {
        marks[place] |= isReturn ? Mark.secret : Mark.gap
      }
      next = gap.upperBound
    }
    for place in next..<range.upperBound { marks[place] |= Mark.secret }
  }

  // MARK: - Giving

  private func give(upTo end: Int, into output: inout [UInt8]) {
    guard end > given else { return }
    buffer.withBytes { bytes in
      if marks.isEmpty { return output.append(bytes, given..<end) }
      var place = given
      while place < end {
        let start = place
        while place < end, marks[place] == 0 { place += 1 }
        output.append(bytes, start..<place)
        while place < end, marks[place] != 0 {
          if marks[place] & Mark.first != 0 { output += Redactor.replacement }
          if marks[place] & Mark.secret == 0 { output.append(bytes.byte(at: place)) }
          place += 1
        }
      }
    }
    given = end
    // Where one replacement ends at `given`, the next byte may continue it: keep its mark.
    if given == count, candidates.isEmpty {
      (count, given, searched) = (0, 0, 0)
      marks = []
    }
  }

  /// Drops what is not needed any more, and grows the buffer if that is not enough.
  private func makeRoom(_ most: Int) throws {
    guard count + most > buffer.capacity else { return }
    let kept = min(given, candidates.first?.start ?? given)
    if kept > 0 {
      buffer.moveToBeginning(kept..<count)
      count -= kept
      given -= kept
      searched -= kept
      if !marks.isEmpty { marks.removeFirst(kept) }
      if marks.allSatisfy({ $0 == 0 }) { marks = [] }
      for index in candidates.indices {
        candidates[index].start -= kept
        candidates[index].shownEnd -= kept
      }
    }
    guard count + most > buffer.capacity else { return }
    let larger = try LockedArea(capacity: max(2 * buffer.capacity, count + most))
    buffer.withBytes { bytes in
      larger.withMutableBytes { $0.write(bytes.extracting(0..<count), at: 0) }
    }
    buffer = larger
  }
}
