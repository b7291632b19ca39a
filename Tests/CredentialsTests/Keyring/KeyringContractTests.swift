import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// What the vault relies on in a keyring holds for the one of tests and for a real gnome-keyring.
struct KeyringContractTests {
  @Test(arguments: KeyringContract.Rule.allCases)
  func theKeyringOfTestsHoldsTheContract(rule: KeyringContract.Rule) throws {
    let keyring = TestKeyring()
    keyring.store(try Secret("theirs"), attributes: ["service": "mail", "username": "me"])
    try KeyringContract(keyring).check(rule)
    #expect(keyring.attributes == [["service": "mail", "username": "me"]])
    #expect(keyring.secret(service: "mail", username: "me")?.text == "theirs")
  }

  @Test(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
  func aRealKeyringHoldsTheContract() throws {
    let keyring = try ProbedKeyring(.unlocked)
    _ = try keyring.secretTool(
      "store", "--label=theirs", "service", "mail", "username", "me", input: Data("theirs".utf8))
    let path = try keyring.ask("items").text.prefix { $0 != " " }
    #expect(try keyring.ask("contract").text == "holds")
    #expect(try keyring.ask("--direct", "contract").text == "holds")
    let items = try keyring.ask("items").text.split(separator: "\n")
    #expect(items.map { $0.prefix { $0 != " " } } == [path])
    #expect(
      try keyring.secretTool("lookup", "service", "mail", "username", "me").text == "theirs")
  }

  @Test(arguments: [TestKeyring.State.locked, .lockedWithDisplay])
  func aLockedKeyringOfTestsHoldsTheContract(state: TestKeyring.State) throws {
    let keyring = TestKeyring(state)
    keyring.store(try Secret("ours"), attributes: ["service": "vault", "username": "api-token"])
    try KeyringContract(keyring).checkWhileLocked()
  }

  @Test(
    .enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"),
    arguments: [KeyringSession.State.locked, .coldLocked])
  func aLockedRealKeyringHoldsTheContract(state: KeyringSession.State) throws {
    let keyring = try ProbedKeyring(state)
    #expect(try keyring.ask("contract", "locked").text == "holds")
    #expect(try keyring.ask("--direct", "contract", "locked").text == "holds")
  }

  /// The suite fails where it should: for a keyring that is not what is asked for.
  @Test func aKeyringInTheWrongStateBreaksTheContract() throws {
    // What a locked keyring does not find is not there: it may say so.
    for rule in KeyringContract.Rule.allCases where rule != .saysWhatIsMissing {
      #expect(throws: ContractViolation.self) {
        try KeyringContract(TestKeyring(.locked)).check(rule)
      }
    }
    for rule in KeyringContract.Rule.allCases {
      for state in [TestKeyring.State.noBus, .notAnswering, .unusableReply] {
        #expect(throws: ContractViolation.self) {
          try KeyringContract(TestKeyring(state)).check(rule)
        }
      }
    }
    #expect(throws: ContractViolation.self) {
      try KeyringContract(TestKeyring()).checkWhileLocked()
    }
  }

  @Test(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
  func aServiceThatCutsSecretsBreaksTheContract() throws {
    let found = try ProbedKeyring("cutting").ask("contract", "keepsText").text
    #expect(found.hasPrefix("keepsText: a secret of 8193 bytes"), "\(found)")
  }
}
