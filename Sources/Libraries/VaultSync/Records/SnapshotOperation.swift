import VaultCredentials

/// What a record says of a snapshot: which state it is, and where it lies.
///
/// Documentation/design/sync-format.md, section 9.
package struct SnapshotOperation: Sendable, Equatable {
  /// A part of the state.
  package struct Chunk: Hashable, Sendable {
    /// The hash of the sealed bytes, by which the store has them; 32 bytes.
    package let name: [UInt8]
    /// The hash of the bytes that are sealed; 32 bytes.
    package let hash: [UInt8]

    package init(name: [UInt8], hash: [UInt8]) {
      self.name = name
      self.hash = hash
    }
  }

  /// What is folded, and how it is written down; a program that folds more has another number.
  package enum Form: UInt8, Sendable {
    /// Of each record all that it knows and the one before did not: the square of the machines.
    case everythingKnown = 1
    /// Of each record only what nothing else knows that it has seen.
    case newestSeen = 2

    /// What is written.
    package static let current = newestSeen
  }

  package let form: Form
  /// How far each stream goes in it: all that the record itself knows.
  package let frontier: Frontier
  /// The state, in order.
  package let chunks: [Chunk]

  func encode(into builder: inout SecretBuilder) throws {
    builder.put(form.rawValue)
    try builder.count16(frontier.count)
    for (stream, sequence) in frontier.sorted(by: { $0.key < $1.key }) {
      builder.put(stream.bytes)
      builder.put(sequence)
    }
    try builder.count16(chunks.count)
    for chunk in chunks {
      builder.put(chunk.name)
      builder.put(chunk.hash)
    }
  }

  package init(form: Form = .current, frontier: Frontier, chunks: [Chunk]) {
    self.form = form
    self.frontier = frontier
    self.chunks = chunks
  }

  /// Reads the operation; `nil` if it is of another form.
  init?(from reader: inout SecretReader) throws {
    guard let form = Form(rawValue: try reader.number()) else { return nil }
    var frontier: Frontier = [:]
    for _ in 0..<(try reader.number(UInt16.self)) {
      guard let stream = StreamID(try reader.array(16)) else { throw MalformedRecord() }
      frontier[stream] = try reader.number()
    }
    var chunks: [Chunk] = []
    for _ in 0..<(try reader.number(UInt16.self)) {
      chunks.append(Chunk(name: try reader.array(32), hash: try reader.array(32)))
    }
    self.init(form: form, frontier: frontier, chunks: chunks)
  }
}

extension SecretBuilder {
  /// A count as `u16`.
  mutating func count16(_ count: Int) throws {
    guard let count = UInt16(exactly: count) else { throw MalformedRecord() }
    put(count)
  }
}
