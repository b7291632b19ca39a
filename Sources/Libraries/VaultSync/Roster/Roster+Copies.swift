/// Machines that go on from copies of other ones' homes.
///
/// Documentation/design/sync-format.md, section 5; decision 12.
extension Roster {
  /// The machines that are in and go on from a copy of another one's home.
  func copies(of stream: StreamID) -> [Member] {
    present.filter { $0.stream != stream && goesOn($0.stream, for: stream) }
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
    let line = line(of: stream)
    return members.keys.filter { other in
      !line.contains(other) && line.contains { goesOn(other, for: $0) }
    }
    .sorted()
  }
}
