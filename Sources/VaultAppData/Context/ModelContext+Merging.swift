import Synchronization

extension ModelContext {
  /// Called when a property is read after another context has saved.
  func catchUp(_ record: Record) {
    drainMail()
    if let plan = record.entity { record.seen = plan.signal.value }
  }

  /// Takes in what other contexts of the container have saved: objects without changes of their own
  /// get the new values when they are next read.
  func drainMail() {
    let letters = mail.letters.withLock { letters in
      defer { letters.removeAll() }
      return letters
    }
    guard !letters.isEmpty else { return }
    var touched: Set<Int> = []
    for letter in letters {
      if letter.isAll { touched.formUnion(container.plans.indices) }
      for (entity, keys) in letter.updated {
        touched.insert(entity)
        for key in keys { registry[entity][key].map(refault) }
      }
      for (entity, keys) in letter.deleted {
        touched.insert(entity)
        for key in keys {
          if let record = registry[entity][key], !record.hasChanges { leave(record) }
        }
      }
      touched.formUnion(letter.inserted.keys)
      if letter.isAll {
        for records in registry { records.values.forEach(refault) }
      }
    }
    refaultLinks(to: touched)
  }

  /// Lets an object read its row again; one with changes when they are saved.
  func refault(_ record: Record) {
    guard !record.slots.isEmpty else { return }
    record.isOutdated = record.hasChanges
    if record.isOutdated { return }
    for index in record.description.properties.indices { record.model?._$changing(index) }
    record.slots = .init()
  }

  /// A row that another context deleted: the object keeps its last values.
  private func leave(_ record: Record) {
    if record.slots.isEmpty { record.fillEmpty() }
    forget(record)
  }

  /// Arrays and inverse sides may have changed with the rows of the other end.
  private func refaultLinks(to entities: Set<Int>) {
    for plan in container.plans {
      let links = plan.relationships.filter { relationship in
        if case .foreignKey = relationship.storage { return false }
        return entities.contains(relationship.destination.index)
      }
      guard !links.isEmpty else { continue }
      for record in registry[plan.index].values
      where record.state == .stored && !record.slots.isEmpty {
        for link in links where !record.changed.contains(link.index) {
          if record.slots[link.index].isFault { continue }
          record.model?._$changing(link.index)
          record.slots[link.index] = .fault
        }
      }
    }
  }
}
