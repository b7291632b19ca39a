package import VaultCredentials
import VaultStorage
import VaultTerminal

/// What `rename` and `copy` do: each item and its new name.
///
/// `web/ old/` and `'web/*' old/` move what is below a folder, `token old/` moves an item into one,
/// and `/` is the place outside of all folders.
package struct ItemMoves {
  package struct Move {
    package let from: ItemName
    package let to: ItemName
  }

  package let moves: [Move]
  /// Whether the line names a folder or pattern, of which a person may expect less.
  package let isOfSeveral: Bool

  /// Finds the items.
  ///
  /// - Parameters:
  ///   - word: The item, folder or pattern.
  ///   - target: The new name, or a folder.
  ///   - find: Returns the items of a query.
  /// - Throws: ``CommandError`` with code `item-not-found`; `CredentialError` with code
  ///   `.invalidName`.
  package init(_ word: String, to target: String, _ find: (ItemQuery) throws -> [Item]) throws {
    guard let selection = try ItemSelection(word) else {
      isOfSeveral = false
      let last = word.unicodeScalars.lastIndex(of: "/").map { word.unicodeScalars.index(after: $0) }
      let part = String(word[(last ?? word.startIndex)...])
      let name =
        target == "/" ? part : target.hasSuffix("/") ? target + part : target
      moves = [Move(from: ItemName(lookingUp: word), to: try ItemName(name))]
      return
    }
    isOfSeveral = true
    let folder = target == "/" ? "" : target.hasSuffix("/") ? target : "\(target)/"
    moves = try selection.items(find).map { item in
      let rest = item.name.text.utf8.dropFirst(selection.prefix.utf8.count)
      return Move(from: item.name, to: try ItemName(folder + (String(rest) ?? item.name.text)))
    }
  }

  /// Renames the items; one whose new name another one leaves comes after it.
  package func rename(in edit: inout VaultEdit) throws -> [Item] {
    var items: [Item] = []
    var rest = moves.filter { moves.count == 1 || $0.from != $0.to }
    while !rest.isEmpty {
      let free = rest.filter { edit[$0.to] == nil }
      // None is free: the first one says why.
      for move in free.isEmpty ? rest : free {
        items.append(try edit.rename(move.from, to: move.to))
      }
      let done = Set((free.isEmpty ? rest : free).map(\.from))
      rest.removeAll { done.contains($0.from) }
    }
    return items.sorted { $0.name < $1.name }
  }

  /// Copies the items.
  package func copy(in edit: inout VaultEdit) throws -> [Item] {
    try moves.map { try edit.copy($0.from, to: $0.to) }
  }
}

/// A question about several items at once.
package enum ItemQuestion {
  /// Asks whether to go on; nobody is asked without a terminal.
  ///
  /// - Parameters:
  ///   - question: The question, with its question mark.
  ///   - answer: The answer that Return stands for.
  /// - Throws: ``ExitStatusOnly`` after a no.
  package static func confirm(_ question: String, default answer: Bool) throws {
    guard Prompt.isPossible else { return }
    guard try Prompt.confirm(Sanitizer.visible(question), default: answer) == true else {
      StandardError.note("nothing was changed")
      throw ExitStatusOnly(status: .no)
    }
  }
}
