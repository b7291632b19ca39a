/// A record that was opened and verified, with all that its writer knew.
package struct OpenedRecord: Sendable {
  package let stream: StreamID
  package let sequence: UInt64
  /// 32 bytes.
  package let hash: [UInt8]
  /// What it says; of a record that a ``SpaceBase`` covers, only what is of the roster.
  package let content: RecordContent
  /// The id of the key that it is sealed with.
  package let epoch: [UInt8]
  /// The newest record of every stream that its writer knew, itself among them.
  package let past: Frontier

  /// How many records its writer knew: more than the writer of any that it knows.
  let depth: UInt64
  /// Of streams that its vault had not taken as far as it knows them: how far it had.
  private let unseen: Frontier

  package init(
    stream: StreamID, sequence: UInt64, hash: [UInt8], content: RecordContent, epoch: [UInt8],
    past: Frontier
  ) {
    self.stream = stream
    self.sequence = sequence
    self.hash = hash
    self.content = content
    self.epoch = epoch
    self.past = past
    depth = past.values.reduce(0, &+)
    var unseen: Frontier = [:]
    for case .unseen(let streams) in content.operations {
      // What says nothing takes no room.
      let said = streams.filter { past[$0.stream, default: 0] > $0.sequence }
      unseen.merge(said.map { ($0.stream, $0.sequence) }, uniquingKeysWith: min)
    }
    // A stream always knows itself.
    unseen[stream] = nil
    self.unseen = unseen
  }

  /// Whether the writer of this record knew another one; it knows itself.
  package func knows(_ other: OpenedRecord) -> Bool {
    past[other.stream, default: 0] >= other.sequence
  }

  /// Whether what this record changes takes the place of what another one changed.
  ///
  /// So it does of all that it knows, but for what its vault had not taken yet.
  func replaces(_ other: OpenedRecord) -> Bool {
    knows(other) && unseen[other.stream].map { other.sequence <= $0 } ?? true
  }
}

/// How far each stream goes.
package typealias Frontier = [StreamID: UInt64]

extension Frontier {
  /// Takes of each stream the one that goes farther.
  ///
  /// - Parameter other: How far each stream goes elsewhere; often the larger one, which is not copied
  ///   then.
  mutating func formMaximum(with other: Frontier) {
    guard count >= other.count else {
      let smaller = self
      self = other
      formMaximum(with: smaller)
      return
    }
    merge(other) { Swift.max($0, $1) }
  }
}

extension Frontier {
  /// Whether each stream goes as far as in another one.
  func covers(_ other: Frontier) -> Bool {
    other.allSatisfy { self[$0.key, default: 0] >= $0.value }
  }
}

extension OpenedRecord {
  /// What its writer knew before it wrote this record.
  var knownBefore: Frontier {
    var past = past
    past[stream] = sequence > 1 ? sequence - 1 : nil
    return past
  }

  /// Whether it says something of the space itself.
  var isOfSpace: Bool { content.operations.contains(where: \.isOfSpace) }

  /// Whether its writer says that a snapshot is what his own records come to.
  func confirms(_ snapshot: OpenedRecord) -> Bool {
    knows(snapshot)
      && content.operations.contains { operation in
        if case .confirm(snapshot.stream, snapshot.sequence) = operation { true } else { false }
      }
  }
}
