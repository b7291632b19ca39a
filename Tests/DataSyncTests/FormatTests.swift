import TestSupport
import Testing
import VaultDataStore
import VaultDataSync
import VaultSealing
import VaultStorage
import VaultSync

/// Bytes of channels as Documentation/design/sync-format.md has them.
struct FormatTests {
  @Test func aChannelHasTheNameOfThePage() throws {
    let space = try #require(SpaceID([UInt8](repeating: 1, count: 16)))
    let channel = try ChannelID(space: space, application: "com.example.trips", store: "default")
    #expect(channel.text == "c2f36a2c9143208b24363d44188f1cb4")
    // Neither name can pass for a part of the other one.
    let other = try ChannelID(space: space, application: "com.example.trip", store: "sdefault")
    #expect(other.text != channel.text)
  }

  @Test func deletesHaveTheBytesOfThePage() throws {
    let (two, three) = (
      [UInt8](repeating: 2, count: 16), [UInt8](repeating: 3, count: 16)
    )
    let operation = DataOperation.deletes(
      className: "Trip", [try #require(ObjectID(two)), try #require(ObjectID(three))])
    let encoded = try operation.encoded()
    #expect(encoded.kind == 33)
    #expect(encoded.body == [4, 0, 0x54, 0x72, 0x69, 0x70, 2, 0, 0, 0] + two + three)
    #expect(try DataOperation(encoded) == operation)
  }

  @Test func aliasesHaveTheBytesOfThePage() throws {
    let (two, three) = ([UInt8](repeating: 2, count: 16), [UInt8](repeating: 3, count: 16))
    let operation = DataOperation.aliases(
      className: "Trip", [.init(try #require(ObjectID(two)), try #require(ObjectID(three)))])
    let encoded = try operation.encoded()
    #expect(encoded.kind == 35)
    #expect(encoded.body == [4, 0, 0x54, 0x72, 0x69, 0x70, 1, 0, 0, 0] + two + three)
    #expect(try DataOperation(encoded) == operation)
    for count in encoded.body.indices {
      #expect(throws: MalformedRecord.self) {
        try DataOperation(ChannelOperation(kind: 35, body: Array(encoded.body[..<count])))
      }
    }
  }

  private static let values: [WireValue] = [
    .null, .integer(-5), .real((0.1).bitPattern), .text("Zürich"), .blob([0, 255]),
  ]

  @Test func rowsComeBackAsTheyWere() throws {
    let identity = try ObjectID.new()
    let columns = Self.values.indices.map {
      DataOperation.Column(name: "c\($0)", mark: UInt8($0 + 1))
    }
    let operation = DataOperation.rows(
      .init(
        className: "Trip", columns: columns,
        rows: [
          .init(identity: identity, isMade: true, isDerived: false, values: Self.values),
          .init(identity: identity, isMade: false, isDerived: true, values: Self.values),
        ]))
    let encoded = try operation.encoded()
    #expect(try DataOperation(encoded) == operation)
    // Nothing shorter is one, and nothing longer.
    for count in encoded.body.indices {
      #expect(throws: MalformedRecord.self) {
        try DataOperation(ChannelOperation(kind: 32, body: Array(encoded.body[..<count])))
      }
    }
    #expect(throws: MalformedRecord.self) {
      try DataOperation(ChannelOperation(kind: 32, body: encoded.body + [0]))
    }
    #expect(try DataOperation(ChannelOperation(kind: 99, body: [1])) == nil)
  }

  @Test func linksComeBackAsTheyWere() throws {
    let (two, three) = (
      [UInt8](repeating: 2, count: 16), [UInt8](repeating: 3, count: 16)
    )
    let owner = try #require(ObjectID(two))
    let destination = try #require(ObjectID(three))
    let operation = DataOperation.links(
      .init(
        className: "Trip", property: "to",
        links: [
          .init(owner: owner, destination: destination, isThere: true, destinationPlace: 7),
          .init(owner: destination, destination: owner, isThere: true, ownerPlace: .min),
          .init(owner: owner, destination: owner, isThere: false),
        ]))
    let encoded = try operation.encoded()
    #expect(encoded.kind == 36)
    #expect(
      encoded.body.starts(
        with: [4, 0, 0x54, 0x72, 0x69, 0x70, 2, 0, 0x74, 0x6f, 3, 0, 0, 0, 5] + two + three
          + [7, 0, 0, 0, 0, 0, 0, 0, 3]))
    #expect(try DataOperation(encoded) == operation)
    for count in encoded.body.indices {
      #expect(throws: MalformedRecord.self) {
        try DataOperation(ChannelOperation(kind: 36, body: Array(encoded.body[..<count])))
      }
    }
    // A removal has no places, and there are no other flags.
    for flags in [2, 4, 8, 255] as [UInt8] {
      var body = encoded.body
      body[14] = flags
      #expect(throws: MalformedRecord.self) {
        try DataOperation(ChannelOperation(kind: 36, body: body))
      }
    }
  }

  @Test func aRecordOpensOnlyInItsPlace() throws {
    let keys = try KeyPairs(seed: SecretBytes.random(count: 32))
    let space = try #require(SpaceID([UInt8](repeating: 1, count: 16)))
    let channel = try ChannelID(space: space, application: "a", store: "default")
    let stream = try StreamID(of: keys.publicKeys, in: space)
    let epoch = try EpochKey(number: 1, key: SecretBytes.random(count: 32))
    let content = ChannelContent(
      time: 5, continues: true, seen: [],
      operations: [ChannelOperation(kind: 33, body: [1, 2, 3])])
    let record = try ChannelRecord(
      content, channel: channel, stream: stream, sequence: 7,
      previous: [UInt8](repeating: 9, count: 32), epoch: epoch, signer: keys.signing)
    let read = try ChannelRecord(bytes: record.bytes)
    #expect(read.isSigned(by: keys.publicKeys.signing))
    #expect(try read.open([epoch]) == content)
    #expect(read.sequence == 7 && read.stream == stream && read.channel == channel.place)
    let other = try EpochKey(number: 1, key: SecretBytes.random(count: 32))
    #expect(try read.open([other]) == nil)
    #expect(try read.open([other, epoch]) == content)
    // A record of a space is none of a channel, nor the other way round.
    #expect(throws: MalformedRecord.self) { try SyncRecord(bytes: record.bytes) }
    for place in [4, 20, 36, 44, 48, 90, record.bytes.count - 1] {
      var bytes = record.bytes
      bytes[place] ^= 1
      let altered = try ChannelRecord(bytes: bytes)
      #expect(!altered.isSigned(by: keys.publicKeys.signing))
    }
  }

  /// Whatever a member writes, a row that the application cannot read is never made.
  @Test func onlyValuesOfTheTypeAreTaken() throws {
    let types: [(StoredType, [SQLiteValue], [SQLiteValue])] = [
      (.boolean, [1], [2, "x"]), (.integer, [-1], [0.5, "1"]),
      (.unsigned, [1, "18446744073709551615"], [-1, "5"]), (.double, [0.5], ["x", 1]),
      (.decimal, ["1.5"], ["x", 1.5]), (.string, ["x"], [.blob([1]), 1]),
      (.uuid, ["F47AC10B-58CC-4372-A567-0E02B2C3D479"], ["f47ac10b"]), (.json, ["[]"], ["["]),
      (.data, [.blob([1])], ["x"]), (.date, [0.5], ["x"]),
    ]
    let schema = StoredSchema(entities: [
      StoredEntity("T", attributes: types.map { StoredAttribute($0.0.rawValue, $0.0) })
    ])
    let connection = try SQLiteConnection(inMemory: ())
    let shape = try #require(schema.tracked().classes.first)
    let home = try TemporaryHome()
    let file = DataStoreFile(path: "\(home.path)/none.store")
    let rows = TrackedRows(shape, in: file, on: connection)
    for (type, good, bad) in types {
      let column = try #require(shape.column(type.rawValue))
      for value in good { #expect(try rows.accepts(value, in: column), "\(type) \(value)") }
      for value in bad + [.null] {
        #expect(try !rows.accepts(value, in: column), "\(type) \(value)")
      }
    }
  }
}
