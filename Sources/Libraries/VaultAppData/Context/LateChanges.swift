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
  private var told: Set<ObjectIdentifier> = []

  /// Notes the new objects that a store is told of.
  func tell(of records: [Record]) {
    for record in records where record.state == .inserted { told.insert(ObjectIdentifier(record)) }
  }

  /// Whether a store is told of a new object, which it has if it saves.
  func isTold(of record: Record) -> Bool { told.contains(ObjectIdentifier(record)) }

  /// What is deleted while the store takes it as new.
  var deletedWhileNew: [Record] {
    records.filter { $0.state == .deleted && !$0.isStored && isTold(of: $0) }
  }

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
