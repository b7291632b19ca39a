extension CopyStates {
  /// Reads the states from a vault's ledger.
  convenience init(of vault: UnlockedVault) {
    self.init(reading: {
      let ledger = try? vault.ledger()
      let marks = (try? ledger?.marks()) ?? [:]
      return { name in
        guard let place = try? ledger?.place(of: name), let mark = marks[place] else {
          return .pending
        }
        switch mark {
        case CopyLedger.settled: return .published
        case CopyLedger.unpublishable: return .none
        default: return .pending
        }
      }
    })
  }
}
