import VaultCommand
import VaultCommandCore
import VaultOneTimeCodes
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

// Texts that people and programs write by hand, and what a terminal is shown of them.
extension FuzzTarget {
  static let texts = [
    FuzzTarget("template") { input in
      var last = (line: 1, column: 0)
      for (_, position) in try Template(input).references {
        try check(
          (position.line, position.column) > last, "the places of references are out of order")
        last = (position.line, position.column)
      }
    },
    FuzzTarget("reference") { input in
      let text = text(input)
      try attempt { _ = try SecretReference(text) }
      try attempt { _ = try SecretReference(nameOrReference: text) }
      try attempt { _ = try ReferenceText.parts(of: text) }
      try attempt { _ = try RunVariable.all(names: [text], assignments: []) }
      _ = try RunVariable.all(names: [], assignments: [text])
    },
    FuzzTarget("sanitizer") { input in
      let shown = Sanitizer.visible(text(input))
      for scalar in shown.unicodeScalars {
        let value = scalar.value
        let acts =
          value < 0x20 || (0x7F...0x9F).contains(value) || (0x202A...0x202E).contains(value)
          || (0x2066...0x2069).contains(value)
        try check(!acts, "a terminal would act on U+\(String(value, radix: 16))")
      }
      try check(Sanitizer.visible(shown) == shown, "what is harmless is escaped")
      for columns in [0, 1, 7, 40] {
        let width = DisplayWidth.of(DisplayWidth.cut(shown, to: columns))
        try check(width <= columns, "\(width) columns in place of \(columns)")
      }
    },
    FuzzTarget("typed-line") { input in
      var line = LineEditor()
      _ = try SecretBytes(capacity: 24) { room in
        for byte in input {
          _ = line.take(byte, into: &room)
          try check((0...24).contains(line.count), "\(line.count) bytes in a room of 24")
          try check((0...8).contains(line.dots(atMost: 8)), "more dots than asked for")
        }
        return line.count
      }
    },
    FuzzTarget("prompt") { input in
      let text = text(input)
      _ = AskpassPrompt(text)
      _ = Timestamp.date(text)
      _ = TimeSpan.seconds(text)
      _ = Suggestion.nearest(to: text, among: ["plain", text, ""])
    },
    FuzzTarget("otpauth") { input in
      let text = try SecretBytes(copying: input)
      _ = OneTimeGenerator.isAddress(text)
      let generator = try OneTimeGenerator(text)
      let code = try generator.code(at: 1_700_000_000).text
      let address = try generator.address(from: text, label: "a:b")
      let again = try OneTimeGenerator(address).code(at: 1_700_000_000).text
      try check(again.isEqual(to: code), "kept as an address it gives another code")
      _ = try OneTimeGenerator(try generator.counted(text))
    },
  ]
}
