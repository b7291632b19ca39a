import VaultDataStore
import VaultStorage
import VaultSync

/// Which identities are one for who has written a record.
///
/// A change of one of two objects replaces what its writer knew of the other one only if he knew
/// that they are one.
struct AliasView {
  struct Pair {
    let identity: ObjectID
    let other: ObjectID
    let stamp: Stamp
  }

  private let pairs: [Pair]
  private var past: Frontier?
  private var sets: [ObjectID: ObjectID] = [:]

  init(_ pairs: [Pair]) { self.pairs = pairs }

  private mutating func root(_ identity: ObjectID) -> ObjectID {
    var root = identity
    while let next = sets[root] { root = next }
    var last = identity
    while let next = sets[last], next != root {
      sets[last] = root
      last = next
    }
    return root
  }

  /// Whether two identities are one for who knows some records.
  mutating func areOne(_ one: ObjectID, _ other: ObjectID, _ past: Frontier) -> Bool {
    if one == other { return true }
    if pairs.isEmpty { return false }
    if self.past != past {
      self.past = past
      sets = [:]
      for pair in pairs where pair.stamp.isKnown(by: past) {
        let (left, right) = (root(pair.identity), root(pair.other))
        if left != right { sets[left] = right }
      }
    }
    return root(one) == root(other)
  }
}

/// Identities that are one object: whichever of them a record names, that object is meant.
extension StoreState {
  /// Sets of identities, each with that of the object.
  static let aliasTables = """
    CREATE TABLE IF NOT EXISTS appdata_sync_aliases(
      identity BLOB NOT NULL, class TEXT NOT NULL, joined INTEGER NOT NULL,
      PRIMARY KEY(identity, class)) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS appdata_sync_aliases_joined ON appdata_sync_aliases(joined);
    CREATE TABLE IF NOT EXISTS appdata_sync_joined(
      id INTEGER PRIMARY KEY, identity BLOB NOT NULL, size INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS appdata_sync_pairs(
      identity BLOB NOT NULL, class TEXT NOT NULL, other BLOB NOT NULL, stream INTEGER NOT NULL,
      number INTEGER NOT NULL,
      PRIMARY KEY(identity, class, other, stream, number)) STRICT, WITHOUT ROWID;
    """

  private struct Joined {
    let id: Int64
    let identity: ObjectID
    let size: Int64
  }

  private func joined(_ identity: ObjectID, of family: String) throws -> Joined? {
    try connection.first(
      "SELECT j.id, j.identity, j.size FROM appdata_sync_aliases a JOIN appdata_sync_joined j "
        + "ON j.id=a.joined WHERE a.identity=? AND a.class=?",
      [.blob(identity.bytes), .text(family)]
    ) { row in
      guard let identity = ObjectID(row.bytes(at: 1)) else { throw Self.damaged }
      return Joined(id: row.int64(at: 0), identity: identity, size: row.int64(at: 2))
    }
  }

  /// The identity of the object that an identity means: the smallest of those that are one.
  func root(of identity: ObjectID, _ family: String) throws -> ObjectID {
    try joined(identity, of: family)?.identity ?? identity
  }

  /// A value that leads to the object that is meant.
  func root(of value: WireValue, in column: TrackedColumn) throws -> WireValue {
    guard let reference = column.reference, case .reference(let identity) = value else {
      return value
    }
    return .reference(try root(of: identity, reference.family))
  }

  /// All identities of an object.
  func members(of object: Object) throws -> Set<ObjectID> {
    var members: Set<ObjectID> = [object.identity]
    guard let joined = try joined(object.identity, of: object.family) else { return members }
    try connection.forEachRow(
      "SELECT identity FROM appdata_sync_aliases WHERE joined=?", [.integer(joined.id)]
    ) { row in
      guard let identity = ObjectID(row.bytes(at: 0)) else { throw Self.damaged }
      members.insert(identity)
    }
    return members
  }

  /// Has two identities mean one object.
  ///
  /// The smaller set goes into the larger one, so that whoever writes thousands of these moves few.
  func unite(_ one: ObjectID, _ other: ObjectID, of family: String) throws {
    let sets = try [one, other].map { identity in
      try joined(identity, of: family) ?? makeJoined(identity, family)
    }
    let root = min(sets[0].identity, sets[1].identity)
    guard sets[0].id != sets[1].id else { return }
    let (small, large) = sets[0].size < sets[1].size ? (sets[0], sets[1]) : (sets[1], sets[0])
    try connection.execute(
      "UPDATE appdata_sync_aliases SET joined=? WHERE joined=?",
      [.integer(large.id), .integer(small.id)])
    try connection.execute("DELETE FROM appdata_sync_joined WHERE id=?", [.integer(small.id)])
    try connection.execute(
      "UPDATE appdata_sync_joined SET identity=?, size=? WHERE id=?",
      [.blob(root.bytes), .integer(small.size + large.size), .integer(large.id)])
  }

  private func makeJoined(_ identity: ObjectID, _ family: String) throws -> Joined {
    try connection.execute(
      "INSERT INTO appdata_sync_joined(identity, size) VALUES (?, 1)", [.blob(identity.bytes)])
    let id = connection.lastInsertRowID
    try connection.execute(
      "INSERT INTO appdata_sync_aliases VALUES (?, ?, ?)",
      [.blob(identity.bytes), .text(family), .integer(id)])
    return Joined(id: id, identity: identity, size: 1)
  }

  // MARK: Who knows it

  /// Notes which record says that two identities are one.
  func notePair(_ alias: DataOperation.Alias, of family: String, _ stamp: Stamp) throws {
    try connection.execute(
      "INSERT OR IGNORE INTO appdata_sync_pairs VALUES (?, ?, ?, ?, ?)",
      [
        .blob(alias.identity.bytes), .text(family), .blob(alias.other.bytes),
        .integer(try id(of: stamp.stream)), .integer(Int64(clamping: stamp.number)),
      ])
  }

  /// What the records say of the identities that are one with an identity.
  func pairs(of identity: ObjectID, _ family: String) throws -> [AliasView.Pair] {
    guard let joined = try joined(identity, of: family) else { return [] }
    var pairs: [AliasView.Pair] = []
    try connection.forEachRow(
      "SELECT p.identity, p.other, p.stream, p.number FROM appdata_sync_aliases a "
        + "JOIN appdata_sync_pairs p ON p.identity=a.identity AND p.class=a.class WHERE a.joined=?",
      [.integer(joined.id)]
    ) { row in
      guard let identity = ObjectID(row.bytes(at: 0)), let other = ObjectID(row.bytes(at: 1))
      else { throw Self.damaged }
      pairs.append(
        .init(
          identity: identity, other: other,
          stamp: Stamp(
            stream: try stream(row.int64(at: 2)), number: UInt64(row.int64(at: 3)), time: 0)))
    }
    return pairs
  }

  /// Whether a record knows all that makes several identities one object.
  func knowsAliases(_ past: Frontier, of identity: ObjectID, _ family: String) throws -> Bool {
    try pairs(of: identity, family).allSatisfy { $0.stamp.isKnown(by: past) }
  }

  // MARK: Becoming one

  /// Gives an object another one of its identities.
  func setIdentity(of object: inout Object, _ identity: ObjectID) throws(StorageError) {
    guard object.identity != identity else { return }
    try connection.execute(
      "UPDATE appdata_sync_objects SET identity=? WHERE id=?",
      [.blob(identity.bytes), .integer(object.id)])
    object = object.named(identity)
  }

  /// Forgets an object, which is another one from now on: its deletions are those of that one.
  func forget(_ object: Object, for other: Object) throws {
    try connection.execute(
      "UPDATE appdata_sync_deletes SET object=? WHERE object=?",
      [.integer(other.id), .integer(object.id)])
    try forgetChanges(of: object)
    try forgetValues(of: object)
    try connection.execute("DELETE FROM appdata_sync_objects WHERE id=?", [.integer(object.id)])
  }

  /// Forgets what is known of an identity's links: it is read again from the records.
  func forgetLinks(_ relationship: String, of identity: ObjectID, isOwner: Bool) throws {
    for link in try links(relationship, of: identity, isOwner: isOwner) {
      try setChanges(of: link, to: [])
      try forget(link)
    }
  }

  /// Links of an identity have another one, as their owner or as their destination.
  func moveLinks(
    _ relationship: String, of identity: ObjectID, to other: ObjectID, isOwner: Bool
  ) throws(StorageError) {
    let end = isOwner ? "owner" : "destination"
    try connection.execute(
      "UPDATE appdata_sync_links SET \(end)=? WHERE relationship=? AND \(end)=?",
      [.blob(other.bytes), .text(relationship), .blob(identity.bytes)])
  }
}
