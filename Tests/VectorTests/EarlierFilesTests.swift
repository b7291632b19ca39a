import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultPreferences
import VaultSealing
import VaultStorage

/// Files that earlier versions wrote open and say the same as they did then.
///
/// `make_vectors.py` wrote the files and the answers with the command of that version.
struct EarlierFilesTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private func vectors(_ name: String, _ version: String) throws -> VectorHome {
    try VectorHome(name, of: version, to: home.path)
  }

  private func command(_ vectors: VectorHome) -> VaultProcess {
    VaultProcess(
      home: vectors.home,
      environment: [
        "VAULT_KEY_FILE": "\(vectors.home)/vault.key", "TZ": "UTC", "LC_ALL": "C.UTF-8",
      ])
  }

  @Test(arguments: VectorHome.versions) func theCommandReadsTheSame(version: String) throws {
    let vectors = try vectors("plain", version)
    let command = command(vectors)
    try Transcript.compare(vectors.transcript("reading.txt"), in: vectors.home) { words in
      let result = try command.run(words)
      return (result.status, result.output)
    }
  }

  @Test(arguments: VectorHome.versions) func theCommandGoesOnFromThere(version: String) throws {
    let vectors = try vectors("plain", version)
    let command = command(vectors)
    try Transcript.compare(vectors.transcript("changing.txt"), in: vectors.home) { words in
      let result = try command.run(words)
      return (result.status, result.output)
    }
  }

  @Test(arguments: VectorHome.versions)
  func aVaultWithCopiesReadsTheSameWithoutItsKeyring(version: String) throws {
    let vectors = try vectors("published", version)
    let command = command(vectors)
    try Transcript.compare(vectors.transcript("reading.txt"), in: vectors.home) { words in
      let result = try command.run(words)
      return (result.status, result.output)
    }
  }

  @Test(
    .enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"),
    arguments: VectorHome.versions)
  func theKeyringOpensItAndItsCopiesAreBroughtUpToDate(version: String) throws {
    let original = try vectors("published", version).original
    let session = try KeyringSession(.unlocked, seed: "\(original)/keyring")
    let vectors = try VectorHome("published", of: version, to: session.home)
    func copy(of name: String) throws -> String {
      try session.run(
        "/usr/bin/secret-tool", ["lookup", "service", "vault", "username", "copied/\(name)"]
      ).text
    }
    #expect(try copy(of: "two") == "made-up two")
    #expect(try copy(of: "three") == "made-up three")
    try Transcript.compare(vectors.transcript("changing.txt"), in: vectors.home) { words in
      let run = try session.run(VaultProcess.path, words)
      return (run.status, run.output)
    }
    #expect(try copy(of: "two") == "made-up two, newer")
    #expect(try ["three", "four", "five"].map(copy) == ["", "", ""])
    #expect(try copy(of: "fourth") == "made-up four")
  }

  @Test(arguments: VectorHome.versions)
  func everySlotOpensTheVaultAndItsBackup(version: String) throws {
    let vectors = try vectors("plain", version)
    let passphrase = try vectors.text("passphrase")
    let code = try vectors.text("recovery-code")
    let sources: [KeySource] = [
      .keyFile("\(vectors.home)/vault.key"),
      .passphrase { try SecretBytes(copying: Array(passphrase.utf8)) },
      .recoveryCode { try SecretBytes(copying: Array(code.utf8)) },
    ]
    let location = StoreLocation(home: "\(vectors.data)/vault")
    for source in sources {
      let vault = try LockedVault(location: location, options: .alone).blocking
      let open = try vault.unlock(with: [source]).blocking
      #expect(try open.get(ItemName("api-token")).text == "made-up token 5")
      #expect(try open.items().count == 19)
    }
    let restored = StoreLocation(home: "\(vectors.home)/restored")
    let vault = try LockedVault(location: restored, options: .alone).blocking
    try vault.restore(from: "\(vectors.home)/backup.vault")
    let open = try vault.unlock(with: [sources[0]]).blocking
    #expect(try open.get(ItemName("api-token")).text == "made-up token 4")
    #expect(try open.get(ItemName("api-token"), version: 1).text == "made-up token 1")
    #expect(try open.check().isDamaged == false)
  }

  @Test(arguments: VectorHome.versions) func preferencesAreThere(version: String) throws {
    let vectors = try vectors("plain", version)
    let location = StoreLocation(home: "\(vectors.data)/vault")
    let open = try LockedVault(location: location, options: .alone).blocking
      .unlock(with: [.keyFile("\(vectors.home)/vault.key")])
    let tool = try PreferenceStore(
      domain: "com.example.tool", location: location, managedDirectory: "\(vectors.home)/none")
    #expect(tool.string(forKey: "theme") == "light")
    #expect(tool.integer(forKey: "size") == -42)
    #expect(tool.double(forKey: "scale") == 2.5)
    #expect(tool.bool(forKey: "on"))
    #expect(tool.string(forKey: "language") == "de")
    #expect(tool.string(forKey: "gone") == nil)
    let sealed = try PreferenceStore(
      domain: "com.example.sealed", location: location, managedDirectory: "\(vectors.home)/none",
      keys: open.blocking)
    #expect(sealed.string(forKey: "token") == "made-up-sealed-token")
  }
}
