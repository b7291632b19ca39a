package import VaultSync

/// A message between this program and an engine that runs as a child: a list of fields.
///
/// A message is a `u32` length and that many bytes; these are fields, each a `u32` length and that
/// many bytes. Lengths are big-endian. Documentation/engines.md.
package struct EngineMessage: Sendable, Equatable {
  /// The fields; the first one is a word.
  package let fields: [[UInt8]]

  /// Most bytes of a message, its own length apart.
  package static let maximumLength = 32 << 20
  /// Most fields of a message.
  package static let maximumFields = 100_000

  package init(_ fields: [[UInt8]]) { self.fields = fields }

  /// A message of words, and bytes after them.
  package init(_ words: [String], _ bytes: [[UInt8]] = []) {
    fields = words.map { Array($0.utf8) } + bytes
  }

  /// Reads what follows the length of a message; `nil` unless it is whole, and nothing else.
  package init?(body: [UInt8]) {
    var fields: [[UInt8]] = []
    var offset = 0
    while offset < body.count {
      guard fields.count < Self.maximumFields, body.count - offset >= 4 else { return nil }
      let length = Self.length(body[offset..<offset + 4])
      offset += 4
      guard length <= body.count - offset else { return nil }
      fields.append(Array(body[offset..<offset + length]))
      offset += length
    }
    guard !fields.isEmpty else { return nil }
    self.fields = fields
  }

  /// The message with its length.
  package var bytes: [UInt8] {
    let length = fields.reduce(0) { $0 + 4 + $1.count }
    var bytes = Self.bytes(of: length)
    bytes.reserveCapacity(4 + length)
    for field in fields { bytes += Self.bytes(of: field.count) + field }
    return bytes
  }

  /// The first field as a word; empty if it is none.
  package var word: String { text(0) ?? "" }

  /// A field as text; `nil` if there is none, or it is not UTF-8.
  package func text(_ position: Int) -> String? {
    fields.indices.contains(position)
      ? String(validating: fields[position], as: UTF8.self) : nil
  }

  /// A field as a number, written in decimal digits.
  package func number(_ position: Int) -> UInt64? {
    guard let text = text(position), !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
      return nil
    }
    return UInt64(text)
  }

  /// A length in four bytes.
  package static func bytes(of length: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * (3 - $0))) }
  }

  /// A length from four bytes.
  package static func length(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The words of the protocol's errors, and the errors of spaces that they mean.
package enum EngineErrorWord {
  private static let codes: [(word: String, code: SyncError.Code)] = [
    ("unavailable", .unavailable), ("taken", .taken), ("not-allowed", .notAllowed),
    ("not-prepared", .notPrepared), ("rolled-back", .rolledBack),
  ]

  /// The code that a word means; one that is not known means that the store cannot be used.
  package static func code(_ word: String) -> SyncError.Code {
    codes.first { $0.word == word }?.code ?? .unavailable
  }

  /// The word for a code.
  package static func word(_ code: SyncError.Code) -> String {
    codes.first { $0.code == code }?.word ?? "unavailable"
  }
}
