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

  /// With more items than these their names are shown before all else is read.
  private static let many = 2000

  /// Lets the person pick one of the vault's items.
  static func pick(in vault: UnlockedVault.Blocking) throws -> ItemName {
    try choose(in: vault, offersCopy: false).name
  }

  /// Lets the person pick one of the vault's items, and say whether it is to be copied.
  static func choose(
    in vault: UnlockedVault.Blocking, offersCopy: Bool
  ) throws -> (name: ItemName, copies: Bool) {
    let snapshot = try vault.readInPlace()
    let names = snapshot.names()
    guard !names.isEmpty else {
      throw CommandError(
        .itemNotFound, "the vault is empty: there is nothing to pick",
        hint: "store a secret: \(ProgramName.current) set NAME")
    }
    guard names.count > many else {
      return try choose(among: snapshot.items(), in: snapshot, offersCopy: offersCopy)
    }
    var items: [Item] = []
    let picked = try LinePicker.choose(
      from: names.map { PickerLine(name: Sanitizer.visible($0)) }, offersCopy: offersCopy,
      completedBy: {
        items = snapshot.items()
        return try lines(of: items, in: snapshot)
      })
    guard let picked else { throw TerminalError.cancelled }
    return (items[picked.index].name, picked.copies)
  }

  /// Lets the person pick one of the items that a word finds; `nil` where it finds none, or nobody
  /// can be asked.
  static func pick(
    in vault: UnlockedVault.Blocking, having word: String
  ) throws -> ItemName? {
    guard isPossible else { return nil }
    let snapshot = try vault.readInPlace()
    let items = try snapshot.search(word).map(\.item)
    guard !items.isEmpty else { return nil }
    StandardError.note("there is no item of that name; this is what has the word")
    return try choose(among: items, in: snapshot, offersCopy: false).name
  }

  private static func choose(
    among items: [Item], in snapshot: VaultSnapshot, offersCopy: Bool
  ) throws -> (name: ItemName, copies: Bool) {
    let lines = try lines(of: items, in: snapshot)
    guard let picked = try LinePicker.choose(from: lines, offersCopy: offersCopy) else {
      throw TerminalError.cancelled
    }
    return (items[picked.index].name, picked.copies)
  }

  /// What a list shows of items, and is searched in.
  static func lines(of items: [Item], in snapshot: VaultSnapshot) throws -> [PickerLine] {
    let logins = try snapshot.logins(of: items)
    return items.map { item in
      let login = logins[item.id] ?? ItemLogin()
      return PickerLine(
        name: Sanitizer.visible(item.name.text),
        detail: Sanitizer.visible(
          [login.user, login.host].filter { !$0.isEmpty }.joined(separator: "  ")),
        others: ([login.address, item.note] + item.tags).joined(separator: " "))
    }
  }
}
