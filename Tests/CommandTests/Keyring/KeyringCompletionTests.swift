import Foundation
import TestSupport
import Testing

/// Names complete where an open keyring opens the vault, and no keyring is waited for at a key press.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct KeyringCompletionTests {
  private func offered(
    _ vault: KeyringFallbackTests.DesktopVault, in session: KeyringSession
  ) throws -> KeyringSession.Run {
    try session.run(
      VaultProcess.path, ["__complete", "3", "vault", "--no-session", "get", "token"],
      adding: ["VAULT_HOME": "\(vault.home.path)/vault"])
  }

  @Test func anOpenKeyringNeedsNoQuestion() throws {
    let vault = try KeyringFallbackTests.DesktopVault(hasKeyFile: false)
    let open = try offered(vault, in: vault.session)
    #expect(open.text == "none\napi-token\t", "\(open.errors)")
    #expect(open.errors.isEmpty)
  }

  @Test(arguments: [KeyringSession.State.locked, .mute, .noBus, .noProvider])
  func aKeyringThatDoesNotOpenIsLeftAlone(state: KeyringSession.State) throws {
    let vault = try KeyringFallbackTests.DesktopVault(hasKeyFile: false)
    let none = try offered(vault, in: KeyringSession(state))
    #expect(none.status == 0)
    #expect(none.text == "none", "\(none.text)")
    #expect(none.errors.isEmpty)
    // The wait for one that does not answer is a second; the rest is for a busy machine.
    #expect(none.duration < .seconds(15), "\(none.duration)")
  }
}
