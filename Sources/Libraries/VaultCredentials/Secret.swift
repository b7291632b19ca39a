public import VaultSealing

/// A secret value: bytes, usually text, that wipe themselves when the last reference goes.
///
/// It lies in locked memory and prints as `<redacted>`. Text comes out only where ``text`` is asked
/// for, as an ordinary `String`, whose memory nobody wipes: prefer ``withBytes(_:)`` where the
/// secret is only handed on.
///
/// ```swift
/// let secret = try Secret("s3cr3t")
/// try await vault.set(ItemName("api-token"), to: secret)
/// ```
public final class Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The largest secret: 1 MiB.
  public static let maximumLength = 1 << 20

  /// The bytes, in locked memory.
  public let bytes: SecretBytes

  /// The number of bytes.
  public var count: Int { bytes.count }

  /// A secret of these bytes.
  ///
  /// - Parameter bytes: 0 bytes to 1 MiB; the limit is checked when it is stored.
  public init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// A secret of this text's UTF-8 bytes.
  ///
  /// - Parameter text: The text; its own memory is not wiped.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  public init(_ text: String) throws { bytes = try SecretBytes(copying: Array(text.utf8)) }

  /// Calls `body` with the bytes, which must not be kept beyond the call.
  ///
  /// - Parameter body: Reads the bytes.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes(body)
  }

  /// The secret as text, or `nil` if its bytes are not UTF-8.
  public var text: String? { bytes.withBytes { $0.text(0..<$0.byteCount) } }

  /// `<redacted>`.
  public var description: String { "<redacted>" }
  /// `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
