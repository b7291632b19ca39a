import Glibc

// Checked reads and writes of plain bytes, so that other files decode formats without `unsafe`.
// `extracting` or a precondition checks every range before a pointer is used.

extension Array<UInt8> {
  /// Calls `body` with the array's bytes.
  @inlinable package func withRawSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe span.bytes)
  }

  /// An array of `count` bytes that `body` writes.
  ///
  /// If `body` throws, there is no array.
  @inlinable package init(
    count: Int, writing body: (inout MutableRawSpan) throws -> Void
  ) rethrows {
    unsafe try self.init(unsafeUninitializedCapacity: count) { buffer, written in
      var span = unsafe MutableRawSpan(
        _unsafeBytes: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
      try body(&span)
      written = count
    }
  }

  /// Appends a number's bytes, the least significant first.
  @inlinable package mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(
    littleEndian number: Number
  ) {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Appends the bytes in `range`.
  @inlinable package mutating func append(_ bytes: RawSpan, _ range: Range<Int>) {
    unsafe bytes.extracting(range).withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}

extension ArraySlice<UInt8> {
  /// Calls `body` with the slice's bytes.
  @inlinable package func withRawSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe span.bytes)
  }
}

extension RawSpan {
  /// The byte at `offset`.
  @inlinable package func byte(at offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < byteCount)
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The little-endian number at `offset`.
  @inlinable package func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, at offset: Int
  ) -> Number {
    precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Number>.size)
    return Number(
      littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// A copy of the bytes in `range`.
  @inlinable package func array(_ range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBytes { unsafe Array($0) }
  }

  /// Appends the bytes in `range`.
  package func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
    unsafe extracting(range).withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// The text in `range`, or `nil` if it is not UTF-8.
  package func text(_ range: Range<Int>) -> String? {
    // `String(validating:as:)` takes five times as long.
    guard isText(range) else { return nil }
    return unsafe extracting(range).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the bytes in `range` are UTF-8.
  package func isText(_ range: Range<Int>) -> Bool {
    if range.isEmpty { return true }
    return unsafe extracting(range).withUnsafeBytes { buffer in
      // ASCII, as most texts are, is checked eight bytes at a time; the last eight may have been
      // checked in part.
      var index = 0
      var high: UInt64 = 0
      while index + 8 <= buffer.count {
        high |= unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index += 8
      }
      if index > 0 {
        high |= unsafe buffer.loadUnaligned(fromByteOffset: buffer.count - 8, as: UInt64.self)
        index = buffer.count
      }
      while index < buffer.count {
        high |= unsafe UInt64(buffer[index])
        index += 1
      }
      if high & 0x8080_8080_8080_8080 == 0 { return true }
      let bytes = unsafe Span(_unsafeElements: buffer.bindMemory(to: UInt8.self))
      return (try? UTF8Span(validating: bytes)) != nil
    }
  }

  /// Whether the bytes in `range` come before those in `other`: memcmp(3).
  package func precedes(_ range: Range<Int>, _ other: Range<Int>) -> Bool {
    let order = unsafe extracting(range).withUnsafeBytes { mine in
      unsafe extracting(other).withUnsafeBytes { theirs -> Int32 in
        guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return 0 }
        return unsafe memcmp(mine, theirs, min(range.count, other.count))
      }
    }
    return order == 0 ? range.count < other.count : order < 0
  }

  /// Whether the bytes in `range` contain `other`.
  ///
  /// Not for secrets: the time reveals where they are.
  package func contains(_ other: [UInt8], in range: Range<Int>) -> Bool {
    unsafe extracting(range).withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { other in
        guard let part = other.baseAddress, let first = unsafe other.first else { return true }
        guard var place = mine.baseAddress else { return false }
        let end = unsafe place + mine.count
        while unsafe end - place >= other.count {
          guard let found = unsafe memchr(place, CInt(first), end - place - other.count + 1) else {
            return false
          }
          if unsafe memcmp(found, part, other.count) == 0 { return true }
          unsafe place = UnsafeRawPointer(found) + 1
        }
        return false
      }
    }
  }

  /// Whether the bytes in `range` contain `other`, in any case of ASCII's letters.
  ///
  /// Not for secrets: the time reveals where they are.
  ///
  /// - Parameters:
  ///   - other: The bytes, with small letters.
  ///   - range: Where to look.
  /// - Returns: The first place; `nil` if there is none.
  package func place(ofFolded other: [UInt8], in range: Range<Int>) -> Int? {
    guard let first = other.first else { return range.lowerBound }
    let isLetter = (0x61...0x7A).contains(first)
    return unsafe extracting(range).withUnsafeBytes { mine -> Int? in
      let last = mine.count - other.count
      var place = 0
      while place <= last {
        let byte = unsafe mine[place]
        guard byte == first || isLetter && byte | 0x20 == first else {
          place += 1
          continue
        }
        var next = 1
        while next < other.count {
          let byte = unsafe mine[place + next]
          let folded = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
          guard folded == other[next] else { break }
          next += 1
        }
        if next == other.count { return range.lowerBound + place }
        place += 1
      }
      return nil
    }
  }

  /// Whether the bytes in `range` equal those of another span.
  ///
  /// Not for secrets: the time reveals where they differ.
  package func isEqual(_ range: Range<Int>, to other: RawSpan, _ otherRange: Range<Int>) -> Bool {
    guard range.count == otherRange.count else { return false }
    return unsafe extracting(range).withUnsafeBytes { mine in
      unsafe other.extracting(otherRange).withUnsafeBytes { other in
        guard let mine = mine.baseAddress, let other = other.baseAddress else { return true }
        return unsafe memcmp(mine, other, range.count) == 0
      }
    }
  }

  /// Whether the bytes in `range` equal `other`.
  ///
  /// Not for secrets: the time reveals where they differ.
  package func matches(_ other: [UInt8], at range: Range<Int>) -> Bool {
    other.withRawSpan { isEqual(range, to: $0, 0..<other.count) }
  }
}

extension MutableRawSpan {
  /// Copies `source` to `offset`.
  @inlinable package mutating func write(_ source: RawSpan, at offset: Int) {
    precondition(offset >= 0 && source.byteCount <= byteCount - offset)
    let count = source.byteCount
    guard count > 0 else { return }
    unsafe source.withUnsafeBytes { source in
      unsafe withUnsafeMutableBytes { output in
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[offset..<offset + count])
          .copyMemory(from: source)
      }
    }
  }

  /// Writes a number at `offset`, the least significant byte first.
  @inlinable package mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(
    littleEndian number: Number, at offset: Int
  ) {
    precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Number>.size)
    storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
  }

  /// Writes one byte at `offset`.
  @inlinable package mutating func write(byte: UInt8, at offset: Int) {
    precondition(offset >= 0 && offset < byteCount)
    storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }
}
