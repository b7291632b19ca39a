import Foundation
import TestSupport
import Testing
import VaultPreferences

struct DefaultsReadTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  @Test(arguments: [
    (["-int", "36"], "36", "36"), (["-int", "-1"], "-1", "\"-1\""),
    (["-float", "32.3"], "32.3", "\"32.3\""), (["-float", "0.5"], "0.5", "\"0.5\""),
    (["<real>0.1</real>"], "0.1", "\"0.1\""), (["<real>2</real>"], "2", "2"),
    (["-bool", "yes"], "1", "1"), (["-bool", "no"], "0", "0"), (["Inches"], "Inches", "Inches"),
    (["en_US"], "en_US", "\"en_US\""), (["12.6"], "12.6", "\"12.6\""), ([""], "", "\"\""),
    (["-string", "a\"b\\c"], "a\"b\\c", "\"a\\\"b\\\\c\""),
    (["-string", "a\nb"], "a\nb", "\"a\\nb\""),
    (["-string", "é"], "é", "\"é\""),
    (["-data", "626f6f6bec02"], "<626f6f6b ec02>", "<626f6f6b ec02>"),
    (
      ["-date", "2025-08-25 10:16:09 +0000"], "2025-08-25 10:16:09 +0000",
      "\"2025-08-25 10:16:09 +0000\""
    ),
  ])
  func aScalarIsBareAloneAndQuotedInside(words: [String], alone: String, inside: String) {
    #expect(defaults.run(["write", "d", "k"] + words).status == 0)
    #expect(defaults("read", "d", "k").output == "\(alone)\n")
    #expect(defaults("read", "d").output == "{\n    k = \(inside);\n}\n")
  }

  @Test func containersAreIndentedAsOnAMac() {
    defaults(
      "write", "d", "persistent-apps", "-array",
      "{GUID = 1; \"tile-data\" = {\"bundle-id\" = x; list = (a, b); none = (); empty = {};};}")
    #expect(
      defaults("read", "d").output == """
        {
            "persistent-apps" =     (
                        {
                    GUID = 1;
                    "tile-data" =             {
                        "bundle-id" = x;
                        empty =                 {
                        };
                        list =                 (
                            a,
                            b
                        );
                        none =                 (
                        );
                    };
                }
            );
        }

        """)
    #expect(
      defaults("read", "d", "persistent-apps").output.hasPrefix(
        "(\n        {\n        GUID = 1;\n        \"tile-data\" =         {\n"))
  }

  @Test func keysAreSorted() {
    for key in ["b", "a", "B", "é", "10", "9"] { defaults("write", "d", key, "1") }
    #expect(
      defaults("read", "d").output
        == "{\n    10 = 1;\n    9 = 1;\n    B = 1;\n    a = 1;\n    b = 1;\n    \"é\" = 1;\n}\n")
  }

  @Test func printedValuesCanBeReadAgain() throws {
    defaults(
      "write", "d", "k", "-dict", "s", "-string", "tab\tquote\"", "d", "<0aff>", "a", "(1, (2))")
    let text = defaults("read", "d", "k").output
    #expect(defaults("write", "d", "again", text).status == 0)
    #expect(try defaults.value("again") == defaults.value("k"))
  }

  @Test func asciiAndSummaryAreMacOSsNewerForms() {
    defaults("write", "d", "k", "-array", "\u{201c}abc\u{201d}")
    defaults("write", "d", "e", "-string", "é")
    #expect(defaults("read", "--ascii", "d", "k").output == "(\n    \"\\\\U201cabc\\\\U201d\"\n)\n")
    #expect(defaults("read", "--ascii", "d", "e").output == "\\351\n")
    defaults("write", "d", "b", "-data", String(repeating: "626f6f6b", count: 8))
    #expect(
      defaults("read", "d", "b", "--data-summary").output
        == "{length = 32, bytes = 0x626f6f6b 626f6f6b 626f6f6b 626f6f6b ... 626f6f6b 626f6f6b }\n")
  }

  @Test func missingKeysAndDomainsAreReportedOnStandardError() {
    #expect(defaults("read", "d").message == "\nDomain d does not exist\n\n")
    #expect(
      defaults("read", "d", "k").message
        == "\nThe domain/default pair of (d, k) does not exist\n\n")
    #expect(defaults("read-type", "d", "k").status == 1)
    #expect(
      defaults("rename", "d", "a", "b").message
        == "Key a does not exist in domain d; leaving defaults unchanged\n")
    for words in [["d"], ["d", "k"]] {
      let result = defaults.run(["delete"] + words)
      #expect(result.status == 1)
      #expect(result.message == "\nDomain (d) not found.\nDefaults have not been changed.\n\n")
    }
    #expect(defaults("domains").output == "\n")
    #expect(defaults("read").output == "{\n}\n")
    // Reading created no store.
    #expect(defaults.home.names() == ["vault"] || defaults.home.names() == [])
  }

  @Test func typesHaveTheirNames() {
    let rows = [
      (["x"], "string"), (["-data", "00"], "data"), (["-int", "1"], "integer"),
      (["-float", "1"], "float"), (["-bool", "yes"], "boolean"), (["-date", "now"], "date"),
      (["-array"], "array"), (["-dict"], "dictionary"),
    ]
    for (words, name) in rows {
      _ = defaults.run(["write", "d", "k"] + words)
      #expect(defaults("read-type", "d", "k").output == "Type is \(name)\n")
    }
    #expect(defaults("read", "d", "k", "EXTRA").status == 0)
  }

  @Test func domainsAreOneSortedLineWithoutTheGlobalOne() {
    for domain in ["org.b", "com.a", "-g", "NSGlobalDomain"] { defaults("write", domain, "k", "1") }
    defaults("-currentHost", "write", "here", "k", "1")
    #expect(defaults("domains").output == "com.a, org.b\n")
    #expect(defaults("-currentHost", "domains").output == "here\n")
    #expect(
      defaults("read").output == """
        {
            "Apple Global Domain" =     {
                k = 1;
            };
            "com.a" =     {
                k = 1;
            };
            "org.b" =     {
                k = 1;
            };
        }

        """)
  }

  @Test func allNamesOfTheGlobalDomainAreOne() {
    defaults("write", "-g", "k", "1")
    for name in ["-g", "-globalDomain", "NSGlobalDomain", "Apple Global Domain"] {
      #expect(defaults("read", name, "k").output == "1\n")
    }
  }

  @Test func theHostFlagCountsOnlyInFront() {
    defaults("-currentHost", "write", "d", "k", "here")
    defaults("write", "d", "k", "everywhere")
    defaults("-host", "other", "write", "d", "k", "there")
    #expect(defaults("-currentHost", "read", "d", "k").output == "here\n")
    #expect(defaults("-host", "other", "read", "d", "k").output == "there\n")
    #expect(defaults("read", "d", "k").output == "everywhere\n")
    #expect(defaults("write", "-currentHost", "k", "1").status == 0)
    #expect(defaults("read", "-currentHost", "k").output == "1\n")
    let id = defaults("printHostIdentifier").output
    #expect(id.wholeMatch(of: /[0-9A-F]{8}-([0-9A-F]{4}-){3}[0-9A-F]{12}\n/) != nil)
    #expect(defaults("delete-all", "d").status == 0)
    #expect(defaults("-host", "other", "read", "d").status == 1)
    // Of every host by one step, and so is its way back.
    #expect(defaults("undo").output.hasSuffix("Took back 3 changes of 1 transaction.\n"))
    #expect(defaults("-currentHost", "read", "d", "k").output == "here\n")
    #expect(defaults("-host", "other", "read", "d", "k").output == "there\n")
    #expect(defaults("read", "d", "k").output == "everywhere\n")
  }

  @Test func findLooksIntoNamesKeysAndTexts() {
    defaults("write", "com.Alpha", "k", "1")
    defaults("write", "d", "other", "{deep = (\"has ALPHA\");}")
    defaults("write", "d", "alphabet", "-int", "1")
    defaults("write", "d", "number", "-int", "5")
    let found = defaults("find", "alpha").output
    #expect(found.hasPrefix("Found 1 keys in domain 'com.Alpha': {\n    k = 1;\n}\n"))
    #expect(found.contains("Found 2 keys in domain 'd': {\n    alphabet = 1;\n    other ="))
    #expect(!found.contains("number"))
    let nothing = defaults("find", "nowhere-at-all")
    #expect(nothing.status == 0)
    #expect(nothing.message == "No domain, key, nor value containing 'nowhere-at-all'\n")
  }

  @Test func renamingOverwritesSilently() throws {
    defaults("write", "d", "a", "1")
    defaults("write", "d", "b", "2")
    #expect(defaults("rename", "d", "a", "b") == .init(status: 0, output: "", error: ""))
    #expect(try defaults.value("b") == "1")
    #expect(try defaults.value("a") == nil)
  }

  @Test func deletingKeysAndDomains() {
    defaults("write", "d", "a", "1")
    defaults("write", "d", "b", "1")
    #expect(defaults("delete", "d", "a").status == 0)
    #expect(defaults("read", "d").output == "{\n    b = 1;\n}\n")
    #expect(defaults("remove", "d", "b").status == 0)
    #expect(defaults("read", "d").output == "{\n}\n")
    #expect(defaults("delete", "d").status == 0)
    #expect(defaults("read", "d").status == 1)
  }

  @Test func helpIsTheSameTextWithStatus0() {
    #expect(defaults("help").status == 0)
    #expect(defaults("help").output == defaults.run([]).output)
  }

  @Test func pathsAreDomains() throws {
    let path = "\(defaults.home.path)/some.plist"
    #expect(defaults("write", path, "k", "-int", "5").status == 0)
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(data.starts(with: Data("bplist00".utf8)))
    #expect(defaults("read", String(path.dropLast(6)), "k").output == "5\n")
    #expect(defaults("delete", path, "k").status == 0)
    #expect(defaults("read", path).output == "{\n}\n")
    #expect(defaults("read", "\(defaults.home.path)/none").status == 1)
  }

  @Test func aMacsPathsAreItsDomains() {
    defaults("write", "~/Library/Preferences/com.x.plist", "k", "1")
    #expect(defaults("read", "com.x", "k").output == "1\n")
    defaults("write", "\(defaults.home.path)/Library/Preferences/ByHost/com.x", "k", "here")
    #expect(defaults("-currentHost", "read", "com.x", "k").output == "here\n")
    defaults("write", "/Library/Preferences/com.x", "k", "all")
    #expect(defaults("read", "/Library/Preferences/com.x.plist", "k").output == "all\n")
    #expect(defaults("read", "com.x", "k").output == "1\n")
    defaults("write", "~/Library/Preferences/.GlobalPreferences", "g", "1")
    #expect(defaults("read", "-g", "g").output == "1\n")
  }
}
