public import VaultSealing

/// Something that may open a vault.
///
/// ``LockedVault/unlock(with:)`` tries sources in the order they are given; the first that opens
/// wins.
public struct KeySource: Sendable {
  enum Kind: Sendable {
    case session
    case vaultKey(SecretBytes)
    case passphrase(@Sendable () throws -> SecretBytes?)
    case keyFile(@Sendable (KeyFileTrust) throws -> SecretBytes?)
    case recoveryCode(@Sendable () throws -> SecretBytes?)
    case keyring
  }

  let kind: Kind
  /// Whether a failure of this source ends the attempt instead of going on to the next.
  let isRequired: Bool
  /// The path of a key file that the caller or the environment names: a new vault is not unlocked
  /// by anything else while that file is missing.
  private(set) var path: String?

  /// The source in words, with the path of its file.
  var words: String {
    switch kind {
    case .session: "the session"
    case .vaultKey: "the vault key"
    case .passphrase: "a passphrase"
    case .keyFile: path.map { "the key file \($0)" } ?? "a key file"
    case .recoveryCode: "a recovery code"
    case .keyring: "the desktop keyring"
    }
  }

  /// The key that the kernel keeps since the vault was last opened.
  public static let session = KeySource(kind: .session, isRequired: false)

  /// The key that the desktop keyring holds for this vault.
  public static let keyring = KeySource(kind: .keyring, isRequired: false)

  /// A passphrase.
  ///
  /// - Parameters:
  ///   - isRequired: Whether a wrong one ends the attempt; `true` for what a person or a command
  ///     line names.
  ///   - passphrase: Gets the passphrase when its turn comes; `nil` if there is none. It may ask a
  ///     person.
  /// - Returns: The source.
  public static func passphrase(
    isRequired: Bool = true, _ passphrase: @escaping @Sendable () throws -> SecretBytes?
  ) -> KeySource {
    KeySource(kind: .passphrase(passphrase), isRequired: isRequired)
  }

  /// A key file: exactly 32 bytes in a file that others may not read.
  ///
  /// - Parameters:
  ///   - path: Where it lies.
  ///   - isRequired: Whether a wrong or missing one ends the attempt.
  /// - Returns: The source.
  public static func keyFile(_ path: String, isRequired: Bool = true) -> KeySource {
    KeySource(
      kind: .keyFile { try KeyFile.read(path, isOptional: !isRequired, trust: $0) },
      isRequired: isRequired, path: path)
  }

  /// The 32 bytes of a key file, from wherever the caller keeps them.
  ///
  /// - Parameters:
  ///   - isRequired: Whether a wrong or missing one ends the attempt.
  ///   - bytes: Gets the bytes when their turn comes; `nil` if there are none.
  /// - Returns: The source.
  public static func key(
    isRequired: Bool = true, _ bytes: @escaping @Sendable () throws -> SecretBytes?
  ) -> KeySource {
    KeySource(kind: .keyFile { _ in try bytes() }, isRequired: isRequired)
  }

  /// A printed recovery code.
  ///
  /// - Parameter code: Gets the code when its turn comes; blanks, hyphens and case do not matter.
  /// - Returns: The source.
  public static func recoveryCode(
    _ code: @escaping @Sendable () throws -> SecretBytes?
  ) -> KeySource {
    recoveryCode(isRequired: true, code)
  }

  /// A printed recovery code, of which a wrong one may not end the attempt.
  package static func recoveryCode(
    isRequired: Bool, _ code: @escaping @Sendable () throws -> SecretBytes?
  ) -> KeySource {
    KeySource(kind: .recoveryCode(code), isRequired: isRequired)
  }
}

/// A key slot that is to be made.
public struct NewKeySlot: Sendable {
  enum Kind: Sendable {
    /// Without a cost, this machine's.
    case passphrase(SecretBytes, PasswordHash.Cost?)
    case keyFile(SecretBytes)
    case recovery(SecretBytes)
    case keyring
  }

  let kind: Kind
  /// The name to tell it by; it is sealed in the file.
  public let label: String

  /// A slot that a passphrase opens; Argon2id is calibrated on this machine.
  ///
  /// - Parameters:
  ///   - passphrase: Its bytes; 1 byte to 4 KiB.
  ///   - label: The name to tell the slot by, at most 255 bytes.
  /// - Returns: The slot to make.
  public static func passphrase(_ passphrase: SecretBytes, label: String = "") -> NewKeySlot {
    NewKeySlot(kind: .passphrase(passphrase, nil), label: label)
  }

  /// A slot of a given cost, such as an older version or a slower machine has made it.
  ///
  /// - Parameters:
  ///   - passphrase: Its bytes; 1 byte to 4 KiB.
  ///   - cost: From `Cost.floor` to `Cost.cap`.
  /// - Returns: The slot to make.
  package static func passphrase(
    _ passphrase: SecretBytes, cost: PasswordHash.Cost
  ) -> NewKeySlot {
    NewKeySlot(kind: .passphrase(passphrase, cost), label: "")
  }

  /// A slot that a key file opens.
  ///
  /// - Parameters:
  ///   - key: The file's 32 bytes.
  ///   - label: The name to tell the slot by.
  /// - Returns: The slot to make.
  public static func keyFile(_ key: SecretBytes, label: String = "") -> NewKeySlot {
    NewKeySlot(kind: .keyFile(key), label: label)
  }

  /// A slot that the desktop keyring opens by itself.
  ///
  /// - Parameter label: The name to tell the slot by.
  /// - Returns: The slot to make.
  public static func keyring(label: String = "") -> NewKeySlot {
    NewKeySlot(kind: .keyring, label: label)
  }

  /// A slot that a fresh recovery code opens, and the code, to be shown once.
  ///
  /// - Parameter label: The name to tell the slot by.
  /// - Returns: The slot to make, and the code as text in locked memory.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  public static func recovery(label: String = "") throws -> (slot: NewKeySlot, code: Secret) {
    let key = try SecretBytes.random(count: RecoveryCode.keyLength)
    return (
      NewKeySlot(kind: .recovery(key), label: label), Secret(try RecoveryCode.text(for: key))
    )
  }
}

extension KeySource {
  /// The vault key itself, from another process of this program.
  ///
  /// - Parameter key: The 32 bytes.
  /// - Returns: The source; it starts no session.
  package static func vaultKey(_ key: SecretBytes) -> KeySource {
    KeySource(kind: .vaultKey(key), isRequired: true)
  }
}
