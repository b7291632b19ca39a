// Names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import VaultSealing

/// A source of random bytes.
public final class SecRandom: Sendable {}

/// A source of random bytes, as calls name it.
public typealias SecRandomRef = SecRandom

/// The system's source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes.
///
/// ```swift
/// var bytes = [UInt8](repeating: 0, count: 32)
/// let status = SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes)
/// ```
///
/// - Parameters:
///   - rnd: The source; there is one.
///   - count: The number of bytes, 0 or more.
///   - bytes: Memory for as many.
/// - Returns: ``errSecSuccess``; ``errSecParam`` for a negative number.
@discardableResult
public func SecRandomCopyBytes(
  _ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
  guard count >= 0 else { return errSecParam }
  let random = RandomBytes.bytes(count: count)
  unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count).copyBytes(from: random)
  return errSecSuccess
}
