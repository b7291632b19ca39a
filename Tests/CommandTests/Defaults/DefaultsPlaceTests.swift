import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// `--key-path`, `--if-equals`, `--if-absent`, and what an unknown word is answered with.
struct DefaultsPlaceTests {
  private let defaults: DefaultsRunner

  init() throws {
    defaults = try DefaultsRunner()
    defaults("write", "d", "window", "{size = (800, 600); title = Notes; \"a:b\" = colon;}")
  }

  @Test func aPathLeadsIntoAValue() throws {
    #expect(defaults("read", "d", "--key-path", ":window:size:1").output == "600\n")
    #expect(defaults("read", "--key-path", ":window:title", "d").output == "Notes\n")
    #expect(defaults("read", "d", "--key-path", #":window:a\:b"#).output == "colon\n")
    #expect(
      defaults("read-type", "d", "--key-path", ":window:size").output == "Type is array\n")
    let missing = defaults("read", "d", "--key-path", ":window:size:9")
    #expect(missing.status == 1)
    #expect(
      missing.message == "\nThe domain/default pair of (d, :window:size:9) does not exist\n\n")
  }

  @Test func aPathIsWrittenAndRemoved() throws {
    #expect(defaults("write", "d", "--key-path", ":window:size:0", "-int", "1024").status == 0)
    #expect(defaults("write", "d", "--key-path", ":window:size:2", "-int", "3").status == 0)
    #expect(defaults("write", "d", "--key-path", ":new:deep", "-bool", "true").status == 0)
    #expect(defaults("delete", "d", "--key-path", ":window:title").status == 0)
    #expect(
      try defaults.value("window")
        == .dictionary(["size": .array([.integer(1024), "600", .integer(3)]), "a:b": "colon"]))
    #expect(try defaults.value("new") == .dictionary(["deep": true]))
    let refused = defaults("write", "d", "--key-path", ":window:size:9", "x")
    #expect(refused.status == 1)
    #expect(refused.message.contains(":window:size:9"))
    #expect(defaults("delete", "d", "--key-path", ":window:nothing").status == 1)
    #expect(
      defaults("write", "d", "--key-path", ":window:size", "-array-add", "-int", "4").status == 0)
    #expect(defaults("read", "d", "--key-path", ":window:size:3").output == "4\n")
  }

  @Test func aMacsLineMeansWhatItMeansThere() throws {
    // Without a path behind it, the option is a key like any other.
    #expect(defaults("write", "d", "--key-path", "-int", "3").status == 0)
    #expect(try defaults.value("--key-path") == .integer(3))
    #expect(defaults("write", "d", "--key-path", ":a").status == 0)
    #expect(try defaults.value("--key-path") == ":a")
    #expect(defaults("write", "d", "k", "--if-equals").status == 0)
    #expect(try defaults.value("k") == "--if-equals")
    #expect(defaults("write", "d", "k", "--if-absent").status == 0)
    #expect(try defaults.value("k") == "--if-absent")
  }

  @Test func aValueIsSetOnlyWhereTheExpectedOneIs() throws {
    defaults("write", "d", "n", "-int", "3")
    #expect(defaults("write", "d", "n", "--if-equals", "3", "-int", "4").status == 0)
    let refused = defaults("write", "d", "n", "--if-equals", "3", "-int", "5")
    #expect(refused.status == 1)
    #expect(
      refused.message == "n has another value than expected.  Leaving defaults unchanged.\n")
    #expect(try defaults.value("n") == .integer(4))
    // What read prints, or its JSON.
    defaults("write", "d", "s", "-string", "two words")
    #expect(defaults("write", "d", "s", "--if-equals", "\"two words\"", "x").status == 0)
    #expect(defaults("write", "d", "s", "--if-equals", "x", "y").status == 0)
    #expect(defaults("write", "d", "s", "--if-absent", "z").status == 1)
    #expect(defaults("write", "d", "fresh", "--if-absent", "z").status == 0)
    #expect(defaults("write", "d", "none", "--if-equals", "z", "y").status == 1)
    #expect(defaults("delete", "d", "s", "--if-equals", "x").status == 1)
    #expect(try defaults.value("s") == "y")
    #expect(defaults("delete", "d", "s", "--if-equals", "y").status == 0)
    #expect(try defaults.value("s") == nil)
    #expect(
      defaults("write", "d", "--key-path", ":window:title", "--if-equals", "Notes", "N").status
        == 0)
    #expect(defaults("read", "d", "--key-path", ":window:title").output == "N\n")
  }

  @Test func anUnknownVerbIsToldWithTheNearest() {
    let result = defaults("raed", "d")
    #expect(result.status == 255)
    #expect(result.output == "")
    #expect(
      result.error == """
        vault defaults: error: there is no verb 'raed'
        vault defaults: hint: did you mean 'read'? all verbs: vault defaults help

        """)
    #expect(!defaults("xyzzy").error.contains("did you mean"))
    #expect(defaults("xyzzy").status == 255)
    // Without any word, the help as on a Mac.
    #expect(defaults.run([]).status == 255)
    #expect(defaults.run([]).output.hasPrefix("Command line interface to a user's defaults."))
  }

  @Test func anUnknownDomainIsToldWithTheNearest() {
    defaults("write", "com.example.editor", "k", "v")
    let result = defaults("read", "com.example.editr")
    #expect(result.status == 1)
    #expect(
      result.message
        == "\nDomain com.example.editr does not exist\nDid you mean com.example.editor?\n\n")
    #expect(defaults("read", "com.example.editor", "x").message.contains("Did you mean") == false)
    #expect(defaults("delete", "com.example.editr").message.contains("com.example.editor?"))
  }

  @Test func theEffectiveValueTellsWhichFileADefaultIsIn() throws {
    for (folder, value) in [("site", "of the site"), ("package", "of the package")] {
      let path = "\(defaults.home.path)/\(folder)"
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
      #expect(defaults("write", "\(path)/d", "theme", "-string", value).status == 0)
      #expect(defaults("write", "\(path)/d", folder, "-int", "1").status == 0)
    }
    let site = "site-default:\(defaults.home.path)/site/d.plist"
    let package = "package-default:\(defaults.home.path)/package/d.plist"
    #expect(
      defaults("read", "--effective", "--all-layers", "d", "theme").output
        == "* \(site)\tof the site\n  \(package)\tof the package\n")
    defaults("write", "d", "theme", "mine")
    #expect(
      defaults("read", "--effective", "--show-origin", "d", "theme").output
        == "application:d\tmine\n")
    #expect(
      defaults("read", "--effective", "--show-origin", "d", "package").output == "\(package)\t1\n")
    // Without --effective, a domain is what is stored in it.
    #expect(defaults("read", "d", "package").status == 1)
    try Data("{".utf8).write(
      to: URL(fileURLWithPath: "\(defaults.home.path)/site/d.plist"))
    let broken = defaults("read", "--effective", "d", "package")
    #expect(broken.output == "1\n")
    #expect(broken.error.contains("site/d.plist"))
  }

  @Test func aFileOfTheSiteCanBeReadByEveryone() throws {
    let folder = "\(defaults.home.path)/etc/vault/defaults"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(defaults("write", "\(folder)/d", "k", "v").status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/d.plist")
    #expect(mode[.posixPermissions] as? Int == 0o644)
  }
}
