package import VaultSealing

/// What a mirror of a space has: which records, and in which files, signed by a machine of the space.
///
/// Everything else of a mirror is named by its contents and never changes; this is replaced.
///
/// Documentation/design/sync-format.md, section 11.
package struct SyncFeed: Sendable, Equatable {
  /// Records of a stream in one file, as ``RecordPack`` has them.
  package struct Pack: Sendable, Equatable {
    /// The number of its first record.
    package let first: UInt64
    package let count: UInt32
    /// `H` of the file's bytes, 32 bytes.
    package let name: [UInt8]

    package init(first: UInt64, count: UInt32, name: [UInt8]) {
      self.first = first
      self.count = count
      self.name = name
    }

    /// The number of its last record.
    var last: UInt64 { first + UInt64(count) - 1 }
  }

  package struct Stream: Sendable, Equatable {
    package let head: StreamHead
    /// Its records, from the first one on, without a gap.
    package let packs: [Pack]
  }

  /// The keys of the space, sealed to a subscription.
  package struct Box: Sendable, Equatable {
    /// What says whose it is, to whoever has the code or the records: 16 bytes.
    package let tag: [UInt8]
    /// What tells the mirror's machine, and nobody else, whether other keys are in it: 16 bytes.
    package let stamp: [UInt8]
    /// The name of the file.
    package let name: [UInt8]
  }

  package let space: SpaceID
  /// The stream of the machine that signs it.
  package let author: StreamID
  /// When it was written, milliseconds since 1970.
  package let time: Int64
  /// How often it is written, in seconds.
  package let interval: UInt32
  /// Sorted by stream.
  package let streams: [Stream]
  package let boxes: [Box]
  /// All of it, with the signature.
  package let bytes: [UInt8]

  package static let magic = Array("VSM1".utf8)
  /// Most bytes of a feed.
  package static let maximumLength = 8 << 20
  /// Most bytes of another file: a record, or several that are short.
  package static let maximumFileLength = SyncRecord.maximumLength + 4
  /// Most streams that a feed names.
  package static let mostStreams = 10_000
  /// Most bytes of other files that are taken before a known machine is seen to have signed the feed.
  package static let mostUnsigned = 256 << 20
  /// How often one is written at most and at least, in seconds.
  package static let intervals: ClosedRange<UInt32> = 5...7 * 86_400
  private static let context = Array("VSM1/signature".utf8)
  private static let signatureLength = 64

  package var heads: [StreamHead] { streams.map(\.head) }

  /// The names of all files that it needs.
  package var names: Set<[UInt8]> {
    Set(streams.flatMap { $0.packs.map(\.name) } + boxes.map(\.name))
  }

  // MARK: - Writing

  /// Writes and signs a feed.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - author: The stream of the machine that signs.
  ///   - key: Its key.
  ///   - time: When it is written, milliseconds since 1970.
  ///   - interval: How often it is written, in seconds.
  ///   - streams: What there is.
  ///   - boxes: What is sealed to subscriptions.
  package init(
    _ space: SpaceID, by author: StreamID, signedWith key: SigningKey, at time: Int64,
    every interval: UInt32, _ streams: [Stream], _ boxes: [Box]
  ) {
    var bytes = Self.magic + space.bytes + author.bytes
    bytes.append(littleEndian: time)
    bytes.append(littleEndian: interval)
    let sorted = streams.sorted { $0.head.stream < $1.head.stream }
    bytes.append(littleEndian: UInt32(sorted.count))
    for stream in sorted {
      bytes += stream.head.bytes
      bytes.append(littleEndian: UInt32(stream.packs.count))
      for pack in stream.packs {
        bytes.append(littleEndian: pack.count)
        bytes += pack.name
      }
    }
    bytes.append(littleEndian: UInt32(boxes.count))
    for box in boxes { bytes += box.tag + box.stamp + box.name }
    (self.space, self.author, self.time, self.interval) = (space, author, time, interval)
    (self.streams, self.boxes) = (sorted, boxes)
    self.bytes = bytes + key.signature(of: Self.context + bytes)
  }

  /// Whether a machine's key has signed it.
  package func isSigned(by key: [UInt8]) -> Bool {
    SigningKey.isValid(
      Array(bytes.suffix(Self.signatureLength)),
      of: Self.context + bytes.dropLast(Self.signatureLength), by: key)
  }

  // MARK: - Reading

  /// Reads what a mirror shows, of which nothing is believed.
  ///
  /// - Throws: ``MalformedRecord``.
  package init(bytes: [UInt8]) throws(MalformedRecord) {
    guard bytes.count <= Self.maximumLength, bytes.count > Self.signatureLength else {
      throw MalformedRecord()
    }
    var reader = ByteReader(bytes[..<(bytes.count - Self.signatureLength)])
    guard try reader.array(4) == Self.magic, let space = SpaceID(try reader.array(16)),
      let author = StreamID(try reader.array(16))
    else { throw MalformedRecord() }
    let (time, interval) = (try reader.number(Int64.self), try reader.number(UInt32.self))
    guard time >= 0, Self.intervals.contains(interval) else { throw MalformedRecord() }
    var streams: [Stream] = []
    let count = try reader.number(UInt32.self)
    guard count <= Self.mostStreams else { throw MalformedRecord() }
    for _ in 0..<count {
      guard let head = StreamHead(try reader.array(StreamHead.length)), head.sequence > 0,
        streams.last.map({ $0.head.stream < head.stream }) ?? true
      else { throw MalformedRecord() }
      var (packs, next): ([Pack], UInt64) = ([], 1)
      for _ in 0..<(try reader.number(UInt32.self)) {
        let count: UInt32 = try reader.number()
        guard count > 0, UInt64(count) <= head.sequence, next <= head.sequence - UInt64(count) + 1
        else { throw MalformedRecord() }
        packs.append(Pack(first: next, count: count, name: try reader.array(32)))
        next += UInt64(count)
      }
      guard next - 1 == head.sequence else { throw MalformedRecord() }
      streams.append(Stream(head: head, packs: packs))
    }
    var boxes: [Box] = []
    for _ in 0..<(try reader.number(UInt32.self)) {
      boxes.append(
        Box(
          tag: try reader.array(16), stamp: try reader.array(16), name: try reader.array(32)))
    }
    guard reader.isAtEnd else { throw MalformedRecord() }
    (self.space, self.author, self.time, self.interval) = (space, author, time, interval)
    (self.streams, self.boxes, self.bytes) = (streams, boxes, bytes)
  }

  /// What says whose a box is: it follows from the sealing key of the subscription.
  package static func tag(of sealing: [UInt8]) throws -> [UInt8] {
    try Hash.blake2b(Array("VSM1/subscription".utf8) + sealing, count: 16)
  }
}

/// Reads numbers and bytes that are no secret.
private struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func array(_ count: Int) throws(MalformedRecord) -> [UInt8] {
    guard count <= rest.count else { throw MalformedRecord() }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(MalformedRecord) -> Number {
    try array(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}
