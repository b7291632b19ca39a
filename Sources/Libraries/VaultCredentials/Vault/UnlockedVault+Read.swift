import VaultSealing
import VaultStorage

extension UnlockedVault.Blocking {
  /// Reads the vault file, once.
  ///
  /// Everything that the snapshot answers is from that moment. Take one snapshot to look at several
  /// items, rather than asking the vault for each of them.
  ///
  /// ```swift
  /// let snapshot = try vault.blocking.read()
  /// let item = try snapshot.item(ItemName("github.com/me"))
  /// let secrets = try snapshot.secrets(of: item)
  /// ```
  ///
  /// - Returns: The vault as it is now.
  /// - Throws: ``CredentialError`` with code `.noVault`, `.damaged`, `.newerVersion`,
  ///   `.unsafeFile`, `.permissionDenied`; `.locked` if another vault is in its place;
  ///   `.changedMeanwhile` if its key was rotated since it was unlocked.
  public func read() throws -> VaultSnapshot {
    let snapshot = try vault.snapshot()
    // A program may keep many snapshots: none of them keeps a file open.
    return VaultSnapshot(
      vault: vault, file: try snapshot.file.inMemory(), index: snapshot.index)
  }

  /// ``read()`` for a program that looks once and ends: sealed items stay in the file, which stays
  /// open for as long as the snapshot exists.
  package func readInPlace() throws -> VaultSnapshot { try vault.snapshot() }

  /// Reads the vault file, but decodes only the items with these names.
  ///
  /// That is what makes one secret out of thousands cheap: see Benchmarks.
  package func read(only names: [ItemName]) throws -> VaultSnapshot {
    try vault.snapshot(only: .named(names))
  }

  /// Returns the names of the live items that begin with a text, sorted as ``items(matching:)``
  /// sorts them.
  ///
  /// Nothing of other items is decoded: this is what completion asks for at each key press.
  ///
  /// - Parameter start: The text; nothing for all names.
  /// - Returns: The names.
  /// - Throws: ``CredentialError``: what ``read()`` throws.
  package func names(beginningWith start: String) throws -> [String] {
    let start = Array(UnicodeNormalization.nfc(start).utf8)
    return try vault.snapshot(only: start.isEmpty ? nil : .beginning(with: start)).names()
  }

  /// Returns a secret of an item.
  ///
  /// ```swift
  /// let token = try vault.blocking.get(ItemName("api-token"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - version: An earlier version; `nil` for the current one.
  /// - Returns: The secret.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, `.versionNotFound`,
  ///   `.damaged`, or what ``read()`` throws.
  public func get(
    _ name: ItemName, field: String? = nil, version: UInt64? = nil
  ) throws -> Secret {
    let snapshot = try read(only: [name])
    return try snapshot.contents(of: snapshot.requireRecord(named: name), version: version)
      .secret(field: field)
  }

  /// Returns the main secrets of several items.
  ///
  /// - Parameter names: The items.
  /// - Returns: The secrets; items that do not exist are absent.
  /// - Throws: ``CredentialError`` with code `.damaged`, or what ``read()`` throws.
  public func get(_ names: [ItemName]) throws -> [ItemName: Secret] {
    let snapshot = try read(only: names)
    return try snapshot.index.items.reduce(into: [:]) { secrets, record in
      guard record.trashed == 0 else { return }
      secrets[ItemName(stored: record.name)] = Secret(try snapshot.contents(of: record).main)
    }
  }

  /// Returns an item without its secrets.
  ///
  /// - Parameter name: The item.
  /// - Returns: The item.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what ``read()`` throws.
  public func item(_ name: ItemName) throws -> Item { try read(only: [name]).item(name) }

  /// Returns the items that match a query, sorted by name.
  ///
  /// - Parameter query: The conditions; by default, all live items match.
  /// - Returns: The items, without their secrets.
  /// - Throws: ``CredentialError``: what ``read()`` throws.
  public func items(matching query: ItemQuery = .all) throws -> [Item] {
    try vault.snapshot().items(matching: query)
  }

  /// Returns the names of an item's further fields, sorted.
  ///
  /// - Parameter name: The item.
  /// - Returns: The names; the main secret has none.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.damaged`, or what ``read()``
  ///   throws.
  public func fields(of name: ItemName) throws -> [String] {
    let snapshot = try read(only: [name])
    return try snapshot.fields(of: snapshot.item(name))
  }

  /// Returns the length and a short keyed hash of a secret, to compare it without showing it.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  /// - Returns: The fingerprint.
  /// - Throws: As ``get(_:field:version:)``.
  public func fingerprint(of name: ItemName, field: String? = nil) throws -> Fingerprint {
    try vault.fingerprint(of: get(name, field: field).bytes)
  }

  /// Returns the versions of an item that can be read, newest first.
  ///
  /// - Parameter name: The item.
  /// - Returns: The current version, then earlier ones.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what ``read()`` throws.
  public func history(of name: ItemName) throws -> [ItemVersion] {
    let snapshot = try read(only: [name])
    return snapshot.versions(of: try snapshot.requireRecord(named: name))
  }
}

extension UnlockedVault {
  /// Runs a blocking call on a thread of its own, so that Swift's cooperative threads never wait
  /// for files, locks, Argon2 or the bus.
  func waiting<Result: Sendable>(
    _ call: @escaping @Sendable (Blocking) throws -> Result
  ) async throws -> Result {
    try await BlockingThread.run(name: "vault") { try call(self.blocking) }
  }

  /// The sealed earlier versions of this vault, in `store.sqlite`.
  var history: HistoryStore { HistoryStore(location: locked.folder.location, vaultID: vaultID) }

  /// Opens an earlier version of an item, from `store.sqlite`.
  func contents(
    of record: ItemRecord, earlier: ItemRecord.Earlier, index: VaultIndex, _ history: HistoryReader
  ) throws -> ItemContents {
    let sealed = try history.blob(earlier.hash)
    if sealed == nil, try isDropped(earlier) {
      throw CredentialError(
        .versionNotFound,
        "version \(earlier.version) of this item is no longer kept: another program changed the item",
        remedies: [.showHistory])
    }
    return try contents(of: record, earlier: earlier, index: index, sealed: sealed)
  }

  /// Whether the vault, as it is by now, does not name an earlier version any more.
  ///
  /// Whoever drops one says so in the vault first, and then removes its bytes: what is missing and
  /// not named is no damage, but a change of another program since this vault was read.
  func isDropped(_ earlier: ItemRecord.Earlier) throws -> Bool {
    let index = try snapshot().index
    return !index.items.contains { $0.earlier.contains { $0.hash == earlier.hash } }
  }

  /// The same of sealed bytes that were read; `nil` where the store has none.
  func contents(
    of record: ItemRecord, earlier: ItemRecord.Earlier, index: VaultIndex, sealed: [UInt8]?
  ) throws -> ItemContents {
    guard let sealed,
      try Hash.blake2b(sealed, count: ItemRecord.hashLength) == earlier.hash
    else {
      throw CredentialError(
        .damaged, "version \(earlier.version) of this item is missing or was changed",
        hint: "other versions are not affected", remedies: [.showHistory])
    }
    return try VaultFile.open(
      sealed, record: record, version: earlier.version, kind: earlier.kind, vaultID: vaultID,
      parent: try index.dataKey(id: earlier.dataKey))
  }

  func fingerprint(of secret: SecretBytes) throws -> Fingerprint {
    let key = try keys.blind()
    let hash = try secret.withBytes { try Hash.blake2b($0, count: 16, key: key) }
    return Fingerprint(length: secret.count, hash: Hexadecimal.text(Array(hash.prefix(4))))
  }
}
