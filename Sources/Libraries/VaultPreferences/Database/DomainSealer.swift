import VaultSealing
import VaultStorage

/// Seals the keys and values of one protected domain.
///
/// A key is stored as a keyed hash, so that equal keys meet; key and value together are sealed,
/// bound to domain, host and hash. Visible remain the domain's name, the number of its keys, the
/// length of each value, and when each of them changes.
struct DomainSealer {
  let keyID: [UInt8]
  private let names: SecretBytes
  private let values: SecretBytes

  init(keyID: [UInt8], key: SecretBytes) throws(SealingError) {
    self.keyID = keyID
    names = try KeyDerivation.subkey(1, of: key, context: "VLTprefs")
    values = try KeyDerivation.subkey(2, of: key, context: "VLTprefs")
  }

  /// The contents of the column `key`.
  func name(of key: String) throws -> String {
    Hexadecimal.text(try Hash.blake2b(Array(key.utf8), count: 16, key: names))
  }

  func seal(
    _ value: PreferenceValue, key: String, in domain: PreferenceDomain
  ) throws -> StoredValue {
    let plaintext = BinaryWriter.bytes(.array([.string(key), value]))
    let sealed = try plaintext.withRawSpan { bytes in
      try AuthenticatedEncryption.seal(
        bytes, key: values, context: context(domain, try name(of: key)))
    }
    // The key's id comes first: an entry of the journal may be older than the domain's key.
    return StoredValue(type: StoredValue.sealedType, value: .blob(keyID + sealed))
  }

  func open(
    _ stored: StoredValue, name: String, in domain: PreferenceDomain
  ) throws -> (key: String, value: PreferenceValue) {
    guard stored.keyID == keyID, stored.type == StoredValue.sealedType,
      case .blob(let bytes) = stored.value
    else {
      throw PreferenceError(
        .damaged, "a value of the protected domain \(domain.name) is not sealed")
    }
    do {
      let plaintext = try AuthenticatedEncryption.open(
        Array(bytes[16...]), key: values, context: context(domain, name))
      let list = try PropertyList.parse(
        plaintext.withBytes { span in unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } })
      if case .array(let parts) = list, parts.count == 2, case .string(let key) = parts[0] {
        return (key, parts[1])
      }
    } catch let error as SealingError where error.code != .authenticationFailed {
      throw error
    } catch {}
    throw PreferenceError(
      .damaged, "a value of the protected domain \(domain.name) does not open with its key")
  }

  private func context(_ domain: PreferenceDomain, _ name: String) -> [UInt8] {
    Array("VLT1/preference\0\(domain.name)\0\(domain.storedHost)\0\(name)".utf8)
  }
}
