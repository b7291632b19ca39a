import VaultCredentials
import VaultSealing
import VaultSync

/// A space of records alone, without vaults, files or a store: who belongs to it follows from them.
struct PaperSpace {
  /// Somebody who writes a stream.
  struct Person {
    let keys: KeyPairs
    let stream: StreamID
    fileprivate(set) var records: [SyncRecord] = []
    /// What it calls itself, if not by its name here.
    fileprivate(set) var label: String?
  }

  /// An invitation, with the keys of its code.
  struct Code {
    let id: [UInt8]
    let keys: KeyPairs
  }

  let space: SpaceID
  let epoch: EpochKey
  private let nonce: [UInt8]
  private(set) var people: [String: Person] = [:]
  private(set) var codes: [String: Code] = [:]
  /// All that was written, as everybody sees it who sees everything.
  var history: Space

  /// Makes a space whose founder is `founder`.
  init(rules: UInt8 = 2) throws {
    let keys = try Self.makeKeys("founder")
    nonce = [UInt8](repeating: 7, count: 16)
    space = try SpaceID(creator: keys.publicKeys, nonce: nonce)
    epoch = try EpochKey(
      number: 1, key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
    history = Space(space, epochs: [epoch], openers: [])
    people["founder"] = Person(keys: keys, stream: try StreamID(of: keys.publicKeys, in: space))
    try write(
      "founder",
      [
        .create(keys: keys.publicKeys, nonce: nonce, label: "founder", rules: rules),
        .epoch(number: 1, id: epoch.id, sealed: []),
      ])
  }

  private static func makeKeys(_ name: String) throws -> KeyPairs {
    try KeyPairs(seed: SecretBytes(copying: Hash.blake2b(Array(name.utf8))))
  }

  // MARK: - Writing

  /// Writes a record of somebody.
  ///
  /// - Parameters:
  ///   - name: Who.
  ///   - operations: What it says.
  ///   - known: Of whom it knows how much; `nil` for everything.
  /// - Throws: What sealing throws.
  mutating func write(
    _ name: String, _ operations: [VaultSync.Operation], knowing known: [String: Int]? = nil
  ) throws {
    guard let person = people[name] else { return }
    let record = try record(person, operations, seen: sightings(person, known))
    people[name]?.records.append(record)
    history.add([record.bytes], of: person.stream)
    try history.open(areVerified: false)
  }

  private func sightings(_ person: Person, _ known: [String: Int]?) -> [Sighting] {
    people.values.sorted { $0.stream < $1.stream }.compactMap { other in
      let name = people.first { $0.value.stream == other.stream }?.key ?? ""
      // Nobody has seen what does not open.
      let opened = history.streams[other.stream]?.count ?? 0
      let count = known.map { min($0[name] ?? 0, opened) } ?? opened
      guard other.stream != person.stream, count > 0 else { return nil }
      let record = other.records[count - 1]
      return Sighting(stream: other.stream, sequence: record.sequence, hash: record.hash)
    }
  }

  private func record(
    _ person: Person, _ operations: [VaultSync.Operation], seen: [Sighting]
  ) throws -> SyncRecord {
    try SyncRecord(
      RecordContent(time: Int64(person.records.count), seen: seen, operations: operations),
      space: space, stream: person.stream, sequence: UInt64(person.records.count + 1),
      previous: person.records.last?.hash ?? [UInt8](repeating: 0, count: 32), epoch: epoch,
      signer: person.keys.signing)
  }

  // MARK: - What people do

  /// Makes an invitation, whose code is called by a name.
  mutating func invite(
    _ code: String, by name: String, _ role: SyncRole, uses: UInt16 = 1,
    expires: Int64 = 1 << 40, knowing known: [String: Int]? = nil
  ) throws {
    try write(name, [invitation(code, role, uses: uses, expires: expires)], knowing: known)
  }

  /// The operation that invites, and its code.
  mutating func invitation(
    _ code: String, _ role: SyncRole, uses: UInt16 = 1, expires: Int64 = 1 << 40
  ) throws -> VaultSync.Operation {
    let keys = try Self.makeKeys("code \(code)")
    let id = try Hash.blake2b(
      Array("VSR1/invitation".utf8) + keys.publicKeys.signing + keys.publicKeys.sealing, count: 16)
    codes[code] = Code(id: id, keys: keys)
    return .invite(
      invitation: id, keys: keys.publicKeys, role: role, uses: uses, expires: expires)
  }

  /// Makes a subscription, whose code is called as it is.
  mutating func subscribe(
    _ code: String, by name: String, knowing known: [String: Int]? = nil
  ) throws {
    try write(name, [subscription(code)], knowing: known)
  }

  /// The operation that makes a subscription, and its code.
  mutating func subscription(
    _ code: String, expires: Int64 = .max
  ) throws -> VaultSync.Operation {
    let keys = try Self.makeKeys("code \(code)")
    let named = PublicKeys(
      signing: SubscriptionName.block(code), sealing: keys.publicKeys.sealing)
    let id = try Hash.blake2b(
      Array("VSR1/invitation".utf8) + named.signing + named.sealing, count: 16)
    codes[code] = Code(id: id, keys: keys)
    return .invite(invitation: id, keys: named, role: .reader, uses: 1, expires: expires)
  }

  /// Makes a recovery code.
  mutating func makeCode(_ code: String, by name: String) throws {
    try invite(code, by: name, .admin, uses: .max, expires: .max)
  }

  /// Somebody claims an invitation.
  mutating func claim(_ name: String, by code: String, knowing known: [String: Int]? = nil) throws {
    let person = try newPerson(name)
    guard let claim = try claim(person, by: code) else { return }
    try write(name, [claim], knowing: known)
  }

  /// Somebody who writes, and has claimed nothing yet.
  @discardableResult
  mutating func newPerson(_ name: String) throws -> Person {
    let keys = try Self.makeKeys(name)
    let person = Person(keys: keys, stream: try StreamID(of: keys.publicKeys, in: space))
    people[name] = person
    return person
  }

  /// The operation by which somebody claims an invitation.
  func claim(_ person: Person, by code: String) throws -> VaultSync.Operation? {
    guard let code = codes[code] else { return nil }
    return .claim(
      keys: person.keys.publicKeys, invitation: code.id,
      label: people.first { $0.value.stream == person.stream }?.key ?? "",
      signature: code.keys.signing.signature(of: Operation.claimed(by: person.stream, in: space)))
  }

  /// Somebody goes on for somebody, whose key signs that; or another one's.
  mutating func succeed(
    _ name: String, of predecessor: String, signedBy signer: String? = nil,
    knowing known: [String: Int]? = nil
  ) throws {
    let person = try newPerson(name)
    let label = people[predecessor]?.label ?? predecessor
    people[name]?.label = label
    guard let former = people[predecessor], let signer = people[signer ?? predecessor] else {
      return
    }
    try write(
      name,
      [
        .succeed(
          keys: person.keys.publicKeys, predecessor: former.stream, label: label,
          signature: signer.keys.signing.signature(
            of: Operation.succeeded(by: person.stream, in: space)))
      ], knowing: known)
  }

  /// Somebody lets somebody in.
  mutating func admit(
    _ name: String, by admin: String, code: String, closes: Bool = false,
    knowing known: [String: Int]? = nil
  ) throws {
    guard let stream = people[name]?.stream, let code = codes[code] else { return }
    try write(
      admin,
      [
        closes
          ? .settle(invitation: code.id, accepted: [stream])
          : .admit(invitation: code.id, accepted: [stream])
      ], knowing: known)
  }

  /// Invites somebody who joins and is let in.
  mutating func add(_ name: String, _ role: SyncRole, by admin: String = "founder") throws {
    try invite(name, by: admin, role)
    try claim(name, by: name)
    try admit(name, by: admin, code: name)
  }

  /// Somebody joins who calls himself as another one is called.
  mutating func claimLabeled(_ label: String, as name: String, by admin: String) throws {
    try invite(name, by: admin, .writer, knowing: [admin: 1])
    let person = try newPerson(name)
    guard case .claim(let keys, let invitation, _, let signature)? = try claim(person, by: name)
    else { return }
    try write(
      name,
      [.claim(keys: keys, invitation: invitation, label: label, signature: signature)])
    try admit(name, by: admin, code: name)
  }

  mutating func remove(
    _ name: String, by author: String, knowing known: [String: Int]? = nil
  ) throws {
    guard let person = people[name] else { return }
    try write(
      author, [.remove(person.stream, last: UInt64(person.records.count))], knowing: known)
  }

  mutating func setRole(
    _ role: SyncRole, of name: String, by author: String, knowing known: [String: Int]? = nil
  ) throws {
    guard let person = people[name] else { return }
    try write(author, [.role(person.stream, role)], knowing: known)
  }

  // MARK: - What follows

  /// How much everybody has written.
  var counts: [String: Int] { people.mapValues(\.records.count) }

  /// The roster of all that was written.
  var roster: Roster { Roster(history.records, upTo: history.frontier) }

  /// Who is in, with their roles; `†` and the last record that counts for those who are out.
  var members: [String] { Self.description(of: roster) }

  static func description(of roster: Roster) -> [String] {
    roster.members.values.map { member in
      "\(member.label) \(member.role.name)" + (member.last.map { " †\($0)" } ?? "")
        + (member.successor == nil ? "" : " →")
    }
    .sorted()
  }

  /// All that a roster says.
  static func everything(of roster: Roster) -> [String] {
    description(of: roster)
      + roster.invitations.values.map { invitation in
        "\(Hexadecimal.text(invitation.id)) \(invitation.isSettled) "
          + "\(invitation.accepted.map(\.text)) \(invitation.refused.map(\.text))"
      }
      .sorted()
      + roster.owners.map(\.label)
      + roster.epochs.map { "\($0.key.number) \(Hexadecimal.text($0.key.id))" }.sorted()
  }

  /// The same records as they are opened where streams come in another order.
  func reopened(in order: [String]) throws -> Space {
    var other = Space(space, epochs: [epoch], openers: [])
    for name in order {
      guard let person = people[name] else { continue }
      other.add(person.records.map(\.bytes), of: person.stream)
      try other.open(areVerified: false)
    }
    return other
  }
}
