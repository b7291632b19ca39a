import Foundation
import TestSupport
import Testing

/// What `vault connect NAME` says of programs that have nothing to configure, typed as it stands
/// there: a real program gets its secret so, and does not without it.
///
/// The servers are the test's own.
struct ByHandTests {
  /// A program with what it needs here.
  struct Program: CustomTestStringConvertible {
    let name: String
    let needs: [String]
    /// Whether it takes a user of the test's own, whom only root can make.
    var isRoots = false

    var testDescription: String { name }

    var canPlay: Bool {
      needs.allSatisfy { name in
        ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"].contains {
          FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
      } && (!isRoots || Self.hasMounts)
    }

    private static let hasMounts =
      geteuid() == 0
      && (try? PythonScript.run("/usr/bin/env", ["unshare", "--mount", "true"]).status) == 0
  }

  private static let programs = [
    Program(name: "terraform", needs: ["terraform"]),
    Program(name: "kubectl", needs: ["kubectl", "openssl"]),
    Program(name: "ssh", needs: ["ssh", "sshd", "ssh-keygen"]),
    Program(
      name: "ssh-password", needs: ["ssh", "sshd", "ssh-keygen", "openssl"], isRoots: true),
    Program(name: "sudo", needs: ["sudo", "setpriv", "openssl"], isRoots: true),
  ].filter { $0.canPlay }

  @Test(
    .enabled(
      if: PythonScript.hasPython && !programs.isEmpty, "needs python3 and one of the programs"),
    arguments: programs)
  func theLineGivesItsSecret(_ program: Program) throws {
    let vault = try ThrowawayVault()
    let played = try PythonScript("by_hand").run(
      [program.name, VaultProcess.path, vault.home.path])
    #expect(played.status == 0, "\(played.errors)")
  }
}
