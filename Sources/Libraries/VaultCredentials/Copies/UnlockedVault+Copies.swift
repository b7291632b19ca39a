import Synchronization
import VaultSealing

extension UnlockedVault.Blocking {
  /// Brings all copies in the keyring up to date now, however long that takes.
  ///
  /// Every copy is looked at: one that is marked as done and does not hold what the vault holds is
  /// written anew, and of several copies of one name one stays.
  ///
  /// - Parameter overwriting: Whether copies that other programs changed are overwritten, those
  ///   that they removed are made again, and those that a vault left behind are removed.
  /// - Returns: How they stand afterwards.
  /// - Throws: ``CredentialError`` with a keyring's code, `.busy` if another command is bringing
  ///   them up to date, or what writing throws.
  @discardableResult
  public func synchronizeCopies(overwriting: Bool = false) throws -> CopyReport {
    try KeyringPatience.$waitsForEach.withValue(true) {
      try vault.reconcileAll(overwriting: overwriting) {
        try markDifferences(overwriting: overwriting)
      }
      return try copies()
    }
  }

  /// Returns the state of the copies in the keyring, without changing anything.
  ///
  /// - Returns: Counts, and the names of those that others changed.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func copies() throws -> CopyReport {
    let survey = try CopySurvey(vault)
    // The report names them.
    vault.hasSoughtBreakingCopies.store(true, ordering: .relaxed)
    var report = CopyReport()
    for name in survey.names {
      let finding = survey.finding(name)
      switch finding.state {
      case .current: report.current += 1
      case .pending, .different: report.pending += 1
      case .changedByOthers: report.changedByOthers.append(ItemName(stored: name))
      case .missing: report.missing.append(ItemName(stored: name))
      case .leftover: report.leftovers.append(name)
      case .nothing: break
      }
      if finding.hasForeign { report.foreign.append(name) }
      if survey.isBreaking(name) { report.breaking.append(name) }
    }
    return report
  }

  /// Marks what the keyring holds otherwise than the vault wants, so that it is brought up to date.
  private func markDifferences(overwriting: Bool) throws {
    let survey = try CopySurvey(vault)
    var marked: [String: [[UInt8]]] = [:]
    for name in survey.names {
      switch survey.finding(name).state {
      case .different: marked[name] = []
      case .changedByOthers, .missing: if overwriting { marked[name] = [] }
      case .leftover:
        let copies = survey.found[name]?.filter(\.carriesOurs) ?? []
        // What the vault held is the vault's; what it never held may be all that is left of another
        // one.
        guard overwriting || copies.allSatisfy({ survey.wasHeld($0.hash, under: name) }) else {
          continue
        }
        marked[name] = copies.map(\.hash)
      case .current, .pending, .nothing: break
      }
    }
    for name in survey.unnotedNames { marked[name] = marked[name] ?? [] }
    try vault.ledger().mark(marked)
  }

  /// Takes secrets that other programs changed in the keyring, or keep under the name of a copy,
  /// into the vault as new versions.
  ///
  /// - Returns: The names of the items that were changed.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func takeChangedCopies() throws -> [ItemName] {
    let survey = try KeyringPatience.$waitsForEach.withValue(true) { try CopySurvey(vault) }
    let index = survey.index
    var taken: [(name: ItemName, secret: SecretBytes, hash: [UInt8])] = []
    for name in survey.names where survey.records[name] != nil {
      guard let theirs = survey.newestOfOthers(name) else { continue }
      let secret: SecretBytes?
      do {
        secret = try vault.locked.keyring.secrets(of: [theirs.path])[theirs.path]
      } catch {
        throw CredentialError(error)
      }
      guard let secret, secret.count <= Secret.maximumLength else { continue }
      taken.append((ItemName(stored: name), secret, try index.copyHash(of: secret)))
    }
    guard !taken.isEmpty else { return [] }
    // One change, which one undo takes back.
    return try vault.commit { edit in
      try taken.compactMap { copy in
        guard let position = edit.position(of: copy.name) else { return nil }
        let contents = try edit.contents(at: position)
        if try edit.index.copyHash(of: contents.main) != copy.hash {
          try edit.addVersion(
            at: position, ItemContents(main: copy.secret, fields: contents.fields))
        }
        // What was taken is the copy from now on; others of ours of that name go.
        edit.adoptCopy(at: position, hash: copy.hash)
        return copy.name
      }
    }
  }

  /// Returns whether new items get a copy in the keyring.
  ///
  /// - Returns: `true` if publishing is on.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func isPublishing() throws -> Bool {
    try vault.snapshot(only: .noItems).index.isPublishing
  }

  /// Switches publishing on or off, for all items or for some.
  ///
  /// - Parameters:
  ///   - isOn: Whether copies go to the keyring; copies that are there are withdrawn otherwise.
  ///   - names: Only these items; `nil` for all, and those to come.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what writing throws.
  public func setPublishing(_ isOn: Bool, of names: [ItemName]? = nil) throws {
    try vault.commit { edit in
      if names == nil { edit.index.isPublishing = isOn }
      if names == nil, !isOn {
        // What is in the trash comes back without a copy, too.
        for position in edit.index.items.indices
        where edit.index.items.trashed(at: position) != 0 && edit[position].copy != .none {
          edit[position].copy = .none
        }
      }
      edit.copies.retriesUnpublishable = isOn
      let positions =
        try names?.map { try edit.requirePosition(of: $0) }
        ?? edit.index.items.indices.filter { edit.index.items.trashed(at: $0) == 0 }
      for position in positions {
        if isOn {
          if edit[position].copy == .none {
            edit[position].copy = .pending
            edit.copyIsOutdated(at: position)
          }
        } else {
          edit.withdrawCopy(at: position)
          edit[position].copy = .none
        }
      }
    }
    try KeyringPatience.$waitsForEach.withValue(true) {
      try vault.reconcileAll(overwriting: false) {}
    }
  }
}

extension UnlockedVault {
  /// Does everything that is marked, after `prepare` has marked more; what cannot be done is told
  /// as a notice.
  func reconcileAll(overwriting: Bool, _ prepare: () throws -> Void) throws {
    guard locked.options.usesKeyring else {
      try synchronizeCopies()
      return
    }
    let result = try withCopiesLocked(within: locked.options.lockTimeout) {
      do {
        try prepare()
      } catch let error as CredentialError where error.code.isAboutKeyring {
        // Told by what follows, with how much waits for it.
      }
      return try reconcile(own: [], .everything, overwriting: overwriting)
    }
    guard let result else {
      throw CredentialError(
        .busy, "another command is bringing the copies in the keyring up to date",
        hint: "try again when it is done", remedies: [.synchronizeCopies])
    }
    _ = noteWaiting(result.left, withoutTelling: [], result.reason)
  }
}
