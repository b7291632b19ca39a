import VaultPreferences
import VaultStorage
import VaultTerminal

/// A damaged store: advice for its errors, and `recover`.
extension DefaultsTool {
  /// `recover`: sets a damaged store aside, and builds a new one from what can be read and the last
  /// good copy.
  func recover(_ words: ArraySlice<String>) throws {
    guard words.isEmpty else { throw DefaultsUsage() }
    let location = try location()
    guard try isDamaged(location) else { throw DefaultsRefusal("The store is not damaged.") }
    let done = try PreferenceRecovery.recover(location)
    if done.setAside.isEmpty {
      print("The store itself was gone; a new one was made.")
    } else {
      print("The damaged store is kept as \(done.setAside).")
      let verb = done.salvagedRows == 1 ? "was" : "were"
      print("\(Plural.of(done.salvagedRows, "row")) \(verb) read from it.")
    }
    if !done.incompleteTables.isEmpty {
      print("Rows may be missing in: \(done.incompleteTables.joined(separator: ", ")).")
      print(
        done.usedLastGoodCopy
          ? "The last good copy gave what it has of them."
          : "There is no last good copy that could give them.")
    }
  }

  /// Returns whether opening, reading or SQLite's own check finds damage.
  private func isDamaged(_ location: StoreLocation) throws -> Bool {
    do {
      guard let store = try Store.open(location, mode: .read) else {
        throw DefaultsRefusal("There is no store.")
      }
      defer { store.connection.close() }
      return try !store.check().isEmpty
    } catch {
      if PreferenceRecovery.isDamage(error) { return true }
      throw error
    }
  }

  /// The second line of an error that means a damaged store; `nil` for other errors.
  func advice(for error: any Error) -> String? {
    guard PreferenceRecovery.isDamage(error), let location = try? location() else { return nil }
    let age = (try? Directory(location.data)).flatMap {
      System.age(of: Store.lastGoodName, in: $0.descriptor)
    }
    let copy = age.map {
      " and the last good copy, \(TimeSpan.text(Int($0.components.seconds))) old"
    }
    return
      "nothing was changed; to set the damaged file aside and go on with what can be read of it"
      + "\(copy ?? ""), run: \(program) defaults recover"
  }
}
