import Testing
import VaultProtocols

struct TemplateTests {
  private func parts(_ text: String) throws -> [String] {
    let bytes = Array(text.utf8)
    return try Template(bytes).parts.map { part in
      switch part {
      case .bytes(let range): String(decoding: bytes[range], as: UTF8.self)
      case .reference(let reference, let position): "<\(reference.text) \(position.text)>"
      }
    }
  }

  @Test(arguments: [
    ("", []),
    ("plain {{ .Values.x }} {% if %} {{{", ["plain {{ .Values.x }} {% if %} {{{"]),
    ("a{{ secret://x }}b", ["a", "<secret://x 1:2>", "b"]),
    ("{{secret://x}}{{\tsecret://y#f }}", ["<secret://x 1:1>", "<secret://y#f 1:15>"]),
    ("é\nü{{ secret://a b }}", ["é\nü", "<secret://a b 2:2>"]),
    // Braces around braces, as JSON and Go templates have them.
    ("{{{ secret://x }}}", ["{", "<secret://x 1:2>", "}"]),
    ("{{ {{ secret://x }}", ["{{ ", "<secret://x 1:4>"]),
    // An escape, and what is none.
    ("\\{{ secret://x }}", ["{{ secret://x }}"]),
    ("\\\\{{ secret://x }}", ["\\", "<secret://x 1:3>"]),
    ("c:\\\\\\{{ secret://x }}", ["c:\\", "{{ secret://x }}"]),
    ("\\{{ .x }}\\n", ["\\{{ .x }}\\n"]),
    ("{{ other://x }} secret://x", ["{{ other://x }} secret://x"]),
  ])
  func onlyReferencesInBracesAreParts(text: String, expected: [String]) throws {
    #expect(try parts(text) == expected)
  }

  @Test func bytesThatAreNotTextAreKept() throws {
    let bytes: [UInt8] = [0, 0xFF, 0x7B, 0xFE] + Array("{{ secret://x }}".utf8) + [0xC3]
    #expect(try Template(bytes).parts.count == 3)
  }

  @Test func aLineOfBeginningsIsLookedAtOnce() throws {
    // Where each beginning searches the rest of the line this takes an hour.
    for end in ["", "}}"] {
      let text = String(repeating: "{{ secret://", count: 100_000) + end
      let error = #expect(throws: ProtocolError.self) { try Template(Array(text.utf8)) }
      #expect((error?.message.utf8.count ?? 0) < 10_000)
    }
    let many = String(repeating: "{{ secret:// }}\n", count: 30)
    let error = #expect(throws: ProtocolError.self) { try Template(Array(many.utf8)) }
    #expect(error?.message.contains("and 10 more") == true)
  }

  @Test func everyReferenceThatCannotBeReadIsTold() throws {
    let text = """
      {{ secret:// }}
      ok {{ secret://x
      }} {{ secret://%zz }} {{ secret://x?nonsense=1 }}
      """
    let error = #expect(throws: ProtocolError.self) { try Template(Array(text.utf8)) }
    #expect(error?.code == .invalidRequest)
    for place in ["1:1:", "2:4:", "3:4:", "3:23:"] {
      #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
    }
  }
}
