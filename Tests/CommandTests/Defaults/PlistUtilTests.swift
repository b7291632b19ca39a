import Foundation
import TestSupport
import Testing
import VaultDefaultsTool

/// macOS's `plutil`, in process, on files.
struct PlistUtilTests {
  private let home: TemporaryHome
  private var file: String { "\(home.path)/f.plist" }

  init() throws {
    home = try TemporaryHome()
    try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>Name</key><string>Test App</string><key>n</key><integer>42</integer>
      <key>on</key><true/><key>r</key><real>3.5</real><key>d</key><data>AQIDBA==</data>
      <key>t</key><date>2026-01-31T12:00:00Z</date>
      <key>a.b</key><string>dotted</string>
      <key>list</key><array><string>one</string><dict><key>k</key><string>v</string></dict></array>
      </dict></plist>
      """)
  }

  private func write(_ text: String, _ name: String = "f.plist") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home.path)/\(name)"))
  }

  private func plutil(_ words: String..., input: String = "") -> PropertyListToolRun {
    PropertyListToolRun(input: input) { PlistUtilTool($0).run(words) }
  }

  @Test func lint() throws {
    #expect(plutil(file) == PropertyListToolRun(status: 0, output: "\(file): OK\n", error: ""))
    #expect(plutil("-lint", "-s", file) == PropertyListToolRun(status: 0, output: "", error: ""))
    #expect(plutil("-lint", "-", input: "{a=b;}").text == "<stdin>: OK\n")
    try write("{ broken", "g.plist")
    let both = plutil("-lint", "\(home.path)/g.plist", file)
    #expect(both.status == 1)
    #expect(both.text == "\(file): OK\n")
    #expect(both.error.hasPrefix("\(home.path)/g.plist: ("))
    #expect(plutil().error == "No files specified.\n")
    #expect(plutil("-lint").status == 1)
    #expect(plutil("-lint", "-z", file).error == "unrecognized option: -z\n")
    #expect(plutil("-lint", "-o", "x", file).error == "-o is not used with -lint.\n")
  }

  @Test func readable() {
    #expect(
      plutil("-p", file).text == """
        {
          "Name" => "Test App"
          "a.b" => "dotted"
          "d" => {length = 4, bytes = 0x01020304}
          "list" => [
            0 => "one"
            1 => {
              "k" => "v"
            }
          ]
          "n" => 42
          "on" => true
          "r" => 3.5
          "t" => 2026-01-31 12:00:00 +0000
        }

        """)
  }

  @Test func extract() {
    let values = [
      "Name": "Test App", "n": "42", "on": "true", "r": "3.500000", "d": "AQIDBA==",
      "t": "2026-01-31T12:00:00Z", "list": "2", "list.0": "one", "list.1.k": "v", "list.1": "k",
      #"a\.b"#: "dotted",
    ]
    for (path, value) in values {
      #expect(
        plutil("-extract", path, "raw", file)
          == PropertyListToolRun(status: 0, output: value + "\n", error: ""), "\(path)")
    }
    #expect(plutil("-extract", "n", "raw", "-n", file).text == "42")
    #expect(
      plutil("-extract", "list", "json", "-o", "-", file).text == #"["one",{"k":"v"}]"#)
    #expect(
      plutil("-extract", "list", "xml1", "-o", "-", file).text.contains("<string>one</string>"))
    let missing = plutil("-extract", "no.such", "raw", file)
    #expect(missing.status == 1)
    #expect(
      missing.error
        == "\(file): Could not extract value, error: No value at that key path or invalid key path:"
        + " no.such\n")
    #expect(
      plutil("-extract", "n", "raw", "-expect", "string", file).error
        == "\(file): Value at [n] expected to be string but is integer\n")
    #expect(plutil("-extract", "n", "raw", "-expect", "integer", file).text == "42\n")
  }

  @Test func types() {
    let types = [
      "Name": "string", "n": "integer", "on": "bool", "r": "float", "d": "data", "t": "date",
      "list": "array", "list.1": "dictionary",
    ]
    for (path, type) in types {
      #expect(plutil("-type", path, file).text == type + "\n", "\(path)")
    }
    #expect(plutil("-type", "nothing", file).status == 1)
  }

  @Test func insertReplaceAndRemoveKeepTheForm() throws {
    #expect(
      plutil("-convert", "binary1", file) == PropertyListToolRun(status: 0, output: "", error: ""))
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: Data("bplist00".utf8)))
    let lines: [[String]] = [
      ["-insert", "new", "-string", "x"], ["-insert", "list.0", "-integer", "7"],
      ["-insert", "list", "-bool", "YES", "-append"], ["-replace", "n", "-float", "1.5"],
      ["-insert", "o", "-json", #"{"q": [1, null2]}"#], ["-insert", "o", "-json", #"{"q": [1]}"#],
      ["-insert", "x", "-xml", "<array><true/></array>"], ["-insert", "e", "-dictionary"],
      ["-remove", "Name"], ["-replace", "list.1", "-string", "eins"],
      ["-insert", "when", "-date", "2026-02-01T00:00:00Z"], ["-insert", "b", "-data", "AQI="],
    ]
    for line in lines {
      let result = PlistUtilTool(
        PropertyListStreams(
          output: { _ in }, error: { _ in }, input: { [] }, line: { nil })
      ).run(line + [file])
      #expect(result == (line.contains { $0.contains("null2") } ? 1 : 0), "\(line)")
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(bytes.starts(with: Data("bplist00".utf8)))
    let object = try unsafe PropertyListSerialization.propertyList(from: bytes, format: nil)
    let list = try #require(object as? [String: Any])
    #expect(list["new"] as? String == "x")
    #expect(list["Name"] == nil)
    #expect(list["n"] as? Double == 1.5)
    #expect((list["list"] as? [Any])?.count == 4)
    #expect((list["list"] as? [Any])?[1] as? String == "eins")
    #expect((list["list"] as? [Any])?.last as? Bool == true)
    #expect((list["o"] as? [String: Any])?["q"] as? [Int] == [1])
    #expect((list["e"] as? [String: Any])?.isEmpty == true)
    #expect(list["b"] as? Data == Data([1, 2]))
  }

  @Test func whatCannotBeChangedIsTold() {
    #expect(
      plutil("-insert", "n", "-integer", "1", file).error
        == "\(file): Value already exists at key path n\n")
    #expect(
      plutil("-insert", "no.such", "-integer", "1", file).error
        == "\(file): Key path not found no.such\n")
    #expect(
      plutil("-insert", "list.9", "-integer", "1", file).error
        == "\(file): Index 9 out of bounds in array at key path list.9\n")
    #expect(
      plutil("-remove", "no", file).error == "\(file): No value to remove at key path no\n")
    #expect(
      plutil("-insert", "n").error
        == "'Insert' and 'Replace' require a key path, a type, and a value.\n")
    #expect(plutil("-convert", "yaml", file).error == "Unknown format specifier: yaml\n")
    #expect(plutil("-remove", "n", "\(home.path)/none.plist").status == 1)
  }

  @Test func conversion() throws {
    try write(#"{"a": "b/c", "n": [1, 2.5, true], "$date": "no date"}"#, "j.json")
    let json = "\(home.path)/j.json"
    #expect(
      plutil("-convert", "json", "-o", "-", json).text
        == #"{"$date":"no date","a":"b\/c","n":[1,2.5,true]}"#)
    #expect(
      plutil("-convert", "json", "-r", "-o", "-", json).text == """
        {
          "$date" : "no date",
          "a" : "b\\/c",
          "n" : [
            1,
            2.5,
            true
          ]
        }
        """)
    #expect(
      plutil("-convert", "json", "-o", "-", file).error
        == "\(file): invalid object in plist for destination format\n")
    #expect(plutil("-convert", "xml1", "-e", "xml", json).status == 0)
    #expect(FileManager.default.fileExists(atPath: "\(home.path)/j.xml"))
    #expect(plutil("-convert", "xml1", "-o", "\(home.path)/k", json).status == 0)
    #expect(plutil("-lint", "\(home.path)/k").status == 0)
    #expect(
      plutil("-convert", "xml1", "-o", "-", "-", input: "{a=b;}").text
        .contains("<string>b</string>"))
    #expect(plutil("-create", "xml1", "\(home.path)/new.plist").status == 0)
    #expect(plutil("-p", "\(home.path)/new.plist").text == "{\n}\n")
    // The mode of a new file is what umask leaves of 0666, as every tool's.
    let mode = umask(0o022)
    umask(mode)
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(home.path)/new.plist")
    #expect(attributes[.posixPermissions] as? Int == Int(0o666 & ~mode))
  }

  @Test func nullIsReadAndStaysInJSON() throws {
    let answer = #"{"id":"7","site":null,"token":"abc","list":[null,{"k":null}]}"#
    #expect(plutil("-extract", "token", "raw", "-", input: answer).text == "abc\n")
    #expect(plutil("-extract", "list", "raw", "-", input: answer).text == "2\n")
    #expect(plutil("-p", "-", input: answer).text.contains("\"site\" => <null>\n"))
    try write(answer, "j.json")
    let json = "\(home.path)/j.json"
    #expect(plutil("-replace", "token", "-string", "x", json).status == 0)
    #expect(
      try String(contentsOfFile: json, encoding: .utf8)
        == #"{"id":"7","list":[null,{"k":null}],"site":null,"token":"x"}"#)
    let refusal = "\(json): invalid object in plist for destination format\n"
    for format in ["xml1", "binary1", "swift", "objc"] {
      #expect(plutil("-convert", format, "-o", "-", json).error == refusal, "\(format)")
    }
    #expect(plutil("-extract", "site", "raw", json).error == refusal)
    #expect(plutil("-insert", "n", "-json", "[null]", file).status == 1)
  }

  @Test func jsonMayHaveAByteOrderMark() throws {
    let text = #"{"a":"é"}"#
    #expect(plutil("-extract", "a", "raw", "-", input: "\u{feff}" + text).text == "é\n")
    for (name, encoding) in [
      ("l.json", String.Encoding.utf16LittleEndian), ("b.json", .utf16BigEndian),
    ] {
      let bytes = try #require(("\u{feff}" + text).data(using: encoding))
      try bytes.write(to: URL(fileURLWithPath: "\(home.path)/\(name)"))
      #expect(plutil("-extract", "a", "raw", "\(home.path)/\(name)").text == "é\n", "\(name)")
    }
  }

  /// What swift-corelibs-foundation's writes no compiler reads.
  @Test func literalsHaveTheEscapesOfTheirLanguage() throws {
    try write(#"{"k": "a\\b\nc\rd\u0001\t(\\(x))"}"#, "e.json")
    let json = "\(home.path)/e.json"
    #expect(
      plutil("-convert", "swift", "-o", "-", json).text.contains(
        #""a\\b\nc\rd\u{1}"# + "\t" + #"(\\(x))""#))
    #expect(
      plutil("-convert", "objc", "-o", "-", json).text.contains(
        #"@"a\\b\nc\rd\001"# + "\t" + #"(\\(x))""#))
    try write("[]", "9-e.json")
    #expect(
      plutil("-convert", "swift", "-o", "-", "\(home.path)/9-e.json").text
        == "/// Generated from 9-e.json\nlet _9_e = [\n]\n")
  }

  @Test func aMistakeInJSONIsToldAsOne() throws {
    try write("{\"a\": 1,\n \"b\": ?}", "x.json")
    #expect(
      plutil("-p", "\(home.path)/x.json").error
        == "\(home.path)/x.json: Property List error: Unexpected character { at line 1 / "
        + "JSON error: Invalid value around character 15.\n")
    #expect(
      plutil("-lint", "-", input: "<plist><date>2026-01-31T12:00:00.5Z</date></plist>").error
        == "<stdin>: (Could not interpret <date> at line 1)\n")
  }

  @Test func aPlistutilReadsWhatPythonWrites() throws {
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = [
      "python3", "-c",
      "import plistlib,sys;plistlib.dump({'k':[1,{'z':'é'}]},open(sys.argv[1],'wb'),"
        + "fmt=plistlib.FMT_BINARY)", "\(home.path)/p.plist",
    ]
    try python.run()
    python.waitOrKill()
    #expect(python.terminationStatus == 0)
    #expect(plutil("-extract", "k.1.z", "raw", "\(home.path)/p.plist").text == "é\n")
  }

  // MARK: As CoreFoundation

  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func nothingIsMadeThatCannotBeReadAgain() throws {
    let path = "\(home.path)/deep.json"
    for depth in [513, 600, 1_000] {
      for form in ["binary1", "xml1", "json"] {
        try write(nested(depth), "deep.json")
        let refused = plutil("-convert", form, path)
        #expect(refused.status == 1)
        #expect(
          refused.error.contains(
            "JSON error: Too many nested arrays or dictionaries around character 513."),
          "\(refused.error)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == nested(depth))
      }
    }
    for form in ["binary1", "xml1", "json"] {
      try write(nested(512), "deep.json")
      #expect(plutil("-convert", form, path).status == 0)
      #expect(plutil("-p", path).status == 0, "\(form)")
    }
    // A change may be what makes it too deep.
    let keyPath = Array(repeating: "0", count: 511).joined(separator: ".") + ".0"
    for words in [["-json", "[[]]"], ["-xml", "<array><array/></array>"]] {
      for form in ["binary1", "xml1", "json"] {
        try write(nested(512), "deep.json")
        #expect(plutil("-convert", form, path).status == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let refused = PropertyListToolRun {
          PlistUtilTool($0).run(["-insert", keyPath] + words + [path])
        }
        #expect(refused.status == 1)
        #expect(refused.error.contains("Too many nested arrays or dictionaries"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      }
    }
    let xml = "<plist>\(String(repeating: "<array>", count: 513))"
    try write(xml + String(repeating: "</array>", count: 513) + "</plist>", "deep.plist")
    #expect(
      plutil("-lint", "\(home.path)/deep.plist").error.contains(
        "(Too many nested arrays or dictionaries, failing on line 1)"))
    #expect(plutil("-convert", "binary1", "\(home.path)/deep.plist").status == 1)
    let buddy = PropertyListToolRun { streams in
      PlistBuddyTool(streams).run(["-c", "Add :0 string x", "\(home.path)/deep.plist"])
    }
    #expect(buddy.status == 1)
    #expect(buddy.error.contains("Too many nested arrays or dictionaries"))
  }

  @Test func jsonOfEveryEncodingIsRead() throws {
    let text = #"{"a":"ü😀"}"#
    for encoding in [
      String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
      .utf32BigEndian, .utf8,
    ] {
      let data = try #require(text.data(using: encoding))
      try data.write(to: URL(fileURLWithPath: "\(home.path)/u.json"))
      let read = plutil("-p", "\(home.path)/u.json")
      #expect(read.text == "{\n  \"a\" => \"ü😀\"\n}\n", "\(encoding): \(read.error)")
      #expect(plutil("-convert", "xml1", "\(home.path)/u.json").status == 0)
    }
  }

  @Test(arguments: [
    ("<integer> 5 </integer>", "Unknown character ' ' (0x20) in <integer> on line 1"),
    ("<integer>5 </integer>", "Unknown character ' ' (0x20) in <integer> on line 1"),
    ("<integer> 5</integer>", nil), ("<integer>0x10</integer>", nil),
    ("<real>0x10</real>", "Encountered misformatted real on line 1"),
    ("<real>1.5 </real>", "Encountered misformatted real on line 1"),
    ("<real> 1.5</real>", nil), ("<real>+infinity</real>", nil), ("<real>nan</real>", nil),
  ])
  func lintRefusesWhatAMacRefuses(value: String, words: String?) throws {
    try write("<plist>\(value)</plist>", "n.plist")
    let run = plutil("-lint", "\(home.path)/n.plist")
    #expect(run.status == (words == nil ? 0 : 1))
    #expect(run.error == (words.map { "\(home.path)/n.plist: (\($0))\n" } ?? ""))
    // Everything else reads it.
    #expect(plutil("-p", "\(home.path)/n.plist").status == 0)
  }

  @Test func base64WantsItsPaddingAndALossIsToldOnce() throws {
    for (text, status) in [("AQI", 1), ("AQI=", 0), ("AQIDBA", 1), ("AQ I=", 0)] {
      try write("<plist><dict/></plist>", "d.plist")
      let run = plutil("-insert", "k", "-data", text, "\(home.path)/d.plist")
      #expect(run.status == Int32(status), "\(text)")
      #expect(run.error.contains("Invalid base64 data in argument") == (status == 1))
    }
    try write(#"{"a":"x\u0000y\u0001"}"#, "c.json")
    let lossy = plutil("-convert", "xml1", "-o", "-", "\(home.path)/c.json")
    #expect(lossy.error.split(separator: "\n").count == 1)
  }
}
