import VaultDataStore
import VaultStorage

extension EntityPlan {
  /// The value of a sealed attribute for its column: sealed bytes, the name of their file, or NULL
  /// for `nil`.
  ///
  /// - Throws: ``SwiftDataError/sealedAttribute``.
  func sealed(_ record: _AppData.Record, _ index: Int) throws -> SQLiteValue {
    switch record.slots[index] {
    case .null: return .null
    // Bytes alone have files.
    case .text(let name) where slots[index].isInFiles: return .text(name)
    default: return .blob(try sealedBytes(record, index))
    }
  }

  /// The sealed form of an attribute's value.
  ///
  /// - Throws: ``SwiftDataError/sealedAttribute``.
  func sealedBytes(_ record: _AppData.Record, _ index: Int) throws -> [UInt8] {
    let value: SQLiteValue?
    switch record.slots[index] {
    // As it is: nothing compares it.
    case .text(let text): value = .text(text)
    case let slot:
      do {
        value = try slot.columnValue()
      } catch {
        // The value's own error may quote it.
        throw failure(record, index, "cannot be encoded")
      }
    }
    guard let value else {
      throw unopened(
        index, record.key, "was not opened, and what it held cannot be written again")
    }
    do {
      return try sealer.seal(
        value,
        at: .init(
          entity: name, row: record.key, property: description.properties[index].name))
    } catch AttributeSealer.Failure.noKey {
      throw unopened(index, record.key, "cannot be sealed: the configuration has no sealingKey")
    } catch {
      throw unopened(index, record.key, "cannot be sealed: \(error)", error)
    }
  }

  /// The value of a slot as it was read: opened, if it is sealed.
  ///
  /// - Throws: ``SwiftDataError/sealedAttribute``.
  func opened(_ slot: _AppData.Slot, _ index: Int, key: Int64) throws -> _AppData.Slot {
    guard slots[index].isSealed, !slot.isNull else { return slot }
    guard case .data(let bytes) = slot else {
      throw unopened(index, key, "is not what was stored")
    }
    do {
      return try open([UInt8](bytes), index, key)
    } catch AttributeSealer.Failure.noKey {
      throw unopened(index, key, "is sealed, and the configuration has no sealingKey")
    } catch AttributeSealer.Failure.otherKey {
      throw unopened(index, key, "was sealed with another key")
    } catch AttributeSealer.Failure.damaged {
      throw unopened(
        index, key, "does not open: it was changed, or moved from another object or property")
    } catch {
      throw unopened(index, key, "does not open: \(error)", error)
    }
  }

  private func open(_ bytes: [UInt8], _ index: Int, _ key: Int64) throws -> _AppData.Slot {
    let property = description.properties[index].name
    do {
      return try sealer.open(bytes, at: .init(entity: name, row: key, property: property))
    } catch AttributeSealer.Failure.damaged {
      // Sealed before the property was renamed.
      guard let former = stored.attribute(property)?.originalName,
        description.index(named: former) == nil
      else { throw AttributeSealer.Failure.damaged }
      return try sealer.open(bytes, at: .init(entity: name, row: key, property: former))
    }
  }

  private func unopened(
    _ index: Int, _ key: Int64, _ what: String, _ error: (any Error)? = nil
  ) -> SwiftDataError {
    .sealedAttribute.saying(
      "\(name).\(description.properties[index].name) of object \(key) \(what)", underlying: error)
  }
}
