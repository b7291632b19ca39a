import Foundation
import TestSupport
import Testing
import VaultDefaultsTool

/// macOS's `PlistBuddy`, in process, on files.
struct PlistBuddyTests {
  private let home: TemporaryHome
  private var file: String { "\(home.path)/f.plist" }

  init() throws {
    home = try TemporaryHome()
    try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>Name</key><string>Test App</string><key>Version</key><integer>42</integer>
      <key>Enabled</key><true/><key>Rating</key><real>3.14</real><key>Icon</key>
      <data>AQIDBA==</data><key>Tags</key><array><string>alpha</string><string>beta</string></array>
      <key>Nested</key><dict><key>Inner</key><string>value</string></dict>
      <key>key with spaces</key><string>spaced</string>
      <key>a:b</key><string>colon</string><key>When</key><date>2019-01-01T00:00:00Z</date>
      </dict></plist>
      """)
  }

  private func write(_ text: String, _ name: String = "f.plist") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home.path)/\(name)"))
  }

  private func run(_ words: [String], lines: [String] = []) -> PropertyListToolRun {
    PropertyListToolRun(lines: lines) { PlistBuddyTool($0).run(words) }
  }

  private func buddy(_ commands: String...) -> PropertyListToolRun {
    run(commands.flatMap { ["-c", $0] } + [file])
  }

  @Test func print() {
    let values = [
      ":Name": "Test App", "Name": "Test App", ":Version": "42", ":Enabled": "true",
      ":Rating": "3.140000", ":Tags": "Array {\n    alpha\n    beta\n}",
      ":Nested": "Dict {\n    Inner = value\n}", ":Tags:0": "alpha", ":Nested:Inner": "value",
      "\":key with spaces\"": "spaced", #":a\:b"#: "colon",
      ":When": "Tue Jan 01 00:00:00 UTC 2019",
    ]
    for (entry, value) in values {
      #expect(
        buddy("Print \(entry)") == PropertyListToolRun(status: 0, output: value + "\n", error: ""),
        "\(entry)")
    }
    #expect(buddy("print :Icon").output == [1, 2, 3, 4, 10])
    #expect(buddy("Print").text.hasPrefix("Dict {\n"))
    #expect(buddy("Print :").text.contains("    Tags = Array {\n        alpha\n"))
    let missing = buddy("Print :Nonexistent")
    #expect(missing.output.isEmpty)
    #expect(missing.error == "Print: Entry, \":Nonexistent\", Does Not Exist\n")
    #expect(missing.status == 1)
    #expect(buddy("Print :Tags:99").status == 1)
    #expect(run(["-x", "-c", "Print :Tags", file]).text.contains("<string>alpha</string>"))
  }

  @Test func set() throws {
    #expect(buddy("Set :Name hello world") == PropertyListToolRun(status: 0, output: "", error: ""))
    #expect(buddy("Print :Name").text == "hello world\n")
    #expect(buddy("Set :Version 99", "Print :Version").text == "99\n")
    #expect(buddy("Set :Enabled NO", "Print :Enabled").text == "false\n")
    #expect(buddy("Set :Tags:0 \"new one\"", "Print :Tags:0").text == "new one\n")
    #expect(buddy("Set :Name 42").status == 0)
    #expect(run(["-x", "-c", "Print :Name", file]).text.contains("<string>42</string>"))
    let wrong = buddy("Set :Version abc")
    #expect(wrong.text == "Unrecognized Integer Format\n")
    #expect(wrong.status == 0)
    #expect(buddy("Print :Version").text == "99\n")
    #expect(buddy("Set :Nope x").error == "Set: Entry, \":Nope\", Does Not Exist\n")
    #expect(buddy("Set :Tags x").error == "Set: Cannot Perform Set On Containers\n")
  }

  @Test func add() {
    #expect(
      buddy("Add :Key string \"hello world\"", "Add :Num integer 5", "Add :Sub dict").status == 0)
    #expect(buddy("Print :Key", "Print :Num", "Print :Sub").text == "hello world\n5\nDict {\n}\n")
    #expect(buddy("Add :x:y:z string deep", "Print :x:y:z").text == "deep\n")
    #expect(buddy("Add :Tags: string gamma", "Print :Tags:2").text == "gamma\n")
    #expect(buddy("Add :Tags:0 string first", "Print :Tags:0").text == "first\n")
    #expect(buddy("Add :Tags:99 string last", "Print :Tags:4").text == "last\n")
    #expect(buddy("Add :Name string x").error == "Add: \":Name\" Entry Already Exists\n")
    let type = buddy("Add :Foo badtype x")
    #expect(type.text == "Unrecognized Type: badtype\n")
    #expect(type.status == 1)
    #expect(
      buddy("Add :Name:sub string x").error == "Add: Can't Add Entry, \":Name:sub\", to Parent\n")
    #expect(buddy("Add :D date").text == "Unrecognized Date Format\n")
    #expect(buddy("Print :D").status == 1)
    #expect(
      buddy("Add :D date Tue Jan 01 00:00:00 UTC 2019", "Print :D").text
        == "Tue Jan 01 00:00:00 UTC 2019\n")
  }

  /// A Mac's words, printed by three public build scripts, which tell of the status, too.
  @Test func aQuoteThatDoesNotEndChangesNothing() {
    for line in ["Set :Name it's", "Set :Name \"x", "Add :New string don't", "Print \":Name"] {
      let result = buddy(line)
      #expect(result.text == "Parse Error: Unclosed Quotes\n", "\(line)")
      #expect(result.status == 0, "\(line)")
    }
    #expect(buddy("Print :Name").text == "Test App\n")
    #expect(buddy("Print :New").status == 1)
    #expect(buddy("Set :Name \"it's\"", "Print :Name").text == "it's\n")
    #expect(buddy(#"Set :Name it\'s"#, "Print :Name").text == "it's\n")
    #expect(buddy("Set :Name say 'a \"b\"'", "Print :Name").text == "say a \"b\"\n")
  }

  @Test func aSecondColonMeansNothing() {
    #expect(buddy("Add ::k string x", "Print :k", "Print ::Name").text == "x\nTest App\n")
    #expect(buddy("Add :: dict").status == 0)
    #expect(run(["-x", "-c", "Print :", file]).text.contains("<key></key>\n\t<dict/>"))
  }

  @Test func copyAndDelete() {
    #expect(buddy("Copy :Name :New:Deep:Path", "Print :New:Deep:Path").text == "Test App\n")
    #expect(buddy("Copy :Name :Version").error == "Copy: \":Version\" Entry Already Exists\n")
    #expect(buddy("Copy :Nope :X").error == "Copy: Entry, \":Nope\", Does Not Exist\n")
    #expect(buddy("Delete :Tags:0", "Print :Tags:0").text == "beta\n")
    #expect(buddy("Delete :Nested", "Print :Nested").status == 1)
    #expect(buddy("Delete :Nope").error == "Delete: Entry, \":Nope\", Does Not Exist\n")
  }

  @Test func mergeAndImport() throws {
    try write("{ Fresh = merged; Name = other; }", "more.plist")
    let merged = buddy("Merge \(home.path)/more.plist", "Print :Fresh", "Print :Name")
    #expect(merged.text == "Duplicate Entry Was Skipped: Name\nmerged\nTest App\n")
    #expect(
      buddy("Merge \(home.path)/more.plist :Nested", "Print :Nested:Fresh").text == "merged\n")
    try write("hello", "text.txt")
    #expect(buddy("Import :T \(home.path)/text.txt", "Print :T").text == "hello\n")
    #expect(
      buddy("Import :Tags \(home.path)/text.txt").error
        == "Import: Specified Entry Must Not Be a Container\n")
    let missing = buddy("Merge \(home.path)/none.plist")
    #expect(
      missing.error == """
        Error Opening File: \(home.path)/none.plist [No such file or directory]
        Merge: Error Reading File: \(home.path)/none.plist

        """)
    #expect(missing.status == 1)
  }

  @Test func clearSaveRevertAndExit() throws {
    #expect(
      buddy("Set :Name x", "Revert", "Print :Name").text
        == "Reverting to last saved state...\nTest App\n")
    #expect(buddy("Set :Name y", "Save", "Revert", "Print :Name").text.hasSuffix("\ny\n"))
    #expect(buddy("Set :Name z", "Exit").status == 0)
    #expect(buddy("Print :Name").text == "z\n")
    #expect(buddy("Clear array", "Print").text == "Initializing Plist...\nArray {\n}\n")
    #expect(buddy("Clear", "Print").text.hasPrefix("Unrecognized Type: \nInitializing Plist...\n"))
    #expect(buddy("FooBar").text == "Unrecognized Command\n")
    #expect(buddy("  Print :Name").status == 1)
  }

  @Test func aFileKeepsItsFormAndWhatFailsDoesNotStopTheRest() throws {
    let convert = PlistUtilTool(
      PropertyListStreams(output: { _ in }, error: { _ in }, input: { [] }, line: { nil })
    ).run(["-convert", "binary1", file])
    #expect(convert == 0)
    let result = buddy("Print :Nope", "Set :Name kept", "Print :Name")
    #expect(result.status == 1)
    #expect(result.text == "kept\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: Data("bplist".utf8)))
    #expect(buddy("Print :Name").text == "kept\n")
  }

  @Test func reading() throws {
    // A file that is only read is not written.
    let before = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
    #expect(buddy("Print :Name", "Help").status == 0)
    let after = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
    #expect(before == after)
    try write("hello world\n", "text.plist")
    let wrong = run(["-c", "Print", "\(home.path)/text.plist"])
    #expect(wrong.text == "Error Reading File: \(home.path)/text.plist\n")
    #expect(!wrong.error.isEmpty)
    #expect(wrong.status == 1)
    let new = run(["-c", "Add :Key string val", "\(home.path)/new.plist"])
    #expect(new.text == "File Doesn't Exist, Will Create: \(home.path)/new.plist\n")
    #expect(run(["-c", "Print :Key", "\(home.path)/new.plist"]).text == "val\n")
    try FileManager.default.createSymbolicLink(
      atPath: "\(home.path)/link.plist", withDestinationPath: file)
    #expect(run(["-c", "Print :Name", "\(home.path)/link.plist"]).status == 0)
    #expect(run(["-l", "-c", "Print :Name", "\(home.path)/link.plist"]).status == 1)
  }

  @Test func linesAndHelp() {
    let session = run([file], lines: ["Print :Name", "", "Set :Name x", "Print :Name", "Exit"])
    #expect(session.text == "Command: Test App\nCommand: Command: Command: x\nCommand: ")
    #expect(session.status == 0)
    // Only Save writes.
    #expect(buddy("Print :Name").text == "Test App\n")
    #expect(run([file], lines: ["Set :Name x", "Save"]).text.contains("Saving...\n"))
    #expect(buddy("Print :Name").text == "x\n")
    #expect(run([]).text.hasPrefix("Usage: PlistBuddy"))
    #expect(run([]).status == 1)
    #expect(run(["-h"]).text.hasPrefix("Command Format:"))
    #expect(run([file, "extra"]).text.contains("Invalid Arguments"))
  }
}
