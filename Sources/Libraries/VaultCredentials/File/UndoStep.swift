import VaultSealing
import VaultStorage

/// Who makes a change: nobody's undo takes back what somebody else made.
public enum ChangeOrigin: Sendable, Equatable {
  /// A person, or a script of hers.
  case person
  /// A program that stores for itself, such as git its renewed token.
  case program
  /// Other machines, whose changes come into this vault.
  case others
}

/// A change of items with what it made of them, so that it can be taken back as far as that is
/// still so.
///
/// Documentation/design/file-format.md, section 4.
struct UndoStep: Equatable {
  /// The settings of an index that hold the last step of somebody.
  struct Setting {
    let before: String
    let after: String

    static let person = Setting(before: "undo", after: "undo-after")
    static let program = Setting(before: "undo-program", after: "undo-program-after")
    /// The person's steps before the last one, newest first.
    static let older = "undo-older"

    /// What stands in the place of a step that takes more room than there is.
    static let tooLarge = "-"

    /// Whether a setting is a part of a step.
    static func isPart(_ name: String) -> Bool {
      guard name.begins(with: "undo") else { return false }
      let names = [person.before, person.after, program.before, program.after, older]
      return names.contains { name == $0 || name.begins(with: "\($0).") }
    }

    init(before: String, after: String) {
      self.before = before
      self.after = after
    }

    /// The settings for the steps of somebody; `nil` for other machines, whose changes are undone
    /// where they were made.
    init?(_ origin: ChangeOrigin) {
      switch origin {
      case .person: self = .person
      case .program: self = .program
      case .others: return nil
      }
    }
  }

  /// The items as they were.
  var record: UndoRecord
  /// The items as the step left them, without earlier versions; not of very many new ones.
  var after: [Bytes16: ItemRecord]
  /// Whether the step took back another one.
  var isUndo: Bool

  /// Most new items of which is kept what the step made of them.
  private static let mostNewItems = 100
  /// Most bytes of all older steps, which are a part of every index.
  private static let olderLength = 12 << 10
  /// Most older steps.
  private static let olderCount = 40

  /// The step that the changes of items are; `nil` if it cannot be taken back.
  init?(of items: ItemRecords, isUndo: Bool) {
    guard let record = UndoRecord(of: items) else { return nil }
    self.record = record
    self.isUndo = isUndo
    after = [:]
    let areFew = record.before.values.count { $0 == .absent } <= Self.mostNewItems
    for (_, item) in items.changes {
      guard let before = record.before[item.id], areFew || before != .absent else { continue }
      if case .changed = before { continue }
      var kept = item
      kept.earlier = []
      after[item.id] = kept
    }
  }

  private init(record: UndoRecord, after: [Bytes16: ItemRecord], isUndo: Bool) {
    self.record = record
    self.after = after
    self.isUndo = isUndo
  }

  /// The last step of somebody that an index holds, or `nil`.
  init?(_ setting: Setting, in index: VaultIndex) {
    guard let text = index.text(of: setting.before),
      let record = UndoRecord(text: text, for: index.items)
    else { return nil }
    self.record = record
    (after, isUndo) = ([:], false)
    guard let text = index.text(of: setting.after), let bytes = Hexadecimal.bytes(text),
      let decoded = try? bytes.withRawSpan({ span in
        var cursor = ByteCursor()
        return try Self.decodeAfter(span, &cursor)
      })
    else { return }
    (after, isUndo) = decoded
  }

  // MARK: - Bytes

  private static func decodeAfter(
    _ bytes: RawSpan, _ cursor: inout ByteCursor
  ) throws -> ([Bytes16: ItemRecord], isUndo: Bool) {
    let isUndo = try cursor.u8(in: bytes) == 1
    var after: [Bytes16: ItemRecord] = [:]
    for _ in 0..<(try cursor.u16(in: bytes)) {
      let record = try ItemRecord(from: bytes, at: &cursor)
      after[record.id] = record
    }
    return (after, isUndo)
  }

  private func encodedAfter() throws(FormatError) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(UInt8(isUndo ? 1 : 0))
    try writer.count(after.count, as: UInt16.self)
    for (_, record) in after.sorted(by: { $0.key < $1.key }) { try record.encode(into: &writer) }
    return writer.bytes
  }

  /// The older steps that an index holds, newest first.
  static func older(in index: VaultIndex) -> [UndoStep] {
    guard let text = index.text(of: Setting.older), let bytes = Hexadecimal.bytes(text) else {
      return []
    }
    let steps = try? bytes.withRawSpan { span in
      var cursor = ByteCursor()
      var steps: [UndoStep] = []
      while cursor.offset < span.byteCount {
        let before = try UndoRecord.decodeListed(span, &cursor)
        let (after, isUndo) = try decodeAfter(span, &cursor)
        steps.append(UndoStep(record: UndoRecord(before: before), after: after, isUndo: isUndo))
      }
      return steps
    }
    return steps ?? []
  }

  /// The setting's value for older steps: as many as there is room for.
  static func text(ofOlder steps: [UndoStep]) -> String? {
    var bytes: [UInt8] = []
    for step in steps.prefix(olderCount) {
      // An import of thousands is not put in order first, only to be left out.
      guard step.record.before.count * UndoRecord.leastItemLength <= olderLength - bytes.count,
        let before = try? step.record.encodedListed(), let after = try? step.encodedAfter(),
        bytes.count + before.count + after.count <= olderLength
      else { break }
      bytes += before + after
    }
    return bytes.isEmpty ? nil : Hexadecimal.text(bytes)
  }

  /// Puts the step into an index as the last one of somebody.
  ///
  /// - Throws: ``FormatError`` for more than the format can express, or than is kept.
  fileprivate func put(_ setting: Setting, into index: inout VaultIndex) throws(FormatError) {
    let before = try record.text(for: index.items)
    let after = try encodedAfter()
    index.setText(before, of: setting.before)
    let fits = after.count <= UndoRecord.maximumLength
    index.setText(fits ? Hexadecimal.text(after) : nil, of: setting.after)
  }
}

extension VaultIndex {
  /// Notes how to take back the changes of items; a change of none leaves the notes as they are.
  ///
  /// - Parameters:
  ///   - origin: Who made them.
  ///   - former: The index as it was.
  ///   - undone: If they take back other ones, how many of the older steps.
  mutating func noteUndo(by origin: ChangeOrigin, after former: VaultIndex, undone: Int?) {
    items.sortByID()
    // Positions in other notes are those of the items as they were.
    if items.hasRemoved || items.count != former.items.count {
      for setting in [UndoStep.Setting.person, .program] { carry(setting, from: former) }
    }
    guard let setting = UndoStep.Setting(origin) else { return }
    let isUndo = undone != nil
    var isTooLarge = false
    if let step = UndoStep(of: items, isUndo: isUndo) {
      if origin == .person { noteOlder(than: step, from: former, undone: undone ?? 0) }
      if (try? step.put(setting, into: &self)) != nil { return }
      isTooLarge = true
    }
    // Something went for good, or was too large: what was noted before is no longer the last
    // change, and may name what is gone.
    let isChanged = items.changes.contains { before, after in
      before.map { !$0.saysTheSame(as: after) } ?? true
    }
    guard items.hasRemoved || isChanged else { return }
    setText(isTooLarge ? UndoStep.Setting.tooLarge : nil, of: setting.before)
    setText(nil, of: setting.after)
    if origin == .person { setText(nil, of: UndoStep.Setting.older) }
  }

  /// Writes a note anew for items that have other positions; what is gone for good is left out.
  private mutating func carry(_ setting: UndoStep.Setting, from former: VaultIndex) {
    guard var step = UndoStep(setting, in: former) else { return }
    let items = items
    let isThere = { (id: Bytes16) in items.position(of: id) != nil }
    step.record.before = step.record.before.filter { isThere($0.key) }
    step.after = step.after.filter { isThere($0.key) }
    if step.record.before.isEmpty || (try? step.put(setting, into: &self)) == nil {
      setText(nil, of: setting.before)
      setText(nil, of: setting.after)
    }
  }

  /// The step before becomes one of the older ones, unless it was taken back or took one back.
  private mutating func noteOlder(than step: UndoStep, from former: VaultIndex, undone: Int) {
    var older = Array(UndoStep.older(in: former).dropFirst(undone))
    if !step.isUndo, let last = UndoStep(.person, in: former), !last.isUndo {
      older.insert(last, at: 0)
    }
    setText(UndoStep.text(ofOlder: older), of: UndoStep.Setting.older)
  }

  /// The value of a setting that may have several parts.
  func text(of name: String) -> String? {
    guard var text = settings[name] else { return nil }
    var number = 1
    while let more = settings["\(name).\(number)"] {
      text += more
      number += 1
    }
    return text
  }

  /// Sets a value, in as many parts as it takes; `nil` removes it.
  fileprivate mutating func setText(_ value: String?, of name: String) {
    settings.removeAll { $0 == name || $0.begins(with: "\(name).") }
    guard let value else { return }
    let digits = Array(value.utf8)
    for (number, start) in stride(from: 0, to: digits.count, by: Self.textPart).enumerated() {
      let part = digits[start..<min(start + Self.textPart, digits.count)]
      settings[number == 0 ? name : "\(name).\(number)"] = String(decoding: part, as: UTF8.self)
    }
  }

  // A setting's value has at most 65,535 bytes.
  private static var textPart: Int { 65_534 }
}
