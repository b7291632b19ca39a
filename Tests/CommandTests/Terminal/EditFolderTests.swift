import Foundation
import Glibc
import TestSupport
import Testing

/// Where `vault edit` puts the editor's file: a folder that nobody else can exchange, and that is
/// nobody else's.
@Suite(
  .enabled(
    if: FileManager.default.fileExists(atPath: "/dev/shm"), "there is no file system in memory"))
struct EditFolderTests {
  /// A vault, an editor that notes where its file is, and a folder in memory.
  private final class Setting {
    let vault: ThrowawayVault
    let runtime = "/dev/shm/vault-test-\(UUID().uuidString)"

    init() throws {
      vault = try ThrowawayVault()
      try FileManager.default.createDirectory(
        atPath: runtime, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      let editor = "\(vault.home.path)/editor"
      let script =
        "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '\(vault.home.path)/where'\necho new > \"$1\"\n"
      try Data(script.utf8).write(to: URL(fileURLWithPath: editor))
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: editor)
    }

    deinit { try? FileManager.default.removeItem(atPath: runtime) }

    var variables: [String: String] {
      ["XDG_RUNTIME_DIR": runtime, "EDITOR": "\(vault.home.path)/editor"]
    }

    /// The files that were edited.
    func places() throws -> [String] {
      try String(contentsOfFile: "\(vault.home.path)/where", encoding: .utf8)
        .split(separator: "\n").map(String.init)
    }
  }

  private func place(_ setting: Setting) throws -> String {
    let run = try setting.vault.command.run(["edit", "k"], adding: setting.variables)
    #expect(run.status == 0, "\(run.errors)")
    return try #require(setting.places().last)
  }

  @Test func aRuntimeFolderThatOthersMayWriteIsNotUsed() throws {
    let setting = try Setting()
    #expect(try place(setting).hasPrefix("\(setting.runtime)/vault-edit."))
    unsafe chmod(setting.runtime, 0o777)
    #expect(try place(setting).hasPrefix("/dev/shm/vault-edit."))
  }

  /// As under su(1) and `sudo -E`.
  @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
  func anothersRuntimeFolderIsNotUsed() throws {
    let setting = try Setting()
    unsafe chown(setting.runtime, 65534, 65534)
    #expect(try place(setting).hasPrefix("/dev/shm/vault-edit."))
  }

  @Test func severalAtOnceDoNotTakeEachOthersFolders() throws {
    let setting = try Setting()
    let running = try (0..<12).map {
      try setting.vault.command.start(["edit", "k\($0)"], adding: setting.variables)
    }
    for run in running.map({ $0.finish() }) { #expect(run.status == 0, "\(run.errors)") }
    #expect(try Set(setting.places()).count == 12)
    for number in 0..<12 { #expect(try setting.vault("get", "k\(number)").text == "new") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: setting.runtime).isEmpty)
  }
}
