import Foundation
import TestSupport
import Testing
import VaultStorage

struct JSONTests {
  static let document = """
    {"a": 1.50, "b": [1e400, -0, 18446744073709551616], "c": null, "d": {}, "e": [], "f": true}
    """

  @Test func aDocumentIsWrittenAsAnEncoderOfFoundationWritesIt() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let texts = ["", "a/b\"\\", "\u{0}\u{8}\t\n\u{c}\r\u{1f}\u{7f}\u{85}\u{202e}é😀"]
    #expect(
      JSONValue.object([("b", .strings(texts)), ("a", .null), ("B", .bool(true))]).codableText
        == "{\"B\":true,\"a\":null,\"b\":\(String(decoding: try encoder.encode(texts), as: UTF8.self))}"
    )
    for number in [0, -0.0, 1, 1.5, 1e20, 1e-7, 12_345_678_901_234_567_168, .leastNonzeroMagnitude]
    {
      #expect(
        JSONValue.real(number).codableText
          == String(decoding: try encoder.encode(number), as: UTF8.self))
    }
    let names = ["a", "B", "é", "a2", "a10", "Z", "_", "😀", "\u{ffff}", "e\u{301}x"]
    let members = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
    #expect(
      JSONValue.object(names.map { ($0, .number(1)) }).codableText
        == String(decoding: try encoder.encode(members), as: UTF8.self))
  }

  @Test func aDocumentIsWrittenOnOneLineOrIndented() throws {
    let value = try JSONValue.parse(Array(Self.document.utf8))
    #expect(
      value.text()
        == #"{"a":1.50,"b":[1e400,-0,18446744073709551616],"c":null,"d":{},"e":[],"f":true}"#)
    #expect(
      value.text(isPretty: true) == """
        {
          "a": 1.50,
          "b": [
            1e400,
            -0,
            18446744073709551616
          ],
          "c": null,
          "d": {},
          "e": [],
          "f": true
        }
        """)
    #expect(try JSONValue.parse(Array(value.text(isPretty: true).utf8)) == value)
  }

  @Test func membersKeepTheirOrderAndTheirRepetitions() throws {
    let text = #"{"b":1,"a":2,"b":3}"#
    #expect(try JSONValue.parse(Array(text.utf8)).text() == text)
  }

  @Test func theFirstOfRepeatedMembersIsKeptAndTheOthersAreReported() throws {
    // The last two names differ only in their normalization.
    let text = #"{"l":[{"n":1},{"n":1,"n":{"x":0,"x":0}}],"\#u{E9}":1,"e\#u{301}":2}"#
    let (value, repeated) = try JSONValue.parse(Array(text.utf8)).removingRepeatedMembers()
    #expect(repeated == ["l[2].n", "e\u{301}"])
    #expect(value.text() == #"{"l":[{"n":1},{"n":1}],"\#u{E9}":1}"#)
  }

  @Test func theOrderOfMembersDoesNotMatterForEquality() throws {
    let value = try JSONValue.parse(Array(#"{"a":1,"b":[true,"x"]}"#.utf8))
    #expect(try JSONValue.parse(Array(#"{"b":[true,"x"],"a":1}"#.utf8)) == value)
    for other in [#"{"a":1}"#, #"{"a":1,"b":["x",true]}"#, #"{"a":1.0,"b":[true,"x"]}"#] {
      #expect(try JSONValue.parse(Array(other.utf8)) != value)
    }
  }

  @Test func membersAndScalarsAreLookedUp() throws {
    let value = try JSONValue.parse(Array(#"{"n":12,"t":"x","b":false,"z":null,"l":[1]}"#.utf8))
    #expect(value["n"]?.scalarText == "12")
    #expect(value["t"]?.scalarText == "x")
    #expect(value["b"]?.scalarText == "false")
    #expect(value["z"] == nil)
    #expect(value["x"] == nil)
    #expect(value["l"]?.scalarText == nil)
    #expect(value["l"]?.elements == [.number(1)])
    #expect(value["l"]?["n"] == nil)
    #expect(value.sortedMembers.map(\.name) == ["b", "l", "n", "t", "z"])
  }

  @Test func escapesAndAByteOrderMarkAreRead() throws {
    let text = "\u{FEFF}\" \\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00e9 \\ud83d\\ude00 \""
    #expect(
      try JSONValue.parse(Array(text.utf8))
        == .string(" \" \\ / \u{8}\u{C}\n\r\t \u{E9} \u{1F600} "))
  }

  /// Eight bytes at once are looked at as one byte is, wherever they begin and end.
  @Test func whatNeedsAnEscapeIsSeenAtEveryPlace() throws {
    let scalars = (0..<0x80).map { Unicode.Scalar(UInt8($0)) } + ["é", "\u{2028}", "\u{1F511}"]
    for scalar in scalars {
      let expected: String
      switch scalar {
      case "\"", "\\": expected = "\\\(scalar)"
      case "\n": expected = "\\n"
      case "\t": expected = "\\t"
      case "\r": expected = "\\r"
      case "\u{2028}": expected = "\\u2028"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        expected = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: expected = String(scalar)
      }
      for before in 0..<18 {
        for after in [0, 3, 9] {
          let (first, last) = (
            String(repeating: "a", count: before), String(repeating: "z", count: after)
          )
          let text = "\(first)\(scalar)\(last)"
          try #require(JSONValue.string(text).text() == "\"\(first)\(expected)\(last)\"")
          var writer = JSONWriter(isPretty: true)
          writer.object { object in
            object.next("first", .null)
            object.next(text, .string("value"))
          }
          try #require(
            writer.text
              == "{\n  \"first\": null,\n  \"\(first)\(expected)\(last)\": \"value\"\n}")
        }
      }
    }
  }

  @Test(arguments: [
    ("", "unexpected end"), ("[", "unexpected end"), ("[1 2]", "missing ]"),
    ("[1,]", "unexpected character"), ("[,1]", "unexpected character"), ("{\"a\":1", "missing }"),
    ("{,}", "missing a key"), ("{\"a\":1,}", "missing a key"), ("{\"a\" 1}", "missing :"),
    ("1 2", "unexpected text"), ("01", "invalid number"),
    ("1.", "invalid number"), ("-", "invalid number"),
    ("1e", "invalid number"), ("nul", "unexpected character"),
    ("\"a", "a string does not end"), ("\"\n\"", "a control character in a string"),
    ("\"\\x\"", "an unknown escape"), ("\"\\u12g4\"", "an escape of less than four digits"),
    ("\"\\ud800\"", "one half of a surrogate pair"),
    ("\"\\ud800\\u0041\"", "one half of a surrogate pair"),
  ])
  func whatIsNotJSONIsRefused(text: String, problem: String) throws {
    let error = try #require(throws: JSONSyntaxError.self) {
      try JSONValue.parse(Array(text.utf8))
    }
    #expect(error.problem == problem)
    #expect(error.position <= text.utf8.count)
  }

  @Test func bytesThatAreNotUTF8AreRefusedWithTheirPlace() throws {
    let error = try #require(throws: JSONSyntaxError.self) {
      try JSONValue.parse([0x22, 0xFF, 0x22])
    }
    #expect(error.message == "a string that is not UTF-8 at byte 3 of the JSON text")
  }

  @Test func containersHaveADepthLimit() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONValue.parse(nested(JSONReader.depthLimit))
    let error = try #require(throws: JSONSyntaxError.self) {
      try JSONValue.parse(nested(JSONReader.depthLimit + 1))
    }
    #expect(error.problem == "too deep")
  }
}
