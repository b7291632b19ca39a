import VaultCommandCore
import VaultCredentials
import VaultTerminal

/// Lets the person at the terminal pick an item where the line names none.
enum ItemPicker {
  /// The item on the line; `nil` if it names none and the person can be asked for it.
  ///
  /// - Throws: ``CommandError`` with code `usage` if nobody can be asked.
  static func named(_ name: String?) throws -> String? {
    guard name == nil, !isPossible else { return name }
    throw CommandError.usage(
      "missing expected argument '<name>'", hint: "\(ProgramName.current) list shows the names")
  }

  /// Whether a person sees the list and can choose.
  private static var isPossible: Bool {
    ProcessState.isTerminal(0) && StandardError.isTerminal && Prompt.isPossible
  }

  /// Lets the person pick one of the vault's items.
  static func pick(in vault: UnlockedVault.Blocking) throws -> ItemName {
    let items = try vault.items()
    guard !items.isEmpty else {
      throw CommandError(
        .itemNotFound, "the vault is empty: there is nothing to pick",
        hint: "store a secret: \(ProgramName.current) set NAME")
    }
    let names = items.map { Sanitizer.visible($0.name.text) }
    guard let picked = try LinePicker.pick(from: names) else { throw TerminalError.cancelled }
    return items[picked].name
  }
}
