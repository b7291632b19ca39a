package import VaultSealing

/// The printed code that opens a vault: 160 random bits and 20 bits of checksum.
///
/// Written in Crockford's base 32 (no I, L, O, U) as six groups of six characters. Reading forgives
/// case, blanks, hyphens, and O for 0, I and L for 1; the checksum finds every single wrong
/// character.
///
/// Source: Douglas Crockford, "Base 32".
package enum RecoveryCode {
  package static let keyLength = 20
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  static let characterCount = 36

  /// The code for 20 bytes, with hyphens between its groups, in locked memory.
  package static func text(for key: SecretBytes) throws -> SecretBytes {
    precondition(key.count == keyLength)
    let bits = try withChecksum(key)
    return try SecretBytes(capacity: characterCount + 5) { output in
      var position = 0
      for index in 0..<characterCount {
        if index > 0, index.isMultiple(of: 6) {
          output.write(byte: 0x2D, at: position)
          position += 1
        }
        var value = 0
        for bit in index * 5..<index * 5 + 5 {
          let byte = bits.withBytes { $0.byte(at: bit / 8) }
          value = value << 1 | Int(byte >> (7 - UInt8(bit % 8)) & 1)
        }
        output.write(byte: alphabet[value], at: position)
        position += 1
      }
      return position
    }
  }

  /// What was typed, in the characters that a code is written in; blanks and hyphens go.
  ///
  /// - Parameter typed: A code, or a part of one.
  /// - Returns: Each character as a code has it; one that no code has stays as it is.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package static func written(_ typed: SecretBytes) throws -> SecretBytes {
    try SecretBytes(capacity: typed.count) { output in
      typed.withBytes { typed in
        var count = 0
        for offset in 0..<typed.byteCount {
          let character = typed.byte(at: offset)
          if character == 0x2D || character == 0x20 || character == 0x09 { continue }
          output.write(byte: value(of: character).map { alphabet[$0] } ?? character, at: count)
          count += 1
        }
        return count
      }
    }
  }

  /// The 20 bytes that a typed code stands for, or `nil` if it has a mistake.
  package static func key(from text: SecretBytes) throws -> SecretBytes? {
    var values = 0
    var isValid = true
    let bits = try SecretBytes(capacity: keyLength + 3) { output in
      text.withBytes { text in
        for offset in 0..<text.byteCount {
          let character = text.byte(at: offset)
          if character == 0x2D || character == 0x20 || character == 0x09 { continue }
          guard let value = value(of: character), values < characterCount else {
            isValid = false
            return
          }
          for bit in 0..<5 where value >> (4 - bit) & 1 == 1 {
            let position = values * 5 + bit
            let byte = output.bytes.byte(at: position / 8)
            output.write(byte: byte | 1 << (7 - UInt8(position % 8)), at: position / 8)
          }
          values += 1
        }
      }
      return keyLength + 3
    }
    guard isValid, values == characterCount else { return nil }
    let key = try bits.slice(0..<keyLength)
    return try withChecksum(key).isEqual(to: bits) ? key : nil
  }

  /// The seed of the keys by which a code lets a machine into a space.
  ///
  /// It says nothing of the key of a slot that the code opens. Documentation/design/sync-format.md,
  /// section 6.
  ///
  /// - Parameter key: The code's 20 bytes.
  /// - Returns: 32 bytes.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  package static func spaceSeed(of key: SecretBytes) throws -> SecretBytes {
    try KeyDerivation.key(from: key, message: Array("VSR1/invitation".utf8))
  }

  /// The key followed by 20 bits of checksum, in 23 bytes whose last four bits are zero.
  private static func withChecksum(_ key: SecretBytes) throws -> SecretBytes {
    var message = SecretBuilder()
    message.put(Array("VLT1/recovery".utf8))
    message.put(key)
    let hash = try message.joined().withBytes { try Hash.blake2b($0) }
    var composer = SecretBuilder()
    composer.put(key)
    composer.put([hash[0], hash[1], hash[2] & 0xF0])
    return try composer.joined()
  }

  private static func value(of character: UInt8) -> Int? {
    switch character {
    case 0x6F, 0x4F: return 0
    case 0x69, 0x49, 0x6C, 0x4C: return 1
    default:
      let upper = (0x61...0x7A).contains(character) ? character - 0x20 : character
      return alphabet.firstIndex(of: upper)
    }
  }
}
