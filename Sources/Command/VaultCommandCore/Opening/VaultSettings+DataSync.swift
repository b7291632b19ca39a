import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync
import VaultTerminal

/// The stores of applications that go along with the vault's space.
extension VaultSettings {
  /// Has an application's stores go along from now on, and says so.
  ///
  /// - Parameter word: An application, `APPLICATION/STORE`, or a path.
  /// - Throws: ``CommandError`` with code `store-not-found`; `SyncError` with code `.notAllowed`.
  package func addData(_ word: String) throws {
    let stores = try Self.stores(word)
    let outcomes = try withSpace { space in
      guard try space.status().feedAge == nil else {
        throw SyncError(
          .notAllowed, "a feed has no stores of applications: this vault follows one",
          hint: "a machine of the space has them")
      }
      _ = try space.synchronize()
      return try DataSync(space).add(stores)
    }
    if writesJSON {
      return try StandardOutput.write([("data", .array(outcomes.map(\.json)))])
    }
    for outcome in outcomes { outcome.tellAdded() }
    if let problem = outcomes.flatMap(\.report.channel.problems).first { throw problem }
  }

  /// Leaves an application's stores out from now on, and says so.
  package func dropData(_ word: String) throws {
    let dropped = try withSpace { try DataSync($0).drop(word) }
    if writesJSON { return try StandardOutput.write([("dropped", .strings(dropped))]) }
    guard !dropped.isEmpty else {
      return StandardError.note(
        "no store of that application goes with the space on this machine",
        hint: "which do: \(ProgramName.current) sync status")
    }
    for name in dropped {
      StandardError.note(
        "the rows of \(StandardOutput.shown(name)) stay as they are, and are synchronized no longer"
      )
    }
  }

  /// Takes what is in the stores of other machines out of them: the vault leaves its space.
  func forgetData(of space: SyncedVault) {
    // Of a store that is gone nothing is left to be taken out.
    _ = try? DataSync(space).drop(nil)
  }

  private static func stores(_ word: String) throws -> [FoundStore] {
    let found = try FoundStore.all().stores.filter {
      $0.metadata.application == word || $0.name == word
    }
    if !found.isEmpty { return found }
    if let one = try FoundStore(word) { return [one] }
    throw CommandError(
      .storeNotFound, "there is no store of that application on this machine",
      hint: "run the application once; which there are: \(ProgramName.current) data stores")
  }
}
