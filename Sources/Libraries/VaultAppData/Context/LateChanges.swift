/// What changes while a program's own store saves.
///
/// The store encodes values by itself, and their `encode(to:)` may change objects. The store has not
/// got that, so that it stays pending.
final class LateChanges {
  typealias Record = _AppData.Record

  /// Properties that were changed.
  private(set) var properties: [(record: Record, index: Int)] = []
  /// Objects that are new, or deleted.
  private(set) var records: [Record] = []
  private var known: Set<ObjectIdentifier> = []

  /// Notes a change.
  func note(_ record: Record, _ index: Int) { properties.append((record, index)) }

  /// Compares what is pending with what was before a store saved.
  ///
  /// - Parameters:
  ///   - records: What is pending now.
  ///   - count: How much of it was before.
  ///   - deleted: What the store was to delete.
  func compare(_ records: [Record], _ count: Int, deleted: Set<ObjectIdentifier>) {
    for (place, record) in records.enumerated() {
      let isNew = place >= count && record.state == .inserted
      let isDeleted = record.state == .deleted && !deleted.contains(ObjectIdentifier(record))
      if isNew || isDeleted, known.insert(ObjectIdentifier(record)).inserted {
        self.records.append(record)
      }
    }
  }

  /// Whether an object is one that no store has been told of.
  func contains(_ record: Record) -> Bool {
    !known.isEmpty && known.contains(ObjectIdentifier(record))
  }
}
