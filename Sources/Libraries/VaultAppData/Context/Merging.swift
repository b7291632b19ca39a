import Synchronization

/// Takes in what other contexts of the container have saved.
///
/// Objects without changes of their own get the new values when they are next read.
final class Merging {
  typealias Record = _AppData.Record

  /// The queue of the other contexts' notices.
  let notices: SaveNotices.Queue
  /// Notices of what a transaction has written and not yet committed.
  private var held: [SaveNotices.Notice] = []
  private let mailbox: SaveNotices
  private let plans: [EntityPlan]
  private let rows: RegisteredRows

  init(_ container: ModelContainer, _ rows: RegisteredRows) {
    mailbox = container.mailbox
    notices = mailbox.open()
    plans = container.plans
    self.rows = rows
  }

  // MARK: Telling others

  /// Tells the other contexts of rows that were written.
  ///
  /// - Parameters:
  ///   - notice: The rows.
  ///   - isHeld: Whether they are to be told when a transaction has been committed.
  func send(_ notice: SaveNotices.Notice, isHeld: Bool) {
    if isHeld { held.append(notice) } else { mailbox.send(notice, from: notices) }
  }

  /// Tells the other contexts what a transaction wrote, or forgets it.
  func sendHeld(isCommitted: Bool) {
    if isCommitted { for notice in held { mailbox.send(notice, from: notices) } }
    held = []
  }

  // MARK: Hearing from others

  /// Called when a property is read after another context has saved.
  func catchUp(_ record: Record) {
    takeIn()
    if let plan = record.entity { record.seen = plan.signal.value }
  }

  /// Takes in all notices that have arrived.
  func takeIn() {
    let arrived = notices.letters.withLock { letters in
      defer { letters.removeAll() }
      return letters
    }
    guard !arrived.isEmpty else { return }
    var touched: Set<Int> = []
    for notice in arrived {
      if notice.isAll { touched.formUnion(plans.indices) }
      for (entity, keys) in notice.updated {
        touched.insert(entity)
        for key in keys { rows.tables[entity][key].map(refault) }
      }
      for (entity, keys) in notice.deleted {
        touched.insert(entity)
        for key in keys {
          guard let record = rows.tables[entity][key] else { continue }
          if !record.hasChanges {
            leave(record)
          } else if plans[entity].isCustom {
            // A save asks the store for it, which would take it for a new one.
            record.isOutdated = true
          }
        }
      }
      touched.formUnion(notice.inserted.keys)
      if notice.isAll {
        for records in rows.tables { records.values.forEach(refault) }
      }
    }
    refaultLinks(to: touched)
  }

  /// Lets every object of a store be read again, where it has no changes of its own.
  func refaultAll(of store: Int) {
    let own = plans.filter { $0.store == store }
    for plan in own { rows.records(of: plan).forEach(refault) }
    refaultLinks(to: Set(own.map(\.index)))
  }

  /// Lets an object read its row again; one with changes does so when they are saved.
  func refault(_ record: Record) {
    guard !record.slots.isEmpty else { return }
    record.isOutdated = record.hasChanges
    if record.isOutdated { return }
    for index in record.description.properties.indices { record.model?._$changing(index) }
    record.slots = .init()
  }

  /// Leaves an object whose row another context deleted with its last values.
  private func leave(_ record: Record) {
    if record.slots.isEmpty { record.fillEmpty() }
    rows.forget(record, isByOthers: true)
  }

  /// Lets arrays and inverse sides be read again: they may have changed with the rows at their
  /// other end.
  func refaultLinks(to entities: Set<Int>) {
    var entities = entities
    for index in entities where plans[index].family != nil {
      // What leads to a superclass leads to its subclasses' objects, too.
      for part in plans[index].parts { entities.insert(part.entity.index) }
    }
    for plan in plans {
      let links = plan.relationships.filter { relationship in
        if case .foreignKey = relationship.storage { return false }
        return entities.contains(relationship.destination.index)
      }
      guard !links.isEmpty else { continue }
      for record in rows.records(of: plan) where !record.slots.isEmpty {
        if record.state == .deleted, links.contains(where: { !record.slots[$0.index].isFault }) {
          // Should it come back.
          record.isOutdated = true
        }
        guard record.state == .stored || record.state == .deleted else { continue }
        for link in links where !record.changed.contains(link.index) {
          if record.slots[link.index].isFault { continue }
          record.model?._$changing(link.index)
          record.slots[link.index] = .fault
        }
      }
    }
  }
}
