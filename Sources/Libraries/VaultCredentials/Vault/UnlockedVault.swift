import Synchronization
import VaultSealing

/// An unlocked vault: items can be read and changed.
///
/// It holds the vault key in locked memory until its last reference is gone. Every call reads the
/// file anew, so that changes made by other processes are seen; ``read()`` and ``edit(_:)`` do
/// several things with one read or one write of the file. It can be used from any thread.
///
/// ```swift
/// let vault = try await locked.unlockOrCreate()
/// try await vault.set(ItemName("api-token"), to: Secret("s3cr3t"))
/// ```
public final class UnlockedVault: Sendable {
  /// The key slot or session that unlocked the vault.
  public struct OpenedBy: Sendable, Equatable {
    /// The kind of unlock source.
    public enum Source: String, Sendable {
      /// The key that the kernel keeps for a while.
      case session
      /// A passphrase.
      case passphrase
      /// A key file.
      case keyFile = "key-file"
      /// A recovery code.
      case recovery
      /// The desktop keyring.
      case keyring
    }

    /// The kind of unlock source.
    public let source: Source
    /// The label of the slot; empty for a session or where none was given.
    public let slotLabel: String
  }

  /// The vault as it is without its key.
  let locked: LockedVault
  let vaultID: [UInt8]
  let keys: VaultKeys
  /// The key slots when the vault was opened.
  private let slots: [SlotRecord]
  private let pendingNotices = Mutex<[VaultNotice]>([])
  private let hasToldOfPlainSession = Atomic(false)
  /// Whether copies that the keyring cannot keep have been looked for.
  let hasSoughtBreakingCopies = Atomic(false)
  /// What opening the vault has read, for the first call after it.
  private let opened: Mutex<OpenedFile?>

  /// The key slot or session that unlocked the vault.
  public let openedBy: OpenedBy

  /// The vault's random id, 32 hex digits.
  public var id: String { Hexadecimal.text(vaultID) }

  init(
    locked: LockedVault, header: VaultHeader, keys: VaultKeys, openedBy: OpenedBy,
    opened: OpenedFile? = nil
  ) {
    self.opened = Mutex(opened)
    self.locked = locked
    vaultID = header.vaultID
    slots = header.slots
    self.keys = keys
    self.openedBy = openedBy
  }

  /// The same calls, for programs and threads that may wait.
  public var blocking: Blocking { Blocking(vault: self) }

  /// The calls that wait on the calling thread.
  public struct Blocking: Sendable {
    let vault: UnlockedVault

    /// What a person should hear of the calls since the last time; each notice once.
    ///
    /// - Returns: The notices, oldest first.
    public func takeNotices() -> [VaultNotice] {
      if vault.locked.keyring.hasSentInClear,
        !vault.hasToldOfPlainSession.exchange(true, ordering: .relaxed)
      {
        vault.note([.plainKeyringSession])
      }
      vault.warnOfBreakingCopies()
      return vault.pendingNotices.withLock { notices in
        defer { notices = [] }
        return notices
      }
    }
  }

  func note(_ notices: [VaultNotice]) {
    pendingNotices.withLock { pending in
      for notice in notices where !pending.contains(notice) { pending.append(notice) }
    }
  }

  /// Reads the file, or takes over what opening the vault has just read if it is still the file.
  ///
  /// Where some items are `wanted`, only these are decoded.
  func snapshot(only wanted: VaultIndex.Wanted? = nil) throws -> VaultSnapshot {
    let reader = VaultReader(
      vault: locked, keys: keys, vaultID: vaultID, slots: slots, wanted: wanted,
      opened: takeOpened())
    let (file, index, notices) = try reader.open()
    note(notices)
    return VaultSnapshot(vault: self, file: file, index: index)
  }

  private func takeOpened() -> OpenedFile? {
    opened.withLock { opened in
      defer { opened = nil }
      return opened
    }
  }

  /// Changes the file; what `change` throws leaves it as it was.
  ///
  /// - Parameters:
  ///   - lost: A lost generation that the file succeeds.
  ///   - change: What is to be changed.
  /// - Returns: What `change` returns.
  /// - Throws: ``CredentialError``: what writing throws, or `change`.
  func commit<Result>(
    after lost: LastSeen? = nil, _ change: (inout VaultEdit) throws -> Result
  ) throws -> Result {
    try write(after: lost, change).result
  }

  /// Changes the file, and says what is to be done afterwards.
  func write<Result>(
    after lost: LastSeen? = nil, knowing branch: VaultBranch? = nil,
    _ change: (inout VaultEdit) throws -> Result
  ) throws -> Commit<Result> {
    let commit = try VaultWriter(vault: self, slots: slots, opened: takeOpened())
      .commit(after: lost, knowing: branch, change)
    note(commit.notices)
    return commit
  }

  /// A snapshot of the file as it is now: the one that is given, if the file is still the same.
  func latest(_ snapshot: VaultSnapshot?) throws -> VaultSnapshot {
    if let snapshot, let identity = snapshot.file.identity, locked.folder.identity() == identity {
      return snapshot
    }
    return try self.snapshot()
  }

  /// Keeps the key in the kernel's keyring for as long as the options say.
  func beginSession(header: VaultHeader, setting: Int? = nil) {
    let wanted = locked.options.sessionSeconds ?? setting ?? Session.standardSeconds
    guard wanted > 0 else { return }
    do {
      let seconds = min(wanted, try locked.options.sessionLimit?() ?? wanted)
      guard seconds > 0 else {
        return note([VaultNotice(.noSession, "the vault does not stay open: its limit here is 0")])
      }
      try Session.begin(keys.vaultKey, header: header, seconds: seconds)
    } catch let error as KernelKeyring.Refusal {
      note([
        VaultNotice(
          .noSession, "the vault does not stay open: \(error.explanation)",
          hint: "a key file opens it fastest", remedies: [.addKeyFile])
      ])
    } catch let error as VaultOptions.UnknownLimit {
      note([
        VaultNotice(
          .noSession, "the vault does not stay open: its limit is not known: \(error.reason)",
          hint: error.hint)
      ])
    } catch {
      note([VaultNotice(.noSession, "the vault does not stay open")])
    }
  }

  static func notFound(_ name: ItemName? = nil) -> CredentialError {
    var error = CredentialError(
      .itemNotFound, "there is no such item", remedies: [.listItems])
    error.missingItem = name
    return error
  }
}
