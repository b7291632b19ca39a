import Synchronization

/// The positions of live items by name, worked out when several names have been looked up.
///
/// A walk over the records finds one name; a walk for each of thousands would not do.
final class PositionsByName: Sendable {
  private struct State {
    var lookups = 0
    var positions: [String: Int]?
    /// Two live items share a name, as no writer leaves it: only a walk finds the right one then.
    var isAmbiguous = false
  }

  private static let walks = 8
  private let state = Mutex(State())

  /// The position of the item with a name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - walk: Finds it.
  ///   - all: All names of live items, with their positions.
  /// - Returns: The position, or `nil` if no live item has the name.
  func position(
    of name: String, walk: () -> Int?, naming all: () -> [(name: String, position: Int)]
  ) -> Int? {
    state.withLock { state in
      state.lookups += 1
      guard state.lookups > Self.walks, !state.isAmbiguous else { return walk() }
      if let positions = state.positions { return positions[name] }
      let all = all()
      let positions = Dictionary(
        all.lazy.map { ($0.name, $0.position) }, uniquingKeysWith: { first, _ in first })
      guard positions.count == all.count else {
        state.isAmbiguous = true
        return walk()
      }
      state.positions = positions
      return positions[name]
    }
  }

  /// An item got this name, or came back from the trash.
  func add(_ name: String, at position: Int) {
    state.withLock { state in
      guard state.positions?[name] == nil else { return state = State(lookups: state.lookups) }
      state.positions?[name] = position
    }
  }

  /// The item no longer has this name, or went to the trash.
  func remove(_ name: String, at position: Int) {
    state.withLock { state in
      guard let known = state.positions?[name] else { return }
      guard known == position else { return state = State(lookups: state.lookups) }
      state.positions?[name] = nil
    }
  }
}
