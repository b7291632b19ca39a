import VaultSealing

/// How a key of ssh is kept as an item: the private key in OpenSSH's format is the secret, and the
/// line of the public one an attribute.
package enum SSHKeyItem {
  /// The attribute with the line of `.pub` files.
  package static let publicKeyAttribute = "public-key"

  /// Reads the line of a `.pub` file; `nil` if it is none.
  ///
  /// The comment is a plain one.
  package static func publicKey(from line: String) -> (key: SSHPublicKey, comment: String)? {
    let words = line.utf8.split(separator: 0x20, maxSplits: 2)
      .map { String(decoding: Array($0), as: UTF8.self) }
    guard words.count >= 2, let bytes = try? Base64.decoded(words[1]),
      let key = try? SSHPublicKey(blob: bytes.withBytes { $0.array(0..<$0.byteCount) }),
      key.fullType == words[0]
    else { return nil }
    return (key, words.count > 2 ? plain(words[2]) : "")
  }

  /// A comment that may stand in a line of `authorized_keys` and on a terminal.
  ///
  /// A file of a key, or a store, brings any text as one.
  package static func plain(_ comment: String) -> String {
    let scalars = comment.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
