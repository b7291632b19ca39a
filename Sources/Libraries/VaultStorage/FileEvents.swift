/// What the kernel reports of files that are watched: inotify(7).
package enum FileEvents {
  /// Takes the events that are there.
  ///
  /// - Parameters:
  ///   - descriptor: What `inotify_init1` gave, with `IN_NONBLOCK`.
  ///   - body: Called for each event with its mask, and the name of the file in the watched folder;
  ///     none for what happened to the folder itself.
  package static func take(
    from descriptor: Int32, _ body: (_ mask: UInt32, _ name: ArraySlice<UInt8>) throws -> Void
  ) rethrows {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      var span = buffer.mutableSpan
      var raw = unsafe span.mutableBytes
      guard let count = try? System.read(descriptor, into: &raw), count > 0 else { return }
      // struct inotify_event: wd, mask, cookie, len (32 bits each), name.
      var offset = 0
      while offset + 16 <= count {
        let length = (0..<4).reduce(0) { $0 | Int(buffer[offset + 12 + $1]) << (8 * $1) }
        let mask = (0..<4).reduce(0) { $0 | UInt32(buffer[offset + 4 + $1]) << (8 * UInt32($1)) }
        let end = min(offset + 16 + length, count)
        try body(mask, buffer[(offset + 16)..<end].prefix { $0 != 0 })
        offset += 16 + length
      }
    }
  }
}
