import VaultSealing

/// Reads the further fields of many items, one item after another in one piece of locked memory.
///
/// To open each item by itself takes ten times as long: a search over 20,000 items is to be done
/// within a key press. What is damaged is passed over; the item itself says so when it is read.
struct OpenFieldScan {
  let file: VaultFile
  let items: ItemRecords
  let key: SecretBytes

  /// Calls `body` with each further field of live items.
  ///
  /// - Parameters:
  ///   - positions: The items; those that were changed since the file was read are left out.
  ///   - body: Gets the position, the item's fields as they were sealed, and where in them the name
  ///     and the value are.
  /// - Throws: ``CredentialError`` with code `.inputOutput`.
  func each(
    of positions: [Int],
    _ body: (_ position: Int, _ bytes: RawSpan, _ name: Range<Int>, _ value: Range<Int>) -> Void
  ) throws {
    let sealed = try file.allItems()
    try items.read { opened throws in
      let longest = positions.reduce(0) { longest, position in
        let place = items.places[position]
        return place.changed < 0 ? max(longest, Int(place.sealedLength(in: opened))) : longest
      }
      let reader = try SealedReader(deriving: key, capacity: longest)
      var context = ItemContents.associatedData(
        vaultID: file.header.vaultID, itemID: .zero, version: 0, kind: 0)
      sealed.withRawSpan { sealed in
        for position in positions {
          let place = items.places[position]
          guard place.changed < 0, !place.isTrashed else { continue }
          let start = Int(truncatingIfNeeded: place.sealedOffset(in: opened))
          let length = Int(place.sealedLength(in: opened))
          guard start >= 0, start <= sealed.byteCount - length else { continue }
          place.write(context: &context, in: opened)
          _ = reader.open(
            sealed.extracting(start..<start + length), message: opened.extracting(place.idRange),
            context: context
          ) { bytes in Self.each(in: bytes) { body(position, bytes, $0, $1) } }
        }
      }
    }
  }

  /// Walks over an item's contents as ``ItemContents`` decodes them.
  private static func each(
    in bytes: RawSpan, _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
  ) {
    var cursor = ByteCursor()
    guard let count = try? cursor.u16(in: bytes) else { return }
    for number in 0..<count {
      guard let name = try? cursor.str16Range(in: bytes), let length = try? cursor.u32(in: bytes),
        let value = try? cursor.range(Int(length), in: bytes)
      else { return }
      // The main secret is no field.
      if number > 0 { body(name, value) }
    }
  }
}

extension ItemPlace {
  /// Puts what the seal is bound to into ``ItemContents/associatedData(vaultID:itemID:version:kind:)``
  /// of another item.
  fileprivate func write(context: inout [UInt8], in opened: RawSpan) {
    let start = context.count - 16 - 8 - 2
    for offset in 0..<16 { context[start + offset] = opened.byte(at: idRange.lowerBound + offset) }
    let (kind, version) = kindAndVersion(in: opened)
    for offset in 0..<8 {
      context[start + 16 + offset] = UInt8(truncatingIfNeeded: version >> (8 * UInt64(offset)))
    }
    for offset in 0..<2 {
      context[start + 24 + offset] = UInt8(truncatingIfNeeded: kind >> (8 * UInt16(offset)))
    }
  }
}
