package import VaultSync

/// How changes of one property meet.
extension StoreMeeting {
  /// What becomes of a property.
  package struct Outcome {
    /// The changes that no other one knows; that which counts has no value.
    package var changes: [StoreState.Change]
    /// The value that comes into the row; `nil` if it stays.
    package var written: WireValue?
    /// What lost by this.
    package var lost: [(WireValue, Stamp)]

    init(changes: [StoreState.Change], written: WireValue?, lost: [(WireValue, Stamp)]) {
      self.changes = changes
      self.written = written
      self.lost = lost
    }
  }

  /// How a change that came meets those of its property; only tests have another one.
  package typealias Merge =
    @Sendable (
      _ changes: [StoreState.Change], _ current: WireValue,
      _ incoming: (stamp: Stamp, value: WireValue), _ past: Frontier
    ) -> Outcome

  /// Causality first: what the incoming change knows, it replaces.
  ///
  /// Of the others the later one counts.
  @Sendable package static func outcome(
    _ changes: [StoreState.Change], _ current: WireValue,
    _ incoming: (stamp: Stamp, value: WireValue), _ past: Frontier
  ) -> Outcome {
    var open = changes.filter { !$0.stamp.isKnown(by: past) && $0.stamp != incoming.stamp }.map {
      (stamp: $0.stamp, value: $0.value ?? current, wasCurrent: $0.value == nil)
    }
    open.append((incoming.stamp, incoming.value, false))
    guard let winner = open.max(by: { $0.stamp < $1.stamp }) else {
      return Outcome(changes: changes, written: nil, lost: [])
    }
    let lost = open.filter { other in
      other.stamp != winner.stamp && other.value != winner.value
        // The others have lost before.
        && (other.wasCurrent || other.stamp == incoming.stamp)
    }
    return Outcome(
      changes: open.map {
        StoreState.Change(stamp: $0.stamp, value: $0.stamp == winner.stamp ? nil : $0.value)
      },
      written: winner.wasCurrent ? nil : winner.value,
      lost: lost.map { ($0.value, $0.stamp) })
  }
}
