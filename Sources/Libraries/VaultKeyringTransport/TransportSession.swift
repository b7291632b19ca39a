package import VaultDBus
package import VaultSealing

/// A session: how secrets travel between one client and the service.
package struct TransportSession {
  /// The algorithms by the names that clients ask for.
  package static let plain = "plain"
  package static let encrypted = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

  package let path: String
  /// The unique name of the only client that may use it.
  package let owner: String
  /// `nil` where secrets travel as they are.
  package let key: SecretBytes?

  package init(path: String, owner: String, key: SecretBytes?) {
    self.path = path
    self.owner = owner
    self.key = key
  }

  /// A secret as it travels: `(oayays)`.
  package func wrapped(_ secret: SecretBytes, contentType: String) throws -> DBusValue {
    guard let key else {
      let nothing = try SecretBytes(copying: [])
      return .structure([
        .objectPath(path), .bytes(nothing), .bytes(secret), .string(contentType),
      ])
    }
    let vector = try SecretBytes.random(count: SessionCryptography.blockLength)
    guard
      let sealed = try SessionCryptography.crypt(secret, key: key, vector: vector, encrypts: true)
    else { throw BusError(BusErrorName.failed, "the secret cannot be encrypted") }
    return .structure([
      .objectPath(path), .bytes(vector), .bytes(sealed), .string(contentType),
    ])
  }

  /// The secret in what a client sends.
  package func unwrapped(parameters: SecretBytes, value: SecretBytes) throws -> SecretBytes {
    guard let key else { return value }
    guard
      let secret = try SessionCryptography.crypt(
        value, key: key, vector: parameters, encrypts: false)
    else {
      throw BusError(
        BusErrorName.invalidArguments, "The secret was transferred or encrypted in an invalid way.")
    }
    return secret
  }
}
