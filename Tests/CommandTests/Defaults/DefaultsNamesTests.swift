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

  /// A name may come from another machine: it neither acts on a terminal nor makes lines of its own.
  @Test func namesAreShownOnOneLineWithoutWhatTerminalsActOn() throws {
    let names = ["com.\u{1b}[31mred", "com.nl\n9\t2026-01-01\tbash\tcom.bank", "com.\u{202e}x"]
    for name in names { #expect(defaults("write", name, "k\u{1b}", "v\u{1b}").status == 0) }
    defaults("snapshot", "s")
    for name in names { defaults("write", name, "k\u{1b}", "w\u{1b}") }
    let lines = [
      ["history"], ["undo", "--dry-run"], ["watch", "--since", "0", "--count", "3"], ["diff", "s"],
      ["domains"], ["find", "com."], ["read", "--effective", "--show-origin", names[0]],
      ["read", "--effective", "--all-layers", names[0], "k\u{1b}"],
      ["read", "--effective", "--show-origin", names[2], "k\u{1b}"], ["describe", names[0]],
    ]
    for words in lines {
      let shown = defaults.run(words).output
      #expect(!shown.contains("\u{1b}"), "\(words)")
      #expect(!shown.contains("\u{202e}"), "\(words)")
      #expect(!shown.contains("\n9\t2026-01-01"), "\(words)")
    }
    #expect(defaults("domains").output.contains("com.\\u{1b}[31mred"))
    // What goes to programs has the names themselves.
    #expect(defaults("domains", "--json").output.contains("com.nl\\n9"))
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
