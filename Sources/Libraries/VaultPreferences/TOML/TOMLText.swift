import CVaultTOML
import FoundationEssentials
import VaultStorage

/// toml++ as it is compiled into the command.
package enum TOMLLibrary {
  /// Its version, such as `3.3.0`.
  package static var version: String { unsafe String(cString: cvault_toml_version()) }
}

/// TOML 1.0 as values, read by toml++.
///
/// A date without a time is its midnight, and without an offset it is UTC: a file means the same
/// everywhere. A time without a date is refused, since no preference can be one.
package enum TOMLText {
  /// The maximum number of bytes of a document.
  package static var sizeLimit: Int { Int(cvault_toml_size_limit) }

  /// Where a domain, or a key of one, begins.
  package struct Place {
    /// A domain, or with a key that key of it.
    package struct Name: Hashable {
      package let domain: String
      package let key: String?

      package init(domain: String, key: String?) {
        self.domain = domain
        self.key = key
      }
    }

    package let name: Name
    /// From 1.
    package let line: Int
    /// The line in which the value ends, from 1; of a table with a header, that of the header.
    package let endLine: Int
    /// The column behind the value, from 1, in Unicode scalars.
    package let endColumn: Int
    /// Whether the value is a text.
    package let isText: Bool

    fileprivate init(_ name: Name, _ token: TOMLReader.Token) {
      self.name = name
      line = Int(token.raw.line)
      endLine = max(line, Int(token.raw.end_line))
      endColumn = Int(token.raw.end_column)
      isText = token.raw.kind == CVAULT_TOML_STRING
    }
  }

  /// The places of a document's domains and keys.
  package static func places(of bytes: [UInt8]) throws(PreferenceError) -> [Place] {
    var reader = try TOMLReader(bytes)
    let document = try reader.next()
    var places: [Place] = []
    for _ in 0..<document.count {
      let domain = try reader.next()
      places.append(Place(.init(domain: domain.key, key: nil), domain))
      // An array's elements have no places of their own.
      for _ in 0..<(domain.raw.kind == CVAULT_TOML_ARRAY ? domain.count : 0) {
        _ = try reader.value()
      }
      for _ in 0..<(domain.isTable ? domain.count : 0) {
        let (member, _) = try reader.value()
        places.append(Place(.init(domain: domain.key, key: member.key), member))
      }
    }
    return places
  }

  /// Reads a document.
  ///
  /// - Parameter bytes: UTF-8, at most 1 MiB.
  /// - Returns: A dictionary.
  /// - Throws: ``PreferenceError`` with code `.syntax`, with line and column.
  package static func parse(_ bytes: [UInt8]) throws(PreferenceError) -> PreferenceValue {
    var reader = try TOMLReader(bytes)
    return try reader.value().value
  }

  /// Reads a table of domains, each a table of keys.
  ///
  /// `[com.example.tool]` is three tables inside each other, and hardly ever what was meant, so a
  /// domain must have a header or a value of its own.
  ///
  /// - Parameter bytes: UTF-8, at most 1 MiB.
  /// - Returns: The domains by name.
  /// - Throws: ``PreferenceError`` with code `.syntax`, with line and column.
  package static func parseDomains(
    _ bytes: [UInt8]
  ) throws(PreferenceError) -> [String: [String: PreferenceValue]] {
    var reader = try TOMLReader(bytes)
    let document = try reader.next()
    var domains: [String: [String: PreferenceValue]] = [:]
    for _ in 0..<document.count {
      let domain = try reader.next()
      guard domain.isTable else {
        throw domain.position.failure("\(domain.key) is not a table of keys")
      }
      var entries: [String: PreferenceValue] = [:]
      for _ in 0..<domain.count {
        let (member, value) = try reader.value()
        guard !member.isTableBelow(domain) else {
          let name = "\(domain.key).\(member.key)"
          throw domain.position.failure(
            "\(name) is a table inside a table; quote a domain's name: [\"\(name)…\"]")
        }
        if let problem = entries.add(value, member.key) {
          throw member.position.failure(problem)
        }
      }
      if let problem = domains.add(entries, domain.key) { throw domain.position.failure(problem) }
    }
    return domains
  }
}

/// The tokens of a document, one after the other.
private struct TOMLReader {
  struct Position: Equatable {
    let line: UInt32
    let column: UInt32

    func failure(_ problem: String) -> PreferenceError {
      PreferenceError(.syntax, "\(problem) at line \(line), column \(column)")
    }
  }

  /// A value, or the beginning of an array or table.
  struct Token {
    let raw: cvault_toml_token
    let key: String
    let text: String

    var position: Position { Position(line: raw.line, column: raw.column) }
    var isTable: Bool { raw.kind == CVAULT_TOML_TABLE }

    /// Whether one header, or one key with dots, makes this table and the one that it is in.
    func isTableBelow(_ other: Token) -> Bool {
      isTable && raw.is_inline == 0 && other.raw.is_inline == 0 && raw.line == other.raw.line
    }

    /// How many elements follow.
    var count: Int { Int(raw.integer) }
  }

  private let tokens: [cvault_toml_token]
  private let characters: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) throws(PreferenceError) {
    guard bytes.count <= cvault_toml_size_limit else {
      throw PreferenceError(.syntax, "TOML of more than 1 MiB")
    }
    // Around the value, the tables of the document and of a domain.
    let depthLimit = PreferenceValue.depthLimit + 2
    let document = unsafe bytes.withUnsafeBytes { buffer in
      unsafe cvault_toml_read(
        buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, depthLimit)
    }
    guard let document = unsafe document else {
      throw PreferenceError(.syntax, "no memory for the TOML parser")
    }
    defer { unsafe cvault_toml_free(document) }
    var count = 0
    let first = unsafe cvault_toml_tokens(document, &count)
    unsafe tokens = Array(UnsafeBufferPointer(start: first, count: count))
    let text = unsafe cvault_toml_characters(document, &count)
    unsafe characters = Array(UnsafeRawBufferPointer(start: text, count: count))
    if let token = tokens.first, token.kind == CVAULT_TOML_ERROR {
      throw Position(line: token.line, column: token.column).failure(self.text(token.text))
    }
  }

  private func text(_ part: cvault_toml_text) -> String {
    String(decoding: characters[part.offset..<part.offset + part.count], as: UTF8.self)
  }

  mutating func next() throws(PreferenceError) -> Token {
    guard index < tokens.count else { throw PreferenceError(.syntax, "the TOML ends too early") }
    defer { index += 1 }
    let raw = tokens[index]
    return Token(raw: raw, key: text(raw.key), text: text(raw.text))
  }

  /// Reads a value with all that is in it; its token holds its key and position.
  mutating func value() throws(PreferenceError) -> (token: Token, value: PreferenceValue) {
    let token = try next()
    switch token.raw.kind {
    case CVAULT_TOML_TABLE:
      var entries: [String: PreferenceValue] = [:]
      for _ in 0..<token.count {
        let (member, value) = try value()
        if let problem = entries.add(value, member.key) {
          throw member.position.failure(problem)
        }
      }
      if token.raw.is_inline != 0, entries.count == 1, let (tag, value) = entries.first,
        tag.begins(with: "$")
      {
        guard let tagged = JSONText.value(tagged: tag, value) else {
          throw token.position.failure("\(tag) with another value")
        }
        return (token, tagged)
      }
      return (token, .dictionary(entries))
    case CVAULT_TOML_ARRAY:
      var elements: [PreferenceValue] = []
      for _ in 0..<token.count { elements.append(try value().value) }
      return (token, .array(elements))
    case CVAULT_TOML_STRING: return (token, .string(token.text))
    case CVAULT_TOML_INTEGER: return (token, .integer(token.raw.integer))
    case CVAULT_TOML_REAL: return (token, .real(token.raw.real))
    case CVAULT_TOML_BOOLEAN: return (token, .boolean(token.raw.integer != 0))
    case CVAULT_TOML_DATE:
      let seconds = Double(token.raw.integer - Int64(CalendarTime.referenceSeconds))
      let fraction = Double(token.raw.nanoseconds) / 1_000_000_000
      return (token, .date(Date(timeIntervalSinceReferenceDate: seconds + fraction)))
    default:
      throw token.position.failure("a time of day without a date, which no preference can be")
    }
  }
}
