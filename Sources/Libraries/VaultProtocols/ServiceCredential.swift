import VaultCredentials
import VaultSealing
import VaultStorage

/// The items that other programs keep: how they are named and found again.
///
/// An item is found by its attributes, byte by byte. Its name is made of them, for people.
enum ServiceCredential {
  /// The attribute that names the protocol of an item.
  static let client = "client"
  static let server = "server"
  static let account = "account"
  static let service = "service"

  /// Returns a name for an item, different for different parts.
  ///
  /// Other alphabets are encoded, too: names are normalized, and these texts are not.
  static func name(_ parts: [String]) -> String {
    parts.map { part in
      guard !part.isEmpty else { return "%" }
      return PercentEncoding.encoded(part) { byte in
        PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
      }
    }.joined(separator: "/")
  }

  /// Returns `preferred` if it is free, or else with a number: an item of that name is another one.
  static func freeName(_ preferred: String, in snapshot: VaultSnapshot?) throws -> ItemName {
    try FreeName.like(preferred) { snapshot?[$0] != nil }
  }

  /// Whether two texts have the same bytes; `==` also accepts texts that are canonically
  /// equivalent.
  static func isSame(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }

  /// Whether the item has exactly these values; `nil` stands for an attribute that it must not
  /// have.
  static func has(_ item: Item, _ attributes: [(String, String?)]) -> Bool {
    attributes.allSatisfy { isSame(item.attributes[$0.0], $0.1) }
  }

  /// Whether a text fits on a line of a protocol: it has no control character.
  static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }

  /// Whether a secret fits on a line of a protocol: it has neither NUL, CR nor LF.
  static func isLine(_ secret: SecretBytes) -> Bool {
    secret.withBytes { bytes in
      !(0..<bytes.byteCount).contains { [0, 0x0A, 0x0D].contains(bytes.byte(at: $0)) }
    }
  }
}

extension VaultSnapshot {
  /// Returns a field of an item, or `nil` if the item does not have it.
  func secretIfAny(of item: Item, field: String) throws -> SecretBytes? {
    do {
      return try secret(of: item, field: field).bytes
    } catch let error as CredentialError where error.code == .fieldNotFound {
      return nil
    }
  }
}
