public import Foundation
import VaultStorage
import VaultStorageFoundation

/// An error of models and their stores.
///
/// Two errors are equal when they are of the same kind, whatever their messages say:
///
/// ```swift
/// do { try context.save() } catch SwiftDataError.modelValidationFailure { … }
/// ```
public struct SwiftDataError: Error, Hashable, CustomStringConvertible {
  /// The kind's stable name.
  public let code: String
  /// A description for people; it never contains a property's value.
  public let message: String
  /// The cause, such as a `StorageError`.
  public let underlying: (any Error)?

  init(_ code: String, _ message: String = "", underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// Whether two errors are of the same kind.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Feeds the kind to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// What to do about it; `nil` if nothing is known to help.
  public var recovery: String? {
    switch code {
    case Self.backwardMigration.code:
      "use the version of the program that wrote the store, or newer"
    case Self.unknownSchema.code:
      underlying is StorageError
        ? "give the migration plan a schema with the classes as the store has them"
        : "make the container with the model's class"
    case Self.configurationFileNameContainsInvalidCharacters.code,
      Self.configurationFileNameTooLong.code:
      "give the configuration another name"
    case Self.duplicateConfiguration.code: "give each configuration a file of its own"
    case Self.historyTokenExpired.code: "read everything once, and go on from a new token"
    case Self.includePendingChangesWithBatchSize.code: "save first, or fetch without batches"
    case Self.missingModelContext.code: "insert the model into a context first"
    case Self.sortingPendingChangesWithIdentifiers.code: "save first, or sort by a property"
    case Self.unsupportedKeyPath.code: "use a stored property of a model"
    case Self.unsupportedPredicate.code:
      "fetch by what the store can compare, and filter the objects for the rest"
    case Self.unsupportedSortDescriptor.code: "sort the objects after the fetch"
    case Self.storeBusy.code: "try again"
    case Self.readOnlyStore.code: "open the store with a configuration that allows saving"
    case Self.missingRow.code: "fetch the object again"
    case Self.sealedAttribute.code:
      "open the store with the sealingKey that sealed it; a damaged value can be set again"
    case Self.partlySaved.code: "save again when the disk can be written"
    default: (underlying as? StorageError)?.recovery
    }
  }

  /// The kind, what happened and, in parentheses, what to do about it.
  public var description: String { recovery.map { "\(summary) (\($0))" } ?? summary }

  private var summary: String { message.isEmpty ? code : "\(code): \(message)" }

  /// Makes a kind usable as a pattern in `catch`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError) == pattern
  }

  func saying(_ message: String, underlying: (any Error)? = nil) -> Self {
    Self(code, message, underlying: underlying)
  }
}

extension SwiftDataError {
  /// The store is newer than the migration plan.
  public static let backwardMigration = Self("backwardMigration")
  /// A configuration's name cannot be a file's name.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    "configurationFileNameContainsInvalidCharacters")
  /// A configuration's name is longer than a file's name may be.
  public static let configurationFileNameTooLong = Self("configurationFileNameTooLong")
  /// A configuration's schema has an entity that the container's has not, or relations leave it.
  public static let configurationSchemaNotFoundInContainerSchema = Self(
    "configurationSchemaNotFoundInContainerSchema")
  /// Two configurations name the same file.
  public static let duplicateConfiguration = Self("duplicateConfiguration")
  /// The history before a token has been deleted.
  public static let historyTokenExpired = Self("historyTokenExpired")
  /// Batches cannot hold what has not been saved.
  public static let includePendingChangesWithBatchSize = Self("includePendingChangesWithBatchSize")
  /// A request for history cannot be carried out.
  public static let invalidTransactionFetchRequest = Self("invalidTransactionFetchRequest")
  /// A container cannot be made.
  public static let loadIssueModelContainer = Self("loadIssueModelContainer")
  /// A model belongs to no context.
  public static let missingModelContext = Self("missingModelContext")
  /// A model breaks a rule of its schema.
  public static let modelValidationFailure = Self("modelValidationFailure")
  /// Identifiers of unsaved models cannot be sorted.
  public static let sortingPendingChangesWithIdentifiers = Self(
    "sortingPendingChangesWithIdentifiers")
  /// A custom store does not know the schema.
  public static let unknownDataStoreSchema = Self("unknownDataStoreSchema")
  /// A store's schema is not one that the program knows.
  public static let unknownSchema = Self("unknownSchema")
  /// A key path leads to nothing that the store knows.
  public static let unsupportedKeyPath = Self("unsupportedKeyPath")
  /// A predicate has a part that cannot be carried out by the store.
  public static let unsupportedPredicate = Self("unsupportedPredicate")
  /// A sort descriptor cannot be carried out by the store.
  public static let unsupportedSortDescriptor = Self("unsupportedSortDescriptor")
}

extension SwiftDataError: LocalizedError {
  /// The kind and what happened: what `localizedDescription` returns.
  public var errorDescription: String? { summary }
  /// What to do about it.
  public var recoverySuggestion: String? { recovery }
}

extension SwiftDataError {
  /// Another process or context held the store for longer than the time limit.
  ///
  /// Not among SwiftData's errors; nothing was changed, and the call may be made again.
  public static let storeBusy = Self("storeBusy")
  /// A block changed objects that it was only to look at.
  ///
  /// Not among SwiftData's errors.
  public static let mutationDuringEnumeration = Self("mutationDuringEnumeration")
  /// Another context or process has changed what was to be written, and the context's
  /// ``ModelContext/mergePolicy`` is `.error`.
  ///
  /// Not among SwiftData's errors; nothing was written, and what was pending still is.
  public static let saveConflict = Self("saveConflict")
  /// A configuration does not allow saving.
  ///
  /// Not among SwiftData's errors; what was pending still is.
  public static let readOnlyStore = Self("readOnlyStore")
  /// The row of an object cannot be read, or no longer exists.
  ///
  /// Not among SwiftData's errors.
  public static let missingRow = Self("missingRow")
  /// A sealed attribute was not opened, or could not be sealed: the configuration has no key or
  /// another one, or the value was changed or moved in the file.
  ///
  /// Not among SwiftData's errors; the message names class, property and object.
  public static let sealedAttribute = Self("sealedAttribute")
  /// Some of a container's stores were saved, and the disk refused another one's commit.
  ///
  /// Not among SwiftData's errors; what was not saved is still pending.
  public static let partlySaved = Self("partlySaved")
  /// Deleting is refused since a relationship with the rule `deny` is not empty.
  static func denied(_ message: String) -> Self { modelValidationFailure.saying(message) }
}
