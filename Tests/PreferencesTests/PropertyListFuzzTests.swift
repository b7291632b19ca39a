import Foundation
import TestSupport
import Testing
import VaultPreferences

/// Property lists of any form, nearly right: a value or an error, never a crash or a hang.
@Suite(.timeLimit(.minutes(10)))
struct PropertyListFuzzTests {
  private static let inputs = 4000 * Mutations.rounds

  private static let value: PreferenceValue = [
    "text": "ä\u{1F511}\n\"", "number": 42, "big": .integer(.min), "real": 1.5, "yes": true,
    "data": .data([0, 1, 255]), "list": [1, ["a": []], "x"], "empty": "",
  ]

  private func parse(_ mutations: Mutations) {
    var mutations = mutations
    for number in 0..<Self.inputs {
      let input = mutations.input()
      guard let value = try? PropertyList.parse(input) else { continue }
      // What can be read can be written, and is the same when it is read again.
      let again = try? PropertyList.parse(PropertyList.binary(value))
      #expect(
        again.map { PropertyList.binary($0) == PropertyList.binary(value) } == true,
        "input \(number) of seed \(Mutations.seed): \(input)")
      _ = PropertyList.xml(value)
    }
  }

  @Test func nearlyValidBinaryListsNeverCrash() {
    parse(
      Mutations(
        "binary property lists",
        corpus: [PropertyList.binary(Self.value), PropertyList.binary([])],
        words: [
          Array("bplist00".utf8), [0xA1, 0], [0xD1, 0, 0], [0x5F, 0x13], [0x80, 1], [0x4F, 0x12],
        ]))
  }

  @Test func nearlyValidXMLListsNeverCrash() {
    parse(
      Mutations(
        "XML property lists",
        corpus: [
          PropertyList.xml(Self.value).bytes, Array("<dict><key>a</key><true/></dict>".utf8),
        ],
        words: [
          "<array>", "</array>", "<dict>", "<key>", "&#x10FFFF;", "&#0;", "<!--", "-->",
          "<integer>0x",
          "<date>", "<![CDATA[", "<!DOCTYPE a [<!ENTITY b \"&b;&b;\">]>", "&b;",
        ].map { Array($0.utf8) }))
  }

  @Test func nearlyValidOldStyleListsNeverCrash() {
    parse(
      Mutations(
        "old-style property lists",
        texts: [
          "{ a = (1, \"x\\U00e4\\n\", <0fbd77>); \"b c\" = { d = e; }; /* f */ }", "( a, b )",
          "text",
          "a = b; c = d;",
        ],
        words: [
          "{", "}", "(", ")", "<", ">", "\"", "\\", "\\U", "\\777", ";", "=", "/*", "*/", "//",
        ]))
  }

  @Test func endlesslyNestedListsAreRefused() {
    for (open, close) in [
      ("<array>", ""), ("<dict><key>a</key>", ""), ("(", ")"), ("{a=", ";}"), ("(", ""), ("/*", ""),
    ] {
      let text = String(repeating: open, count: 100_000) + String(repeating: close, count: 100_000)
      #expect(throws: PreferenceError.self) { try PropertyList.parse(Array(text.utf8)) }
    }
  }
}
