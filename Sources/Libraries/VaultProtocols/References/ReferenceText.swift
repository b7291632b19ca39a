import VaultStorage

/// Text with references embedded in it, such as `postgres://me:secret://db@host`.
public enum ReferenceText {
  /// A part of the text.
  public enum Part: Equatable, Sendable {
    /// Text that stays as it is.
    case text(String)
    /// A reference to be replaced.
    case reference(SecretReference)
  }

  /// Splits a text at its references.
  ///
  /// A reference ends before an `@`, and before the first character that would need
  /// percent-encoding.
  ///
  /// - Parameter text: The text.
  /// - Returns: The parts in their order.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if a reference cannot be read.
  public static func parts(of text: String) throws -> [Part] {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstRange(ofBytes: SecretReference.scheme) {
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
