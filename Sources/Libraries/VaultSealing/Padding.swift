/// Hides the exact length of a plaintext before it is sealed.
package enum Padding {
  /// The padded length of an item: 64-byte steps up to 1 KiB, Padmé above.
  ///
  /// At least one byte longer than `count`, for the mark that ends the plaintext.
  package static func itemLength(_ count: Int) -> Int {
    let needed = count + 1
    guard needed > 1024 else { return (needed + 63) & ~63 }
    return padme(needed)
  }

  /// The padded length of an index: 4 KiB steps.
  package static func indexLength(_ count: Int) -> Int { (count + 1 + 4095) & ~4095 }

  /// Padmé: at most 12 % longer, with few distinct lengths, so that a length reveals little.
  ///
  /// Source: Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with
  /// PURBs", PoPETs 2019, algorithm 1.
  static func padme(_ length: Int) -> Int {
    guard length > 1 else { return length }
    let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
    let bitsOfExponent = Int.bitWidth - exponent.leadingZeroBitCount
    let lastBits = exponent - bitsOfExponent
    guard lastBits > 0 else { return length }
    let mask = (1 << lastBits) - 1
    return (length + mask) & ~mask
  }

  /// The plaintext followed by 0x80 and zeros up to `length` (ISO/IEC 7816-4, as `sodium_pad`).
  package static func padded(_ plaintext: RawSpan, to length: Int) throws(SealingError)
    -> SecretBytes
  {
    precondition(length > plaintext.byteCount)
    do {
      return try SecretBytes(capacity: length) { output in
        output.write(plaintext, at: 0)
        output.write(byte: 0x80, at: plaintext.byteCount)
        return length
      }
    } catch let error as SealingError {
      throw error
    } catch {
      throw SealingError(.outOfMemory, "no memory to pad \(length) bytes")
    }
  }

  /// The length of the plaintext, or `nil` if the padding is not canonical.
  package static func unpaddedLength(_ padded: RawSpan) -> Int? {
    var end = padded.byteCount
    while end > 0 {
      end -= 1
      let byte = padded.byte(at: end)
      if byte == 0x80 { return end }
      if byte != 0 { return nil }
    }
    return nil
  }
}
