import Synchronization
package import VaultCredentials
import VaultKeyringTransport
package import VaultStorage
import VaultTerminal

/// The vault that a line means, and how to unlock it.
package struct VaultSettings: Equatable, Sendable {
  package var home: String?
  package var vaultName: String?
  package var writesJSON = false
  package var passphrase: SecretSource?
  package var keyFile: String?
  /// Whether a key file that others may read is trusted from now on.
  package var trustsKeyFile = false
  package var keyringTimeout: Int?
  package var acceptsRollback = false
  package var usesSession = true
  package var usesKeyring = true
  package var requiresEncryptedSession = false
  /// The length of a new session; `nil` for the default.
  package var sessionSeconds: Int?
  /// Whether nobody is there to be asked.
  package var isUnattended = false
  /// Who makes the changes.
  package var origin = ChangeOrigin.person
  /// Whether a change may start a run that brings it to a store.
  package var startsSync = true

  package init() {}

  /// The files that the line names to open the vault with: of a key, or of a passphrase.
  package var keyFiles: [String] {
    var files = [keyFile].compactMap(\.self).filter { $0 != SecretInput.standardInput }
    if case .file(let path) = passphrase { files.append(path) }
    return files
  }

  /// Whether what unlocks the vault comes from stdin, which then holds nothing else.
  package var usesStandardInput: Bool {
    passphrase?.usesStandardInput == true || keyFile == SecretInput.standardInput
  }

  /// Whether what unlocks the vault comes from an open descriptor, as stdin is one: it is read once.
  package var usesDescriptor: Bool {
    let files =
      keyFile.map { [$0] }
      ?? [EnvironmentNames.keyFile, EnvironmentNames.passphraseFile].compactMap {
        ProcessState.variable($0)
      }
    return passphrase?.usesDescriptor == true || usesStandardInput
      || files.contains(where: SecretSource.isDescriptor)
  }

  /// The same for a process that opens the vault again and again, and asks nobody.
  ///
  /// - Returns: The settings.
  /// - Throws: ``CommandError`` with code `.usage` for a source that can be read once.
  package func openingAgain() throws -> VaultSettings {
    guard !usesDescriptor else {
      throw CommandError.usage(
        "what opens the vault is needed again and again, and stdin or a descriptor has it once",
        hint: "use --key-file, or --passphrase file:PATH")
    }
    var settings = self
    settings.isUnattended = true
    settings.startsSync = false
    return settings
  }

  /// Returns the locked vault.
  ///
  /// - Parameters:
  ///   - name: A vault other than the one that the line means.
  ///   - asksNobody: Whether to show no keyring prompt and start no session, for only looking.
  /// - Returns: The vault; nothing has been read yet.
  /// - Throws: `CredentialError` with code `.configuration`.
  package func locked(named name: String? = nil, asksNobody: Bool = false) throws -> LockedVault {
    let name = name ?? vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
    if let name, name.utf8.contains(UInt8(ascii: "/")) { throw Self.pathForName(name) }
    var options = VaultOptions()
    options.acceptsRollback = acceptsRollback
    options.origin = origin
    options.usesKeyring = usesKeyring
    options.requiresEncryptedKeyringSession = requiresEncryptedSession
    options.remindsOfSingleSlot = StandardError.isTerminal
    options.allowsKeyringPrompt = ProcessState.hasDisplay && !asksNobody
    if options.allowsKeyringPrompt { options.keyringPrompt = KeyringPromptCancellation.watch() }
    if ProgressLine.isShown { options.progress = VaultProgressLines().show }
    if ProcessState.variable(EnvironmentNames.log) == "debug" {
      options.unlockStep = { StandardError.line("\(ProgramName.current): debug: \($0)") }
    }
    if trustsKeyFile {
      options.whenKeyFileTrusted = { path in
        StandardError.warning(
          "others may read \(path), and with a copy of the vault file open it",
          hint: "never keep both on one stick; the file is used from now on without this warning")
      }
    }
    if let keyringTimeout { options.keyringTimeout = .seconds(keyringTimeout) }
    if let sessionSeconds { options.sessionSeconds = sessionSeconds }
    if !usesSession || asksNobody { options.sessionSeconds = 0 }
    options.keyringLookup = { identity, bus, end in
      try Self.lookup.secret(of: identity, bus: bus, until: end)
    }
    options.desktopKeyring = Self.keyrings.withLock { keyrings in
      let known = options.allowsKeyringPrompt ? keyrings.asking : keyrings.silent
      if let known { return known }
      let keyring = options.makeKeyring()
      if options.allowsKeyringPrompt {
        keyrings.asking = keyring
      } else {
        keyrings.silent = keyring
      }
      return keyring
    }
    let location = try location()
    options.sessionLimit = { try ProgramPreferences(at: location).sessionLimit() }
    return try LockedVault(location: location, name: name, options: options)
  }

  /// One keyring for all vaults that a command opens, by whether it may prompt, so that a hung one
  /// is waited for only once.
  private struct Keyrings: Sendable {
    var asking: (any DesktopKeyring)?
    var silent: (any DesktopKeyring)?
  }

  private static let keyrings = Mutex(Keyrings())
  private static let lookup = SecretLookup()

  package func location() throws -> StoreLocation {
    if let home = try home ?? StoreLocation.place(EnvironmentNames.home) {
      return StoreLocation(home: home)
    }
    return try StoreLocation()
  }

  /// A path where a vault's name belongs, as it is typed by habit.
  private static func pathForName(_ path: String) -> CommandError {
    var folder = path
    if folder.ends(with: "/secrets.vault") {
      folder = String(folder.utf8.dropLast("/secrets.vault".utf8.count)) ?? folder
    }
    let program = ProgramName.current
    return CommandError(
      .invalidName, "a vault has a name, not a path",
      hint: "for another folder: \(program) --home \(folder.isEmpty ? "/" : folder) …; "
        + "your vaults: \(program) list --vaults")
  }

}
