import Foundation
import TestSupport
import Testing
import VaultDefaultsTool

/// swift-corelibs-foundation's `plutil`, beside the compiler.
private enum ReferenceTool {
  static let path: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").lazy.map { folder in
      URL(fileURLWithPath: "\(folder)/swift").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("plutil").path
    }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()
}

/// `plutil` beside swift-corelibs-foundation's, which the toolchain has: every verb, byte for byte.
@Suite(.enabled(if: ReferenceTool.path != nil, "no toolchain with a plutil in PATH"))
struct PlistUtilReferenceTests {
  private static let files: [String: String] = [
    "a.json": #"{"id":"7","site":null,"token":"abc","n":[1,-0.0,1.5,true,1e3,0.1,1e-7,1e15,1e16]}"#,
    "plain.json": #"{"a":[1,"x",true],"b":{"c/d":"e\nf é"},"n":-2}"#,
    "mark.json": "\u{feff}{\"a\":1}", "comma.json": #"{"a":[1,2,],}"#, "one.json": #"{"a":1}"#,
    "we ird-2.json": #"["x","y"]"#, "word.json": #""x""#, "number.json": "12", "null.json": "null",
    "bad1.json": #"{"a" 1}"#, "bad2.json": "[1,2", "bad3.json": #"{"a":01}"#, "bad4.json": "{a:1}",
    "bad5.json": #"{"a":1}x"#, "bad6.json": "[\"a\tb\"]", "bad7.json": "[1,,2]",
    "bad8.json": "[NaN]", "bad9.json": "]", "empty.json": "",
    "old.plist": "{a = b; c = (1, 2);}", "old1.plist": "{a=1; b", "old2.plist": "\n\n (a b)",
    "key.plist": "<plist><dict><key>a</key></dict></plist>",
    "tag.plist": "<plist><foo/></plist>", "int.plist": "<plist><integer>x</integer></plist>",
    "none.plist": "<plist><integer></integer></plist>",
    "real.plist": "<plist><real>x</real></plist>",
    "cut.plist": "<plist><dict><key>a</ke",
    "mismatch.plist": "<plist>\n<dict>\n<key>a</key><string>b</integer></dict></plist>",
    "amp.plist": "<plist>\n<string>a & b</string></plist>",
    "entity.plist": "<plist>\n<string>a &nbsp; b</string></plist>",
    "open.plist": "<plist><dict>", "nokey.plist": "<plist><dict><string>a</string></dict></plist>",
    "date.plist": "<plist><date>2020-01-01T00:00:00.5Z</date></plist>",
    "all.plist": """
    <plist version="1.0"><dict><key>s</key><string>a"b é</string><key>i</key><integer>-5</integer>
    <key>r</key><real>1.5</real><key>whole</key><real>1000</real>
    <key>t</key><true/><key>f</key><false/><key>list</key><array><integer>1</integer>
    <array><string>in</string></array></array><key>empty</key><dict/><key>x.y</key>
    <string>dot</string></dict></plist>
    """,
    "typed.plist": """
    <plist version="1.0"><dict><key>d</key><data>AAEC</data><key>t</key>
    <date>2020-01-01T00:00:00Z</date></dict></plist>
    """,
  ]

  private static let lines: [[String]] =
    [
      ["-p", "a.json"], ["-p", "plain.json"], ["-p", "mark.json"], ["-p", "comma.json"],
      ["-p", "word.json"], ["-p", "number.json"], ["-p", "null.json"], ["-p", "all.plist"],
      ["-p", "old.plist"],
      ["-extract", "token", "raw", "a.json"], ["-extract", "n", "raw", "a.json"],
      ["-extract", "n.1", "raw", "a.json"], ["-extract", "n.4", "raw", "-n", "a.json"],
      ["-extract", "nothing", "raw", "a.json"], ["-type", "n", "a.json"],
      ["-extract", "b", "json", "-o", "-", "plain.json"],
      ["-extract", "a", "xml1", "-o", "-", "plain.json"],
      ["-extract", "list.1.0", "raw", "all.plist"], ["-extract", #"x\.y"#, "raw", "all.plist"],
      ["-extract", "i", "raw", "-expect", "string", "all.plist"],
      ["-extract", "i", "raw", "-expect", "integer", "all.plist"],
      ["-convert", "xml1", "plain.json"], ["-convert", "xml1", "-o", "-", "all.plist"],
      ["-convert", "json", "-r", "-o", "-", "all.plist"],
      ["-convert", "xml1", "-e", "out", "plain.json"],
      ["-convert", "swift", "-o", "-", "all.plist"], ["-convert", "objc", "-o", "-", "all.plist"],
      ["-convert", "swift", "typed.plist"], ["-convert", "objc", "typed.plist"],
      ["-convert", "swift", "we ird-2.json"], ["-convert", "objc", "we ird-2.json"],
      ["-convert", "objc", "-header", "one.json"],
      ["-convert", "objc", "-header", "-o", "x.m", "one.json"],
      ["-convert", "swift", "-header", "-o", "-", "one.json"],
      ["-convert", "swift", "-o", "-", "one.json", "word.json"],
      ["-convert", "yaml", "one.json"], ["-convert"],
      ["-insert", "z", "-bool", "YES", "-r", "one.json"],
      ["-insert", "a", "-bool", "YES", "one.json"],
      ["-replace", "a", "-string", "new", "one.json"], ["-remove", "a", "one.json"],
      ["-remove", "q", "one.json"], ["-insert", "list.0", "-integer", "7", "all.plist"],
      ["-insert", "list", "-float", "1.5", "-append", "all.plist"],
      ["-insert", "j", "-json", #"{"q":[1]}"#, "all.plist"],
      ["-replace", "s", "-xml", "<array><true/></array>", "all.plist"],
      ["-insert", "e", "-dictionary", "all.plist"], ["-insert", "e", "-array", "all.plist"],
      ["-insert", "no.such", "-integer", "1", "all.plist"], ["-insert", "n"],
      ["-create", "xml1", "new.plist"], ["-create", "json", "new.json"],
      ["-lint", "all.plist", "old.plist", "old1.plist"], ["-lint", "-s", "all.plist"],
      ["one.json"], ["-lint", "date.plist"], ["-z"], [],
    ]
    + [
      "bad1", "bad2", "bad3", "bad4", "bad5", "bad6", "bad7", "bad8", "bad9", "empty",
    ].map { ["-p", "\($0).json"] }
    + [
      "old1", "old2", "key", "tag", "int", "none", "real", "open", "nokey", "cut", "mismatch",
      "amp", "entity",
    ].map {
      ["-lint", "\($0).plist"]
    }

  private struct Run: Equatable {
    var status: Int32
    var output: String
    var error: String
    /// The files afterwards.
    var files: [String: Data]
  }

  private func run(_ executable: String, _ words: [String]) throws -> Run {
    let home = try TemporaryHome(inMemory: true)
    for (name, text) in Self.files {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home.path)/\(name)"))
    }
    let process = VaultProcess(home: home.path, executable: executable)
    let result = try process.run(words)
    var files: [String: Data] = [:]
    for name in home.names() {
      files[name] = try? Data(contentsOf: URL(fileURLWithPath: "\(home.path)/\(name)"))
    }
    // Foundation logs what its old-style parser stopped at, before the tool says it.
    let error = result.errors.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("CFPropertyListCreateFromXMLData") }.joined(separator: "\n")
    return Run(status: result.status, output: result.text, error: error, files: files)
  }

  @Test(arguments: lines) func everyLineIsAnsweredTheSame(line: [String]) throws {
    let links = try TemporaryHome(inMemory: true)
    let ours = "\(links.path)/plutil"
    try FileManager.default.createSymbolicLink(
      atPath: ours, withDestinationPath: VaultProcess.path)
    let reference = try #require(ReferenceTool.path)
    #expect(try run(ours, line) == run(reference, line))
  }
}
