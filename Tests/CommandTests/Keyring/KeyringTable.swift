import Foundation
import TestSupport

/// What each verb comes to in each state of the keyring, for a vault that the keyring alone opens
/// and for one that a key file opens too.
///
/// A cell is an exit status and, where there is one, the word for the advice. `rig` is a state of
/// `Tests/KeyringRig`: real gnome-keyring where it can be had from it.
enum KeyringTable {
  static let text = """
    state                            | rig              | slots   | get         | set         | remove      | list        | run         | status
    no bus                           | no-bus           | keyring | 69 desktop  | 69 desktop  | 69 desktop  | 69 desktop  | 69 desktop  | 0 desktop
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 desktop
    nothing at the bus's address     | dead-bus         | keyring | 69 desktop  | 69 desktop  | 69 desktop  | 69 desktop  | 69 desktop  | 0 desktop
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 desktop
    bus without a provider           | no-provider      | keyring | 69 install  | 69 install  | 69 install  | 69 install  | 69 install  | 0 install
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 install
    provider that cannot start       | cannot-start     | keyring | 69 install  | 69 install  | 69 install  | 69 install  | 69 install  | 0 install
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 install
    provider that never starts       | sleepy           | keyring | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 0 restart
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 restart
    provider that never answers      | mute             | keyring | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 0 restart
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 restart
    each answer late                 | late             | keyring | 0           | 0 later     | 69 withdraw | 0           | 0           | 0
                                     |                  | both    | 0           | 0 ?         | 69 withdraw | 0           | 0           | 0
    no default collection            | no-keyring       | keyring | 69 make     | 69 make     | 69 make     | 69 make     | 69 make     | 0 make
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 make
    locked, answered on the display  | prompt-ok        | keyring | 0           | 0           | 0           | 0           | 0           | 0 unlock
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 unlock
    locked, without a display        | locked           | keyring | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 0 here
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 here
    locked since it was started      | cold-locked      | keyring | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 0 here
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 here
    prompt dismissed                 | locked+display   | keyring | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 0 unlock
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 unlock
    item there but locked            | item-locked      | keyring | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 77 unlock   | 0
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0
    item missing                     | unlocked-empty   | keyring | 77 slot     | 77 slot     | 77 slot     | 77 slot     | 77 slot     | 0 slot
                                     |                  | both    | 0           | 0           | 0           | 0           | 0           | 0 file
    unusable reply                   | wrong-type       | keyring | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 0
                                     |                  | both    | 0           | 0           | 69 withdraw | 0           | 0           | 0
    secret that does not decrypt     | iv-short         | keyring | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 0
                                     |                  | both    | 0           | 0           | 69 withdraw | 0           | 0           | 0
    service gone in mid-call         | die              | keyring | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 69 restart  | 0
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0
    session without encryption       | plain-only       | keyring | 0 clear     | 0 clear     | 0 clear     | 0 clear     | 0 clear     | 0 clear
                                     |                  | both    | 0           | 0 clear     | 0 clear     | 0           | 0           | 0 clear
    the same, and encryption asked   | plain-only+must  | keyring | 69 other    | 69 other    | 69 other    | 69 other    | 69 other    | 0 other
                                     |                  | both    | 0           | 0 later     | 69 withdraw | 0           | 0           | 0 other
    all well                         | unlocked         | keyring | 0           | 0           | 0           | 0           | 0           | 0
                                     |                  | both    | 0           | 0           | 0           | 0           | 0           | 0
    """

  /// The first words of each advice.
  static let advice = [
    "desktop": "there is no desktop session here: unlock the vault with a passphrase or key file",
    "install": "install and start a keyring (apt-get install gnome-keyring)",
    "restart": "restart the keyring's program, or open the vault with a passphrase or key file",
    "make": "create a keyring first: log in to the desktop once",
    "unlock": "unlock the keyring: vault keyring unlock",
    "here": "unlock the keyring: vault keyring unlock",
    "slot": "put the keyring's files of before, the folder ",
    "file": "it is unlocked by: key file",
    "other": "use another keyring; accept it: leave out --require-encrypted-session",
    "clear": "refuse such a keyring: --require-encrypted-session",
    "later": "the next change that finds the keyring does it, too; bring the copies up to date: ",
    "withdraw": "the next change that finds the keyring removes it, too; bring the copies",
  ]

  struct Cell: Sendable {
    let verb: String
    let status: Int32
    /// The words of the advice; empty for none, `nil` where the moment decides.
    let advice: String?
  }

  struct Row: Sendable, CustomStringConvertible {
    let state: String
    let rig: KeyringSession.State
    let hasDisplay: Bool
    let requiresEncryption: Bool
    /// Whether it holds what the vault has put there.
    let isSeeded: Bool
    let hasKeyFile: Bool
    let cells: [Cell]

    /// Whether something of it hangs: its verbs run at once, and each may take five seconds.
    var hangs: Bool { ["sleepy", "mute", "late"].contains(rig.name) }
    var description: String { "\(state), \(hasKeyFile ? "keyring and key file" : "keyring")" }
  }

  static let rows: [Row] = {
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let verbs = lines[0].dropFirst(3)
    var rows: [Row] = []
    for line in lines.dropFirst() {
      let state = line[0].isEmpty ? rows[rows.count - 1].state : line[0]
      let rig = line[1].isEmpty ? lines[rows.count][1] : line[1]
      let cells = zip(verbs, line.dropFirst(3)).map { verb, cell in
        let words = cell.split(separator: " ").map(String.init)
        let word = words.dropFirst().first
        return Cell(
          verb: verb, status: Int32(words[0]) ?? -1,
          advice: word == nil ? "" : word == "?" ? nil : advice[word ?? ""] ?? "no such advice")
      }
      rows.append(
        Row(
          state: state,
          rig: KeyringSession.State(
            String(rig.split(separator: "+")[0]).replacingOccurrences(of: "-empty", with: "")),
          hasDisplay: rig.hasSuffix("+display") || rig == "prompt-ok",
          requiresEncryption: rig.hasSuffix("+must"), isSeeded: !rig.hasSuffix("-empty"),
          hasKeyFile: line[2] == "both", cells: cells))
    }
    return rows
  }()
}
