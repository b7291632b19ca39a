import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// How items that other programs keep are named and found again.
///
/// What finds an item are its attributes, byte by byte. The name is made of them, for people.
enum ServiceCredential {
  /// The attribute that says which protocol an item belongs to.
  static let client = "client"
  static let server = "server"
  static let account = "account"
  static let service = "service"

  /// A name of these parts; what could be taken for something else in a part is percent-encoded, so that
  /// two lists of parts never give one name.
  static func name(_ parts: [String]) -> String { parts.map(encoded).joined(separator: "/") }

  // What addresses hold stays readable; other alphabets are encoded, since names are normalised and
  // these texts are not.
  private static func encoded(_ part: String) -> String {
    guard !part.isEmpty else { return "%" }
    return PercentEncoding.encoded(part) { byte in
      PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "@")
    }
  }

  /// `preferred` if it is free, or else with a number: an item of that name belongs to somebody else.
  static func freeName(_ preferred: String, among items: [Item]) throws -> ItemName {
    let taken = Set(items.map(\.name))
    return try FreeName.like(preferred) { taken.contains($0) }
  }

  /// Whether two texts have the same bytes; `==` takes texts for equal that only look alike.
  static func isSame(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }

  /// Whether the item has exactly these values; `nil` for an attribute that it must not have.
  static func has(_ item: Item, _ attributes: [(String, String?)]) -> Bool {
    attributes.allSatisfy { isSame(item.attributes[$0.0], $0.1) }
  }

  /// The newest of several, the name deciding between equal times.
  static func newest(_ items: [Item]) -> Item? {
    items.max { ($0.modified, $1.name) < ($1.modified, $0.name) }
  }

  /// Whether a text can stand on a line of a protocol: no control character.
  static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }

  /// Whether a secret can stand on a line of a protocol: neither NUL, CR nor LF.
  static func isLine(_ secret: SecretBytes) -> Bool {
    secret.withBytes { bytes in
      !(0..<bytes.byteCount).contains { [0, 0x0A, 0x0D].contains(bytes.byte(at: $0)) }
    }
  }

  /// A text's bytes, to be put between secrets.
  static func bytes(_ text: String) throws -> SecretBytes {
    try SecretBytes(copying: Array(text.utf8))
  }
}

extension VaultSettings {
  /// Opens the vault for a helper's question; `nil` where there is no vault, and so nothing to be found.
  ///
  /// A vault that is there and cannot be opened is an error: never "nothing found".
  @discardableResult
  func withVaultIfAny<Result>(
    _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result? {
    guard try locked().blocking.exists() else { return nil }
    return try withVault(body)
  }
}
