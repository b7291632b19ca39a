import Foundation
import TestSupport
import Testing

/// The unit of Documentation/servers.md, run by a real systemd: a key from `LoadCredential=`, for a
/// service of another user.
struct SystemdTests {
  /// Root, systemd, and a hierarchy of cgroups (version 1) in which a group can be made.
  private static let canRun =
    geteuid() == 0
    && ["/usr/lib/systemd/systemd", "/usr/bin/setpriv", "/usr/bin/unshare"]
      .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    && FileManager.default.isWritableFile(atPath: "/sys/fs/cgroup/systemd/cgroup.procs")

  /// The first unit of the page.
  private func unit() throws -> String {
    let page = try DocumentationPage("servers.md").text
    let start = try #require(page.firstRange(of: "```ini\n")).upperBound
    let end = try #require(page[start...].firstRange(of: "```")).lowerBound
    return String(page[start..<end])
  }

  @Test(.enabled(if: canRun, "needs root, systemd and a cgroup hierarchy that can be written to"))
  func theUnitOfTheDocumentationGetsItsSecret() throws {
    let home = try TemporaryHome()
    // The service's user writes nothing here; systemd opens the files.
    let unit = try unit()
      .replacing("User=app", with: "User=nobody\nType=oneshot")
      .replacing("/etc/credstore", with: "/run/credstore")
      .replacing("/var/lib/app", with: "/run/app")
      .replacing("/usr/local/bin/vault", with: "/run/vault")
      .replacing("/usr/local/bin/app", with: "/bin/sh -c 'id -un; printenv API_TOKEN'")
    try Data(unit.utf8).write(to: URL(fileURLWithPath: "\(home.path)/unit"))
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Scripts/systemd.sh").path
    let run = try VaultProcess(home: home.path, executable: "/bin/sh").run([
      script, home.path, VaultProcess.path, "\(home.path)/unit",
    ])
    func file(_ name: String) -> String {
      (try? String(contentsOfFile: "\(home.path)/\(name)", encoding: .utf8)) ?? ""
    }
    #expect(file("out") == "nobody\nmade-up\n", "\(file("err"))\(file("console"))\(run.errors)")
    #expect(file("err") == "")
  }
}
