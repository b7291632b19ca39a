package import VaultCredentials
package import VaultSealing

/// What a machine may do in a space.
public enum SyncRole: UInt8, Sendable, Comparable, CaseIterable {
  /// Reads; nothing that it writes is believed.
  case reader = 1
  /// Reads and changes items.
  case writer = 2
  /// Also lets others in, and removes those who came after it and are no owners.
  case admin = 3
  /// May do all that there is: removes everybody but an owner who came before, and gives roles.
  case owner = 4

  /// The role by the word that a person uses.
  public init?(name: String) {
    guard let role = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = role
  }

  /// `reader`, `writer`, `admin` or `owner`.
  public var name: String {
    switch self {
    case .reader: "reader"
    case .writer: "writer"
    case .admin: "admin"
    case .owner: "owner"
    }
  }

  /// Whether one may do less than the other.
  public static func < (left: SyncRole, right: SyncRole) -> Bool { left.rawValue < right.rawValue }
}

/// A property of an item: the unit in which changes meet.
package struct PropertyKey: Hashable, Comparable, Sendable {
  package enum Kind: UInt8, Sendable {
    case name = 1
    /// A secret: the main one has an empty name.
    case secret = 2
    case attribute = 3
    case tag = 4
    case note = 5
    case expires = 6
    /// When it was put into the trash; 0 if it is live.
    case trashed = 7
    case kind = 8
  }

  package let kind: Kind
  package let name: String

  package init(_ kind: Kind, _ name: String = "") {
    self.kind = kind
    self.name = name
  }

  package static func < (left: PropertyKey, right: PropertyKey) -> Bool {
    left.kind == right.kind
      ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
      : left.kind.rawValue < right.kind.rawValue
  }
}

/// The value of a property; `nil` in its place says that it was taken away.
package enum PropertyValue: Sendable {
  case text(String)
  case number(Int64)
  case secret(SecretBytes)
}

/// The changes of one item in a record.
package struct ItemOperation: Sendable {
  package var id: [UInt8]
  package var created: Int64
  package var modified: Int64
  package var version: UInt64
  package var changes: [(key: PropertyKey, value: PropertyValue?)] = []
  /// Earlier secrets that the space did not have, newest first.
  package var earlier: [SharedItem.Version] = []

  package init(id: [UInt8], created: Int64, modified: Int64, version: UInt64) {
    self.id = id
    self.created = created
    self.modified = modified
    self.version = version
  }
}

/// One thing that a record says.
package enum Operation: Sendable {
  /// The first thing in the first record of a space; `rules` says by which ones it is judged.
  case create(keys: PublicKeys, nonce: [UInt8], label: String, rules: UInt8)
  /// The first thing in the first record of the stream of a machine that was invited.
  case claim(keys: PublicKeys, invitation: [UInt8], label: String, signature: [UInt8])
  /// The first thing in the first record of a stream in which a machine goes on whose home was put
  /// back or copied; the signature is by the key of its stream before.
  case succeed(keys: PublicKeys, predecessor: StreamID, label: String, signature: [UInt8])
  case item(ItemOperation)
  case purge(id: [UInt8], removed: Int64)
  case preferences(PreferencesOperation)
  case invite(
    invitation: [UInt8], keys: PublicKeys, role: SyncRole, uses: UInt16, expires: Int64)
  /// Which of those that claimed an invitation are in; it is closed from then on.
  case settle(invitation: [UInt8], accepted: [StreamID])
  /// Machines that claimed an invitation are in; it stays open.
  case admit(invitation: [UInt8], accepted: [StreamID])
  /// A stream ends with the record of this number.
  case remove(StreamID, last: UInt64)
  /// What a machine may do, from its next record on that the writer has not seen.
  case role(StreamID, SyncRole)
  /// The key of an epoch, sealed to streams and invitations.
  case epoch(number: UInt32, id: [UInt8], sealed: [(recipient: [UInt8], key: [UInt8])])
  /// What the records before this one come to, in chunks that lie in the store.
  case snapshot(SnapshotOperation)
  /// The writer found that a snapshot is what its own records come to.
  case confirm(StreamID, sequence: UInt64)
  /// Everybody has found a snapshot right who is in: its records may go from the store.
  case retire(StreamID, sequence: UInt64)
  /// What the record changes replaces no later records of these streams, although it knows them: the
  /// vault had not taken those yet. 0 stands for none.
  case unseen([(stream: StreamID, sequence: UInt64)])
  /// What was sealed to the writer as the key of an epoch is none: nobody else can see that.
  case lacks(epoch: [UInt8])
  /// A record of another machine as the writer has it, where that machine has signed two of one
  /// number.
  case held([UInt8])
  /// Something of a newer version.
  case unknown(UInt8)

  private enum Tag {
    static let item: UInt8 = 1
    static let purge: UInt8 = 2
    static let preferences: UInt8 = 3
    static let create: UInt8 = 16
    static let claim: UInt8 = 17
    static let invite: UInt8 = 18
    static let settle: UInt8 = 19
    static let remove: UInt8 = 20
    static let epoch: UInt8 = 21
    static let snapshot: UInt8 = 22
    static let confirm: UInt8 = 23
    static let admit: UInt8 = 24
    static let role: UInt8 = 25
    static let succeed: UInt8 = 26
    static let epochOfMany: UInt8 = 27
    static let retire: UInt8 = 28
    static let unseen: UInt8 = 29
    static let lacks: UInt8 = 30
    static let held: UInt8 = 31
  }

  /// Appends the operation: kind, length, body.
  package func encode(into builder: inout SecretBuilder) throws {
    var body = SecretBuilder()
    let tag: UInt8
    switch self {
    case .create(let keys, let nonce, let label, let rules):
      tag = Tag.create
      body.put(keys.signing)
      body.put(keys.sealing)
      body.put(nonce)
      try body.text(label)
      // The first rules are those of spaces that say nothing of them.
      if rules > 1 { body.put(rules) }
    case .claim(let keys, let invitation, let label, let signature):
      tag = Tag.claim
      body.put(keys.signing)
      body.put(keys.sealing)
      body.put(invitation)
      body.put(signature)
      try body.text(label)
    case .succeed(let keys, let predecessor, let label, let signature):
      tag = Tag.succeed
      body.put(keys.signing)
      body.put(keys.sealing)
      body.put(predecessor.bytes)
      body.put(signature)
      try body.text(label)
    case .item(let item):
      tag = Tag.item
      try item.encode(into: &body)
    case .purge(let id, let removed):
      tag = Tag.purge
      body.put(id)
      body.put(removed)
    case .preferences(let preferences):
      tag = Tag.preferences
      try preferences.encode(into: &body)
    case .invite(let invitation, let keys, let role, let uses, let expires):
      tag = Tag.invite
      body.put(invitation)
      body.put(keys.signing)
      body.put(keys.sealing)
      body.put(role.rawValue)
      body.put(uses)
      body.put(expires)
    case .settle(let invitation, let accepted), .admit(let invitation, let accepted):
      tag = if case .settle = self { Tag.settle } else { Tag.admit }
      body.put(invitation)
      try body.count16(accepted.count)
      for stream in accepted { body.put(stream.bytes) }
    case .role(let stream, let role):
      tag = Tag.role
      body.put(stream.bytes)
      body.put(role.rawValue)
    case .remove(let stream, let last):
      tag = Tag.remove
      body.put(stream.bytes)
      body.put(last)
    case .epoch(let number, let id, let sealed):
      let isOfMany = sealed.first?.recipient.count == Self.shortRecipientLength
      tag = isOfMany ? Tag.epochOfMany : Tag.epoch
      body.put(number)
      body.put(id)
      body.put(UInt16(sealed.count))
      for entry in sealed {
        body.put(entry.recipient)
        body.put(entry.key)
      }
    case .snapshot(let snapshot):
      tag = Tag.snapshot
      try snapshot.encode(into: &body)
    case .confirm(let stream, let sequence), .retire(let stream, let sequence):
      tag = if case .confirm = self { Tag.confirm } else { Tag.retire }
      body.put(stream.bytes)
      body.put(sequence)
    case .unseen(let streams):
      tag = Tag.unseen
      try body.count16(streams.count)
      for (stream, sequence) in streams {
        body.put(stream.bytes)
        body.put(sequence)
      }
    case .lacks(let epoch):
      tag = Tag.lacks
      body.put(epoch)
    case .held(let record):
      tag = Tag.held
      body.put(record)
    case .unknown: return
    }
    builder.put(tag)
    builder.put(UInt32(body.count))
    builder.put(try body.joined())
  }

  /// Whether it is about the space itself: who belongs to it, and its snapshots.
  var isOfSpace: Bool {
    switch self {
    case .create, .claim, .succeed, .invite, .settle, .admit, .remove, .role, .epoch, .snapshot,
      .confirm, .retire, .unseen, .lacks, .held:
      true
    case .item, .purge, .preferences, .unknown: false
    }
  }

  /// Whether it holds a record of another machine.
  var isHeld: Bool { if case .held = self { true } else { false } }

  /// Whether it says whose stream this is: the first thing in the first record, and nowhere else.
  var isBeginning: Bool {
    switch self {
    case .create, .claim, .succeed: true
    default: false
    }
  }

  /// Whether it says what an item has.
  var isOfItems: Bool {
    if case .preferences = self { return false }
    return !isOfSpace
  }

  package static let sealedKeyLength = 16 + 4 + 32 + SealingKeyPair.overhead
  /// For many recipients each entry is shorter: the beginning of who it is for, and no space in what
  /// is sealed.
  package static let shortRecipientLength = 8
  package static let shortSealedKeyLength = 4 + 32 + SealingKeyPair.overhead
  /// Most recipients of the longer entries, which earlier versions read, too.
  static let fewRecipients = 256

  /// Reads one operation; one that is not known is passed over.
  package init(from reader: inout SecretReader) throws {
    let tag: UInt8 = try reader.number()
    let length = Int(try reader.number(UInt32.self))
    let end = reader.offset + length
    switch tag {
    case Tag.create:
      let (keys, nonce) = (try Self.keys(&reader), try reader.array(16))
      let label = try reader.text()
      self = .create(
        keys: keys, nonce: nonce, label: label,
        rules: reader.offset < end ? try reader.number() : 1)
    case Tag.claim:
      let (keys, invitation) = (try Self.keys(&reader), try reader.array(16))
      let signature = try reader.array(64)
      self = .claim(
        keys: keys, invitation: invitation, label: try reader.text(), signature: signature)
    case Tag.succeed:
      let (keys, predecessor) = (try Self.keys(&reader), try Self.stream(&reader))
      let signature = try reader.array(64)
      self = .succeed(
        keys: keys, predecessor: predecessor, label: try reader.text(), signature: signature)
    case Tag.item: self = .item(try ItemOperation(from: &reader))
    case Tag.preferences: self = .preferences(try PreferencesOperation(from: &reader))
    case Tag.purge: self = .purge(id: try reader.array(16), removed: try reader.number())
    case Tag.invite:
      let invitation = try reader.array(16)
      let keys = try Self.keys(&reader)
      guard let role = SyncRole(rawValue: try reader.number()) else { throw MalformedRecord() }
      self = .invite(
        invitation: invitation, keys: keys, role: role, uses: try reader.number(),
        expires: try reader.number())
    case Tag.settle, Tag.admit:
      let invitation = try reader.array(16)
      var accepted: [StreamID] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        accepted.append(try Self.stream(&reader))
      }
      self =
        tag == Tag.settle
        ? .settle(invitation: invitation, accepted: accepted)
        : .admit(invitation: invitation, accepted: accepted)
    case Tag.role:
      let stream = try Self.stream(&reader)
      // A role of a newer version is not for this one.
      if let role = SyncRole(rawValue: try reader.number()) {
        self = .role(stream, role)
      } else {
        reader.passOver()
        self = .unknown(tag)
      }
    case Tag.remove: self = .remove(try Self.stream(&reader), last: try reader.number())
    case Tag.epoch, Tag.epochOfMany:
      let (recipient, key) =
        tag == Tag.epoch
        ? (16, Self.sealedKeyLength) : (Self.shortRecipientLength, Self.shortSealedKeyLength)
      let number: UInt32 = try reader.number()
      let id = try reader.array(16)
      var sealed: [(recipient: [UInt8], key: [UInt8])] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        sealed.append((try reader.array(recipient), try reader.array(key)))
      }
      self = .epoch(number: number, id: id, sealed: sealed)
    case Tag.snapshot:
      let snapshot = try SnapshotOperation(from: &reader)
      self = snapshot.map { .snapshot($0) } ?? .unknown(tag)
      // A state of another form is nothing that this program lacks.
      if snapshot == nil { try reader.skip(end - reader.offset) }
    case Tag.confirm: self = .confirm(try Self.stream(&reader), sequence: try reader.number())
    case Tag.retire: self = .retire(try Self.stream(&reader), sequence: try reader.number())
    case Tag.unseen:
      var streams: [(stream: StreamID, sequence: UInt64)] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        streams.append((try Self.stream(&reader), try reader.number()))
      }
      self = .unseen(streams)
    case Tag.lacks: self = .lacks(epoch: try reader.array(16))
    case Tag.held: self = .held(try reader.array(length))
    default:
      try reader.skip(length)
      reader.passOver()
      self = .unknown(tag)
    }
    // A newer version may say more at the end of what is known.
    guard reader.offset <= end else { throw MalformedRecord() }
    if reader.offset < end { reader.passOver() }
    try reader.skip(end - reader.offset)
  }

  private static func keys(_ reader: inout SecretReader) throws -> PublicKeys {
    PublicKeys(signing: try reader.array(32), sealing: try reader.array(32))
  }

  private static func stream(_ reader: inout SecretReader) throws -> StreamID {
    guard let stream = StreamID(try reader.array(16)) else { throw MalformedRecord() }
    return stream
  }
}

extension ItemOperation {
  fileprivate func encode(into body: inout SecretBuilder) throws {
    body.put(id)
    body.put(created)
    body.put(modified)
    body.put(version)
    body.put(UInt16(changes.count))
    for change in changes {
      body.put(change.key.kind.rawValue)
      try body.text(change.key.name)
      try change.value.encode(into: &body)
    }
    body.put(UInt16(earlier.count))
    for version in earlier { try version.encode(into: &body) }
  }

  fileprivate init(from reader: inout SecretReader) throws {
    self.init(
      id: try reader.array(16), created: try reader.number(), modified: try reader.number(),
      version: try reader.number())
    for _ in 0..<(try reader.number(UInt16.self)) {
      let kind = PropertyKey.Kind(rawValue: try reader.number())
      let name = try reader.text()
      let value = try PropertyValue?(from: &reader)
      // A property of a newer version is not for this one.
      guard let kind else {
        reader.passOver()
        continue
      }
      guard kind.allows(value) else { throw MalformedRecord() }
      changes.append((PropertyKey(kind, name), value))
    }
    for _ in 0..<(try reader.number(UInt16.self)) {
      earlier.append(try SharedItem.Version(from: &reader))
    }
  }
}

extension PropertyValue? {
  /// Appends form and value.
  func encode(into body: inout SecretBuilder) throws {
    switch self {
    case nil: body.put(UInt8(0))
    case .text(let text)?:
      body.put(UInt8(1))
      body.put(UInt32(text.utf8.count))
      body.put(Array(text.utf8))
    case .number(let number)?:
      body.put(UInt8(2))
      body.put(number)
    case .secret(let secret)?:
      body.put(UInt8(3))
      body.put(UInt32(secret.count))
      body.put(secret)
    }
  }

  /// Reads form and value.
  init(from reader: inout SecretReader) throws {
    switch try reader.number(UInt8.self) {
    case 0: self = nil
    case 1:
      let bytes = try reader.array(Int(reader.number(UInt32.self)))
      guard let text = bytes.withRawSpan({ $0.text(0..<bytes.count) }) else {
        throw MalformedRecord()
      }
      self = .text(text)
    case 2: self = .number(try reader.number())
    case 3: self = .secret(try reader.secret())
    default: throw MalformedRecord()
    }
  }
}

extension PropertyKey.Kind {
  /// Whether a property may have such a value.
  func allows(_ value: PropertyValue?) -> Bool {
    switch (self, value) {
    case (.secret, .secret?), (.secret, nil), (.attribute, .text?), (.attribute, nil),
      (.tag, .number?), (.tag, nil), (.name, .text?), (.note, .text?), (.expires, .number?),
      (.trashed, .number?), (.kind, .number?):
      true
    default: false
    }
  }
}

extension SharedItem.Version {
  func encode(into body: inout SecretBuilder) throws {
    body.put(version)
    body.put(kind)
    body.put(written)
    body.put(UInt32(main.count))
    body.put(main)
    body.put(UInt16(fields.count))
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      try body.text(name)
      body.put(UInt32(value.count))
      body.put(value)
    }
  }

  init(from reader: inout SecretReader) throws {
    self.init(
      version: try reader.number(), kind: try reader.number(), written: try reader.number(),
      main: try reader.secret(), fields: [:])
    for _ in 0..<(try reader.number(UInt16.self)) {
      let name = try reader.text()
      fields[name] = try reader.secret()
    }
  }
}

extension SecretBuilder {
  /// A text with a `u16` length before it.
  package mutating func text(_ text: String) throws {
    guard let count = UInt16(exactly: text.utf8.count) else { throw MalformedRecord() }
    put(count)
    put(Array(text.utf8))
  }
}

extension Operation {
  /// What a machine is listed as: as it calls itself, or by its id where that is no name.
  static func label(_ label: String, of stream: StreamID) -> String {
    isLabel(label) ? label : "machine-\(stream.text.prefix(8))"
  }

  /// Whether a machine may be called so: 1 to 64 letters, digits, dots, hyphens and underscores.
  package static func isLabel(_ label: String) -> Bool {
    (1...64).contains(label.utf8.count)
      && label.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || ".-_".unicodeScalars.contains($0)
      }
  }

  /// Whether a machine may call itself so from now on: what a command would take for an option, or a
  /// path for a folder, is in records of before alone.
  package static func isNewLabel(_ label: String) -> Bool {
    isLabel(label) && label.utf8.first != UInt8(ascii: "-")
      && !label.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
  }
}
