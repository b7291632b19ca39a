import VaultSealing
import VaultStorage

/// The result of a salvage.
public struct SalvageReport: Sendable, Equatable {
  /// The file that the vault was repaired from.
  public enum Base: String, Sendable {
    /// The vault file itself: it opens.
    case vaultFile = "vault-file"
    /// The generation before it: the vault file does not open, or is gone.
    case previousGeneration = "previous-generation"
    /// The keyring's copies alone: neither opens.
    case copies
  }

  /// The source that the vault was repaired from.
  public internal(set) var base: Base
  /// Items that could be read where they lay.
  public internal(set) var whole = 0
  /// Damaged items that the generation before holds as they were.
  public internal(set) var fromPrevious = 0
  /// Items whose secret the keyring's copy gave; further fields are not in it.
  public internal(set) var fromKeyring = 0
  /// Damaged items that have an earlier version now.
  public internal(set) var fromHistory = 0
  /// Items that nothing holds any more; they are gone from the vault.
  public internal(set) var lost: [ItemName] = []
  /// Earlier versions that nothing holds any more.
  public internal(set) var lostVersions = 0
  /// How many changes of the vault lie between the generation before, which took the lost file's
  /// place, and that: 1 where it is the one right before, 0 where the vault file itself opens.
  public internal(set) var lostGenerations: UInt64 = 0
  /// The path of the damaged file; `nil` if nothing had to be repaired, or there was none.
  public internal(set) var damagedFile: String?
  /// What is odd about the file that was mended, or left alone: that it is older than one seen
  /// before, above all.
  public internal(set) var notices: [VaultNotice] = []

  /// A Boolean value that says whether the vault had to be changed.
  public var isMended: Bool {
    base != .vaultFile || fromPrevious + fromKeyring + fromHistory + lost.count + lostVersions > 0
  }
}
