import VaultStorage

/// The tables of credentials in `store.sqlite`.
///
/// The store is opened only when something is put in or taken out: reading a current secret never
/// touches it.
struct CredentialStore: Sendable {
  let location: StoreLocation

  /// Runs `body` in one transaction, which is durable when this returns; makes the store if there
  /// is none.
  func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    var opened: Store?
    return try write(in: &opened, body)
  }

  /// Runs `body` in one transaction; makes the store if there is none.
  ///
  /// - Parameters:
  ///   - opened: The store, for several transactions in a row; opened if it is `nil`.
  ///   - mayBeLost: Whether the transaction need not be durable when this returns; the next one of
  ///     any process makes it so. After it the store is for no others.
  ///   - body: What is to be done.
  /// - Returns: What `body` returns.
  /// - Throws: ``CredentialError``, or what `body` throws.
  func write<Result>(
    in opened: inout Store?, mayBeLost: Bool = false, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try CredentialError.fromStorage {
      let store = try opened ?? open()
      opened = store
      if mayBeLost { try store.doNotWaitForDisk() }
      let result = try store.write(body)
      // The transaction is committed, whether or not that succeeds.
      try? store.shortenLog()
      return result
    }
  }

  private func open() throws -> Store {
    guard let store = try Store.open(location, mode: .write) else {
      throw StorageError(.cannotCreate, "cannot create the store")
    }
    store.prepareForShortUse()
    try store.adopt(.credentials)
    return store
  }

  /// Runs `body` if there is a store with a table of blobs.
  ///
  /// - Parameters:
  ///   - opened: The store, for several reads in a row; opened if it is `nil` and there is one.
  ///   - body: What is to be read.
  /// - Returns: What `body` returns, or `nil`.
  /// - Throws: ``CredentialError``, or what `body` throws.
  func readBlobs<Result>(
    in opened: inout Store?, _ body: (SQLiteConnection) throws -> Result?
  ) throws -> Result? {
    try read(in: &opened, since: 1, body)
  }

  /// Runs `body` if there is a store with a table of copies.
  func readCopies<Result>(_ body: (SQLiteConnection) throws -> Result?) throws -> Result? {
    var opened: Store?
    return try read(in: &opened, since: 2, body)
  }

  private func read<Result>(
    in opened: inout Store?, since version: Int, _ body: (SQLiteConnection) throws -> Result?
  ) throws -> Result? {
    try CredentialError.fromStorage {
      guard let store = try opened ?? Store.open(location, mode: .read) else { return nil }
      opened = store
      guard try store.version(of: .credentials) >= version else { return nil }
      return try body(store.connection)
    }
  }
}
