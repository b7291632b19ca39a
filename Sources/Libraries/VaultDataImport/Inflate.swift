import CVaultZlib

/// Decompresses DEFLATE without the headers of zlib and gzip, RFC 1951, by zlib.
///
/// Core Data compresses the model that it keeps in a store so. The size of the result is limited,
/// since the file may come from anyone.
package enum Inflate {
  /// Why bytes cannot be decompressed.
  package enum Failure: Error {
    case truncated, invalid, tooLarge
  }

  private static let piece = 64 << 10

  /// The decompressed bytes.
  ///
  /// - Parameters:
  ///   - bytes: The compressed bytes; what follows the last block is ignored.
  ///   - limit: The most bytes that the result may have.
  /// - Returns: At most `limit` bytes.
  /// - Throws: ``Failure``.
  package static func decompress(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = unsafe z_stream()
    // A negative window: no header. zlib.h, inflateInit2.
    let begun = unsafe inflateInit2_(
      &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard begun == Z_OK else { throw .invalid }
    defer { unsafe inflateEnd(&stream) }
    var output: [UInt8] = []
    let failure = unsafe bytes.withUnsafeBufferPointer { input -> Failure? in
      unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      unsafe stream.avail_in = UInt32(input.count)
      while true {
        let count = output.count
        output += [UInt8](repeating: 0, count: piece)
        let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
          unsafe stream.next_out = buffer.baseAddress.map { unsafe $0 + count }
          unsafe stream.avail_out = UInt32(piece)
          return unsafe inflate(&stream, Z_NO_FLUSH)
        }
        let left = Int(unsafe stream.avail_out)
        output.removeLast(left)
        if output.count > limit { return .tooLarge }
        switch status {
        case Z_STREAM_END: return nil
        case Z_OK, Z_BUF_ERROR: if left > 0 { return .truncated }
        default: return .invalid
        }
      }
    }
    if let failure { throw failure }
    return output
  }
}
