import Foundation
import TestSupport
import Testing

/// `vault-helper browser`: what a client of its own sees, that of an extension and that of none.
@Suite(.enabled(if: PythonScript.hasSodium, "needs python3 and libsodium's library"))
struct BrowserHostTests {
  private func run(_ test: String) throws {
    let run = try BrowserBench().python("browser_host.py", test)
    #expect(run.status == 0, "\(test): \(run.errors)")
    #expect(!run.errors.contains("s3cr3t"), "\(test)")
  }

  @Test(arguments: [
    "protocol", "logins", "answers", "never", "joined", "always", "planted", "crowd", "store",
    "folders",
  ])
  func anExtensionIsAnswered(test: String) throws { try run(test) }

  @Test(
    .enabled(if: KernelKeys.areAvailable, Comment(rawValue: KernelKeys.missing)),
    arguments: ["locking", "session"])
  func aLockIsHeardAtOnce(test: String) throws { try run(test) }

  /// Lengths that lie, bytes that are no JSON, no UTF-8 or no message.
  @Test(arguments: ["lengths", "junk"])
  func whatIsNoMessageIsNone(test: String) throws { try run(test) }

  /// Wrong keys, nonces that come again, client ids of others.
  @Test func onlyTheClientOfTheKeysIsAnswered() throws { try run("secrets") }

  @Test func nothingIsGivenWithoutAnAssociation() throws { try run("association") }

  /// Another's login, a host that looks like it, http in the place of https, a reference.
  @Test func aSiteGetsItsOwnLoginsAlone() throws { try run("sites") }

  @Test func aFloodIsOneQuestionAndLimited() throws { try run("flood") }

  @Test func twoProfilesAtOnce() throws { try run("profiles") }

  /// Silence, a browser that goes, another extension, a signal.
  @Test func nobodyIsNoYes() throws { try run("nobody") }
}
