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
    var properties = [description.properties[index].name]
    // Sealed before the property was renamed.
    if let former = stored.attribute(properties[0])?.originalName,
      description.index(named: former) == nil
    {
      properties.append(former)
    }
    for entity in [name, nameInBackticks].compactMap({ $0 }) {
      for property in properties {
        do {
          return try sealer.open(bytes, at: .init(entity: entity, row: key, property: property))
        } catch AttributeSealer.Failure.damaged {}
      }
    }
    throw AttributeSealer.Failure.damaged
  }

  /// The class's name as earlier versions had it, where it is no plain one.
  private var nameInBackticks: String? {
    let isPlain = name.utf8.allSatisfy { byte in
      byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
        || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
    return isPlain ? nil : "`\(name.replacing(" ", with: "\u{A0}"))`"
  }

  private func unopened(
    _ index: Int, _ key: Int64, _ what: String, _ error: (any Error)? = nil
  ) -> SwiftDataError {
    .sealedAttribute.saying(
      "\(name).\(description.properties[index].name) of object \(key) \(what)", underlying: error)
  }
}
