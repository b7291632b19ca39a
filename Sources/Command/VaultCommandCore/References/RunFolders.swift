package import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The folders and patterns on the line of `vault run`: each item below them sets a variable.
package struct RunFolders: Sendable {
  private let words: [(selection: ItemSelection, vault: String?)]

  /// The vaults that are read; `nil` for the one that the line means.
  var vaultNames: [String?] { words.map(\.vault) }

  /// Whether the line has none.
  package var isEmpty: Bool { words.isEmpty }

  private static let advice =
    "\(ProgramName.current) set ITEM --attribute \(EnvironmentVariable.attribute)=NAME"

  /// Splits the words of a line into those that mean several items, and the others.
  ///
  /// A folder of another vault is a reference: `secret://@work/app/`.
  package static func split(_ words: [String]) throws -> (folders: RunFolders, names: [String]) {
    var folders: [(ItemSelection, String?)] = []
    var names: [String] = []
    for word in words {
      guard word.begins(with: SecretReference.scheme) else {
        if let selection = try ItemSelection(word) {
          folders.append((selection, nil))
        } else {
          names.append(word)
        }
        continue
      }
      let reference = try SecretReference(word)
      guard reference.name.ends(with: "/") else {
        names.append(word)
        continue
      }
      guard !word.unicodeScalars.contains(where: { "?#".unicodeScalars.contains($0) }),
        let selection = try ItemSelection(reference.name)
      else {
        throw CommandError.usage(
          "a folder has no field, attribute or default", hint: "such as: secret://app/")
      }
      folders.append((selection, reference.vaultName))
    }
    return (RunFolders(words: folders), names)
  }

  /// Finds the selected items of each word, and the vault that they are in.
  ///
  /// - Throws: ``CommandError`` with code `item-not-found` where nothing is selected.
  package func items(
    _ reading: ReferenceReading
  ) throws -> [(snapshot: VaultSnapshot, items: [Item])] {
    try words.map { selection, vault in
      let snapshot = try reading.snapshot(of: vault)
      let found = try selection.items { query in
        snapshot.items(matching: query).filter { !$0.isBookkeeping }
      }
      return (snapshot, found)
    }
  }

  /// Finds the variables of all selected items.
  ///
  /// Of a folder its own items win over those of folders below it: `shop/URL` over
  /// `shop/test/URL`.
  ///
  /// - Parameters:
  ///   - reading: The open vaults.
  ///   - usesWholeNames: Whether all parts of an item's name make its variable.
  ///   - others: The variables that are set anyway; items of these names are left out.
  /// - Returns: The variables, sorted by name.
  /// - Throws: ``CommandError`` with code `item-not-found` where nothing is selected, and `usage`
  ///   for two items with one variable.
  package func variables(
    _ reading: ReferenceReading, usesWholeNames: Bool, besides others: [RunVariable]
  ) throws -> [RunVariable] {
    let others = Set(others.map(\.name))
    var found: [String: Origin] = [:]
    for word in words {
      let snapshot = try reading.snapshot(of: word.vault)
      let items = Self.ownFirst(
        try Self.items(of: word.selection, in: snapshot), of: word.selection,
        usesWholeNames: usesWholeNames)
      for item in items {
        let name = EnvironmentVariable.name(
          forItem: item.name.text, attributes: item.attributes, isWhole: usesWholeNames)
        guard EnvironmentVariable.isReadable(name) else {
          StandardError.note(
            "'\(Quoting.visible(item.name.text))' gives no variable, and is left out",
            hint: "give it one: \(Self.advice)")
          continue
        }
        guard !others.contains(name) else { continue }
        guard !EnvironmentVariable.steersPrograms(name) else {
          RunVariable.tellLeftOut(name, of: item.name.text)
          continue
        }
        let origin = Origin(item: item, vault: word.vault)
        if let other = found[name], other.item.id != item.id {
          throw Self.clash(other.item, item, name)
        }
        found[name] = origin
      }
    }
    return found.map { name, origin in
      var reference = SecretReference(name: origin.item.name.text)
      reference.vaultName = origin.vault
      return RunVariable(name: name, parts: [.reference(reference)])
    }.sorted { $0.name < $1.name }
  }

  /// Where a variable comes from.
  private struct Origin {
    let item: Item
    let vault: String?
  }

  /// Leaves out items of folders below, where an item that lies higher has the variable.
  ///
  /// - Parameters:
  ///   - items: The items that a word selects.
  ///   - selection: The word; the items of a pattern all stay.
  ///   - usesWholeNames: Whether all parts of an item's name make its variable.
  /// - Returns: The others, the folder's own first.
  package static func ownFirst(
    _ items: [Item], of selection: ItemSelection, usesWholeNames: Bool
  ) -> [Item] {
    let items = items.sorted { depth(of: $0) < depth(of: $1) }
    guard selection.isFolder else { return items }
    var depths: [String: Int] = [:]
    return items.filter { item in
      let name = EnvironmentVariable.name(
        forItem: item.name.text, attributes: item.attributes, isWhole: usesWholeNames)
      let depth = depth(of: item)
      guard let known = depths[name] else {
        depths[name] = depth
        return true
      }
      return known == depth
    }
  }

  /// How many folders an item lies in.
  private static func depth(of item: Item) -> Int { item.name.text.utf8.count { $0 == 0x2F } }

  /// The items of a word; a pattern's star does not cross a slash here.
  ///
  /// - Parameters:
  ///   - selection: The word.
  ///   - snapshot: The vault.
  /// - Returns: The items.
  /// - Throws: ``CommandError`` with code `item-not-found` where nothing is selected.
  package static func items(
    of selection: ItemSelection, in snapshot: VaultSnapshot
  ) throws -> [Item] {
    try selection.items { query in
      let items = snapshot.items(matching: query).filter { !$0.isBookkeeping }
      guard !selection.isFolder, query.pattern != nil else { return items }
      return items.filter { selection.isDirect($0.name.text) }
    }
  }

  private static func clash(_ one: Item, _ other: Item, _ name: String) -> CommandError {
    let names = [one, other].map { "'\(Quoting.visible($0.name.text))'" }
    return .usage(
      "\(names[0]) and \(names[1]) would both be \(name)",
      hint: "name the one that is meant: --env \(name)=ITEM; or use whole names: --prefix-names; "
        + "or choose a variable: \(advice)")
  }
}
