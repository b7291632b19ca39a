import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Words that name a domain, and words that name a file.
struct DefaultsNamesTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  @Test func globalPreferencesIsTheGlobalDomain() throws {
    #expect(defaults("write", ".GlobalPreferences", "k", "-int", "-1").status == 0)
    for name in ["-g", "NSGlobalDomain", ".GlobalPreferences", ".GlobalPreferences.plist"] {
      #expect(defaults("read", name, "k").output == "-1\n", "\(name)")
    }
    #expect(defaults("domains").output == "\n")
  }

  @Test func aNameWithPlistIsTheDomainWithoutIt() throws {
    #expect(defaults("write", "com.apple.dock", "autohide", "-bool", "YES").status == 0)
    #expect(defaults("read-type", "com.apple.dock.plist", "autohide").output == "Type is boolean\n")
    #expect(defaults("write", "com.apple.dock.plist", "x", "1").status == 0)
    #expect(defaults("domains").output == "com.apple.dock\n")
    // By itself that is a name.
    #expect(defaults("write", ".plist", "k", "1").status == 0)
    #expect(defaults("read", ".plist", "k").output == "1\n")
  }

  /// Runs a real process, since the working directory matters.
  @Test func aNameWithASlashIsADomainAndNotAFileHere() throws {
    let name = "com.apple.LaunchServices/com.apple.launchservices.secure"
    let vault = VaultProcess(home: defaults.home.path)
    #expect(
      try vault.run(["defaults", "write", name, "LSHandlers", "-array-add", "{a = 1;}"]).status == 0
    )
    for spelling in [name, "\(name).plist", "~/Library/Preferences/\(name)"] {
      #expect(
        try vault.run(["defaults", "read", spelling, "LSHandlers"]).text
          == "(\n        {\n        a = 1;\n    }\n)\n", "\(spelling)")
    }
    #expect(try vault.run(["defaults", "domains"]).text == "\(name)\n")
    #expect(defaults("-currentHost", "write", "d", "k", "1").status == 0)
    #expect(defaults("read", "ByHost/d", "k").output == "1\n")
  }

  @Test(arguments: ["", "./", "../x/"]) func pathsRemainPaths(prefix: String) throws {
    let folder = "\(defaults.home.path)/x"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.currentDirectoryURL = URL(fileURLWithPath: folder)
    let name = prefix.isEmpty ? "\(folder)/file" : "\(prefix)file"
    shell.arguments = ["-c", "exec '\(VaultProcess.path)' defaults write '\(name)' k 1"]
    shell.environment = ["HOME": defaults.home.path]
    try shell.run()
    shell.waitOrKill()
    #expect(shell.terminationStatus == 0)
    #expect(FileManager.default.fileExists(atPath: "\(folder)/file.plist"))
  }
}
