import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsFoundation
import VaultCredentialsTesting
import VaultSealing
import VaultStorage

/// What a program gets without a decision of its own: the standard sources, and the first vault.
struct FirstUseTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func locked(
    keyring: TestKeyring.State, usesKeyring: Bool = true
  ) throws -> LockedVault {
    var options = VaultOptions()
    options.use(TestKeyring(keyring))
    options.usesKeyring = usesKeyring
    options.sessionSeconds = 0
    return try LockedVault(location: home.location, options: options)
  }

  private func standard(_ variables: [String: String]) -> [KeySource] {
    KeyPlace.all { variables[$0] }.map(\.source)
  }

  @Test func thePlacesComeInTheOrderOfTheCommand() {
    let variables = [
      "VAULT_KEY_FILE": "/k", "VAULT_PASSPHRASE_FILE": "/p", "VAULT_PASSPHRASE": "w",
      "CREDENTIALS_DIRECTORY": "/c",
    ]
    #expect(
      KeyPlace.all { variables[$0] } == [
        .session, .keyFile("/k", .variable), .passphraseFile("/p", .variable),
        .environmentPassphrase, .keyring,
        .keyFile("/c/vault.key", .credential),
        .passphraseFile("/c/vault.passphrase", .credential),
      ])
    #expect(KeyPlace.all { _ in nil } == [.session, .keyring])
    // Empty variables and a relative folder name nothing.
    let empty = ["VAULT_KEY_FILE": "", "VAULT_PASSPHRASE": "", "CREDENTIALS_DIRECTORY": "here"]
    #expect(KeyPlace.all { empty[$0] } == [.session, .keyring])
  }

  @Test func aKeyringThatAnswersUnlocksTheFirstVault() throws {
    let locked = try locked(keyring: .unlocked)
    let made = try locked.blocking.unlockOrCreate(with: standard([:]))
    #expect(made.openedBy.source == .keyring)
    try made.blocking.set(name("n"), to: Secret("s"))
    // The second time, it is unlocked.
    #expect(
      try locked.blocking.unlockOrCreate(with: standard([:])).blocking.get(name("n")).text == "s")
  }

  @Test func aKeyFileComesBeforeTheKeyring() throws {
    let path = "\(home.path)/vault.key"
    _ = try KeyFile.create(path)
    let locked = try locked(keyring: .unlocked)
    let sources = standard(["VAULT_KEY_FILE": path])
    #expect(try locked.blocking.unlockOrCreate(with: sources).openedBy.source == .keyFile)
    #expect(try locked.blocking.unlockOrCreate(with: sources).openedBy.source == .keyFile)
    #expect(try locked.blocking.summary().slots.map(\.kind) == [.keyFile])
  }

  @Test func aPassphraseFileUnlocksTheFirstVault() async throws {
    let path = try home.privateFile("passphrase", "correct horse battery staple\n")
    let locked = try locked(keyring: .noBus)
    let sources = standard(["VAULT_PASSPHRASE_FILE": path])
    #expect(try await locked.unlockOrCreate(with: sources).openedBy.source == .passphrase)
    let typed = KeySource.passphrase { try SecretBytes(text: "correct horse battery staple") }
    #expect(try await locked.unlock(with: [typed]).openedBy.source == .passphrase)
  }

  @Test func aServicesCredentialUnlocksTheFirstVault() throws {
    _ = try KeyFile.create("\(home.path)/vault.key")
    let locked = try locked(keyring: .noBus)
    let sources = standard(["CREDENTIALS_DIRECTORY": home.path])
    #expect(try locked.blocking.unlockOrCreate(with: sources).openedBy.source == .keyFile)
  }

  @Test func withoutAnythingAtHandNoVaultIsCreated() throws {
    let locked = try locked(keyring: .noBus)
    let error = try #require(throws: CredentialError.self) {
      try locked.blocking.unlockOrCreate(with: standard([:]))
    }
    #expect(error.code == .noVault)
    #expect(error.message.contains("nothing at hand to unlock a new one: "))
    #expect(error.remedies == [.makeVault])
    #expect("\(error)".hasSuffix("create a vault)"))
    #expect(try !locked.blocking.exists())
    let unused = try self.locked(keyring: .unlocked, usesKeyring: false)
    #expect(code { _ = try unused.blocking.unlockOrCreate(with: standard([:])) } == .noVault)
  }

  /// A vault that the keyring unlocks would not be unlocked on the server that the key file is for.
  @Test func aNamedKeyFileThatIsMissingCreatesNothing() throws {
    let locked = try locked(keyring: .unlocked)
    let missing = "\(home.path)/nowhere/vault.key"
    for sources in [
      standard(["VAULT_KEY_FILE": missing]), [.keyFile(missing, isRequired: false), .keyring],
    ] {
      let error = try #require(throws: CredentialError.self) {
        try locked.blocking.unlockOrCreate(with: sources)
      }
      #expect(error.code == .noVault && error.message.contains(missing))
    }
    #expect(try !locked.blocking.exists())
    // A credential may be missing: its folder is the service manager's.
    let sources = standard(["CREDENTIALS_DIRECTORY": home.path])
    #expect(try locked.blocking.unlockOrCreate(with: sources).openedBy.source == .keyring)
  }

  @Test func twoAtOnceGetOneVault() async throws {
    let path = "\(home.path)/vault.key"
    _ = try KeyFile.create(path)
    let locked = try locked(keyring: .noBus)
    let sources = standard(["VAULT_KEY_FILE": path])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let open = try await locked.unlockOrCreate(with: sources)
          try await open.set(ItemName("item-\(number)"), to: Secret("s"))
        }
      }
      try await group.waitForAll()
    }
    #expect(try locked.blocking.unlock(with: sources).blocking.items().count == 8)
  }

  @Test func aPassphraseFileIsReadWithoutItsNewline() throws {
    let longest = String(repeating: "x", count: 4_096)
    for (text, expected) in [
      ("word\n", "word"), ("word", "word"), ("word\n\n", "word\n"), ("", ""),
      (longest + "\n", longest),
    ] {
      let path = try home.privateFile("passphrase", text)
      #expect(try PassphraseFile.read(path)?.isEqual(to: SecretBytes(text: expected)) == true)
    }
    let long = try home.privateFile("long", longest + "x")
    #expect(code { _ = try PassphraseFile.read(long) } == .invalidValue)
    #expect(code { _ = try PassphraseFile.read("\(home.path)/none") } == .fileNotFound)
    #expect(try PassphraseFile.read("\(home.path)/none", isOptional: true) == nil)
    #expect(code { _ = try PassphraseFile.read(home.path) } == .configuration)
  }

  @Test func anErrorIsShownWithWhatToDo() throws {
    let error = try #require(throws: CredentialError.self) {
      try locked(keyring: .noBus).blocking.unlock()
    }
    #expect("\(error)" == "\(error.message) (create a vault)")
    #expect(error.localizedDescription == error.message)
    #expect((error as any Error as? any LocalizedError)?.recoverySuggestion == "create a vault")
    for remedy in Remedy.allCases {
      #expect(!remedy.description.contains("--") && remedy.description.first?.isLowercase == true)
    }
    #expect(Set(Remedy.allCases.map(\.description)).count == Remedy.allCases.count)
  }
}
