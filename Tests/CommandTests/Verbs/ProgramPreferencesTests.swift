import Foundation
import TestSupport
import Testing
import VaultCommandCore
import VaultCredentials
import VaultPreferences
import VaultTerminal

/// The preferences of the command itself: limits that no vault and no line exceeds.
struct ProgramPreferencesTests {
  private let vault: ThrowawayVault

  init() throws { vault = try ThrowawayVault() }

  private func secondsLeft(_ words: String...) throws -> Int? {
    let result = try vault.command.run(["unlock", "--json"] + words)
    #expect(result.status == 0, "\(result.errors)")
    let object = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    return object?["secondsLeft"] as? Int
  }

  @Test func theirSchemaIsThereWithoutAFile() throws {
    let described = try vault("defaults", "describe", ProgramPreferences.domain)
    #expect(described.status == 0)
    #expect(described.text.contains("sessionAtMost (integer)"))
    #expect(described.text.contains("clipboardAtMost (integer)"))
    let domain = ProgramPreferences.domain
    #expect(try vault("defaults", "write", domain, "sessionAtMost", "-int", "2592001").status == 1)
    #expect(try vault("defaults", "write", domain, "sessionAtMost", "-int", "-1").status == 1)
    #expect(try vault("defaults", "write", domain, "clipboardAtMost", "-int", "0").status == 1)
    let misprint = try vault("defaults", "write", domain, "sessionAtMots", "-int", "60")
    #expect(misprint.status == 1 && misprint.errors.contains("sessionAtMost"))
  }

  @Test(.enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"))
  func noLineAndNoSettingExceedsALimit() throws {
    defer { _ = try? vault("lock") }
    try vault.set("a", "b")
    let domain = ProgramPreferences.domain
    #expect(try #require(try secondsLeft("--for", "8h")) > 3600)
    #expect(
      try vault("defaults", "write", domain, "sessionAtMost", "-int", "60").status == 0)
    #expect(try #require(try secondsLeft("--for", "8h")) <= 60)
    #expect(try vault("settings", "session", "1h").status == 0)
    #expect(try vault("settings", "session").text == "session  1 hour; here 1 minute at most\n")
    #expect(try vault("settings", "--json").text.contains("\"sessionAtMost\": 60"))
    _ = try vault("lock")
    #expect(try vault("get", "a").text == "b")
    #expect(try #require(try secondsLeft()) <= 60)
    let told = try vault("unlock", "--for", "2h")
    #expect(told.errors.contains("that is the most here"), "\(told.errors)")
    // 0 is no session at all; a shorter wish stays as it is.
    #expect(try vault("defaults", "write", domain, "sessionAtMost", "-int", "0").status == 0)
    _ = try vault("lock")
    #expect(try secondsLeft("--for", "8h") == nil)
    #expect(try vault("defaults", "delete", domain, "sessionAtMost").status == 0)
    #expect(try #require(try secondsLeft("--for", "8h")) > 3600)
  }

  @Test(.enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"))
  func aLimitThatCannotBeReadIsNotLeftOut() throws {
    defer { _ = try? vault("lock") }
    try vault.set("a", "b")
    _ = try vault("lock")
    let domain = ProgramPreferences.domain
    let forced = try vault("defaults", "write", domain, "sessionAtMost", "--force", "soon")
    #expect(forced.status == 0, "\(forced.errors)")
    let told = try vault("unlock")
    #expect(told.status == 0)
    #expect(told.errors.contains("does not stay open") && told.errors.contains("sessionAtMost"))
    #expect(try vault("get", "a").text == "b")
    #expect(try vault("lock", "--json").text.contains("false"))
    let settings = try vault("settings")
    #expect(settings.status == 0 && settings.errors.contains("cannot be read"))
  }

  @Test(.enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"))
  func aRotatedVaultStaysOpenNoLongerThanItsSetting() throws {
    defer { _ = try? vault("lock") }
    try vault.set("a", "b")
    #expect(try vault("settings", "session", "0").status == 0)
    let rotated = try vault("key", "rotate", "--new-key-file", "\(vault.home.path)/key2")
    #expect(rotated.status == 0, "\(rotated.errors)")
    #expect(try vault("lock", "--json").text.contains("false"))
  }

  @Test func whatTheAdministratorHasFixedComesFirst() throws {
    let managed = "\(vault.home.path)/managed"
    try FileManager.default.createDirectory(
      atPath: managed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    let file = URL(fileURLWithPath: "\(managed)/\(ProgramPreferences.domain).plist")
    func seconds(_ key: PreferenceKey<Int>) throws -> Int? {
      try ProgramPreferences(
        at: vault.open.blocking.location, managed: ManagedPreferences(directory: managed),
        directories: DefaultsDirectories(site: [], packages: [])
      ).seconds(key)
    }
    #expect(try seconds(ProgramPreferences.sessionAtMost) == nil)
    let domain = ProgramPreferences.domain
    #expect(try vault("defaults", "write", domain, "sessionAtMost", "-int", "900").status == 0)
    #expect(try seconds(ProgramPreferences.sessionAtMost) == 900)
    try PropertyListSerialization.data(
      fromPropertyList: ["sessionAtMost": 300, "clipboardAtMost": 20], format: .xml, options: 0
    ).write(to: file)
    #expect(try seconds(ProgramPreferences.sessionAtMost) == 300)
    #expect(try seconds(ProgramPreferences.clipboardAtMost) == 20)
    for wrong: Any in ["soon", -1, 2_592_001, 1.5, true] {
      try PropertyListSerialization.data(
        fromPropertyList: ["sessionAtMost": wrong], format: .xml, options: 0
      ).write(to: file)
      #expect(throws: PreferenceError.self, "\(wrong)") {
        try seconds(ProgramPreferences.sessionAtMost)
      }
    }
    try Data("no list".utf8).write(to: file)
    #expect(throws: PreferenceError.self) { try seconds(ProgramPreferences.sessionAtMost) }
  }

  @Test func aCopyIsClearedAtTheLimit() throws {
    let domain = ProgramPreferences.domain
    let standard = try ClipboardRequest().clipboard(at: vault.open.blocking.location).seconds
    #expect(standard > 10)
    #expect(try vault("defaults", "write", domain, "clipboardAtMost", "-int", "10").status == 0)
    var request = ClipboardRequest()
    #expect(try request.clipboard(at: vault.open.blocking.location).seconds == 10)
    request.seconds = 0
    #expect(try request.clipboard(at: vault.open.blocking.location).seconds == 10)
    request.seconds = 5
    #expect(try request.clipboard(at: vault.open.blocking.location).seconds == 5)
    try vault.open.blocking.setClipboard(seconds: 3600)
    #expect(try ClipboardRequest().clipboard(for: vault.open.blocking).seconds == 10)
  }
}
