import VaultSealing

/// How the copies in the keyring stand.
public struct CopyReport: Sendable, Equatable {
  /// Copies that hold what the vault holds.
  public internal(set) var current = 0
  /// Copies that are still to be made, brought up to date or removed.
  public internal(set) var pending = 0
  /// Names of items whose copy another program changed.
  public internal(set) var changedByOthers: [ItemName] = []
  /// Names of items whose copy is gone from the keyring.
  public internal(set) var missing: [ItemName] = []
  /// Names under which another program keeps an item, beside a copy or where one would be.
  public internal(set) var foreign: [String] = []
  /// Names of copies that a vault left in the keyring, of items that this vault does not publish.
  public internal(set) var leftovers: [String] = []
}

extension UnlockedVault.Blocking {
  /// Brings all copies in the keyring up to date now, however long that takes.
  ///
  /// Every copy is looked at: one that is marked as done and does not hold what the vault holds is written anew,
  /// and of several copies of one name one stays.
  ///
  /// - Parameter overwriting: Whether copies that other programs changed are overwritten, those that they
  ///   removed are made again, and those that a vault left behind are removed.
  /// - Returns: How they stand afterwards.
  /// - Throws: ``CredentialError`` with a keyring's code, `.busy` if another command is bringing them up to
  ///   date, or what writing throws.
  @discardableResult
  public func synchroniseCopies(overwriting: Bool = false) throws -> CopyReport {
    try open.reconcileAll(overwriting: overwriting) {
      try markDifferences(overwriting: overwriting)
    }
    return try copies()
  }

  /// How the copies in the keyring stand; nothing is changed.
  ///
  /// - Returns: Counts, and the names of those that others changed.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func copies() throws -> CopyReport {
    let survey = try CopySurvey(open)
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
    }
    return report
  }

  /// Marks what the keyring holds otherwise than the index says, so that it is brought up to date.
  private func markDifferences(overwriting: Bool) throws {
    let survey = try CopySurvey(open)
    var published: [[UInt8]: UInt64] = [:]
    var withdrawn: [VaultIndex.Withdrawal] = []
    for name in survey.names {
      switch survey.finding(name).state {
      case .different:
        if let record = survey.records[name] { published[record.id] = record.version }
      case .changedByOthers, .missing:
        if overwriting, let record = survey.records[name] { published[record.id] = record.version }
      case .leftover:
        let copies = survey.found[name]?.filter(\.carriesOurs) ?? []
        // What the vault held is the vault's; what it never held may be all that is left of another one.
        guard overwriting || copies.allSatisfy({ survey.wasHeld($0.hash, under: name) }) else {
          continue
        }
        withdrawn += copies.map { VaultIndex.Withdrawal(name: name, copyHash: $0.hash) }
      case .current, .pending, .nothing: break
      }
    }
    guard !published.isEmpty || !withdrawn.isEmpty else { return }
    try open.commit { draft in
      for position in draft.index.items.indices {
        let record = draft.index.items[position]
        guard published[record.id] == record.version, record.copy == .published else { continue }
        draft.index.items[position].copy = .pending
      }
      for withdrawal in withdrawn {
        let position = draft.position(of: ItemName(stored: withdrawal.name))
        if let position, draft.index.items[position].copy != .none { continue }
        draft.index.withdrawals.append(withdrawal)
      }
    }
  }

  /// Takes secrets that other programs changed in the keyring, or keep under the name of a copy, into the vault
  /// as new versions.
  ///
  /// - Returns: The names of the items that were changed.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func takeChangedCopies() throws -> [ItemName] {
    let survey = try CopySurvey(open)
    let index = survey.index
    var taken: [(name: ItemName, secret: SecretBytes, hash: [UInt8])] = []
    for name in survey.names where survey.records[name] != nil {
      guard let theirs = survey.newestOfOthers(name) else { continue }
      let secret: SecretBytes?
      do {
        secret = try open.vault.keyring.secrets(of: [theirs.path])[theirs.path]
      } catch {
        throw CredentialError(error)
      }
      guard let secret, secret.count <= Secret.maximumLength else { continue }
      taken.append((ItemName(stored: name), secret, try index.copyHash(of: secret)))
    }
    guard !taken.isEmpty else { return [] }
    // One change, which one undo takes back.
    return try open.commit { draft in
      try taken.compactMap { copy in
        guard let position = draft.position(of: copy.name) else { return nil }
        let contents = try draft.contents(at: position)
        if try draft.index.copyHash(of: contents.main) != copy.hash {
          try draft.keepAsEarlier(at: position)
          draft.index.items[position].version += 1
          draft.index.items[position].modified = draft.now
          try draft.seal(ItemContents(main: copy.secret, fields: contents.fields), at: position)
        }
        // What was taken is the copy from now on; others of ours of that name go.
        draft.index.items[position].copyHash = copy.hash
        draft.index.items[position].copy = .pending
        return copy.name
      }
    }
  }

  /// Whether copies of new items go to the keyring.
  ///
  /// - Returns: `true` if publishing is on.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func isPublishing() throws -> Bool {
    try open.read(onlyItemsNamed: []).1.isPublishing
  }

  /// Switches publishing on or off, for all items or for some.
  ///
  /// - Parameters:
  ///   - isOn: Whether copies go to the keyring; copies that are there are withdrawn otherwise.
  ///   - names: Only these items; `nil` for all, and those to come.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what writing throws.
  public func setPublishing(_ isOn: Bool, of names: [ItemName]? = nil) throws {
    try open.commit { draft in
      if names == nil { draft.index.isPublishing = isOn }
      let positions =
        try names?.map { try draft.requirePosition(of: $0) }
        ?? draft.index.items.indices.filter { draft.index.items[$0].trashed == 0 }
      for position in positions {
        if isOn {
          if draft.index.items[position].copy == .none {
            draft.index.items[position].copy = .pending
          }
        } else {
          draft.withdrawCopy(at: position)
          draft.index.items[position].copy = .none
        }
      }
    }
    try open.reconcileAll(overwriting: false) {}
  }
}

extension UnlockedVault {
  /// Does everything that is marked, after `prepare` has marked more; what cannot be done is told as a notice.
  func reconcileAll(overwriting: Bool, _ prepare: () throws -> Void) throws {
    guard vault.options.usesKeyring else {
      try synchroniseCopies()
      return
    }
    _ = takeNamesOfCopyWork()
    let result = try withCopiesLocked(within: vault.options.lockTimeout) {
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
        hint: "run 'vault keyring sync' when it is done")
    }
    _ = noteWaiting(result.left, withoutTelling: [], result.reason)
  }
}

/// What the keyring holds under the vault's service, held against the vault.
struct CopySurvey {
  enum State {
    /// One copy, and it holds what the vault holds.
    case current
    /// Marked in the index.
    case pending
    /// Marked as done, and it is not: another secret of the vault's own, or several copies.
    case different
    case changedByOthers
    case missing
    /// A copy of an item that the vault does not publish.
    case leftover
    /// Nothing of ours, and nothing wanted.
    case nothing
  }

  let open: UnlockedVault
  let index: VaultIndex
  let found: [String: [FoundCopy]]
  /// Live items that have a copy, or are to have one.
  let records: [String: ItemRecord]
  private let work: [String: CopyWork]
  private let wanted: [String: [UInt8]]
  private let pass: CopyPass

  init(_ open: UnlockedVault) throws {
    self.open = open
    let (sealed, index) = try open.read()
    self.index = index
    let publisher = open.publisher(for: index)
    do {
      found = try publisher.all()
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
    let live = index.items.filter { $0.trashed == 0 && $0.copy != .none }
    records = Dictionary(live.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    work = index.copyWork()
    wanted = records.compactMapValues { record in
      // A damaged item is another matter: its copy may be what mends it.
      (try? sealed.contents(of: record, keys: open.keys)).flatMap {
        try? index.copyHash(of: $0.main)
      }
    }
    pass = CopyPass(
      open: open, sealed: sealed, index: index, publisher: publisher, isOverwriting: false)
  }

  /// Every name that the vault publishes, marks, or that is in the keyring under its service.
  var names: [String] { Set(found.keys).union(records.keys).union(work.keys).sorted() }

  func finding(_ name: String) -> (state: State, hasForeign: Bool) {
    let there = found[name] ?? []
    guard let record = records[name] else {
      let known = work[name]?.known ?? []
      let ours = there.filter { $0.carriesOurs || known.contains($0.hash) }
      let state: State = work[name] != nil ? .pending : ours.isEmpty ? .nothing : .leftover
      return (state, ours.count < there.count)
    }
    let standing = standing(name, record)
    let hasForeign = !standing.foreign.isEmpty
    if work[name] != nil {
      return (standing.changed.isEmpty ? .pending : .changedByOthers, hasForeign)
    }
    guard wanted[name] == nil || wanted[name] == record.copyHash else {
      return (.different, hasForeign)
    }
    if !standing.changed.isEmpty { return (.changedByOthers, hasForeign) }
    guard let kept = standing.ours.first else { return (.missing, hasForeign) }
    let isOne = standing.ours.count == 1 && kept.hash == record.copyHash
    return (isOne ? .current : .different, hasForeign)
  }

  /// The newest item that another program put beside a copy or in its place.
  func newestOfOthers(_ name: String) -> FoundCopy? {
    guard let record = records[name] else { return nil }
    let standing = standing(name, record)
    return (standing.changed + standing.foreign).max { $0.modified < $1.modified }
  }

  /// Whether an item of this name, also one in the trash, ever held what has this keyed hash.
  func wasHeld(_ hash: [UInt8], under name: String) -> Bool {
    index.items.contains { record in
      guard record.name == name else { return false }
      if record.trashed == 0, let contents = try? pass.sealed.contents(of: record, keys: open.keys),
        (try? index.copyHash(of: contents.main)) == hash
      {
        return true
      }
      return pass.wasHeld(hash, by: record)
    }
  }

  private func standing(_ name: String, _ record: ItemRecord) -> CopyStanding {
    var known = work[name]?.known ?? []
    if record.copyHash.isSomeHash { known.insert(record.copyHash) }
    return CopyStanding(
      found[name] ?? [], wanted: wanted[name] ?? record.copyHash, known: known,
      wasHeld: { record.copy == .pending && pass.wasHeld($0, by: record) })
  }
}
