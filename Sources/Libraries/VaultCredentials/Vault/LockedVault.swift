import VaultSealing
public import VaultStorage

/// A vault that is not open: what can be known and done without its key.
///
/// ```swift
/// let locked = try LockedVault(location: StoreLocation())
/// let vault = try await locked.unlock()
/// let token = try await vault.get(ItemName("api-token"))
/// ```
///
/// Every call exists twice: `async`, which runs on a thread of its own, and under
/// ``blocking-swift.property``, which waits on the calling thread.
public struct LockedVault: Sendable {
  let folder: VaultFolder
  var options: VaultOptions
  /// One connection to the keyring for everything this vault does; nothing is touched before it is
  /// needed.
  let keyring: any DesktopKeyring

  /// A vault at a location.
  ///
  /// Nothing is read or made yet.
  ///
  /// - Parameters:
  ///   - location: Where vaults lie.
  ///   - name: Another vault's name; `nil` for the default one.
  ///   - options: How to behave towards time, prompts and the keyring.
  /// - Throws: ``CredentialError`` with code `.configuration` if the name cannot be used.
  public init(
    location: StoreLocation, name: String? = nil, options: VaultOptions = VaultOptions()
  ) throws {
    folder = try VaultFolder(location: location, name: name)
    self.options = options
    keyring = options.desktopKeyring ?? options.makeKeyring()
  }

  /// The vault file's path.
  public var path: String { folder.path }

  /// The folder and the name of the vault file, at the end of links: to be watched.
  package var place: (folder: String, name: String) { folder.place }

  /// The vault's name; `nil` for the default one.
  package var name: String? { folder.name }

  /// Whether vaults with a name are kept beside the default one.
  package var hasNamedVaults: Bool { folder.hasNamedVaults }

  /// Runs a blocking call on a thread of its own, so that Swift's cooperative threads never wait
  /// for files, locks, Argon2 or the bus.
  func waiting<Result: Sendable>(
    _ call: @escaping @Sendable (Blocking) throws -> Result
  ) async throws -> Result {
    try await BlockingThread.run(name: "vault") { try call(self.blocking) }
  }

  /// Runs a blocking call that cannot fail on a thread of its own.
  func waiting<Result: Sendable>(
    _ call: @escaping @Sendable (Blocking) -> Result
  ) async -> Result {
    await BlockingThread.run(name: "vault") { call(self.blocking) }
  }

  /// The same calls, for programs and threads that may wait.
  public var blocking: Blocking { Blocking(vault: self) }

  /// The calls that wait on the calling thread.
  public struct Blocking: Sendable {
    let vault: LockedVault
    var folder: VaultFolder { vault.folder }

    /// Returns whether there is a vault file.
    ///
    /// - Returns: `true` if there is one, whether or not it can be read.
    /// - Throws: ``CredentialError`` with code `.unsafeFile` or `.permissionDenied`.
    public func exists() throws -> Bool { try folder.exists() }

    /// Returns what the file shows without a key.
    ///
    /// - Returns: The vault's id, generation and slots.
    /// - Throws: ``CredentialError`` with code `.noVault`, `.damaged`, `.newerVersion`,
    ///   `.unsafeFile`.
    public func summary() throws -> VaultSummary {
      VaultSummary(path: folder.path, header: try sealedFile().header)
    }

    /// The state of the session in the kernel's keyring.
    ///
    /// - Returns: None, active, or refused by the kernel.
    /// - Throws: ``CredentialError`` with code `.noVault` or `.damaged`.
    public func session() throws -> SessionState {
      do {
        guard let session = try Session.current(vaultID: try sealedFile().header.vaultID) else {
          return .none
        }
        return .active(secondsLeft: session.secondsLeft)
      } catch let error as KernelKeyring.Refusal {
        return .unavailable(reason: error.explanation)
      }
    }

    /// Ends the session in every process at once, and locks the vault in every process that serves
    /// it.
    ///
    /// That needs no vault file: where it cannot be read, and so does not say which session is its
    /// own, the sessions of all the user's vaults end.
    ///
    /// - Returns: Whether there was a session, or a process that served the vault.
    /// - Throws: ``CredentialError`` with code `.permissionDenied` if the kernel keeps a session that
    ///   is there, or a process that serves the vault cannot be told.
    public func lock() throws -> Bool {
      let vaultID = try? sealedFile().header.vaultID
      // Before the session: whatever the kernel says of that, nobody serves the vault any more.
      let served = Result {
        try ServingPermit.withdraw(vaultID: vaultID, inState: folder.location.state)
      }
      let hadSession: Bool
      do {
        hadSession = try vaultID.map { try Session.end(vaultID: $0) } ?? Session.endAll()
      } catch let refusal as KernelKeyring.Refusal where refusal.call == KernelKeyring.revokeCall {
        throw CredentialError(
          .permissionDenied, "the session could not be ended: \(refusal.explanation)",
          hint: "'keyctl show @u' lists it; 'keyctl clear @u' ends it and all others")
      } catch is KernelKeyring.Refusal {
        // Without the key service there is no session.
        hadSession = false
      }
      return try served.get() || hadSession
    }

    /// Opens the vault with the first of `sources` that can.
    ///
    /// - Parameter sources: What may open it, in order; by default all that the `vault` command tries
    ///   without asking.
    /// - Returns: The open vault.
    /// - Throws: ``CredentialError``: `.noVault`; `.locked` if no source was at hand; `.wrongKey` if
    ///   a required one does not fit; `.damaged`, `.weakSlot`, `.newerVersion`, `.rolledBack`;
    ///   `.keyringUnavailable`, `.keyringLocked` if only the keyring could have opened it.
    public func unlock(with sources: [KeySource] = KeySource.standard) throws -> UnlockedVault {
      try VaultOpening(vault: vault, sealed: try sealedFile()).open(with: sources)
    }

    /// Creates a vault.
    ///
    /// - Parameter slots: What is to open it; at least one.
    /// - Returns: The open vault, empty.
    /// - Throws: ``CredentialError`` with code `.vaultExists`, `.invalidValue`, `.cannotCreate`, or a
    ///   keyring's code if a keyring slot cannot be made.
    public func create(slots: [NewKeySlot]) throws -> UnlockedVault {
      try VaultCreation(vault: vault).create(slots: slots)
    }

    func sealedFile() throws -> VaultFile {
      guard let sealed = try folder.read() else {
        throw CredentialError(
          .noVault, "there is no vault at \(folder.path)",
          remedies: vault.name == nil ? [.makeVault] : [.listVaults, .makeNamedVault])
      }
      return sealed
    }
  }
}

/// The part of a vault file that can be read without a key.
public struct VaultSummary: Sendable {
  /// The path of the file.
  public let path: String
  /// The vault's random id, 32 hex digits.
  public let id: String
  /// The number of times that the file was written.
  public let generation: UInt64
  /// The key slots; their labels are empty, since they are sealed.
  public let slots: [KeySlot]
  /// Bytes of the file.
  public let fileSize: Int

  init(path: String, header: VaultHeader) {
    self.path = path
    id = Hexadecimal.text(header.vaultID)
    generation = header.generation
    slots = header.slots.map { KeySlot($0, label: "") }
    fileSize = header.length + Int(header.indexLength) + Int(header.itemsLength)
  }
}

/// The state of the session in the kernel's keyring.
public enum SessionState: Sendable, Equatable {
  /// There is none.
  case none
  /// The vault is open for so long.
  case active(secondsLeft: Int)
  /// The kernel refuses its key service; the reason in words.
  case unavailable(reason: String)
}

extension KeySlot {
  init(_ record: SlotRecord, label: String) {
    id = Hexadecimal.text(record.id)
    kind = Kind(type: record.type)
    self.label = label
    memoryMiB = Int(record.cost.memoryKiB >> 10)
    passes = Int(record.cost.passes)
  }
}
