import VaultSealing

/// What the vault takes from another machine: the limits of ``ItemLimits`` and of names, property by
/// property, so that what is wrong costs one property or one item and nothing else.
///
/// Whatever ``VaultEdit`` would refuse of a person is refused here, whoever sends it.
package enum ItemRules {
  /// The highest number of a version that is taken; what comes after it has room.
  package static let highestVersion: UInt64 = 1 << 48

  /// Why a name is none; `nil` if it is one.
  package static func problem(ofName name: String) -> String? {
    (try? ItemName(name)) == nil ? "a name that is none" : nil
  }

  /// Why a secret is not taken.
  ///
  /// - Parameters:
  ///   - count: Its bytes.
  ///   - field: The name of its field; empty for the main one.
  package static func problem(ofSecret count: Int, field: String) -> String? {
    guard count <= ItemContents.maximumLength else { return "a secret of more than 1 MiB" }
    guard field.isEmpty || (try? ItemLimits.check(fieldName: field)) != nil else {
      return "a field with a name that is none"
    }
    return nil
  }

  /// Why a note is not taken.
  package static func problem(ofNote note: String) -> String? {
    note.utf8.count <= ItemLimits.note ? nil : "a note of more than 64 KiB"
  }

  /// Why a tag is not taken.
  package static func problem(ofTag tag: String) -> String? {
    !tag.isEmpty && tag.utf8.count <= ItemLimits.tag && ItemLimits.isPlain(tag)
      ? nil : "a tag that is none"
  }

  /// Why an attribute is not taken.
  package static func problem(ofAttribute name: String, value: String?) -> String? {
    guard !name.isEmpty, name.utf8.count <= ItemLimits.attributeName, ItemLimits.isPlain(name),
      value?.utf8.count ?? 0 <= ItemLimits.attributeValue
    else { return "an attribute that is none" }
    guard name == FieldMarks.attribute, let value else { return nil }
    return FieldMarks(NamedTexts([name: value])).text == value
      ? nil : "marks of fields that are none"
  }
}

extension SharedItem {
  /// Leaves out what is too much for one item: fields, tags and attributes beyond their numbers, and
  /// fields for which there is no room. The same is left out everywhere.
  ///
  /// - Returns: Whether something was left out.
  package mutating func shorten() -> Bool {
    var isShortened = false
    var room = ItemContents.maximumLength - head.main.count
    for (place, name) in head.fields.keys.sorted(by: Self.comesFirst).enumerated() {
      let count = head.fields[name]?.count ?? 0
      if place < ItemLimits.fields, count <= room {
        room -= count
      } else {
        head.fields[name] = nil
        isShortened = true
      }
    }
    if tags.count > ItemLimits.tags {
      tags = Set(tags.sorted(by: Self.comesFirst).prefix(ItemLimits.tags))
      isShortened = true
    }
    // The vault itself has room for its own marks.
    let most = ItemLimits.attributes + ItemConflict.all.count + 1
    if attributes.count > most {
      for name in attributes.keys.sorted(by: Self.comesFirst).dropFirst(most) {
        attributes[name] = nil
      }
      isShortened = true
    }
    return isShortened
  }

  private static func comesFirst(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension SharedVault {
  /// How many items a vault has at most, with its trash.
  package var mostItems: Int { VaultIndex.maximumItems }

  /// The items of a state that there is room for: those that are here, and of the others the oldest.
  ///
  /// - Parameter items: The state.
  /// - Returns: The items, and the ids of those that stay out.
  package func fitting(_ items: [SharedItem]) -> (items: [SharedItem], left: Set<[UInt8]>) {
    let most = VaultIndex.maximumItems
    guard items.count > most else { return (items, []) }
    let here = knownItems
    let new = items.filter { !here.contains($0.id) }.sorted {
      $0.created == $1.created
        ? $0.id.lexicographicallyPrecedes($1.id) : $0.created < $1.created
    }
    let left = Set(new.dropFirst(max(0, most - (items.count - new.count))).map(\.id))
    return (items.filter { !left.contains($0.id) }, left)
  }
}
