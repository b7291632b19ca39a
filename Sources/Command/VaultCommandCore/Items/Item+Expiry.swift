package import FoundationEssentials
package import VaultCredentials
import VaultStorage
import VaultTerminal

extension Item {
  /// Says on stderr that the secret has expired, if it has.
  package func tellIfExpired(now: Date = Date()) {
    guard let expires, expires < now else { return }
    let day = Timestamp.text(expires).unicodeScalars.prefix { $0 != "T" }
    StandardError.note("note: \(Sanitizer.visible(name.text)) expired on \(String(day))")
  }

  /// Throws where the secret has expired, or another value met it in a merge.
  ///
  /// - Parameter now: The time.
  /// - Throws: ``CommandError`` with code `.expired` or `.conflict`.
  func checkIsSettled(now: Date = Date()) throws {
    let shown = Sanitizer.visible(name.text)
    if let expires, expires < now {
      throw CommandError(.expired, "\(shown) has expired")
    }
    if conflictingVersion != nil {
      throw CommandError(.conflict, "\(shown) has another value, from a merge")
    }
  }

  /// Says that a conflict is settled.
  ///
  /// - Parameters:
  ///   - name: What the person called it.
  ///   - settings: How to say it.
  /// - Throws: What writing throws.
  package func tellSettled(as name: ItemName, in settings: VaultSettings) throws {
    guard settings.writesJSON else {
      return StandardError.note("\(StandardOutput.shown(name.text)) is settled")
    }
    try StandardOutput.write([
      ("name", .string(self.name.text)), ("version", .number(Int64(clamping: version))),
    ])
  }

  /// Says on stderr that another value met this one in a merge, if one did.
  package func tellIfConflicting() {
    guard let conflictingVersion else { return }
    let shown = Sanitizer.visible(name.text)
    // What a machine of the space wrote is settled for all of them.
    let machine = conflicts.first { $0.kind == .secret }?.machine.map(Sanitizer.visible)
    let verb = machine == nil ? "merge --resolve" : "sync resolve"
    let line = "\(ProgramName.current) \(verb) \(Quoting.typed(name.text))"
    let origin = machine ?? "a merge"
    StandardError.note(
      "note: \(shown) has another value, from \(origin): version \(conflictingVersion)",
      hint: "keep this one: \(line); or the other one: \(line) --take"
        + (machine.map { " \(Quoting.typed($0))" } ?? ""))
  }
}
