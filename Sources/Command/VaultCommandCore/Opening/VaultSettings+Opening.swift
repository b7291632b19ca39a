package import VaultCredentials
import VaultStorage
import VaultTerminal

extension VaultSettings {
  /// Opens the vault, and prints its notices, also after a failure.
  package func withVault<Result>(
    named name: String? = nil, _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result {
    let vault = try locked(named: name, asksNobody: isUnattended)
    let sources = UnlockSources(settings: self, vault: vault)
    let open = try vault.blocking.unlock(
      with: isUnattended ? sources.withoutAsking().map(\.source) : sources.sources())
    return try startingSync(after: open) { try Self.tellingNotices(of: open, body) }
  }

  /// Opens the vault for a change, and creates it first if that needs no decision.
  package func withVaultMade<Result>(
    _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result {
    let vault = try locked()
    guard try vault.blocking.exists() else {
      let made = try VaultSetup(settings: self, vault: vault).makeForFirstSecret()
      return try Self.tellingNotices(of: made.vault) { vault in
        let result = try Self.firstChange { try body(vault) }
        // Last, so that whoever gives up here has what they came for.
        try made.offerRecovery(after: "The vault is created, and your change is stored.")
        return result
      }
    }
    return try withVault(body)
  }

  /// Makes the first change of a vault; who gives up in the middle of it learns what there is.
  private static func firstChange<Result>(_ body: () throws -> Result) throws -> Result {
    let words = "The vault is created; nothing is stored in it yet."
    do {
      return try Prompt.withLastWords(words, body)
    } catch let error as TerminalError where error.code == .cancelled {
      throw CommandError(.cancelled, "given up: \(words.dropLast().lowercasedFirst)")
    }
  }

  /// Opens the vault for a question; returns `nil` if there is no vault, and so nothing to be
  /// found.
  ///
  /// A vault that exists and cannot be opened is an error, never "nothing found".
  @discardableResult
  package func withVaultIfAny<Result>(
    _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result? {
    guard try locked().blocking.exists() else { return nil }
    return try withVault(body)
  }

  package static func tellingNotices<Result>(
    of open: UnlockedVault, _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result {
    let vault = open.blocking
    Notices.watch(open)
    defer { Notices.tell() }
    do {
      return try body(vault)
    } catch var error as CredentialError where error.code == .itemNotFound {
      if let trashed = hintForTrash(error.missingItem, in: vault) {
        (error.hint, error.remedies) = (trashed, [])
      } else if let near = nearest(to: error.missingItem, in: vault) {
        (error.hint, error.remedies) = ("did you mean: \(near)", [])
      }
      throw error
    }
  }

  /// What brings a missing item back that lies in the trash.
  static func hintForTrash(
    _ name: ItemName?, in vault: UnlockedVault.Blocking, named vaultName: String? = nil
  ) -> String? {
    guard let name else { return nil }
    var query = ItemQuery()
    query.isInTrash = true
    guard let trash = try? vault.items(matching: query),
      trash.contains(where: { $0.name.text.isSame(as: name.text) })
    else { return nil }
    let options = vaultName.map { " --vault \(Quoting.shell($0))" } ?? ""
    return "it is in the trash: \(ProgramName.current)\(options) restore "
      + Quoting.visible(Quoting.typed(name.text))
  }

  /// What may have been meant by the name of a missing item.
  private static func nearest(to name: ItemName?, in vault: UnlockedVault.Blocking) -> String? {
    guard let name else { return nil }
    if let near = nearestName(to: name, in: vault) { return near }
    // A word of a name, a user, an address, a tag or a note.
    guard name.text.utf8.count > 2, let found = try? vault.readInPlace().search(name.text),
      let first = found.first
    else { return nil }
    let shown = found.prefix(3).map { Quoting.visible($0.item.name.text) }.joined(separator: ", ")
    guard found.count > 1 else {
      // Behind the name, and not as a part of it.
      return first.place.isName
        ? shown : "\(shown), which was found by \(Quoting.visible(first.text))"
    }
    return found.count > 3
      ? "\(shown), …; all of them: \(ProgramName.current) list \(Quoting.typed(name.text))" : shown
  }

  /// The item whose name is similar, or the folder of that name.
  ///
  /// A vault with many thousand items is not searched for similar names.
  private static func nearestName(
    to name: ItemName, in vault: UnlockedVault.Blocking
  ) -> String? {
    guard let names = try? vault.names(beginningWith: ""), names.count <= 5000 else { return nil }
    // Slashes too many, which are escaped where a name is looked up: `/work/github`, `work//github`.
    let plain = name.text.substituting("%2F", with: "/").parts(at: "/").joined(separator: "/")
    if !plain.isSame(as: name.text), names.contains(plain) { return plain }
    let folder = "\(name.text)/"
    if names.contains(where: { $0.utf8.starts(with: folder.utf8) }) { return folder }
    // A field, as references write it.
    let halves = name.text.parts(at: "#", maxSplits: 1, keepsEmpty: true)
    if halves.count == 2, names.contains(String(halves[0])) {
      return "\(halves[0]) --field \(halves[1])"
    }
    // An import names `Site (ann)` by the account: another account is not what was meant.
    if let start = name.text.firstRange(ofBytes: " ("), name.text.ends(with: ")") {
      let whole = String(name.text[..<start.lowerBound])
      return names.contains(whole)
        ? whole
        : Suggestion.nearest(to: name.text, among: names.filter { !$0.begins(with: "\(whole) (") })
    }
    return Suggestion.nearest(to: name.text, among: names)
      ?? otherSpelling(of: name.text, among: names, in: vault)
  }

  /// The item that other programs write so: a field behind a dot, a colon or a slash, as
  /// `db/prod.password`; a path of HashiCorp's program with its mount.
  private static func otherSpelling(
    of text: String, among names: [String], in vault: UnlockedVault.Blocking
  ) -> String? {
    for mount in ["secret/data/", "secret/", "kv/data/", "kv/"] where text.begins(with: mount) {
      let rest = String(text.dropFirst(mount.count))
      if names.contains(where: rest.isSame(as:)) { return rest }
    }
    guard let end = text.unicodeScalars.lastIndex(where: { "./:".unicodeScalars.contains($0) })
    else { return nil }
    let item = String(text[..<end])
    guard names.contains(where: item.isSame(as:)), let name = try? ItemName(item) else {
      return nil
    }
    // What is no field of it may be a secret.
    let field = String(text[text.unicodeScalars.index(after: end)...])
    let isField = (try? vault.fields(of: name))?.contains(where: field.isSame(as:))
    let show = "its fields: \(ProgramName.current) show \(Quoting.typed(item))"
    return isField == true ? "\(item) --field \(field)" : "\(item); \(show)"
  }
}
