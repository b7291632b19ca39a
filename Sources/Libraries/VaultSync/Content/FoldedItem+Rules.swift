import VaultCredentials
import VaultSealing

/// What the rules of a vault leave of an item.
///
/// Each operation keeps the rules by itself, or does not count: ``ItemOperation/check()``. What
/// several of them together say may still be more than an item can hold.
extension FoldedItem {
  /// The fields, tags and attributes that the item has, and the first rule that kept others out.
  ///
  /// What was there first stays: the order is that of how much the records know, then by stream and
  /// number. So it is the same on every machine.
  var held: [(key: PropertyKey, value: PropertyValue)] { holding.held }

  /// The rule that the records together do not keep; `nil` if the item has all that they say.
  var breach: ItemRules.Breach? { holding.breach }

  private var holding: (held: [(key: PropertyKey, value: PropertyValue)], breach: ItemRules.Breach?)
  {
    var parts: [(key: PropertyKey, value: PropertyValue, record: OpenedRecord)] = []
    for key in heads.keys {
      guard let head = winner(key), let value = head.value else { continue }
      parts.append((key, value, head.record))
    }
    guard let breach = Self.breach(parts.map { ($0.key, $0.value) }) else {
      return (parts.map { ($0.key, $0.value) }, nil)
    }
    parts.sort { left, right in
      let (one, other) = (left.record, right.record)
      return (one.depth, one.stream, one.sequence, left.key)
        < (other.depth, other.stream, other.sequence, right.key)
    }
    var room = Room()
    // The main secret is there in any case.
    for part in parts where part.key == PropertyKey(.secret) {
      _ = room.takes(part.key, part.value)
    }
    var held: [(key: PropertyKey, value: PropertyValue)] = []
    for part in parts where part.key != PropertyKey(.secret) {
      if room.takes(part.key, part.value) { held.append((part.key, part.value)) }
    }
    return (held, breach)
  }

  private static func breach(
    _ parts: [(PropertyKey, PropertyValue)]
  ) -> ItemRules.Breach? {
    var room = Room()
    for part in parts where !room.takes(part.0, part.1) { return room.breach(part.0) }
    return nil
  }

  /// Counts what an item holds.
  private struct Room {
    private var bytes = 0
    private var counts: [PropertyKey.Kind: Int] = [:]

    /// Whether there is room for a property, which takes it then.
    mutating func takes(_ key: PropertyKey, _ value: PropertyValue) -> Bool {
      switch (key.kind, value) {
      case (.secret, .secret(let secret)):
        let fields = counts[.secret, default: 0] + (key.name.isEmpty ? 0 : 1)
        do throws(ItemRules.Breach) {
          try ItemRules.check(secretBytes: bytes + secret.count, fields: fields)
        } catch { return false }
        bytes += secret.count
        counts[.secret] = fields
      case (.tag, _), (.attribute, _):
        let most = key.kind == .tag ? ItemLimits.tags : ItemLimits.attributes
        guard counts[key.kind, default: 0] < most else { return false }
        counts[key.kind, default: 0] += 1
      default: break
      }
      return true
    }

    /// The rule that keeps a property out.
    func breach(_ key: PropertyKey) -> ItemRules.Breach {
      switch key.kind {
      case .tag: .tooManyTags
      case .attribute: .tooManyAttributes
      default:
        counts[.secret, default: 0] >= ItemLimits.fields
          ? .tooManyFields(ItemLimits.fields + 1) : .secretTooLong(bytes)
      }
    }
  }
}

extension ItemOperation {
  /// What it calls the item; `nil` if it leaves the name as it is.
  var name: String? {
    for case (PropertyKey(.name), .text(let text)?) in changes { return ItemRules.mended(text) }
    return nil
  }

  /// Checks what the operation says against the rules of a vault; one that breaks a rule does not
  /// count, whoever reads it.
  func check() throws(ItemRules.Breach) {
    var (bytes, fields) = (0, 0)
    var tags: [String] = []
    var attributes: [String: String] = [:]
    for (key, value) in changes {
      switch (key.kind, value) {
      case (.secret, .secret(let secret)?):
        bytes += secret.count
        guard !key.name.isEmpty else { continue }
        fields += 1
        try ItemRules.check(fieldName: key.name)
      case (.tag, .number?): tags.append(key.name)
      case (.attribute, .text(let text)?): attributes[key.name] = text
      case (.note, .text(let text)?): try ItemRules.check(note: text)
      default: break
      }
    }
    try ItemRules.check(secretBytes: bytes, fields: fields)
    try ItemRules.check(tags: tags)
    try ItemRules.check(attributes: attributes)
    for version in earlier {
      for name in version.fields.keys.sorted() { try ItemRules.check(fieldName: name) }
      try ItemRules.check(
        secretBytes: version.fields.values.reduce(version.main.count) { $0 + $1.count },
        fields: version.fields.count)
    }
  }
}
