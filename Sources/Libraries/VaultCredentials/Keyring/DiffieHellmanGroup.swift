/// The 1024-bit MODP group of the Secret Service's encrypted session: RFC 2409, section 6.2.
package enum DiffieHellmanGroup {
  /// Whether a peer's public value lies within 2 … p − 2, however many zeros precede it: anything
  /// else makes the shared secret known.
  static func holds(publicValue: [UInt8]) -> Bool {
    let value = publicValue.drop { $0 == 0 }
    guard value.count <= prime.count else { return false }
    guard value.count > 1 || (value.first ?? 0) > 1 else { return false }
    guard value.count == prime.count else { return true }
    var limit = prime
    limit[limit.count - 1] -= 1
    return value.lexicographicallyPrecedes(limit)
  }

  /// p, 128 bytes, the most significant one first.
  package static let prime: [UInt8] = {
    let words: [UInt32] = [
      0xFFFF_FFFF, 0xFFFF_FFFF, 0xC90F_DAA2, 0x2168_C234, 0xC4C6_628B, 0x80DC_1CD1, 0x2902_4E08,
      0x8A67_CC74, 0x020B_BEA6, 0x3B13_9B22, 0x514A_0879, 0x8E34_04DD, 0xEF95_19B3, 0xCD3A_431B,
      0x302B_0A6D, 0xF25F_1437, 0x4FE1_356D, 0x6D51_C245, 0xE485_B576, 0x625E_7EC6, 0xF44C_42E9,
      0xA637_ED6B, 0x0BFF_5CB6, 0xF406_B7ED, 0xEE38_6BFB, 0x5A89_9FA5, 0xAE9F_2411, 0x7C4B_1FE6,
      0x4928_6651, 0xECE6_5381, 0xFFFF_FFFF, 0xFFFF_FFFF,
    ]
    return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
  }()
}
