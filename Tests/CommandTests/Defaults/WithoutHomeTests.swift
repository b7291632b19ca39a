import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Services without a home read what the administrator and packages give.
struct WithoutHomeTests {
  private let home: TemporaryHome
  private let vault: VaultProcess

  init() throws {
    home = try TemporaryHome()
    let folder = "\(home.path)/xdg/vault/defaults"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("<plist><dict><key>greeting</key><string>hi</string></dict></plist>".utf8)
      .write(to: URL(fileURLWithPath: "\(folder)/com.x.plist"))
    vault = VaultProcess(home: home.path, environment: ["XDG_CONFIG_DIRS": "\(home.path)/xdg"])
  }

  /// A file in the place of the home, and a home in which nothing can be made.
  @Test(arguments: ["file", "file/below", "none/at/all"])
  func theSitesValuesAreRead(place: String) throws {
    try Data().write(to: URL(fileURLWithPath: "\(home.path)/file"))
    let environment = ["HOME": "\(home.path)/\(place)"]
    let read = try vault.run(
      ["defaults", "read", "--effective", "com.x", "greeting"], adding: environment)
    #expect(read.status == 0, "\(read)")
    #expect(read.text == "hi\n")
    let own = try vault.run(["defaults", "read", "com.x", "greeting"], adding: environment)
    #expect(own.status == 1)
    #expect(own.errors.contains("does not exist"))
    #expect(own.errors.contains("warning: no settings of the user are read"), "\(own.errors)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func anArbitraryUserReadsThem() throws {
    for folder in ["", "/xdg", "/xdg/vault", "/xdg/vault/defaults"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: home.path + folder)
    }
    let program = "\(home.path)/vault"
    try FileManager.default.copyItem(atPath: VaultProcess.path, toPath: program)
    let closed = "\(home.path)/closed"
    try FileManager.default.createDirectory(
      atPath: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let setpriv = VaultProcess(
      home: home.path, environment: ["XDG_CONFIG_DIRS": "\(home.path)/xdg"],
      executable: "/usr/bin/setpriv")
    for place in [closed, "\(home.path)/none"] {
      let read = try setpriv.run(
        [
          "--reuid=12345", "--regid=12345", "--clear-groups", program, "defaults", "read",
          "--effective", "com.x", "greeting",
        ], adding: ["HOME": place])
      #expect(read.text == "hi\n", "\(place): \(read)")
      #expect(read.status == 0)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can work in another user's home"))
  func rootMakesNothingInTheHomeOfAnotherUser() throws {
    let theirs = "\(home.path)/theirs"
    try FileManager.default.createDirectory(
      atPath: theirs, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: theirs)
    let refused = try vault.run(["defaults", "write", "a", "k", "1"], adding: ["HOME": theirs])
    #expect(refused.status == 1)
    #expect(refused.errors.contains("belongs to another user (12345, not 0)"))
    #expect(home.names(in: "theirs") == [])
    let schema = "\(home.path)/x.gschema.xml"
    try """
    <schemalist><schema id="org.x" path="/org/x/"><key name="k" type="i"><default>1</default></key>
    </schema></schemalist>
    """.write(toFile: schema, atomically: true, encoding: .utf8)
    for line in [
      ["write", "a", "k", "--to-file", "1"], ["import", "--format", "gschema", schema],
      ["record", "kconfig", "--once", "apprc"],
    ] {
      let refused = try vault.run(["defaults"] + line, adding: ["HOME": theirs])
      #expect(refused.status == 1, "\(line)")
      #expect(refused.errors.contains("belongs to another user"), "\(line): \(refused.errors)")
      #expect(home.names(in: "theirs") == [], "\(line)")
    }
    let inCI = try vault.run(
      ["defaults", "write", "a", "k", "1"], adding: ["HOME": theirs, "CI": "true"])
    #expect(inCI.status == 0, "\(inCI.errors)")
  }
}
