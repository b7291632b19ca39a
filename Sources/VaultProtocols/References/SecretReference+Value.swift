import FoundationEssentials
public import VaultCredentials
import VaultOneTimeCodes
public import VaultSealing
import VaultStorage

extension SecretReference {
  /// The field in which an item keeps the seed of one-time codes.
  public static let seedField = "otp"

  /// Returns the value that the reference stands for.
  ///
  /// ```swift
  /// let reference = try SecretReference("secret://work/db#user?default=nobody")
  /// let user = try reference.value(in: try await vault.read())
  /// ```
  ///
  /// A code of a counter is not returned, because the counter has to be stored before the code is
  /// used.
  ///
  /// - Parameter snapshot: The vault that the reference names.
  /// - Returns: The secret or attribute, encoded as the reference asks; ``fallback`` if there is no
  ///   such item or field.
  /// - Throws: `CredentialError` with code `.itemNotFound` or `.fieldNotFound` if there is no
  ///   fallback, `.invalidName`, `.damaged`; ``ProtocolError`` with code `.invalidRequest`,
  ///   `.notText`.
  public func value(in snapshot: VaultSnapshot) throws -> SecretBytes {
    do {
      let bytes = try plainValue(in: snapshot)
      return try encoding?.encode(bytes) ?? bytes
    } catch let error as CredentialError
      where [.itemNotFound, .fieldNotFound].contains(error.code)
    {
      guard let fallback else { throw error }
      return try SecretBytes(text: fallback)
    }
  }

  private func plainValue(in snapshot: VaultSnapshot) throws -> SecretBytes {
    let (item, version) = try versioned(in: snapshot)
    switch attribute {
    case .fingerprint:
      return try SecretBytes(
        text: snapshot.fingerprint(of: item, field: field, version: version).hash)
    case .expiry: return try SecretBytes(text: item.expires.map(Timestamp.text) ?? "")
    case .otp: return try code(of: item, in: snapshot)
    case nil: return try snapshot.secret(of: item, field: field, version: version).bytes
    }
  }

  /// The item of the reference, and the version that `NAME@3` names if there is no such item.
  private func versioned(in snapshot: VaultSnapshot) throws -> (Item, UInt64?) {
    let name = try ItemName(name)
    if let item = snapshot[name] { return (item, nil) }
    if let (shorter, version) = name.splittingVersion, let item = snapshot[shorter] {
      return (item, version)
    }
    return (try snapshot.item(name), nil)
  }

  private func code(of item: Item, in snapshot: VaultSnapshot) throws -> SecretBytes {
    let seed = try snapshot.secret(of: item, field: field ?? Self.seedField)
    do {
      let generator = try OneTimeGenerator(seed.bytes)
      guard generator.kind == .totp else {
        throw ProtocolError(
          .invalidRequest, "the codes of this item are counted, which changes the vault")
      }
      return try generator.code(at: Int64(Date().timeIntervalSince1970.rounded(.down))).text
    } catch let error as OneTimeCodeError {
      throw ProtocolError(.invalidRequest, error.message)
    }
  }
}
