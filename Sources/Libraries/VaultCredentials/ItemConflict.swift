/// What a merge left to be settled in an item, as attributes that the vault itself writes.
///
/// Documentation/design/file-format.md, section 4.
enum ItemConflict {
  /// The attribute with the number, decimal, of the version that has the other of two values; it
  /// goes when the item gets a new secret.
  static let attribute = "vault:conflict"
  /// The attribute with the name that the item had until another one of that name was met.
  static let formerName = "vault:twin"
  /// The attribute of an item that was removed for good where its last change was not known.
  static let removal = "vault:removed"
  /// The attribute of an item that kept its name: the id of the one that became a version of it.
  ///
  /// So that version is a change that the machines of a space hear of.
  static let union = "vault:union"
  /// The attribute with who wrote versions that met others: `7:laptop,5:desktop`.
  static let origins = "vault:origins"

  /// What numbers of versions stand in: they are of one vault file.
  static let ofOneFile = [attribute, origins]
  /// All of them.
  static let all = [attribute, formerName, removal, union, origins]

  /// The version with the other value; `nil` without a conflict.
  static func version(in attributes: NamedTexts) -> UInt64? {
    attributes[attribute].flatMap { UInt64($0) }
  }

  /// Marks an item.
  static func mark(_ record: inout ItemRecord, _ version: UInt64) {
    record.attributes[attribute] = String(version)
  }

  /// Has the mark of an item that took over the other side's history name a version that is there.
  static func check(_ record: inout ItemRecord) {
    guard let version = version(in: record.attributes) else { return }
    if record.earlier.contains(where: { $0.version == version }) { return }
    record.attributes[attribute] = record.earlier.first.map { String($0.version) }
  }

  /// The machines that wrote versions which met others, by the versions' numbers.
  static func machines(in attributes: NamedTexts) -> [UInt64: String] {
    var machines: [UInt64: String] = [:]
    for entry in (attributes[origins] ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let parts = entry.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard parts.count == 2, let version = UInt64(String(decoding: parts[0], as: UTF8.self))
      else { continue }
      machines[version] = String(decoding: parts[1], as: UTF8.self)
    }
    return machines
  }

  /// Notes which machine wrote a version that met another; versions that are not kept any longer
  /// are forgotten.
  static func note(_ machine: String, wrote version: UInt64, in record: inout ItemRecord) {
    var machines = machines(in: record.attributes)
    guard machines[version] != machine else { return }
    machines[version] = machine
    let kept = Set(record.earlier.map(\.version))
    record.attributes[origins] =
      machines.filter { kept.contains($0.key) }.sorted { $0.key > $1.key }.prefix(maximumOrigins)
      .map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// An attribute has 4 KiB, a machine's name 64 characters.
  private static let maximumOrigins = 12

  /// What is not settled in an item.
  static func unsettled(
    _ attributes: NamedTexts, of name: ItemName
  ) -> [MergeReport.Conflict] {
    var conflicts: [MergeReport.Conflict] = []
    if let version = version(in: attributes) {
      conflicts.append(
        .init(.secret, name, version: version, machine: machines(in: attributes)[version]))
    }
    if let former = attributes[formerName] {
      conflicts.append(.init(.name, name, formerName: ItemName(stored: former)))
    }
    if attributes[removal] != nil { conflicts.append(.init(.removal, name)) }
    return conflicts
      + lost(in: attributes).map { .init(.property, name, machine: $0.machine, lost: $0) }
  }

  /// Whether anything is not settled.
  static func isUnsettled(_ attributes: NamedTexts) -> Bool {
    [attribute, formerName, removal].contains { attributes[$0] != nil }
      || !lost(in: attributes).isEmpty
  }
}
