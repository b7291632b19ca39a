public import VaultStorage

/// The recovery of a damaged store: it is set aside, never deleted, and a new one is built from
/// what can be read of it and from the last good copy.
///
/// A store that is gone, and whose copy or log is left, is recovered as well.
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
  /// The damaged file's new name, in the same directory; empty if the file itself was gone.
  public let setAside: String
  /// The number of rows that were read from the damaged file itself.
  public let salvagedRows: Int
  /// The tables of which rows may be missing.
  public let incompleteTables: [String]
  /// True if rows came from the last good copy, too.
  public let usedLastGoodCopy: Bool

  /// Returns whether an error means that the store is damaged.
  ///
  /// - Parameter error: An error of opening or reading a store.
  /// - Returns: False if the store only could not be reached.
  public static func isDamage(_ error: any Error) -> Bool {
    if let error = error as? PreferenceError, let cause = error.underlying {
      return isDamage(cause)
    }
    return (error as? StorageError)?.code == .damaged
  }

  /// Sets a damaged store aside and creates a new one.
  ///
  /// Earlier versions of credentials, which the same store holds, are carried over, too.
  ///
  /// - Parameter location: The location of the store.
  /// - Returns: A report.
  /// - Throws: ``PreferenceError`` with code `.storage`; then nothing was changed, or the damaged
  ///   file is set aside and the next call takes the last good copy.
  public static func recover(_ location: StoreLocation) throws(PreferenceError)
    -> PreferenceRecovery
  {
    try PreferenceError.wrapping {
      let directory = try Directory(location.data)
      let isThere = try directory.contains(StoreLocation.storeName)
      let aside = try Store.quarantine(in: directory)
      guard let store = try Store.open(location, mode: .write, beginsAnew: true) else {
        throw PreferenceError(.storage, "the new store cannot be opened")
      }
      try store.adoptAll()
      var rows = 0
      var incomplete = ["everything"]
      do {
        if isThere {
          (rows, incomplete) = try store.carryOver(from: "\(location.data)/\(aside)")
        }
      } catch {
        incomplete = ["everything"]
      }
      var usesCopy = false
      if !incomplete.isEmpty, try directory.contains(Store.lastGoodName) {
        do {
          let copy = "\(location.data)/\(Store.lastGoodName)"
          usesCopy = try store.carryOver(from: copy).rows > 0
        } catch let error as StorageError where error.code == .damaged {
          // The copy is damaged, too, so there is nothing to take from it.
        }
      }
      store.announce()
      return PreferenceRecovery(
        setAside: isThere ? aside : "", salvagedRows: rows, incompleteTables: incomplete,
        usedLastGoodCopy: usesCopy)
    }
  }
}
