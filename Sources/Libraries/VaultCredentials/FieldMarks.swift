/// Which fields of an item are open, and which are concealed.
///
/// An open field, such as a user name, holds no secret: programs may show it. Fields with a usual
/// name are open, all others are concealed; an item records what differs from that in an attribute,
/// one line a field: `+name` open, `-name` concealed. Versions of this library that do not know the
/// attribute keep it, and show no field. Documentation/design/file-format.md, section 4.
struct FieldMarks: Equatable {
  /// The attribute with the marks.
  static let attribute = "vault:fields"

  /// The usual names of fields that hold no secret, in small letters.
  static let usuallyOpen: Set<String> = [
    "account", "comment", "database", "email", "host", "hostname", "login", "note", "notes", "port",
    "server", "uri", "url", "user", "username", "website",
  ]

  private var marks: [String: Bool]

  /// Reads an item's attributes; lines that make no sense are skipped.
  init(_ attributes: NamedTexts) {
    marks = [:]
    for line in (attributes[Self.attribute] ?? "").unicodeScalars.split(separator: "\n") {
      guard let sign = line.first, line.count > 1, sign == "+" || sign == "-" else { continue }
      marks[String(line.dropFirst())] = sign == "+"
    }
  }

  /// Whether a field is open.
  func isOpen(_ field: String) -> Bool {
    marks[field] ?? Self.usuallyOpen.contains(field.lowercased())
  }

  /// Records a field as open or concealed; what its name says already is not recorded.
  mutating func mark(_ field: String, asOpen isOpen: Bool) {
    marks[field] = Self.usuallyOpen.contains(field.lowercased()) == isOpen ? nil : isOpen
  }

  /// The attribute's value; `nil` without marks.
  var text: String? {
    guard !marks.isEmpty else { return nil }
    return marks.map { ($0.value ? "+" : "-") + $0.key }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "\n")
  }
}
