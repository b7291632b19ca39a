import VaultSealing
package import VaultStorage
package import VaultTerminal

extension StandardOutput {
  /// Writes a JSON document, with the warnings so far.
  package static func write(_ members: [(String, JSONValue)]) throws {
    try write(JSONValue.document(members + Notices.members))
  }

  /// Writes a JSON document whose only member is a list, with the warnings so far.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - elements: The elements of the list.
  ///   - body: Writes an element.
  /// - Throws: `System.Failure` if stdout cannot be written.
  package static func write<Element>(
    _ name: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
  ) throws {
    ProgressLine.end()
    var failure: System.Failure?
    var writer = JSONWriter(isPretty: true) { piece in
      guard failure == nil else { return }
      do throws(System.Failure) {
        try piece.withRawSpan { bytes throws(System.Failure) in try write(bytes) }
      } catch { failure = error }
    }
    writer.object { document in
      document.next("schema", .number(JSONValue.schema))
      document.next(name) { $0.array(elements, body) }
      for (name, value) in Notices.members { document.next(name, value) }
    }
    writer.literal("\n")
    writer.flush()
    if let failure { throw failure }
  }
}
