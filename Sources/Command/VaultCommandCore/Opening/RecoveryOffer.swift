package import VaultCredentials
package import VaultSealing
package import VaultStorage
import VaultTerminal

/// Offers a recovery code, which is shown once and must be confirmed.
package struct RecoveryOffer {
  /// Whether to create one; `nil` to ask if there is a terminal.
  package var isWanted: Bool?
  /// The label of its key slot; empty for the next that is free: recovery, recovery 2 and so on.
  package var label = ""
  /// Whether the code goes into a JSON document, without a question.
  package var isForDocument = false
  /// What is done already when the code is offered, as a sentence.
  package var before = ""

  package init(
    isWanted: Bool? = nil, label: String = "", isForDocument: Bool = false, before: String = ""
  ) {
    self.isWanted = isWanted
    self.label = label
    self.isForDocument = isForDocument
    self.before = before
  }

  /// A new key slot, and the code that opens it if it is still to be written.
  package struct Made {
    package let slot: KeySlot
    package let code: SecretBytes?
    /// What holds, as a sentence, if nobody gets the code.
    fileprivate let withoutCode: String

    fileprivate var members: [(String, JSONValue)] {
      [("recoveryCode", .optional(code.flatMap { Secret($0).text }))]
    }

    /// Writes the code, or removes its slot again.
    ///
    /// A code that nobody has is not a way in, and must not be counted as one. That holds for a
    /// pipe that nobody reads, too.
    fileprivate func writing(
      in vault: UnlockedVault.Blocking, _ write: () throws -> Void
    ) throws {
      do {
        try StandardOutput.survivingClosedPipe(write)
      } catch {
        guard code != nil else { throw error }
        let reason = ErrorReport(error).message
        do {
          try vault.removeSlot(slot.id)
        } catch {
          throw CommandError(
            .inputOutput,
            "the recovery code is lost (\(reason)), and its key slot cannot be removed: "
              + ErrorReport(error).message,
            hint: "remove it: \(ProgramName.current) key remove \(slot.id.prefix(8))")
        }
        throw CommandError(
          .inputOutput, "the recovery code cannot be written: \(reason)",
          hint: withoutCode.lowercasedFirst)
      }
    }
  }

  /// Writes a JSON document that ends with the code of a new slot, if there is one.
  ///
  /// - Parameters:
  ///   - made: The slot.
  ///   - vault: The vault that it is of.
  ///   - members: The document's other members.
  /// - Throws: ``CommandError`` with code `input-output` (74) if the code cannot be written, or what
  ///   stands before it. Then the slot is gone again.
  package static func write(
    _ made: Made?, in vault: UnlockedVault.Blocking,
    after members: () throws -> [(String, JSONValue)]
  ) throws {
    guard let made else { return try StandardOutput.write(members()) }
    try made.writing(in: vault) { try StandardOutput.write(members() + made.members) }
  }

  /// Adds a recovery slot if the person wants one.
  ///
  /// On a terminal it shows the code and asks for two of its groups. Without a terminal, or with
  /// stdout in a file or a pipe, the code goes to stdout, and only if an option asked for it.
  ///
  /// - Returns: The slot; `nil` if there is none.
  @discardableResult
  package func makeSlot(in vault: UnlockedVault.Blocking) throws -> Made? {
    if isWanted == false { return nil }
    // A code that goes into a file or a pipe is what a script wants, and a person who redirects it.
    let isRedirected = isWanted == true && StandardOutput.isFileOrPipe
    guard Prompt.isPossible, !isForDocument, !isRedirected else {
      guard isWanted == true else { return nil }
      let (slot, code) = try NewKeySlot.recovery(label: try freeLabel(in: vault))
      let made = try vault.addSlot(slot)
      let new = Made(slot: made, code: code.bytes, withoutCode: withoutCode)
      if !isForDocument {
        try new.writing(in: vault) {
          try StandardOutput.write(code.bytes)
          try StandardOutput.write("\n")
        }
      }
      return new
    }
    if isWanted == nil {
      let question = "Create a recovery code, in case the key is lost or forgotten? (recommended)"
      guard
        try Prompt.withLastWords(withoutCode, { try Prompt.confirm(question, default: true) })
          == true
      else { return nil }
    }
    let (slot, code) = try NewKeySlot.recovery(label: try freeLabel(in: vault))
    do {
      try Prompt.withLastWords(unconfirmed) {
        Prompt.tell("\nWrite this down; it is not shown again:\n")
        try Prompt.tell(groupsOf: code.bytes, group: 6, indent: 4)
        Prompt.tell("")
        for group in [2, 5] { try confirm(group, of: code.bytes) }
      }
    } catch is WrongGroups {
      throw CommandError(.cancelled, "three times another text: \(unconfirmed.lowercasedFirst)")
    } catch let error as TerminalError where error.code == .cancelled {
      throw CommandError(.cancelled, "given up: \(unconfirmed.lowercasedFirst)")
    }
    let made = try vault.addSlot(slot)
    Prompt.tell("The recovery code unlocks the vault from now on.")
    return Made(slot: made, code: nil, withoutCode: withoutCode)
  }

  private var later: String { "create one later: \(ProgramName.current) key add --recovery" }

  private var withoutCode: String {
    sentence("There is no recovery code; \(later)")
  }

  private var unconfirmed: String {
    sentence("There is no recovery code: the one above opens nothing; \(later)")
  }

  private func sentence(_ text: String) -> String { before.isEmpty ? text : "\(before) \(text)" }

  /// The label of the line, or the first of `recovery`, `recovery 2`, … that no slot has.
  private func freeLabel(in vault: UnlockedVault.Blocking) throws -> String {
    guard label.isEmpty else { return label }
    let taken = Set(try vault.slots().map(\.label))
    let standard = KeySlot.Kind.recovery.name
    return (1...).lazy.map { $0 == 1 ? standard : "\(standard) \($0)" }
      .first { !taken.contains($0) } ?? standard
  }

  private func confirm(_ group: Int, of code: SecretBytes) throws {
    let expected = try code.slice((group - 1) * 7..<(group - 1) * 7 + 6)
    for left in (0..<Self.attempts).reversed() {
      guard let typed = try Prompt.line("Type group \(group) of the code:") else { return }
      if try RecoveryCode.written(typed).isEqual(to: expected) { return }
      guard left > 0 else { break }
      Prompt.tell("That does not match. \(left) \(left == 1 ? "try" : "tries") left.")
    }
    throw WrongGroups()
  }

  private static let attempts = 3

  /// A group of the code was typed wrongly each time.
  private struct WrongGroups: Error {}
}
