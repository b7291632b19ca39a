import VaultDataStore
import VaultStorage

extension ModelStore {
  /// Whether what does not decode is noted in the file.
  var notesUndecoded: Bool { dataFile != nil && custom == nil && configuration.allowsSave }

  /// Notes values that do not decode, for whoever checks the store without the program.
  ///
  /// Nothing else depends on it: a file that cannot be written stays as it is.
  ///
  /// - Parameters:
  ///   - found: The values, each with the type as which it does not decode.
  ///   - isAll: Whether there are no others.
  func noteUndecoded(_ found: [UndecodedValues.Place: String], isAll: Bool) {
    guard notesUndecoded else { return }
    do {
      let isNoted = try withConnection { try !$0.sqlite.undecodedValues().places.isEmpty }
      if found.isEmpty, !isNoted { return }
      try writing {
        try withConnection { connection in
          try connection.sqlite.transaction {
            try connection.sqlite.noteUndecoded(found, schema, isAll: isAll)
          }
        }
      }
    } catch {
      // The program hears of the values themselves.
    }
  }
}
