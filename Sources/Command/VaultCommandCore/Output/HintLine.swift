import Synchronization
import VaultStorage
import VaultTerminal

/// The line below an error or a note that says what to type.
///
/// What was given to say which vault is meant stands in it again: a hint of a line with `--vault
/// work` is about that vault. All hints go through here when they are written, whoever made them.
package enum HintLine {
  private struct Given {
    var vault: String?
    var home: String?
    var isAdopted = false
  }

  private static let given = Mutex(Given())

  /// Remembers which vault the line names.
  ///
  /// - Parameters:
  ///   - vault: What `--vault` was followed by; `nil` if it was not given.
  ///   - home: The same of `--home`.
  package static func adopt(vault: String?, home: String?) {
    // A path is no name of a vault, and the error about it says so.
    let name = vault.flatMap { $0.utf8.contains(UInt8(ascii: "/")) ? nil : $0 }
    given.withLock { $0 = Given(vault: name, home: home, isAdopted: true) }
  }

  /// Whether it is known which vault the line names, if any.
  package static var isAdopted: Bool { given.withLock { $0.isAdopted } }

  /// Whether each line of a hint is of a vault with a name, by what was given.
  package static var namesVault: Bool {
    given.withLock { $0.vault != nil } || ProcessState.hasVariable(EnvironmentNames.vaultName)
  }

  /// A hint with the options that say which vault is meant, in each line of this command in it.
  ///
  /// - Parameter text: The hint, whose lines begin with the command's name and a verb.
  /// - Returns: The hint.
  package static func located(_ text: String) -> String {
    let given = given.withLock { $0 }
    guard given.vault != nil || given.home != nil else { return text }
    // Another machine has its own places, and the same names.
    let isElsewhere = text.hasPrefix("on the other machine")
    let (givenHome, givenVault) = (isElsewhere ? nil : given.home, given.vault)
    guard givenHome != nil || givenVault != nil else { return text }
    let name = Array(ProgramName.current.utf8)
    let bytes = Array(text.utf8)
    var located: [UInt8] = []
    var position = 0
    while position < bytes.count {
      // A line in single quotes has others inside.
      let isQuoted = position > 0 && bytes[position - 1] == UInt8(ascii: "'")
      let home = givenHome.map { " --home \(word($0, isQuoted: isQuoted))" }
      let vault = givenVault.map { " --vault \(word($0, isQuoted: isQuoted))" }
      let end = position + name.count
      let ownVault = Array(" --vault ".utf8)
      if bytes[min(end, bytes.count)...].starts(with: ownVault),
        isLine(bytes, position, end, name, before: ownVault.count)
      {
        // It names another vault, in the same home.
        located += name + Array((home ?? "").utf8) + ownVault
        position = end + ownVault.count
      } else if isLine(bytes, position, end, name) {
        // The list of all vaults is of none of them.
        let isList = bytes[end...].starts(with: " list --vaults".utf8)
        located += name + Array(((home ?? "") + (isList ? "" : vault ?? "")).utf8)
        position = end
      } else {
        located.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: located, as: UTF8.self)
  }

  /// A word of a line, which itself may stand in single quotes.
  private static func word(_ text: String, isQuoted: Bool) -> String {
    let shell = Quoting.shell(text)
    guard isQuoted, shell.begins(with: "'"), !text.utf8.contains(where: "\"$`\\'".utf8.contains)
    else { return shell }
    return "\"\(text)\""
  }

  /// Whether the command's name stands at a place as a word, with a verb behind it that has a vault.
  ///
  /// The verb stands behind as many bytes as an option of the line takes.
  private static func isLine(
    _ bytes: [UInt8], _ position: Int, _ end: Int, _ name: [UInt8], before option: Int = 0
  ) -> Bool {
    guard end + 1 < bytes.count, bytes[position..<end].elementsEqual(name),
      bytes[end] == UInt8(ascii: " "), option > 0 || isLetter(bytes[end + 1]),
      !bytes[(end + 1)...].starts(with: "help".utf8)
    else { return false }
    // In words about a vault, such as "a new vault key", another word is before it.
    let before = bytes[..<position]
    return before.isEmpty
      || [": ", "; ", ", ", "'", "(", "| ", " or ", " and ", "exec "].contains { lead in
        before.suffix(lead.utf8.count).elementsEqual(lead.utf8)
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
}
