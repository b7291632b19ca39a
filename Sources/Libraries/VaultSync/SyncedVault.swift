import FoundationEssentials
public import VaultCredentials
public import VaultSealing

/// A vault that belongs to a space: what is in it is on every machine of the space.
///
/// Everything is sealed and signed before it leaves the machine; the store learns sizes and times,
/// and is believed in nothing. Calls wait on the calling thread, those that need the store as long
/// as it takes. Reading and changing the vault never waits for a store: only
/// ``synchronize(acceptingRollback:)`` brings changes there and takes those of others.
///
/// ```swift
/// let engine = FolderEngine(path: "/media/stick/vault")
/// let laptop = try SyncedVault.create(vault, in: engine, at: "/media/stick/vault", label: "laptop")
/// try laptop.synchronize()
/// let code = try laptop.invite()
/// // and on the other machine:
/// let desktop = try SyncedVault.join(
///   other, in: engine, at: "/media/stick/vault", invitation: code.text, label: "desktop")
/// try desktop.synchronize()
/// ```
///
/// Documentation/design/sync-format.md has every byte.
public struct SyncedVault: Sendable, Exchanging {
  package var exchange: Exchange
  /// The preferences of this machine, of which ``addDomain(_:)`` names those that are brought
  /// together, too; without them, only the vault is.
  public var preferences: (any SyncedPreferences)? {
    didSet { exchange.preferences = preferences }
  }

  /// Opens the space that a vault belongs to.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - engine: The store: what ``store(of:)`` names.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`.
  public init(_ vault: UnlockedVault, engine: any SyncEngine) throws {
    exchange = Exchange(vault, engine)
    // The records are read by what needs them: a run with nothing new does not.
    _ = try files.reading { try replica.loadState() }
  }

  /// Of a vault that is in no space yet.
  init(exchange: Exchange) { self.exchange = exchange }

  /// Where the store of a vault's space is, as it was given when the space was made or joined.
  ///
  /// - Parameter vault: The vault.
  /// - Returns: The text; `nil` if the vault belongs to no space.
  /// - Throws: ``SyncError`` with code `.tampered`, or what reading the vault throws.
  public static func store(of vault: UnlockedVault) throws -> String? {
    try Replica.remembered(of: vault)?.state.store
  }

  /// Makes a space of a vault.
  ///
  /// The store is not written to before the next ``synchronize(acceptingRollback:)``. With it, the
  /// recovery codes of the vault open the space, too, and so does each that is made later.
  ///
  /// - Parameters:
  ///   - vault: The vault, all of whose items are in the space from now on.
  ///   - engine: The store, which must answer.
  ///   - store: Where the store is, to be kept for ``store(of:)``; no passwords.
  ///   - label: What this machine is called in the space: letters, digits, dots, hyphens.
  /// - Returns: The vault in its space.
  /// - Throws: ``SyncError`` with code `.alreadyJoined`, `.unavailable`; `.notAllowed` for a label
  ///   that cannot be used.
  public static func create(
    _ vault: UnlockedVault, in engine: any SyncEngine, at store: String, label: String
  ) throws -> SyncedVault {
    let exchange = Exchange(vault, engine)
    try Joining(exchange).create(at: store, label: label)
    return SyncedVault(exchange)
  }

  /// Joins the space that an invitation is for.
  ///
  /// Items come with the next ``synchronize(acceptingRollback:)``, which merges them with those of
  /// the vault.
  ///
  /// - Parameters:
  ///   - vault: The vault; it may have items.
  ///   - engine: The store.
  ///   - store: Where the store is, to be kept for ``store(of:)``; no passwords.
  ///   - invitation: The code that ``invite(role:uses:seconds:)`` gave; or the recovery code of an
  ///     admin's vault, by which the machine becomes an admin.
  ///   - label: What this machine is called in the space.
  /// - Returns: The vault in its space.
  /// - Throws: ``SyncError`` with code `.invitation` for a wrong, old or used one,
  ///   `.alreadyJoined`, `.withheld` and `.forked` for a store that does not show what the admin
  ///   saw, `.unavailable`.
  public static func join(
    _ vault: UnlockedVault, in engine: any SyncEngine, at store: String,
    invitation: SecretBytes, label: String
  ) throws -> SyncedVault {
    let exchange = Exchange(vault, engine)
    try Joining(exchange).join(at: store, invitation: invitation, label: label)
    return SyncedVault(exchange)
  }

  /// Finds the space that an invitation is for, before anything is made for it.
  ///
  /// - Parameters:
  ///   - invitation: The code that was typed.
  ///   - engine: The store.
  ///   - progress: Hears how far the work is.
  /// - Returns: The space, to be joined by ``join(_:in:at:found:label:)``.
  /// - Throws: ``SyncError`` as ``join(_:in:at:invitation:label:)`` does.
  package static func find(
    by invitation: SecretBytes, in engine: any SyncEngine,
    progress: (@Sendable (VaultProgress) -> Void)? = nil
  ) throws -> FoundSpace {
    try FoundSpace(
      invitation, in: PartedEngine(engine), ExchangeTuning(), now: VaultOptions().now()
    ) { progress?(VaultProgress($0, $1, of: $2)) }
  }

  /// Joins a space that was found; see ``join(_:in:at:invitation:label:)``.
  package static func join(
    _ vault: UnlockedVault, in engine: any SyncEngine, at store: String, found: FoundSpace,
    label: String
  ) throws -> SyncedVault {
    let exchange = Exchange(vault, engine)
    try Joining(exchange).join(at: store, found: found, label: label)
    return SyncedVault(exchange)
  }

  /// Checks that a store has an invitation for a code that can be used, before anything is made for
  /// it.
  ///
  /// - Parameters:
  ///   - invitation: The code that was typed.
  ///   - engine: The store.
  /// - Throws: ``SyncError`` as ``join(_:in:at:invitation:label:)`` does.
  public static func check(_ invitation: SecretBytes, in engine: any SyncEngine) throws {
    _ = try find(by: invitation, in: engine)
  }

  /// The space that an invitation is for, also one that has ended.
  ///
  /// - Parameters:
  ///   - invitation: The code that was typed.
  ///   - engine: The store.
  /// - Returns: The space.
  /// - Throws: ``SyncError`` with code `.invitation` for a code that is for none, `.unavailable`.
  package static func space(
    of invitation: SecretBytes, in engine: any SyncEngine
  ) throws -> SpaceID {
    try Joining.space(of: invitation, in: engine)
  }

  /// The first run after ``create(_:in:at:label:)`` or ``join(_:in:at:invitation:label:)``.
  ///
  /// If it fails before the store has anything of this machine, the vault belongs to no space and has
  /// nothing of one, as before: it can be tried again, also with another store. If the store has
  /// something, or does not say, the machine stays in the space, and the next run goes on.
  ///
  /// - Returns: What was done.
  /// - Throws: What ``synchronize(acceptingRollback:)`` throws.
  @discardableResult
  public func begin() throws -> SyncReport {
    let joining = Joining(exchange)
    guard joining.mirror == nil else {
      // Who follows a feed has no stream: nothing of him is anywhere.
      do {
        return try synchronize()
      } catch {
        try? joining.giveUp()
        throw error
      }
    }
    let sent = try joining.announce()
    var report = try synchronize()
    report.sent += sent
    return report
  }

  /// Brings the vault and its space together: what changed here goes to the store, what others
  /// changed comes into the vault.
  ///
  /// It can be ended at any moment and called again: nothing is lost, and nothing is done twice.
  ///
  /// - Parameter acceptingRollback: Goes on writing to a store that shows an older state, or less,
  ///   than it did before.
  /// - Returns: What was done, and what is wrong with the store, if anything.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.removed`, `.copied`, `.notJoined`; what
  ///   reading and writing the vault throws. The vault is whole in any case.
  @discardableResult
  public func synchronize(acceptingRollback: Bool = false) throws -> SyncReport {
    try SyncRun(exchange).synchronize(acceptingRollback: acceptingRollback)
  }
}
