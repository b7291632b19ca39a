import VaultSealing
import VaultStorage

/// The bytes of a vault file, read when they are asked for.
///
/// The file stays open: it is the one that was checked, also when another one has taken its name.
final class VaultFileBytes: Sendable {
  private enum Source {
    case memory([UInt8])
    case file(Int32)
  }

  private let source: Source
  /// The file's length when it was opened.
  let count: Int

  /// Bytes that are at hand.
  init(_ bytes: [UInt8]) {
    source = .memory(bytes)
    count = bytes.count
  }

  /// The bytes of an open file, which this object closes.
  init(descriptor: Int32, count: Int) {
    source = .file(descriptor)
    self.count = count
  }

  deinit {
    if case .file(let descriptor) = source { System.close(descriptor) }
  }

  /// Reads the bytes in `range` to `offset` of a buffer.
  ///
  /// - Throws: ``CredentialError`` with code `.damaged` if the file has become shorter,
  ///   `.inputOutput`.
  func read(_ range: Range<Int>, into output: inout MutableRawSpan, at offset: Int) throws {
    guard range.upperBound <= count else { throw Self.tooShort }
    switch source {
    case .memory(let bytes):
      bytes.withRawSpan { output.write($0.extracting(range), at: offset) }
    case .file(let descriptor):
      var done = 0
      while done < range.count {
        let count = try CredentialError.fromStorage {
          try System.read(
            descriptor, from: range.lowerBound + done, into: &output,
            at: offset + done..<offset + range.count)
        }
        guard count > 0 else { throw Self.tooShort }
        done += count
      }
    }
  }

  /// The bytes in `range`.
  ///
  /// - Throws: As ``read(_:into:at:)``.
  func read(_ range: Range<Int>) throws -> [UInt8] {
    guard range.upperBound <= count else { throw Self.tooShort }
    if case .memory(let bytes) = source { return Array(bytes[range]) }
    return try [UInt8](count: range.count, writing: { try read(range, into: &$0, at: 0) })
  }

  private static var tooShort: CredentialError {
    VaultHeader.damaged("it is shorter than it says")
  }
}
