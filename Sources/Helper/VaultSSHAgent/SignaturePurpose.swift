package import VaultSSHKeys
import VaultSealing

/// What a signature is for, by the bytes that are signed.
package enum SignaturePurpose: Sendable {
  /// A login: RFC 4252, section 7.
  case login(user: String, sessionID: [UInt8], hostKey: SSHPublicKey?)
  /// A login that names a key of a host which cannot be read here.
  case unnamedLogin(user: String)
  /// A file or a text: OpenSSH's PROTOCOL.sshsig.
  case file(namespace: String)
  /// Something else, such as a certificate.
  case other

  private static let hostBound = "publickey-hostbound-v00@openssh.com"

  /// Reads what is to be signed.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - key: The key that signs.
  package init(_ data: [UInt8], by key: SSHPublicKey) {
    let login = data.withRawSpan { bytes in try? Self.login(in: bytes, by: key) }
    let file = data.withRawSpan { bytes in try? Self.file(in: bytes) }
    self = login ?? file ?? .other
  }

  private static func login(in bytes: RawSpan, by key: SSHPublicKey) throws -> SignaturePurpose {
    var cursor = WireCursor()
    let sessionID = try cursor.string(in: bytes)
    let message = try cursor.byte(in: bytes)
    let user = try cursor.text(in: bytes)
    let service = try cursor.text(in: bytes)
    let method = try cursor.text(in: bytes)
    let hasSignature = try cursor.byte(in: bytes)
    _ = try cursor.text(in: bytes)  // The algorithm.
    let signer = try cursor.string(in: bytes)
    let hostBlob = method == hostBound ? try cursor.string(in: bytes) : nil
    try cursor.end(in: bytes)
    // SSH_MSG_USERAUTH_REQUEST.
    guard message == 50, hasSignature == 1, service == "ssh-connection",
      signer == key.blob || (try? SSHPublicKey(blob: signer))?.plain == key.plain,
      method == hostBound || method == "publickey", !sessionID.isEmpty
    else { throw WireError.invalid(at: 0) }
    guard let hostBlob else { return .login(user: user, sessionID: sessionID, hostKey: nil) }
    guard let hostKey = try? SSHPublicKey(blob: hostBlob) else { return .unnamedLogin(user: user) }
    return .login(user: user, sessionID: sessionID, hostKey: hostKey)
  }

  private static func file(in bytes: RawSpan) throws -> SignaturePurpose {
    let magic = Array("SSHSIG".utf8)
    guard bytes.byteCount > magic.count, bytes.array(0..<magic.count) == magic else {
      throw WireError.invalid(at: 0)
    }
    var cursor = WireCursor(at: magic.count)
    let namespace = try cursor.text(in: bytes)
    _ = try cursor.range(in: bytes)  // Reserved.
    _ = try cursor.range(in: bytes)  // The name of the hash.
    _ = try cursor.range(in: bytes)  // The hash.
    try cursor.end(in: bytes)
    return .file(namespace: namespace)
  }
}
