/// The values of a deleted object that the class preserves: its attributes with
/// `.preserveValueOnDeletion`.
///
/// A value with `.encrypt` is kept sealed, and is left out where it does not open. So is a value
/// that does not decode as the type that the property has now.
///
/// ```swift
/// for transaction in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) {
///   for case .delete(let change as DefaultHistoryDelete<Trip>) in transaction.changes {
///     print(change.tombstone[\.name] ?? "no name was preserved")
///   }
/// }
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  /// A property and its last value.
  public typealias Element = (key: any PartialKeyPath<Model> & Sendable, value: any Sendable)

  private let values: [Element]

  init(_ values: [Element]) { self.values = values }

  /// The last value of an attribute; `nil` if it was not preserved, or was `nil`.
  public subscript(key: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { Model._$description.isOne($0.key, key) }?.value
  }

  /// Goes through the values, in the order of the properties' declaration.
  public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}
