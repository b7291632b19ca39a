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
      let bytes = try selected(from: plainValue(in: snapshot))
      return try encoding?.encode(bytes) ?? bytes
    } catch let error as CredentialError
      where [.itemNotFound, .fieldNotFound].contains(error.code)
    {
      guard let fallback else { throw error }
      return try SecretBytes(text: fallback)
    }
  }

  /// Returns the member of a secret that the reference asks for; the whole secret if for none.
  ///
  /// The document passes through ordinary memory, as all JSON does.
  ///
  /// - Parameter secret: The secret.
  /// - Returns: The text of a text, number or truth value; the JSON of an object or list.
  /// - Throws: `CredentialError` with code `.fieldNotFound` if there is no such member, or it is
  ///   `null`; ``ProtocolError`` with code `.notText` if the secret is not JSON.
  package func selected(from secret: SecretBytes) throws -> SecretBytes {
    guard let member else { return secret }
    guard let document = try? JSONValue.parse(secret.withBytes { $0.array(0..<$0.byteCount) })
    else {
      throw ProtocolError(.notText, "the secret is not JSON, which '?json=' requires")
    }
    guard let value = document.value(at: member.parts(at: ".", keepsEmpty: true)[...]) else {
      throw CredentialError(
        .fieldNotFound, "the JSON of the item has no member '\(Quoting.visible(member))'",
        remedies: [.showItem])
    }
    return try SecretBytes(text: value.scalarText ?? value.text())
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

extension JSONValue {
  /// The value at a path of names of members and numbers of elements, from 0; `nil` for none.
  ///
  /// A name may have dots itself.
  fileprivate func value(at path: ArraySlice<Substring>) -> JSONValue? {
    guard let first = path.first else {
      if case .null = self { return nil }
      return self
    }
    if case .array(let elements) = self {
      guard let number = Int(first), elements.indices.contains(number) else { return nil }
      return elements[number].value(at: path.dropFirst())
    }
    guard case .object(let members) = self else { return nil }
    // The longest name wins.
    for count in (1...path.count).reversed() {
      let name = path.prefix(count).joined(separator: ".")
      guard let member = members.first(where: { $0.0.isSame(as: name) }) else { continue }
      if let value = member.1.value(at: path.dropFirst(count)) { return value }
    }
    return nil
  }
}
