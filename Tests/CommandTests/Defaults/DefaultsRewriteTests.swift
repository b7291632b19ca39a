import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// A file that is written again keeps its comments, its order, and what is of other machines.
struct DefaultsRewriteTests: DefaultsFiles {
  let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  private static let sections = """
    ["com.ed"]
    font = 12
    theme = "light"

    ["com.ed.@host"]
    anyhost = "x"

    ["com.ed.@host:desktop"]
    hostval = 3

    ["com.ed.@host:laptop"]
    hostval = 1

    ["com.ed.@os:debian"]
    theme = "os"

    ["com.ed.@os:debian-12"]
    theme = "osver"

    ["com.ed.@os:plan9"]
    theme = "plan9"

    ["com.u"]
    a = 1

    ["com.u.@user:bob"]
    a = 4

    """

  @Test func aFileThatIsWrittenAgainKeepsItsCommentsAndOtherMachines() throws {
    defaults("write", "com.ed", "theme", "dark")
    defaults("write", "com.ed", "windowFrame", "1 2 3")
    defaults("write", "com.ed", "size", "-int", "12")
    defaults("write", "com.other", "k", "v")
    let path = try file(
      """
      # My settings.

      ["@leave-out"]
      # Where windows are.
      "*" = ["window*"]

      # The editor.
      ["com.ed"]
      # Dark since 2026 #1.
      theme = "light"   # lost
      gone = 1

      ["com.ed.@host:desktop"]
      # Only there.
      dpi = 72
      ["com.ed.@os:linux"]
      size = 10

      # The end.
      """)
    let result = defaults("dump", "--output", path)
    #expect(result.status == 0)
    #expect(result.error.contains("were not kept: line 10\n"))
    #expect(
      try text(path) == """
        # My settings.
        ["@leave-out"]
        # Where windows are.
        "*" = ["window*"]

        # The editor.
        ["com.ed"]
        # Dark since 2026 #1.
        theme = "dark"

        ["com.ed.@host:desktop"]
        # Only there.
        dpi = 72

        ["com.ed.@os:linux"]
        size = 12
        # The end.

        """)
    let before = try text(path)
    #expect(defaults("dump", "--output", path).error == "")
    #expect(try text(path) == before)
    #expect(defaults("diff", path).status == 0)
    #expect(defaults("dump", "--filter", "com.ed:s*", "com.ed").output.contains("size") == false)
  }

  @Test func whatSectionsSayAlreadyStaysWhereItIs() throws {
    let path = try file(Self.sections)
    #expect(defaults("apply", path).status == 0)
    for words in [[], ["com.ed"], ["com.ed", "com.u"], ["--by-host", "com.ed"]] {
      #expect(defaults.run(["dump", "--output", path] + words).status == 0)
      #expect(try text(path) == Self.sections, "\(words)")
    }
  }

  @Test func whatChangedGoesWhereItCounts() throws {
    let path = try file(Self.sections)
    #expect(defaults("apply", path).status == 0)
    defaults("write", "com.ed", "theme", "dusk")
    defaults("write", "com.ed", "new", "n")
    defaults("delete", "com.ed", "font")
    defaults("delete", "com.u", "a")
    defaults("-currentHost", "write", "com.ed", "hostval", "-int", "2")
    defaults("-currentHost", "write", "com.ed", "mine", "-int", "5")
    #expect(defaults("dump", "--output", path).error == "")
    #expect(
      try text(path) == """
        ["com.ed"]
        new = "n"
        theme = "light"

        ["com.ed.@host"]
        anyhost = "x"

        ["com.ed.@host:desktop"]
        hostval = 3

        ["com.ed.@host:laptop"]
        hostval = 2
        mine = 5

        ["com.ed.@os:debian"]
        theme = "os"

        ["com.ed.@os:debian-12"]
        theme = "dusk"

        ["com.ed.@os:plan9"]
        theme = "plan9"

        ["com.u"]

        ["com.u.@user:bob"]

        """)
    #expect(defaults("diff", path) == .init(status: 0, output: "", error: ""))
    #expect(defaults("diff", path, "--prune").status == 0)
  }

  /// What lies inside a text of several lines is no comment; what lies behind its end is.
  @Test func linesOfTextsAreNoComments() throws {
    let path = try file(
      """
      # of a
      ["com.a"]
      t = \"""
      a
      # b\"""
      c = 1
      z = '''
      # x
      # y'''
      m = \"""
      é # x\""" # lost
      # end

      """)
    #expect(defaults("apply", path).status == 0)
    let dumped = defaults("dump", "--output", path)
    #expect(dumped.error.contains("were not kept: line 11\n"), "\(dumped.error)")
    #expect(
      try text(path) == """
        # of a
        ["com.a"]
        c = 1
        m = "é # x"
        t = "a\\n# b"
        z = "# x\\n# y"
        # end

        """)
  }

  /// Two normalizations of a key are two keys: each is shown with its own value, and a file that has
  /// one of them leaves that.
  @Test func normalizationsOfAKeyKeepTheirValues() throws {
    let (whole, parts) = ("caf\u{E9}", "cafe\u{301}")
    defaults("write", "com.a", whole, "-int", "1")
    defaults("write", "com.a", parts, "-int", "2")
    let dumped = Array(defaults("dump", "com.a").output.utf8)
    #expect(
      dumped == Array("[\"com.a\"]\n\"\(whole)\" = 1\n".utf8)
        || dumped == Array("[\"com.a\"]\n\"\(parts)\" = 2\n".utf8))
    #expect(defaults("write", "com.a", "{\"\(parts)\" = 3;}").status == 0)
    #expect(defaults("read", "com.a", whole).status == 1)
    #expect(defaults("read", "com.a", parts).output == "3\n")
    defaults("rename", "com.a", parts, whole)
    #expect(defaults("read", "com.a", whole).output == "3\n")
    #expect(defaults("read", "com.a", parts).status == 1)
    let list = "\(defaults.home.path)/x.plist"
    defaults("write", list, whole, "-int", "1")
    defaults("rename", list, whole, parts)
    #expect(defaults("read", list, parts).output == "1\n")
  }

  @Test func aKeyOfThisHostNeverGoesToEveryHost() throws {
    let path = try file("[\"com.ed.@host\"]\nanyhost = \"x\"\n")
    #expect(defaults("apply", path).status == 0)
    defaults("-currentHost", "write", "com.ed", "mine", "-int", "5")
    #expect(defaults("dump", "--output", path).status == 0)
    #expect(
      try text(path)
        == "[\"com.ed.@host\"]\nanyhost = \"x\"\n\n[\"com.ed.@host:laptop\"]\nmine = 5\n")
    #expect(defaults("diff", path).status == 0)
  }

  @Test func whatIsToBeRemovedAndWhatIsProtectedStaysInTheFile() throws {
    defaults.keys = FixedDataKeys()
    let path = try file(
      #"{"com.ed": {"old": null, "theme": "light"}, "com.pw": {"token": "x"}}"#, "w.json")
    #expect(defaults("apply", path).status == 0)
    defaults("protect", "com.pw")
    defaults("write", "com.pw", "token", "S3CRET")
    let dumped = defaults("dump", "--output", path)
    #expect(dumped.status == 0)
    #expect(dumped.error.contains("com.pw is protected; what the file has of it was left"))
    #expect(
      try text(path) == """
        {
          "com.ed": {
            "old": null,
            "theme": "light"
          },
          "com.pw": {
            "token": "x"
          }
        }

        """)
  }
}
