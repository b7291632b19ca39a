/// One of the ways to open a vault, as `vault key list` shows it.
///
/// Any one slot opens the whole vault; a vault always has at least one.
public struct KeySlot: Sendable, Identifiable {
  /// What the user has who opens this slot.
  public enum Kind: Sendable, Hashable {
    /// A passphrase, stretched with Argon2id.
    case passphrase
    /// 32 random bytes in a file.
    case keyFile
    /// A random key that the desktop keyring holds.
    case keyring
    /// A printed code.
    case recovery
    /// A type of slot that this version does not know; it is kept, and cannot be used here.
    case unknown(UInt16)

    init(type: UInt16) {
      switch type {
      case 1: self = .passphrase
      case 2: self = .keyFile
      case 3: self = .keyring
      case 4: self = .recovery
      default: self = .unknown(type)
      }
    }

    var type: UInt16 {
      switch self {
      case .passphrase: 1
      case .keyFile: 2
      case .keyring: 3
      case .recovery: 4
      case .unknown(let type): type
      }
    }

    /// The kind's name as the command writes it: `passphrase`, `key-file`, `keyring`, `recovery`.
    public var name: String {
      switch self {
      case .passphrase: "passphrase"
      case .keyFile: "key-file"
      case .keyring: "keyring"
      case .recovery: "recovery"
      case .unknown(let type): "type-\(type)"
      }
    }

    /// The kind in words for a person: `key file`, `recovery code`.
    package var words: String {
      switch self {
      case .keyFile: "key file"
      case .recovery: "recovery code"
      case .keyring: "desktop keyring"
      case .passphrase, .unknown: name
      }
    }
  }

  /// The slot's id, 32 hex digits.
  public let id: String
  /// The kind of secret that opens the slot.
  public let kind: Kind
  /// The name that was given to it; empty if none was, or while the vault is locked.
  public let label: String
  /// Memory of the password hash in MiB; 0 for slots without one.
  public let memoryMiB: Int
  /// Passes of the password hash; 0 for slots without one.
  public let passes: Int
}
