package import VaultCredentials
import VaultStorage
import VaultTerminal

extension VaultSettings {
  /// Has a person say that what a vault has goes to the machines of a space.
  ///
  /// - Parameters:
  ///   - vault: The vault that joins; one that has nothing needs no question.
  ///   - store: Where the space is.
  /// - Throws: ``CommandError`` with code `.usage` where nobody can be asked, `.cancelled` for a no.
  package func confirmSharing(_ vault: UnlockedVault.Blocking, _ store: String) throws {
    let live = try vault.items().map { StandardOutput.shown($0.name.text) }.sorted()
    var query = ItemQuery()
    query.isInTrash = true
    let removed = try vault.items(matching: query).count
    guard !live.isEmpty || removed > 0 else { return }
    let shown = live.prefix(Self.namesShown).joined(separator: ", ")
    let more = live.count > Self.namesShown ? ", and \(live.count - Self.namesShown) more" : ""
    let items = live.count == 1 ? "1 item" : "\(live.count) items"
    let trash = removed == 0 ? "" : live.isEmpty ? "items in its trash" : ", and its trash"
    let what = live.isEmpty ? trash : "\(items) that the others would get: \(shown)\(more)\(trash)"
    let program = ProgramName.current
    let place = StandardOutput.shown(store)
    // Where nobody is asked, the code comes from stdin again.
    let code = Prompt.isPossible ? "" : " --stdin"
    let hint =
      "to keep them apart, join with a vault of its own: \(program) --vault NAME sync join \(place)\(code); "
      + "to share them: \(program) sync join \(place) --merge\(code)"
    guard !isUnattended, Prompt.isPossible else {
      throw CommandError.usage("this vault has \(what)", hint: hint)
    }
    guard try Prompt.confirm("This vault has \(what). Share them?", default: false) == true else {
      throw CommandError(.cancelled, "nothing was shared", hint: hint)
    }
  }

  private static let namesShown = 8
}
