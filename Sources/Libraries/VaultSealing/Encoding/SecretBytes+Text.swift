extension SecretBytes {
  /// Copies a text's UTF-8 into locked memory; the text itself is not wiped.
  ///
  /// - Parameter text: What to keep.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public convenience init(text: String) throws(SealingError) {
    try self.init(copying: Array(text.utf8))
  }

  /// The bytes as text, or `nil` if they are not UTF-8.
  ///
  /// The text lies in ordinary memory: use it only for documents that are text anyway.
  package var text: String? { withBytes { $0.text(0..<$0.byteCount) } }

  /// Returns the bytes of all parts in one piece of locked memory.
  ///
  /// - Parameter parts: The parts in their order.
  /// - Returns: A copy.
  /// - Throws: ``SealingError`` with code `.outOfMemory`.
  public static func joined(_ parts: [SecretBytes]) throws -> SecretBytes {
    try SecretBytes(capacity: parts.reduce(0) { $0 + $1.count }) { output in
      var position = 0
      for part in parts {
        part.withBytes { output.write($0, at: position) }
        position += part.count
      }
      return position
    }
  }
}
