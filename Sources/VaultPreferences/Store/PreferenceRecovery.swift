public import VaultStorage

/// What is done with a damaged store: it is set aside, never deleted, and a new one is made of what can be
/// read and of the last good copy.
///
/// ```swift
/// do {
///   preferences = try PreferenceStore(domain: id)
/// } catch where PreferenceRecovery.isDamage(error) {
///   let done = try PreferenceRecovery.recover(StoreLocation())
///   print("the damaged store is kept as \(done.setAside)")
/// }
/// ```
public struct PreferenceRecovery: Sendable {
  /// The damaged file's new name, in the same directory.
  public let setAside: String
  /// How many rows came from the damaged file itself.
  public let salvagedRows: Int
  /// Tables of which some rows may be missing.
  public let incompleteTables: [String]
  /// Whether rows came from the last good copy too.
  public let usedLastGoodCopy: Bool

  /// Whether an error says that the store is damaged.
  ///
  /// - Parameter error: What opening or reading a store threw.
  /// - Returns: False where it only could not be reached.
  public static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? PreferenceError, let cause = error.underlying {
      return isDamage(cause)
    }
    return (error as? StorageError)?.code == .damaged
  }

  /// Sets a damaged store aside and makes a new one.
  ///
  /// Credentials' earlier versions, which lie in the same store, are carried over too.
  ///
  /// - Parameter location: Where the store is.
  /// - Returns: What was done.
  /// - Throws: ``PreferenceError`` with code `.storage`; then nothing was changed, or the damaged file is
  ///   aside and the next call makes a new store.
  public static func recover(_ location: StoreLocation) throws(PreferenceError)
    -> PreferenceRecovery
  {
    try PreferenceError.wrapping {
      let directory = try Directory(location.data)
      let aside = try Store.quarantine(in: directory)
      guard let store = try Store.open(location, mode: .write) else {
        throw PreferenceError(.storage, "the new store cannot be opened")
      }
      try store.adoptAll()
      var rows = 0
      var incomplete: [String] = []
      do {
        (rows, incomplete) = try store.carryOver(from: "\(location.data)/\(aside)")
      } catch {
        incomplete = ["everything"]
      }
      var usesCopy = false
      if !incomplete.isEmpty, try directory.contains(Store.lastGoodName) {
        do {
          let copy = "\(location.data)/\(Store.lastGoodName)"
          usesCopy = try store.carryOver(from: copy).rows > 0
        } catch let error as StorageError where error.code == .damaged {
          // It gives nothing either.
        }
      }
      store.announce()
      return PreferenceRecovery(
        setAside: aside, salvagedRows: rows, incompleteTables: incomplete,
        usedLastGoodCopy: usesCopy)
    }
  }
}
