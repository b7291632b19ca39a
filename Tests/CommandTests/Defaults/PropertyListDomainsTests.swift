import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences

/// Below `~/Library/Preferences`, `plutil`, `PlistBuddy` and `defaults` mean the same values.
struct PropertyListDomainsTests {
  private let defaults: DefaultsRunner
  private var folder: String { "\(defaults.home.path)/Library/Preferences" }
  private var file: String { "\(folder)/com.apple.finder.plist" }

  init() throws {
    defaults = try DefaultsRunner()
    defaults("write", "com.apple.finder", "View", "-dict", "Icons", "{size=64;}")
    defaults("write", "com.apple.finder", "on", "-bool", "true")
  }

  private func run(_ tool: (PropertyListStreams) -> Int32) -> PropertyListToolRun {
    PropertyListToolRun { streams in
      var streams = streams
      streams.domains = PropertyListDomains(home: defaults.home.path) { defaults.tool() }
      return tool(streams)
    }
  }

  private func plutil(_ words: String...) -> PropertyListToolRun {
    run { PlistUtilTool($0).run(words) }
  }

  private func buddy(_ commands: String..., file: String? = nil) -> PropertyListToolRun {
    run { PlistBuddyTool($0).run(commands.flatMap { ["-c", $0] } + [file ?? self.file]) }
  }

  @Test func plistBuddyReadsAndChangesTheDomain() throws {
    #expect(buddy("Print :View:Icons:size").text == "64\n")
    let set = buddy("Set :View:Icons:size 80", "Add :new array", "Add :new: integer 7")
    #expect(set == PropertyListToolRun(status: 0, output: "", error: ""))
    #expect(try defaults.value("View", "com.apple.finder") == ["Icons": ["size": "80"]])
    #expect(try defaults.value("new", "com.apple.finder") == [7])
    #expect(buddy("Delete :on", "Save", "Revert", "Print :on").status == 1)
    #expect(try defaults.value("on", "com.apple.finder") == nil)
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(defaults("history", "com.apple.finder").output.contains("\"on\"\ttrue -> (none)"))
  }

  /// What these change in a domain of the desktop's is set on the desktop.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/kwriteconfig5"),
      "needs libkf5config-bin"))
  func whatTheyChangeInTheDesktopsDomainIsSetThere() throws {
    let settings = "\(defaults.home.path)/.config"
    try FileManager.default.createDirectory(
      atPath: settings, withIntermediateDirectories: true)
    let krc = "\(settings)/krc"
    try "[G]\na=1\n".write(toFile: krc, atomically: true, encoding: .utf8)
    defaults.environment = ["XDG_CONFIG_HOME": settings]
    let path = "\(folder)/kconfig:krc:G.plist"
    #expect(buddy("Print :a", file: path).text == "1\n")
    #expect(buddy("Set :a 2", "Add :b string x", file: path).status == 0)
    #expect(try String(contentsOfFile: krc, encoding: .utf8) == "[G]\na=2\nb=x\n")
    #expect(plutil("-replace", "a", "-string", "3", path).status == 0)
    #expect(try String(contentsOfFile: krc, encoding: .utf8) == "[G]\na=3\nb=x\n")
    try "[G]\na=4\n".write(toFile: krc, atomically: true, encoding: .utf8)
    #expect(defaults("read", path, "a").output == "4\n")
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dconf"), "needs dconf-cli"))
  func whatTheDesktopCannotTakeIsRefused() throws {
    defaults.environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
    let path = "\(folder)/dconf:/com/q/.plist"
    let refused = buddy("Add :a string x", file: path)
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.error.contains("dconf"), "\(refused)")
    #expect(try defaults.value("a", "dconf:/com/q/") == nil)
    #expect(defaults("write", path, "a", "x").status == 1)
  }

  @Test func plutilReadsAndChangesTheDomain() throws {
    #expect(plutil("-lint", file).text == "\(file): OK\n")
    #expect(plutil("-p", file).text.contains("\"on\" => true"))
    #expect(plutil("-extract", "View.Icons.size", "raw", file).text == "64\n")
    #expect(plutil("-type", "on", file).text == "bool\n")
    for line in [
      ["-insert", "n", "-integer", "1"], ["-replace", "on", "-bool", "NO"], ["-remove", "View"],
      ["-convert", "xml1"], ["-convert", "binary1"],
    ] {
      #expect(run { PlistUtilTool($0).run(line + [file]) }.status == 0, "\(line)")
    }
    #expect(
      defaults("read", "--json", "com.apple.finder").output
        == "{\n  \"n\": 1,\n  \"on\": false\n}\n")
    #expect(plutil("-convert", "json", "-o", "-", file).text == #"{"n":1,"on":false}"#)
    let refused = plutil("-convert", "json", file)
    #expect(refused.status == 1)
    #expect(refused.error.contains("is a domain, which has no form of its own"))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func byHostAndNewDomainsAreMeantToo() throws {
    defaults("-currentHost", "write", "com.ed", "dpi", "-int", "144")
    let uuid = "01234567-89AB-CDEF-0123-456789ABCDEF"
    #expect(
      plutil("-extract", "dpi", "raw", "\(folder)/ByHost/com.ed.\(uuid).plist").text == "144\n")
    #expect(plutil("-p", "\(folder)/com.ed.plist").status == 1)
    #expect(buddy("Add :k string v", file: "\(folder)/com.new.plist").status == 0)
    #expect(try defaults.value("k", "com.new") == "v")
    #expect(plutil("-create", "xml1", "\(folder)/com.made.plist").status == 0)
    #expect(defaults("read", "com.made").output == "{\n}\n")
  }

  @Test func aFileThatIsThereIsTheFile() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("<plist><dict><key>k</key><string>file</string></dict></plist>".utf8)
      .write(to: URL(fileURLWithPath: file))
    #expect(plutil("-extract", "k", "raw", file).text == "file\n")
    #expect(buddy("Print :View").status == 1)
    // Elsewhere a path is a file, whatever its folders are called.
    let copy = "\(defaults.home.path)/copy/Library/Preferences"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    #expect(plutil("-create", "xml1", "\(copy)/com.apple.finder.plist").status == 0)
    #expect(FileManager.default.fileExists(atPath: "\(copy)/com.apple.finder.plist"))
    #expect(try defaults.value("on", "com.apple.finder") == true)
  }

  @Test func theLinksKnowTheDomains() throws {
    let vault = VaultProcess(home: defaults.home.path)
    #expect(try vault.run(["defaults", "write", "com.ed", "n", "-int", "1"]).status == 0)
    let link = "\(defaults.home.path)/PlistBuddy"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: VaultProcess.path)
    let tool = VaultProcess(home: defaults.home.path, executable: link)
    let path = "\(folder)/com.ed.plist"
    #expect(try tool.run(["-c", "Set :n 2", path]).status == 0)
    #expect(try vault.run(["defaults", "read", "com.ed", "n"]).text == "2\n")
  }
}
