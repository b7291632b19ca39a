import CVaultSodium

/// Random bytes and numbers from the kernel's generator.
public enum RandomBytes {
  /// Returns random bytes that need not be secret: salts, identifiers, names of temporary files.
  ///
  /// - Parameter count: The number of bytes.
  /// - Returns: `count` random bytes.
  public static func bytes(count: Int) -> [UInt8] {
    unsafe [UInt8].filled(count: count) { unsafe randombytes_buf($0, count) }
  }

  /// Returns a number below `bound`; all are equally likely.
  ///
  /// - Parameter bound: 1 or more.
  /// - Returns: 0 to `bound - 1`.
  ///
  /// libsodium `randombytes_uniform` (unbiased by rejection).
  public static func uniform(below bound: UInt32) -> UInt32 {
    randombytes_uniform(bound)
  }
}
