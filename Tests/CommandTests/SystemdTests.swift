import Foundation
import TestSupport
import Testing

/// The unit of Documentation/servers.md, run by a real systemd: a key from `LoadCredential=`, for a
/// service of another user.
struct SystemdTests {
  /// Root, systemd, and a hierarchy of cgroups (version 1) in which a group can be made.
  static let canRun =
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
    let run = try Self.inContainer(
      "systemd.sh", [home.path, VaultProcess.path, "\(home.path)/unit"], home: home.path)
    func file(_ name: String) -> String {
      (try? String(contentsOfFile: "\(home.path)/\(name)", encoding: .utf8)) ?? ""
    }
    #expect(file("out") == "nobody\nmade-up\n", "\(file("err"))\(file("console"))\(run.errors)")
    #expect(file("err") == "")
  }

  /// What `connect keyring` and `connect keyring socket` write, started by a user's own manager.
  @Test(
    .enabled(
      if: canRun && FileManager.default.isExecutableFile(atPath: "/usr/bin/secret-tool"),
      "needs root, systemd, a cgroup hierarchy that can be written to, and secret-tool"))
  func aUsersManagerStartsTheKeyring() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "made-up")
    let run = try Self.inContainer(
      "systemd_user.sh", [VaultProcess.path, vault.keyFile], home: vault.home.path)
    var lines = run.text.split(separator: "\n")
    // Where Debian's package dbus-user-session is installed.
    lines.removeAll { $0 == "bus: made-up, active" }
    #expect(lines == ["socket: made-up, active", "again: made-up", "gone"], "\(run.errors)")
    #expect(run.status == 0)
  }

  static func inContainer(
    _ script: String, _ arguments: [String], home: String
  ) throws -> VaultProcess.Result {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Scripts").path
    return try VaultProcess(home: home, executable: "/bin/sh").run(
      ["\(folder)/systemd_container.sh", "\(folder)/\(script)"] + arguments)
  }
}
