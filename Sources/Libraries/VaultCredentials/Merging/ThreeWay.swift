import VaultSealing

/// Which of two values a merge takes, by what both were before.
///
/// A change that had seen the other one replaces it. Of two changes that did not know of each
/// other, the later one is taken: by its time, then by the device that made it.
struct ThreeWay {
  /// Whether the other side's item was changed last.
  let theirsIsLater: Bool

  init(_ ours: ItemRecord, _ theirs: ItemRecord) {
    theirsIsLater = (ours.modified, ours.device) < (theirs.modified, theirs.device)
  }

  /// The value after the merge.
  ///
  /// - Parameters:
  ///   - ours: The value in this vault.
  ///   - theirs: The value in the other file.
  ///   - base: The value in the common ancestor; `nil` if that is not known.
  /// - Returns: One of the two.
  func value<Value: Equatable>(_ ours: Value, _ theirs: Value, base: Value?) -> Value {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    return theirsIsLater ? theirs : ours
  }

  /// The value after the merge, of which one may be no value at all.
  ///
  /// Without an ancestor nobody knows whether it was added or taken away: then it was added.
  func value<Value: Equatable>(
    _ ours: Value, _ theirs: Value, base: Value?, orNone none: Value
  ) -> Value {
    if base == nil, ours == none { return theirs }
    if base == nil, theirs == none { return ours }
    return value(ours, theirs, base: base)
  }

  /// The elements after the merge: those of both, without those that one side removed.
  func elements(_ ours: [String], _ theirs: [String], base: [String]?) -> [String] {
    let (ours, theirs, base) = (Set(ours), Set(theirs), Set(base ?? []))
    let all = ours.union(theirs).subtracting(base.subtracting(ours))
      .subtracting(base.subtracting(theirs))
    return all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The texts after the merge, each by itself.
  func texts(_ ours: NamedTexts, _ theirs: NamedTexts, base: NamedTexts?) -> NamedTexts {
    var result = NamedTexts()
    for name in Set((ours.all + theirs.all).map(\.name)) {
      guard let base else {
        guard let mine = ours[name], let other = theirs[name] else {
          // Nobody knows that it was removed, so it was added.
          result[name] = ours[name] ?? theirs[name]
          continue
        }
        result[name] = theirsIsLater ? other : mine
        continue
      }
      result[name] = value(ours[name], theirs[name], base: .some(base[name]))
    }
    return result
  }
}

extension ThreeWay {
  /// The values of properties without versions that two sides changed apart, and that the other one
  /// has replaced.
  ///
  /// - Parameters:
  ///   - ours: The item in this vault.
  ///   - theirs: The item in the other file.
  ///   - base: The item in the common ancestor; `nil` if that is not known.
  ///   - taken: The item after the merge.
  /// - Returns: The values; empty ones are none.
  func lost(
    _ ours: ItemRecord, _ theirs: ItemRecord, base: ItemRecord?, taken: ItemRecord
  ) -> [LostValue] {
    var lost: [LostValue] = []
    func look(
      _ property: LostValue.Property, _ attribute: String = "",
      _ value: (ItemRecord) -> String?
    ) {
      let values = (ours: value(ours) ?? "", theirs: value(theirs) ?? "")
      guard values.ours != values.theirs, !values.ours.isEmpty, !values.theirs.isEmpty else {
        return
      }
      if let base {
        let before = value(base) ?? ""
        guard values.ours != before, values.theirs != before else { return }
      }
      let isTheirs = (value(taken) ?? "") == values.ours
      let loser = isTheirs ? theirs : ours
      lost.append(
        LostValue(
          property, attribute, value: isTheirs ? values.theirs : values.ours, machine: nil,
          written: loser.modified))
    }
    for name in ours.attributes.all.map(\.name)
    where name != FieldMarks.attribute && !ItemConflict.isOwn(name) {
      look(.attribute, name) { $0.attributes[name] }
    }
    look(.note) { $0.note }
    look(.expiry) { $0.expires == 0 ? nil : String($0.expires) }
    return lost
  }
}

/// The secrets of an item after a merge.
struct MergedContents {
  /// What is current from now on.
  private(set) var contents: ItemContents
  /// Whether a value of this vault is not among them, although the other side did not know it.
  private(set) var losesOurs = false
  /// Whether a value of the other file is not among them, although this side did not know it.
  private(set) var losesTheirs = false

  /// Merges field by field.
  ///
  /// - Parameters:
  ///   - ours: The fields in this vault.
  ///   - theirs: The fields in the other file.
  ///   - base: The fields in the common ancestor; `nil` if they are not known.
  ///   - theirsIsLater: Which of two values wins.
  init(_ ours: ItemContents, _ theirs: ItemContents, base: ItemContents?, theirsIsLater: Bool) {
    contents = ours
    for name in Set((ours.fields.all + theirs.fields.all).map(\.name)).union([""]) {
      let (mine, other) = (ours[field: name], theirs[field: name])
      if Self.areEqual(mine, other) { continue }
      if let base {
        let before = base[field: name]
        if Self.areEqual(before, other) { continue }
        if Self.areEqual(before, mine) {
          set(name, to: other)
          continue
        }
      }
      // Both were changed. What one side removed, and the other wrote, is kept.
      switch (mine, other) {
      case (_?, nil): continue
      case (nil, _): set(name, to: other)
      case (_?, let other?):
        if theirsIsLater {
          set(name, to: other)
          losesOurs = true
        } else {
          losesTheirs = true
        }
      }
    }
  }

  private mutating func set(_ name: String, to value: SecretBytes?) {
    if name.isEmpty {
      if let value { contents.main = value }
    } else {
      contents.fields[name] = value
    }
  }

  private static func areEqual(_ left: SecretBytes?, _ right: SecretBytes?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.isEqual(to: right)
    default: false
    }
  }
}
