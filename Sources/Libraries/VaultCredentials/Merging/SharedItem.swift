package import VaultSealing

/// An item as other machines see it: what is synchronized, without what is of one vault file.
package struct SharedItem: Sendable {
  /// The secrets of an item at one time.
  package struct Version: Sendable {
    package var version: UInt64
    package var kind: UInt16
    /// When it was written, milliseconds since 1970.
    package var written: Int64
    package var main: SecretBytes
    package var fields: [String: SecretBytes]

    package init(
      version: UInt64, kind: UInt16, written: Int64, main: SecretBytes,
      fields: [String: SecretBytes]
    ) {
      self.version = version
      self.kind = kind
      self.written = written
      self.main = main
      self.fields = fields
    }

    init(_ contents: ItemContents, version: UInt64, kind: UInt16, written: Int64) {
      self.init(
        version: version, kind: kind, written: written, main: contents.main,
        fields: contents.fields.all.reduce(into: [:]) { $0[$1.name] = $1.value })
    }

    var contents: ItemContents { ItemContents(main: main, fields: SecretFields(fields)) }

    /// Whether both have the same secrets.
    package func hasSameSecrets(as other: Version) -> Bool {
      contents.isEqual(to: other.contents)
    }
  }

  /// A value that met the current one.
  package struct Concurrent: Sendable {
    package let version: Version
    /// What the machine that wrote it is called.
    package var machine: String

    package init(version: Version, machine: String) {
      self.version = version
      self.machine = machine
    }
  }

  /// The attribute with the name that an item had until another one of that name was met.
  package static let formerNameAttribute = ItemConflict.formerName
  /// The attribute of an item that was removed for good where its last change was not known.
  package static let removalAttribute = ItemConflict.removal

  /// 16 bytes.
  package let id: [UInt8]
  package var name: String
  package var created: Int64
  package var modified: Int64
  package var expires: Int64 = 0
  /// When it was put into the trash; 0 if it is live.
  package var trashed: Int64 = 0
  package var note = ""
  package var tags: Set<String> = []
  package var attributes: [String: String] = [:]
  /// The newest secrets.
  package var head: Version
  /// Earlier secrets, newest first.
  package var earlier: [Version] = []
  /// Values that met the current one and did not know of it, the latest first; also among the
  /// earlier ones.
  package var concurrent: [Concurrent] = []
  /// Values of the note, of attributes, of the expiry and the name that lost, by property, the latest
  /// first.
  package var lost: [LostValue] = []
  /// Whether a person has settled some of them, and the records do not say so yet.
  package var hasSettledLost = false
  /// Whether the item is marked as one with another value.
  package var isMarked = false

  package init(id: [UInt8], name: String, created: Int64, modified: Int64, head: Version) {
    self.id = id
    self.name = name
    self.created = created
    self.modified = modified
    self.head = head
  }
}

/// The state that the machines of a space agree on, as one side of a merge.
struct SharedState: MergeSide {
  private(set) var index: VaultIndex
  private var secrets: [[UInt8]: ItemContents] = [:]
  private var heads: [Bytes16: ItemContents] = [:]
  private var records: [Bytes16: ItemRecord] = [:]

  init(_ items: [SharedItem], removals: [[UInt8]: Int64]) {
    index = VaultIndex(device: .zero, written: 0, isPublishing: false)
    for item in items {
      let id = Bytes16(item.id)
      var record = ItemRecord(
        id: id, name: item.name, kind: item.head.kind, device: .zero, now: item.modified)
      record.version = item.head.version
      record.created = item.created
      record.expires = item.expires
      record.trashed = item.trashed
      record.note = item.note
      record.tags = item.tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      record.attributes = NamedTexts(item.attributes)
      // Only the space says what lost; here it stands for the room that it takes.
      record.attributes.removeAll(where: ItemConflict.isOfOneFile)
      ItemConflict.keep(item.lost, in: &record.attributes)
      // As in a vault file: what is in the trash has its newest secrets first among the earlier.
      let earlier = (item.trashed == 0 ? [] : [item.head]) + item.earlier
      record.earlier = earlier.map { remember($0) }
      heads[id] = item.head.contents
      // It says which secrets these are, so that two states of an item differ if their secrets do.
      record.hash = Bytes16(item.head.mark)
      index.items.append(record)
      records[id] = record
    }
    index.tombstones = removals.map {
      VaultIndex.Tombstone(itemID: Bytes16($0.key), removed: $0.value, device: .zero)
    }
    .sorted { $0.itemID < $1.itemID }
  }

  /// Keeps an earlier version, under its mark where a vault file has the hash of a blob.
  private mutating func remember(_ version: SharedItem.Version) -> ItemRecord.Earlier {
    let mark = version.mark
    secrets[mark] = version.contents
    return ItemRecord.Earlier(
      version: version.version, kind: version.kind, written: version.written,
      dataKey: [UInt8](repeating: 0, count: 16), length: 0, hash: mark)
  }

  func record(_ id: Bytes16) -> ItemRecord? { records[id] }

  func contents(of record: ItemRecord) throws -> ItemContents? { heads[record.id] }

  func contents(of record: ItemRecord, _ earlier: ItemRecord.Earlier) throws -> ItemContents? {
    secrets[earlier.hash]
  }
}

extension SharedItem.Version {
  /// Sixteen bytes that depend on the secrets alone; never stored.
  package var mark: [UInt8] {
    var builder = SecretBuilder()
    builder.put(UInt64(main.count))
    builder.put(main)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      // Names that are equal as texts are the same field, whatever bytes they have.
      let name = Array(UnicodeNormalization.nfc(name).utf8)
      builder.put(UInt64(name.count))
      builder.put(name)
      builder.put(UInt64(value.count))
      builder.put(value)
    }
    guard let bytes = try? builder.joined(),
      let hash = try? bytes.withBytes({ try Hash.blake2b($0, count: 16) })
    else { return RandomBytes.bytes(count: 16) }
    return hash
  }
}

extension VaultIndex {
  /// The setting that says which state of a space the items were brought to.
  static let sharedSetting = "sync.mark"

  /// Whether keys of a purpose are those of a machine in a space.
  static func isOfDevice(_ purpose: String) -> Bool { purpose.hasPrefix("sync-") }

  /// Whether keys of a purpose belong to one machine's vault and never go to another's: those of a
  /// space, and those of what a person has allowed on this machine alone.
  static func staysOnMachine(_ purpose: String) -> Bool {
    isOfDevice(purpose) || purpose.hasPrefix("machine-")
  }
}
