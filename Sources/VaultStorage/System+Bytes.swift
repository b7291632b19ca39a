import Glibc

extension System {
  /// Reads to the end of a file or a pipe.
  ///
  /// - Parameters:
  ///   - descriptor: What to read from.
  ///   - expected: How many bytes are likely; one read suffices if it is right.
  ///   - limit: How many bytes are accepted.
  /// - Returns: The bytes; `nil` if there are more than `limit`.
  /// - Throws: ``System/Failure``.
  package static func readAll(
    _ descriptor: Int32, expected: Int, limit: Int
  ) throws(Failure) -> [UInt8]? {
    guard expected <= limit else { return nil }
    // One more than expected, so that the end is seen without growing; more than this only as it comes.
    var bytes = [UInt8](repeating: 0, count: max(0, min(expected, 1 << 30)) + 1)
    var count = 0
    while true {
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      let read = try read(descriptor, into: &raw, at: count)
      count += read
      if count > limit { return nil }
      if read == 0 {
        bytes.removeLast(bytes.count - count)
        return bytes
      }
      if count == bytes.count {
        bytes += repeatElement(0, count: max(65_536, count))
      }
    }
  }
}
