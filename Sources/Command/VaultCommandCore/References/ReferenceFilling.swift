import VaultCredentials
package import VaultProtocols
import VaultSealing
package import VaultStorage
import VaultTerminal

/// The values of all of a template's references.
package struct ReferenceFilling {
  private let template: Template
  private let values: [SecretReference: SecretBytes]

  /// Reads the values of the references.
  ///
  /// - Throws: ``CommandError`` that lists all missing values with their file and positions.
  package init(_ template: Template, of path: String?, _ settings: VaultSettings) throws {
    self.template = template
    func place(_ position: Template.Position) -> String {
      path.map { "\($0):\(position.text)" } ?? position.text
    }
    let reading = ReferenceReading(settings, for: .inject)
    try reading.open(template.references.map(\.reference))
    var values: [SecretReference: SecretBytes] = [:]
    for (reference, position) in template.references where values[reference] == nil {
      do {
        values[reference] = try reading.value(of: reference)
      } catch let error as ProtocolError {
        throw error.prefixed(with: place(position))
      } catch {
        guard let error = CommandError(ownOrTerminal: error) else { throw error }
        throw CommandError(
          error.code, "\(place(position)): \(error.message)", hint: error.hint)
      }
    }
    self.values = values
    let missing = reading.missing.map { reference in
      let places = template.references.filter { $0.reference == reference }.map(\.position.text)
      return "\(reference.shownName) (\(places.joined(separator: ", ")))"
    }
    guard missing.isEmpty else {
      throw CommandError(
        .itemNotFound,
        (path.map { "\($0): " } ?? "")
          + "\(missing.count == 1 ? "an item is" : "\(missing.count) items are") missing: "
          + missing.joined(separator: ", "),
        hint: "\(reading.hintForMissing()); nothing was written")
    }
    reading.recordUses()
  }

  /// Passes on the result, piece by piece.
  package func write(
    _ bytes: [UInt8], to take: (RawSpan) throws(System.Failure) -> Void
  ) throws(System.Failure) {
    for part in template.parts {
      switch part {
      case .bytes(let range): try bytes[range].withRawSpan(take)
      case .reference(let reference, _): try values[reference]?.withBytes(take)
      }
    }
  }

  /// Writes the result to stdout; to a terminal only if the terminal would not interpret it.
  package func writeToStandardOutput(_ bytes: [UInt8]) throws {
    if StandardOutput.isTerminal {
      let parts = try template.parts.compactMap { part in
        switch part {
        case .bytes(let range): try SecretBytes(copying: Array(bytes[range]))
        case .reference(let reference, _): values[reference]
        }
      }
      return try SecretOutput.write(SecretBytes.joined(parts))
    }
    try write(bytes, to: StandardOutput.write)
    if template.references.isEmpty { StandardError.note("the template has no references") }
  }
}
