import CVaultLinux
import Glibc

extension System {
  /// Reads until the buffer is full or the file or pipe has ended.
  ///
  /// - Parameters:
  ///   - descriptor: The file or pipe.
  ///   - buffer: Where the bytes go.
  /// - Returns: The number of bytes; fewer than the buffer holds at the end.
  /// - Throws: ``System/Failure``.
  package static func read(
    _ descriptor: Int32, filling buffer: inout MutableRawSpan
  ) throws(Failure) -> Int {
    var count = 0
    while count < buffer.byteCount {
      let read = try read(descriptor, into: &buffer, at: count)
      if read == 0 { break }
      count += read
    }
    return count
  }

  /// Reads to the end of a file or a pipe.
  ///
  /// - Parameters:
  ///   - descriptor: The file or pipe.
  ///   - expected: The expected number of bytes; if it is right, one read suffices.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes; `nil` if there are more than `limit`.
  /// - Throws: ``System/Failure``.
  package static func readAll(
    _ descriptor: Int32, expected: Int, limit: Int
  ) throws(Failure) -> [UInt8]? {
    guard expected <= limit else { return nil }
    // One byte more than expected, so that reading sees the end without growing the buffer, which
    // grows only with the data.
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

  /// Reads the first bytes of a file or a pipe; fewer where it ends before.
  package static func readStart(_ descriptor: Int32, count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let read = try read(descriptor, filling: &raw)
    return Array(bytes.prefix(read))
  }

  /// Reads a file from a position on; fewer bytes where it ends before.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - position: The first byte's place.
  ///   - count: How many bytes.
  /// - Returns: The bytes.
  /// - Throws: ``System/Failure``.
  package static func read(
    _ descriptor: Int32, from position: Int, count: Int
  ) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      let read = try read(descriptor, from: position + done, into: &raw, at: done..<count)
      if read == 0 { break }
      done += read
    }
    bytes.removeLast(count - done)
    return bytes
  }

  // MARK: Names that may be no UTF-8

  /// ``open(_:in:flags:mode:)`` of a name of ``nameBytes(in:)``.
  package static func open(
    _ name: [CChar], in directory: Int32, flags: Int32
  ) throws(Failure) -> Int32 {
    try perform(.open) { unsafe cvault_openat(directory, name, flags | O_CLOEXEC, 0) }
  }

  /// ``unlink(_:in:)`` of a name of ``nameBytes(in:)``.
  package static func unlink(_ name: [CChar], in directory: Int32) throws(Failure) {
    _ = try perform(.unlink) { unsafe unlinkat(directory, name, 0) }
  }

  /// ``removeDirectory(_:in:)`` of a name of ``nameBytes(in:)``.
  package static func removeDirectory(_ name: [CChar], in directory: Int32) throws(Failure) {
    _ = try perform(.unlink) { unsafe unlinkat(directory, name, AT_REMOVEDIR) }
  }
}
