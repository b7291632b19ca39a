import Synchronization
public import VaultSealing

/// The key that seals the attributes with `.encrypt` of a configuration's models.
///
/// A program that links `VaultCredentials` takes the vault's, which is made at the first save:
///
/// ```swift
/// ModelConfiguration("Accounts", sealingKey: SealingKey(vault.blocking))
/// ```
///
/// Any other program brings 32 bytes of its own:
///
/// ```swift
/// ModelConfiguration("Accounts", sealingKey: SealingKey(try SecretBytes(copying: bytes)))
/// ```
///
/// Keys are asked for when they are first needed, and kept in locked memory while a configuration
/// or a container holds this value. It prints as `<redacted>`.
public struct SealingKey: Hashable, Sendable {
  private let source: Source

  /// Takes 32 random bytes.
  ///
  /// - Parameter key: The bytes. Every store gets a key of its own, derived from them.
  public init(_ key: SecretBytes) { source = Source(.bytes(key)) }

  /// Takes the keys of a vault, or of another provider.
  ///
  /// Values are sealed with the newest key for the purpose; those that were sealed with an earlier
  /// one open with that.
  ///
  /// - Parameters:
  ///   - provider: Such as an unlocked vault.
  ///   - purpose: The name of the key at the provider; programs that share a store name the same.
  public init(_ provider: any DataKeyProvider, purpose: String = "app-data") {
    source = Source(.provider(provider, purpose))
  }

  /// Whether both are the same key: one that was made elsewhere of the same bytes is another.
  public static func == (left: Self, right: Self) -> Bool { left.source === right.source }

  /// Feeds the identity to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }

  /// The bytes of the key's identifier, which stands before each sealed value.
  static let identifierLength = 16

  /// The key for new values, with its identifier.
  func current() throws -> (id: [UInt8], key: SecretBytes) { try source.current() }

  /// The key with an identifier; `nil` if this is another key.
  func key(_ id: [UInt8]) throws -> SecretBytes? { try source.key(id) }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `<redacted>`.
  public var description: String { "<redacted>" }
  /// `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SealingKey {
  private final class Source: Sendable {
    enum Kind: Sendable {
      case bytes(SecretBytes)
      case provider(any DataKeyProvider, String)
    }

    private struct Known: Sendable {
      var current: (id: [UInt8], key: SecretBytes)?
      var byID: [[UInt8]: SecretBytes] = [:]
    }

    private let kind: Kind
    private let known = Mutex(Known())

    init(_ kind: Kind) { self.kind = kind }

    func current() throws -> (id: [UInt8], key: SecretBytes) {
      // Outside of the lock: a provider may ask its user.
      if let current = known.withLock({ $0.current }) { return current }
      let found: (id: [UInt8], key: SecretBytes)
      switch kind {
      case .bytes(let key):
        // Tells this key from others, and nothing about it.
        found = (
          try Hash.blake2b(
            Array("vault app data: identifier of a key".utf8), count: SealingKey.identifierLength,
            key: key), key
        )
      case .provider(let provider, let purpose):
        found = try provider.currentDataKey(for: purpose)
      }
      known.withLock { known in
        known.current = found
        known.byID[found.id] = found.key
      }
      return found
    }

    func key(_ id: [UInt8]) throws -> SecretBytes? {
      if let key = known.withLock({ $0.byID[id] }) { return key }
      switch kind {
      case .bytes:
        let own = try current()
        return own.id == id ? own.key : nil
      case .provider(let provider, _):
        let key = try provider.dataKey(id: id)
        known.withLock { $0.byID[id] = key }
        return key
      }
    }
  }
}
