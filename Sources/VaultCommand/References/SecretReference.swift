import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// A reference to a secret: `secret://NAME[?attribute=…&encoding=…&default=…][#FIELD]`, or
/// `secret://@VAULT/NAME` in another vault.
///
/// Names may hold slashes, so the field is the fragment. Percent-encoding as in RFC 3986.
package struct SecretReference: Hashable, Sendable {
  /// What a reference may ask for instead of the secret.
  package enum Attribute: String, CaseIterable, Sendable { case fingerprint, expiry, otp }

  package static let scheme = "secret://"

  /// The reference as it was written; for a bare name, the name.
  package let text: String
  /// Another vault's name.
  package var vaultName: String?
  package var name: String
  package var field: String?
  package var attribute: Attribute?
  package var encoding: SecretEncoding?
  /// What stands in for an item that is missing.
  package var fallback: String?

  /// Reads a reference.
  ///
  /// - Throws: ``CommandError`` with code `usage`.
  package init(_ text: String) throws {
    self.text = text
    guard text.begins(with: Self.scheme) else {
      throw CommandError.usage(
        "a reference begins with secret://", hint: "such as: secret://work/github#user")
    }
    var rest = text.dropFirst(Self.scheme.count)
    if let hash = rest.unicodeScalars.firstIndex(of: "#") {
      field = try Self.decode(rest[rest.unicodeScalars.index(after: hash)...])
      rest = rest[..<hash]
    }
    var query: Substring = ""
    if let mark = rest.unicodeScalars.firstIndex(of: "?") {
      query = rest[rest.unicodeScalars.index(after: mark)...]
      rest = rest[..<mark]
    }
    if rest.begins(with: "@") {
      guard let slash = rest.unicodeScalars.firstIndex(of: "/") else {
        throw CommandError.usage("the reference names a vault and no item")
      }
      vaultName = try Self.decode(rest[rest.index(after: rest.startIndex)..<slash])
      rest = rest[rest.unicodeScalars.index(after: slash)...]
    }
    name = try Self.decode(rest)
    guard !name.isEmpty else { throw CommandError.usage("the reference names no item") }
    for pair in query.parts(at: "&") { try take(pair) }
  }

  /// A reference to an item's secret.
  package init(name: String) {
    text = name
    self.name = name
  }

  /// Item and field, as a message may show them.
  var shownName: String {
    Sanitizer.visible(name) + (field.map { "#\(Sanitizer.visible($0))" } ?? "")
  }

  /// What a line names: an item, or a reference.
  package init(nameOrReference text: String) throws {
    self = text.begins(with: Self.scheme) ? try SecretReference(text) : SecretReference(name: text)
  }

  private mutating func take(_ pair: Substring) throws {
    let parts = pair.parts(at: "=", maxSplits: 1, keepsEmpty: true)
    let value = try parts.count == 2 ? Self.decode(parts[1]) : ""
    switch parts[0] {
    case "default": fallback = value
    case "encoding":
      guard let known = SecretEncoding(rawValue: value) else {
        throw CommandError.usage(
          "the reference asks for an unknown encoding",
          hint: "known: \(SecretEncoding.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      encoding = known
    case "attribute":
      guard let known = Attribute(rawValue: value) else {
        throw CommandError.usage(
          "the reference asks for an unknown attribute",
          hint: "known: \(Attribute.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      attribute = known
    default:
      throw CommandError.usage(
        "the reference has an unknown part after '?'",
        hint: "known: attribute, encoding, default")
    }
  }

  private static func decode(_ text: Substring) throws -> String {
    guard let bytes = PercentEncoding.decoded(text) else {
      throw CommandError.usage("the reference has a '%' without two hex digits")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError.usage("the reference is no UTF-8 once its percent signs are decoded")
    }
    return text
  }
}

/// Text with references embedded in it, such as `postgres://me:secret://db@host`.
package enum ReferenceText {
  /// A part of the text.
  package enum Part: Equatable, Sendable {
    case text(String)
    case reference(SecretReference)
  }

  /// Splits text at its references; each ends at the first character that has to be percent-encoded there,
  /// and at an `@`.
  ///
  /// - Throws: ``CommandError`` with code `usage` for a reference that cannot be read.
  package static func parts(of text: String) throws -> [Part] {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.utf8.firstRange(of: SecretReference.scheme.utf8) {
      if start.lowerBound > rest.startIndex {
        parts.append(.text(String(rest[..<start.lowerBound])))
      }
      var end = start.upperBound
      if rest[end...].begins(with: "@") { end = rest.unicodeScalars.index(after: end) }
      end = rest.unicodeScalars[end...].firstIndex { !belongsToReference($0) } ?? rest.endIndex
      let reference = rest[start.lowerBound..<end]
      parts.append(.reference(try SecretReference(String(reference))))
      rest = rest[reference.endIndex...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    return parts
  }

  private static func belongsToReference(_ scalar: Unicode.Scalar) -> Bool {
    // A letter may be several scalars: Unicode Standard Annex 31, XID_Continue.
    scalar.properties.isXIDContinue || scalar.properties.numericType != nil
      || "-._~%/?=&#+".unicodeScalars.contains(scalar)
  }
}
