// Eight bytes at once, checked as one byte is.

extension Span<UInt8> {
  /// Eight bytes as one number.
  func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - MemoryLayout<UInt64>.size)
    return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

extension MutableSpan<UInt8> {
  /// Writes what ``Span/word(at:)`` gave, or eight equal bytes.
  mutating func write(word: UInt64, at offset: Int) {
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
  }
}
