import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultSync

/// Photos and films: values that fill a record, and rows that need several.
struct LargeValueTests {
  private static let mebibyte = 1 << 20

  private func bytes(_ count: Int, _ seed: UInt8) -> Data {
    // Bytes that are not alike, so that what is cut or moved is seen.
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) &+ seed })
  }

  private func expectEven(_ stores: TwoStores) throws {
    func values(_ machine: DataMachine) throws -> [[Data?]] {
      try machine.change { context in
        try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.days)])).map {
          [$0.photo, $0.film, $0.note.map { Data($0.utf8) }, Data($0.name.utf8)]
        }
      }
    }
    // Not what they are: a failure would print millions of bytes.
    let isEven = try values(stores.laptop) == values(stores.desktop)
    #expect(isEven)
    #expect(try stores.laptop.conflicts().isEmpty && stores.desktop.conflicts().isEmpty)
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.sync().channel.sent == 0)
      try machine.check()
    }
  }

  /// A made object whose values fill several records, changed in all of them at once.
  @Test func anObjectThatNeedsSeveralRecordsArrives() throws {
    let stores = try TwoStores()
    let size = 9 * Self.mebibyte
    try stores.laptop.change { context in
      let trip = Trip("Lima", days: 5)
      trip.photo = bytes(size, 1)
      trip.film = bytes(size, 2)
      trip.note = String(repeating: "long ", count: Self.mebibyte)
      context.insert(trip)
    }
    try stores.meet()
    #expect(try stores.desktop.trips().count == 2)
    try expectEven(stores)
    try stores.desktop.edit("Lima") {
      $0.photo = bytes(size, 3)
      $0.film = bytes(size, 4)
      $0.days = 6
    }
    try stores.meet()
    try expectEven(stores)
    let film = try stores.laptop.change { context in
      try context.fetch(FetchDescriptor<Trip>()).first { $0.name == "Lima" }?.film
    }
    #expect(film.map { $0 == bytes(size, 4) } == true)
  }

  /// Of two changes of one property in different records of a row the later one counts, as always.
  @Test func changesOfLongRowsMeetByProperty() throws {
    let stores = try TwoStores()
    let size = 8 * Self.mebibyte
    try stores.laptop.edit("Oslo") {
      $0.photo = bytes(size, 1)
      $0.film = bytes(size, 2)
    }
    try stores.meet()
    try stores.laptop.edit("Oslo") {
      $0.photo = bytes(size, 3)
      $0.film = bytes(size, 4)
    }
    try stores.laptop.sync()
    stores.laptop.time.advance(1000)
    try stores.desktop.edit("Oslo") { $0.film = bytes(size, 5) }
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      let found = try machine.change { context in
        try context.fetch(FetchDescriptor<Trip>()).map { [$0.photo, $0.film] }[0]
      }
      let isMerged = found == [bytes(size, 3), bytes(size, 5)]
      #expect(isMerged)
      #expect(try machine.data.conflicts(machine.application).map(\.property) == ["film"])
    }
  }

  /// What no record has room for stays, is named, and keeps nothing else back.
  @Test func aValueThatIsTooLongStaysAndIsNamed() throws {
    let stores = try TwoStores()
    try stores.laptop.edit("Oslo") {
      $0.film = bytes(13 * Self.mebibyte, 1)
      $0.days = 7
    }
    #expect(try stores.laptop.sync().tooLong == ["Trip.film"])
    try stores.desktop.sync()
    #expect(try stores.desktop.trips()[0].hasPrefix("Oslo 7"))
    // What an object cannot be without does not fit: the object stays, and the next one goes.
    try stores.laptop.change { context in
      context.insert(Trip(String(repeating: "n", count: 13 * Self.mebibyte)))
      context.insert(Trip("Rome", days: 8))
    }
    #expect(try stores.laptop.sync().tooLong == ["Trip.name"])
    try stores.desktop.sync()
    #expect(
      try stores.desktop.trips().map { String($0.prefix(6)) }.sorted() == ["Oslo 7", "Rome 8"])
  }
}
