import Foundation
import TestSupport
import Testing

/// Real programs log in with what they have in plain text, with what `connect --move` has put into
/// the vault, and with what `disconnect` has put back.
///
/// The servers are the test's own.
struct MovedClientTests {
  /// A client of a search path, which `make test` makes longer by what PyPI has.
  struct Client: CustomTestStringConvertible {
    let name: String
    var testDescription: String { name }

    var isThere: Bool {
      let words = name == "kubectl" ? ["version", "--client"] : ["--version"]
      return (try? PythonScript.run("/usr/bin/env", [name] + words).status) == 0
    }
  }

  private static let clients = [
    "npm", "cargo", "gh", "twine", "psql", "kubectl", "docker", "skopeo", "curl",
  ].map(Client.init)
    .filter(\.isThere)
  private static let canPlay =
    PythonScript.hasPython
    && (try? PythonScript.run("/usr/bin/env", ["openssl", "version"]).status) == 0

  @Test(
    .enabled(if: canPlay && !clients.isEmpty, "needs python3, openssl and a client"),
    arguments: clients)
  func itLogsInBeforeAfterAndBack(_ client: Client) throws {
    let vault = try ThrowawayVault()
    let played = try PythonScript("moved_clients").run(
      [client.name, VaultProcess.path, vault.home.path])
    #expect(played.status == 0, "\(played.errors)")
  }
}
