import Synchronization
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// A store in an etcd: records, heads, invitations and objects as keys, by its JSON interface.
///
/// `/prefix/<space>/s/<stream>/<number>`, `…/h/<stream>`, `…/i/<id>`, `…/o/<name>`. A record is put by
/// a transaction that asks whether its key is there; no lease tells anybody who is awake.
/// Documentation/guides/server-store.md.
final class EtcdEngine: SyncEngine {
  let isEventual = false
  /// etcd takes 1.5 MiB in a request, in which base64 is not counted.
  let largest = 1 << 20

  private let client: Mutex<EtcdClient>
  private let address: EtcdAddress
  /// Most operations of a transaction are 128 where nobody changed it.
  private static let recordsAtOnce = 100

  init(_ address: EtcdAddress, password: SecretBytes?, seconds: Int) throws {
    self.address = address
    client = Mutex(try EtcdClient(address, password: password, seconds: seconds))
  }

  // MARK: - Keys

  private func base(_ space: SpaceID) -> String { "\(address.prefix)\(space.text)/" }

  private func key(_ space: SpaceID, _ kind: String, _ names: String...) -> String {
    base(space) + ([kind] + names).joined(separator: "/")
  }

  private static func number(_ sequence: UInt64) -> String {
    let digits = String(sequence, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func encoded(_ key: String) -> JSONValue {
    .string(Base64Text.encode(Array(key.utf8)))
  }

  private struct Pair {
    let key: String
    let value: [UInt8]
  }

  private static func pairs(_ answer: JSONValue) throws -> [Pair] {
    try (answer["kvs"]?.elements ?? []).map { element in
      guard let key = Base64Text.decode((element["key"]?.scalarText ?? "").utf8),
        let text = String(validating: key, as: UTF8.self),
        let value = Base64Text.decode((element["value"]?.scalarText ?? "").utf8)
      else { throw SyncError(.unavailable, "the etcd gave a key that is none") }
      return Pair(key: text, value: value)
    }
  }

  // MARK: - Calls

  private func call(_ path: String, _ members: [(String, JSONValue)]) throws -> JSONValue {
    do {
      return try client.withLock { try $0.call(path, .object(members)) }
    } catch EtcdFailure.tooLarge {
      throw EtcdFailure.tooLarge.error
    }
  }

  /// All that has keys from one on to another one, in their order.
  private func range(
    _ start: String, _ end: String?, limit: Int? = nil, _ more: [(String, JSONValue)] = []
  ) throws -> [Pair] {
    var members = [("key", Self.encoded(start))] + more
    if let end { members.append(("range_end", Self.encoded(end))) }
    if let limit { members.append(("limit", .number(Int64(limit)))) }
    return try Self.pairs(call("kv/range", members))
  }

  func spaces() throws -> [SpaceID] {
    if let space = address.space {
      return try range(base(space), address.prefix + space.text + "0", limit: 1, Self.keysOnly)
        .isEmpty
        ? [] : [space]
    }
    // From one to the next: what lies in them is not listed.
    var (found, start) = ([SpaceID](), address.prefix)
    let end = String(address.prefix.dropLast()) + "0"
    while let pair = try range(start, end, limit: 1, Self.keysOnly).first {
      let name = pair.key.dropFirst(address.prefix.count).prefix { $0 != "/" }
      if let space = SpaceID(text: String(name)) { found.append(space) }
      let next = "\(address.prefix)\(name)0"
      // A store may say anything, and so for ever the same.
      guard next > start, found.count < 10_000 else { break }
      start = next
    }
    return found.sorted()
  }

  private static let keysOnly: [(String, JSONValue)] = [("keys_only", .bool(true))]

  func heads(in space: SpaceID) throws -> [StreamHead] {
    // Never serializable: a server that lost the others would show what was.
    try range(key(space, "h", ""), key(space, "h0")).compactMap { pair in
      StreamHead(pair.value).flatMap { $0.sequence > 0 ? $0 : nil }
    }
  }

  func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    let start = key(space, "s", stream.text) + "/"
    let end = key(space, "s", stream.text) + "0"
    var (records, size, next): ([[UInt8]], Int, Int) = ([], 0, 8)
    while records.count < limit, size < 8 << 20 {
      let number = sequence + UInt64(records.count) + 1
      let count = min(next, limit - records.count)
      let pairs: [Pair]
      do {
        pairs = try client.withLock { client in
          try Self.pairs(
            client.call(
              "kv/range",
              .object([
                ("key", Self.encoded(start + Self.number(number))),
                ("range_end", Self.encoded(end)),
                ("limit", .number(Int64(count))),
              ])))
        }
      } catch EtcdFailure.tooLarge where count > 1 {
        next = max(1, count / 4)
        continue
      } catch let failure as EtcdFailure {
        throw failure.error
      }
      for (offset, pair) in pairs.enumerated() {
        guard pair.key == start + Self.number(number + UInt64(offset)) else { return records }
        records.append(pair.value)
        size += pair.value.count
      }
      if pairs.count < count { break }
      // By what came: a range has no limit in bytes.
      next = max(1, min(1000, (4 << 20) / max(1, size / records.count)))
    }
    return records
  }

  func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    let first = head.sequence + 1 - UInt64(records.count)
    let prefix = key(space, "s", head.stream.text) + "/"
    let all = records.enumerated().map { offset, record in
      Pair(key: prefix + Self.number(first + UInt64(offset)), value: record)
    }
    let last = Pair(key: key(space, "h", head.stream.text), value: head.bytes)
    for batch in batches(of: all) {
      let isLast = batch.upperBound == all.count
      try put(all[batch], with: isLast ? last : nil)
    }
    if all.isEmpty { try put([], with: last) }
  }

  private func batches(of pairs: [Pair]) -> [Range<Int>] {
    var (batches, start, size): ([Range<Int>], Int, Int) = ([], 0, 0)
    for (position, pair) in pairs.enumerated() {
      let isFull = position - start >= Self.recordsAtOnce || size + pair.value.count > largest
      if isFull, position > start {
        batches.append(start..<position)
        (start, size) = (position, 0)
      }
      size += pair.value.count
    }
    if start < pairs.count { batches.append(start..<pairs.count) }
    return batches
  }

  /// Puts records whose keys are free, and a head with them; those that are there are compared.
  private func put(_ pairs: ArraySlice<Pair>, with head: Pair?) throws {
    var missing = Array(pairs)
    // Each turn but the last finds some that are there.
    for _ in 0..<4 {
      let answer = try call(
        "kv/txn",
        [
          (
            "compare",
            .array(
              missing.map {
                .object([
                  ("target", .string("CREATE")), ("key", Self.encoded($0.key)),
                  ("create_revision", .string("0")),
                ])
              })
          ),
          ("success", .array((missing + [head].compactMap(\.self)).map(Self.putting))),
          (
            "failure",
            .array(
              missing.map {
                .object([("requestRange", .object([("key", Self.encoded($0.key))]))])
              })
          ),
        ])
      if answer["succeeded"] == .bool(true) { return }
      let there = try (answer["responses"]?.elements ?? []).flatMap {
        try Self.pairs($0["response_range"] ?? .null)
      }
      let values = Dictionary(there.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      guard missing.allSatisfy({ values[$0.key] ?? $0.value == $0.value }) else {
        throw SyncError(
          .taken, "another record has that number",
          hint: "this machine's state was put back or copied")
      }
      missing.removeAll { values[$0.key] != nil }
    }
    throw SyncError(.unavailable, "the etcd does not do what it is asked", hint: "try again later")
  }

  private static func putting(_ pair: Pair) -> JSONValue {
    .object([
      (
        "requestPut",
        .object([
          ("key", encoded(pair.key)), ("value", .string(Base64Text.encode(pair.value))),
        ])
      )
    ])
  }

  private func put(_ key: String, _ value: [UInt8]) throws {
    _ = try call(
      "kv/put", [("key", Self.encoded(key)), ("value", .string(Base64Text.encode(value)))])
  }

  func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    try put(key(space, "s", stream.text, Self.number(sequence)), record)
  }

  func retire(upTo sequence: UInt64, of stream: StreamID, in space: SpaceID) throws {
    guard sequence < .max else { return }
    _ = try call(
      "kv/deleterange",
      [
        ("key", Self.encoded(key(space, "s", stream.text) + "/")),
        ("range_end", Self.encoded(key(space, "s", stream.text, Self.number(sequence + 1)))),
      ])
  }

  func oldest(of stream: StreamID, in space: SpaceID) throws -> UInt64? {
    let prefix = key(space, "s", stream.text)
    return try range(prefix + "/", prefix + "0", limit: 1, Self.keysOnly).first.flatMap {
      UInt64($0.key.dropFirst(prefix.count + 1), radix: 16)
    }
  }

  func removeObjects(_ names: [[UInt8]], in space: SpaceID) throws {
    for name in names {
      _ = try call(
        "kv/deleterange", [("key", Self.encoded(key(space, "o", Hexadecimal.text(name))))])
    }
  }

  func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try range(key(space, "i", Hexadecimal.text(id)), nil).first?.value
  }

  func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try put(key(space, "i", Hexadecimal.text(id)), bytes)
  }

  func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try range(key(space, "o", Hexadecimal.text(name)), nil).first?.value
  }

  func put(_ objects: [SyncObject], in space: SpaceID) throws {
    for object in objects {
      let key = key(space, "o", Hexadecimal.text(object.name))
      // What is there with the same bytes is left: a put would be another revision of a MiB.
      if try range(key, nil).first?.value != object.bytes { try put(key, object.bytes) }
    }
  }

  func changes(in space: SpaceID) throws -> (any StoreSignal)? {
    let (url, headers) = try client.withLock { client in
      do {
        return try client.watching(Self.encoded(key(space, "h", "")))
      } catch let failure as EtcdFailure {
        throw failure.error
      }
    }
    return try EtcdWatch(
      url, headers, address, start: key(space, "h", ""), end: key(space, "h0"))
  }
}
