/// Machines that go on from copies of other ones' homes.
///
/// Documentation/design/sync-format.md, section 5; decision 12.
extension Roster {
  /// The streams of one home: a machine's, and those before it for which it goes on; also where
  /// another one goes on for these now, since both were put out.
  ///
  /// - Parameter stream: The machine.
  /// - Returns: The streams, its own first; each is in, or was.
  func home(of stream: StreamID) -> [StreamID] {
    var home = [stream]
    while let last = home.last, let before = members[last]?.predecessor,
      let former = members[before], former.successor == last || former.isPutOut
    {
      home.append(before)
    }
    return home
  }

  /// The machines that are in and go on from a copy of another one's home.
  func copies(of stream: StreamID) -> [Member] {
    let home = home(of: stream)
    return present.filter { other in
      !home.contains(other.stream) && home.contains { goesOn(other.stream, for: $0) }
    }
  }

  /// The machines that nothing has put out and that go on from copies of a machine's home, the oldest
  /// first; also those for which others go on.
  func descendants(of stream: StreamID) -> [Member] {
    allDescendants(of: stream).compactMap { members[$0] }.filter { $0.last == nil }.sorted {
      ($0.joined, $0.stream) < ($1.joined, $1.stream)
    }
  }

  /// The streams that go on from copies of a machine's home, in or out.
  func allDescendants(of stream: StreamID) -> [StreamID] {
    let home = home(of: stream)
    return members.keys.filter { other in
      !home.contains(other) && home.contains { goesOn(other, for: $0) }
    }
    .sorted()
  }

  /// What a machine is called that is not in, told apart from those that are.
  ///
  /// - Parameters:
  ///   - stream: The machine's.
  ///   - label: What it calls itself.
  /// - Returns: The name, and where another machine has it the beginning of the id.
  func distinctLabel(of stream: StreamID, _ label: String?) -> String? {
    guard let label else { return nil }
    let isTaken = members.values.contains { $0.stream != stream && $0.label == label }
    return isTaken ? "\(label) (\(stream.text.prefix(8)))" : label
  }
}
