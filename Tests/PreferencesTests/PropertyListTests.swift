import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

struct PropertyListTests {
  /// A value of every kind, including difficult ones.
  static let everything: PreferenceValue = .dictionary([
    "string": .string("a<b>&\"'\r\n\té\u{1F600}\u{2028}"), "empty": "", "": "empty key",
    "data": .data(Array(0...255)), "none": .data([]),
    "numbers": .array(
      [Int64.min, -1, 0, 1, 255, 256, 65_535, 65_536, 1 << 31, 1 << 32, .max].map { .integer($0) }),
    "unsigned": .array([.unsignedInteger(.max), .unsignedInteger(1 << 63)]),
    "reals": .array(
      [0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan].map { .real($0) }),
    "floats": .array([32.3, -0.0, .infinity].map { .float($0) }),
    "flags": .array([.boolean(true), .boolean(false)]),
    "dates": .array(
      [0, 0.5, -1e9, 777_777_777.123456].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }),
    "uids": .array([.uid(0), .uid(255), .uid(1 << 40)]),
    "deep": .array([.array([.dictionary(["k": .array([])])]), .dictionary([:])]),
    "long": .array((0..<300).map { .string("item \($0)") }),
    "$odd": .dictionary(["$data": "no data"]),
  ])

  @Test func binaryHoldsEverything() throws {
    #expect(try PropertyList.parse(PropertyList.binary(Self.everything)) == Self.everything)
  }

  @Test func jsonHoldsEverything() throws {
    for isPretty in [false, true] {
      let text = JSONText.text(Self.everything, isPretty: isPretty)
      #expect(try JSONText.parse(text.utf8) == Self.everything)
    }
  }

  /// RFC 8259 has no comma before a closing bracket; JSONSerialization, which `plutil` reads by,
  /// has.
  @Test(arguments: ["[1,]", "[1 , ]", "{\"a\":1,}", "[[1,],2]", "{\"a\":{\"b\":1,}}"])
  func aCommaBeforeABracketIsTakenOnlyWhereItIsAsked(text: String) throws {
    let bytes = Array(text.utf8)
    #expect(throws: JSONSyntaxError.self) { try JSONText.parsePlain(bytes) }
    #expect(throws: PreferenceError.self) { try JSONText.parse(bytes) }
    _ = try JSONText.parsePlain(bytes, allowsTrailingCommas: true)
    for text in ["[,]", "[1,,]", "{,}", "[,1]"] {
      #expect(throws: JSONSyntaxError.self) {
        try JSONText.parsePlain(Array(text.utf8), allowsTrailingCommas: true)
      }
    }
  }

  @Test func foundationReadsOurBinary() throws {
    var entries = try #require(Self.everything.entries)
    entries["uids"] = nil
    let data = Data(PropertyList.binary(.dictionary(entries)))
    let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
    let found = try #require(list as? [String: Any])
    #expect(Set(found.keys) == Set(entries.keys))
    #expect(found["string"] as? String == "a<b>&\"'\r\n\té\u{1F600}\u{2028}")
    #expect(found["data"] as? Data == Data(0...255))
    #expect((found["dates"] as? [Date])?[3].timeIntervalSinceReferenceDate == 777_777_777.123456)
  }

  @Test func weReadFoundationsBinaryAndXML() throws {
    let list: [String: Any] = [
      "s": "é", "i": -5, "u": UInt64.max, "r": 0.1, "b": true, "d": Data([1, 2]),
      "t": Date(timeIntervalSinceReferenceDate: 10), "a": [1, [2]],
    ]
    let expected: PreferenceValue = [
      "s": "é", "i": -5, "u": .unsignedInteger(.max), "r": 0.1, "b": true, "d": .data([1, 2]),
      "t": .date(Date(timeIntervalSinceReferenceDate: 10)), "a": [1, [2]],
    ]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: format, options: 0)
      #expect(try PropertyList.parse([UInt8](data)) == expected)
    }
  }

  /// The judge is another implementation: Python's plistlib, type-strict.
  @Test(.enabled(if: Python.isThere, "python3 is not installed"))
  func pythonReadsAndWritesTheSame() throws {
    let binary = PropertyList.binary(Self.everything)
    // plistlib writes the 32-bit numbers as 64-bit ones: only they may differ.
    let back = try Python.run(
      """
      import plistlib, sys
      value = plistlib.loads(sys.stdin.buffer.read())
      sys.stdout.buffer.write(plistlib.dumps(value, fmt=plistlib.FMT_BINARY))
      """, input: binary)
    var expected = try #require(Self.everything.entries)
    var found = try #require(PropertyList.parse(back).entries)
    expected["floats"] = nil
    found["floats"] = nil
    // plistlib treats 0.0 and -0.0 as the same object.
    expected["reals"] = nil
    found["reals"] = nil
    // plistlib cuts dates to microseconds.
    #expect(found["dates"] != nil)
    expected["dates"] = nil
    found["dates"] = nil
    #expect(found == expected)
  }

  @Test func xmlReportsEachLossAndKeepsTheRest() throws {
    let document = PropertyList.xml(Self.everything)
    let losses = document.losses.map { $0.prefix { $0 != ":" } }
    #expect(Set(losses) == ["dates.1", "dates.3"])
    #expect(
      Set(document.widened.map { $0.prefix { $0 != ":" } }) == ["floats.0", "floats.1", "floats.2"])
    var expected = try #require(Self.everything.entries)
    var found = try #require(PropertyList.parse(document.bytes).entries)
    for key in ["floats", "dates"] {
      expected[key] = nil
      found[key] = nil
    }
    #expect(found == expected)
    #expect(PropertyList.xml("a\u{1}b").losses.count == 1)
  }

  @Test(arguments: [
    ("<plist><integer>0x1F</integer></plist>", "31"), ("<integer>-0x10</integer>", "-16"),
    ("<integer> 7 </integer>", "7"), ("<real>+infinity</real>", #"{"$real": "infinity"}"#),
    ("<true></true>", "true"), ("<string>a<!-- c -->b</string>", #""ab""#),
    ("<string><![CDATA[<x>&]]></string>", #""<x>&""#),
    ("<data> AP\n8= </data>", #"{"$data": "AP8="}"#),
    ("  \n<array><string/></array>", #"[""]"#), ("<!-- c --><dict/>", "{}"),
    (
      "<?xml version=\"1.0\"?><!DOCTYPE plist SYSTEM \"x\"><plist><dict><key>a</key><false/></dict></plist>",
      #"{"a": false}"#
    ),
  ])
  func unusualButLegalXML(text: String, expected: String) throws {
    #expect(try PropertyList.parse(Array(text.utf8)) == JSONText.parse(expected.utf8))
  }

  @Test(arguments: [
    "<plist></plist>", "<plist><true/><true/></plist>", "<dict><key>a</key></dict>",
    "<dict><true/></dict>", "<integer>x</integer>", "<integer></integer>", "<dict>text</dict>",
    "<array><nothing/></array>", "<string>", "<data>A</data>", "<date>soon</date>",
    "<integer>18446744073709551616</integer>", "{a = 1}", "(a", "\"a", "{= 1;}", "<0>", "<0g>",
    "a b", "[1]", "{a = 1; b}", "\"\\Ud83d",
  ])
  func textThatIsNotAPropertyListIsRefused(text: String) {
    #expect(throws: PreferenceError.self) { try PropertyList.parse(Array(text.utf8)) }
  }

  /// A file that a crash emptied, entities, and the line of an error.
  @Test(arguments: [
    ("", "the property list is empty"),
    ("<!DOCTYPE plist [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><string>&e;</string>", "entity"),
    ("<!DOCTYPE plist [<!ENTITY e \"text\">]><string>&e;</string>", "entity at line 1"),
    ("<!DOCTYPE plist SYSTEM \"x\"><string>a&unknown;b</string>", "&unknown;"),
    ("{a = 1;\n b = 2\n\n}", "missing ; in a dictionary at line 2"),
    ("<dict>\n<key>a</key>\n<foo/></dict>", "unknown element <foo> at line 3"),
    ("<dict>\n<key>a</key>\n</dict", "a tag, a comment or a text has no end at line 3"),
  ])
  func aRefusalSaysWhatIsWrongAndWhere(text: String, reason: String) {
    let error = #expect(throws: PreferenceError.self) {
      try PropertyList.parse(Array(text.utf8))
    }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.code == .syntax)
  }

  /// Old-style text, as `.strings` files have it, and XML; with a byte order mark, in either order.
  @Test(arguments: [true, false]) func textMayBeUTF16(isLittle: Bool) throws {
    for (text, expected): (String, PreferenceValue) in [
      ("\"k é\" = \"v 🎉\";\n", ["k é": "v 🎉"]),
      ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><string>é</string>", "é"),
    ] {
      let bytes = ("\u{feff}" + text).utf16.flatMap { unit in
        let pair = [UInt8(unit >> 8), UInt8(unit & 0xff)]
        return isLittle ? pair.reversed() : pair
      }
      #expect(try PropertyList.parse(bytes) == expected)
      #expect(throws: PreferenceError.self) { try PropertyList.parse(bytes + [0]) }
    }
  }

  /// As `compare:` has it, which sees surrogates below U+E000.
  @Test func keysAreOrderedByTheirUTF16Units() {
    let keys = [
      "", "a", "ab", "b", "B", "é", "e\u{301}", "\u{7ff}", "\u{800}", "\u{d7ff}", "\u{e000}",
      "\u{fffd}",
      "\u{ffff}", "\u{10000}", "🎉", "\u{10ffff}", "a\u{e000}", "a🎉", "a🎊", "\u{efff}x", "\u{f000}",
    ]
    for left in keys {
      for right in keys {
        #expect(
          OldStyleWriter.precedes(left, right)
            == left.utf16.lexicographicallyPrecedes(right.utf16), "\(left) \(right)")
      }
    }
  }

  @Test func aFormCanBeRequired() throws {
    let xml = PropertyList.xml(["a": 1]).bytes
    #expect(try PropertyList.parse(xml, as: .xml) == ["a": 1])
    for bytes in [PropertyList.binary(["a": 1]), Array("{a = 1;}".utf8)] {
      #expect(throws: PreferenceError.self) { try PropertyList.parse(bytes, as: .xml) }
    }
    #expect(throws: PreferenceError.self) { try PropertyList.parse(xml, as: .binary) }
  }

  @Test func oldStyleEscapesAreNeXTSTEPs() throws {
    let text = #""\101\344\U00e9\U201c\n\"""#
    #expect(try PropertyList.parse(Array(text.utf8)) == "Aîé\u{201c}\n\"")
    #expect(try PropertyList.parse(Array(#""\256""#.utf8)) == "\u{fb01}")
    #expect(try PropertyList.parse(Array("k = v; 'k 2' = (a,);".utf8)) == ["k": "v", "k 2": ["a"]])
  }

  @Test func damagedInputNeverCrashesTheReaders() throws {
    let binary = PropertyList.binary(Self.everything)
    for position in binary.indices {
      var damaged = binary
      damaged[position] ^= UInt8(1 << (position % 8))
      _ = try? PropertyList.parse(damaged)
      _ = try? PropertyList.parse(Array(binary.prefix(position)))
    }
    let texts = [
      PropertyList.xml(Self.everything).bytes, Array(OldStyleWriter().text(Self.everything).utf8),
      Array(JSONText.text(Self.everything).utf8),
    ]
    for text in texts {
      for position in stride(from: 0, to: text.count, by: 31) {
        var damaged = text
        damaged[position] ^= 21
        _ = try? PropertyList.parse(damaged)
        _ = try? JSONText.parse(damaged)
        _ = try? PropertyList.parse(Array(text.prefix(position)))
      }
    }
    for open in ["(", "{a=", "<array>", "["] {
      let deep = Array(String(repeating: open, count: 100_000).utf8)
      #expect(throws: PreferenceError.self) { try PropertyList.parse(deep) }
      #expect(throws: PreferenceError.self) { try JSONText.parse(deep) }
    }
  }

  @Test func aSmallFileThatExpandsToAHugeTreeIsRefused() throws {
    // Each array names the next one twice: 2^40 values in a few hundred bytes.
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for index in 0..<40 {
      offsets.append(UInt8(bytes.count))
      bytes += [0xa2, UInt8(index + 1), UInt8(index + 1)]
    }
    offsets.append(UInt8(bytes.count))
    bytes.append(0x09)
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [offsets.count, 0, table] {
      bytes += [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255)]
    }
    #expect(throws: PreferenceError.self) { try PropertyList.parse(bytes) }
  }

  static let samples = ProcessInfo.processInfo.environment["VAULT_TEST_PLISTS"] ?? ""

  @Test(.enabled(if: !samples.isEmpty, "VAULT_TEST_PLISTS names no directory of property lists"))
  func propertyListsOfOthersAreKeptExactly() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.samples)
    where !name.hasSuffix(".md") {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(Self.samples)/\(name)"))
      // What CoreFoundation refuses too: a `<!` inside a key, an entity without its end.
      guard let value = try? PropertyList.parse([UInt8](data)) else {
        #expect(name.hasPrefix("odd-"), "\(name)")
        continue
      }
      #expect(try PropertyList.parse(PropertyList.binary(value)) == value, "\(name)")
      #expect(try JSONText.parse(JSONText.text(value).utf8) == value, "\(name)")
      let xml = PropertyList.xml(value)
      if xml.losses.isEmpty, xml.widened.isEmpty {
        #expect(try PropertyList.parse(xml.bytes) == value, "\(name)")
      }
    }
  }
}

extension PreferenceValue {
  /// The keys and values of a dictionary; `nil` for anything else.
  var entries: [String: PreferenceValue]? {
    if case .dictionary(let entries) = self { entries } else { nil }
  }
}

/// Python, where it is installed.
enum Python {
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") }

  static func run(_ program: String, input: [UInt8]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", program]
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input))
    try stdin.fileHandleForWriting.close()
    let output = process.output(of: stdout)
    return [UInt8](output)
  }
}
