/// A place in the history of a store of this library's.
///
/// It can be kept, for a later run of the program to go on from:
///
/// ```swift
/// let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
/// if let token = transactions.last?.token {
///   try JSONEncoder().encode(token).write(to: file)
/// }
/// ```
public struct DefaultHistoryToken: HistoryToken {
  /// By the store's identifier: its last transaction.
  public let tokenValue: [String: Int64]?

  init(_ value: [String: Int64]) { tokenValue = value }

  /// The token itself.
  public var id: Self { self }

  /// The identifier of the store.
  public var storeIdentifier: String { tokenValue?.keys.min() ?? "" }

  /// Whether the left one is earlier; tokens of different stores are ordered by the stores.
  public static func < (left: Self, right: Self) -> Bool {
    let (lefts, rights) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    let shared = lefts.keys.filter { rights[$0] != nil }
    guard !shared.isEmpty else { return left.storeIdentifier < right.storeIdentifier }
    let pairs = shared.map { (lefts[$0] ?? 0, rights[$0] ?? 0) }
    return pairs.allSatisfy { $0 <= $1 } && pairs.contains { $0 < $1 }
  }
}

/// The changes of one save to a store of this library's.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The ``ModelContext/author`` of the context that saved.
  public let author: String?
  /// The application that saved.
  public let bundleIdentifier: String
  /// The changes, in the order in which they were made.
  public let changes: [HistoryChange]
  /// The program that saved.
  public let processIdentifier: String
  /// The identifier of the store.
  public let storeIdentifier: String
  /// When it was saved.
  public let timestamp: Date
  /// The place in the history right after it.
  public let token: DefaultHistoryToken
  /// Identifies the transaction in its store; later ones are larger.
  public let transactionIdentifier: Int64

  /// Identifies the transaction among all stores.
  public var id: DefaultHistoryToken { token }

  /// Whether both are the same transaction.
  public static func == (left: Self, right: Self) -> Bool { left.token == right.token }

  /// Feeds the token to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// An object that was inserted into a store of this library's.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
  /// Identifies the change in its store; later ones are larger.
  public let changeIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The change's transaction.
  public let transactionIdentifier: Int64
}

/// An object of a store of this library's that was changed.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
  /// Identifies the change in its store; later ones are larger.
  public let changeIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The change's transaction.
  public let transactionIdentifier: Int64
  /// The properties that were changed, relationships too.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  /// Whether a property was changed.
  public func containsAttribute(_ key: PartialKeyPath<Model>) -> Bool {
    updatedAttributes.contains { $0 == key }
  }

  /// Whether both are the same change.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Feeds the identifiers to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// An object of a store of this library's that was deleted.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
  /// Identifies the change in its store; later ones are larger.
  public let changeIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that were preserved.
  public let tombstone: HistoryTombstone<Model>
  /// The change's transaction.
  public let transactionIdentifier: Int64

  /// Whether both are the same change.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Feeds the identifiers to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
