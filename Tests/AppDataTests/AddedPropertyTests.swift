import TestSupport
import Testing
import VaultAppData

/// A class that has rows gains properties with default values.
struct AddedPropertyTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    try context(of: [type], in: home)
  }

  @Test func everyDefaultValueFillsTheRowsThatThereAre() throws {
    do {
      let context = try open(Older.Item.self)
      for number in 0..<3 { context.insert(Older.Item(number)) }
      try context.save()
    }
    let before = Date.now
    let context = try open(Newer.Item.self)
    let items = try context.fetch(FetchDescriptor<Newer.Item>(sortBy: [SortDescriptor(\.number)]))
    #expect(items.map(\.number) == [0, 1, 2])
    for item in items {
      #expect(item.text == "a\u{0}b" && item.infinite == .infinity && item.less == -.infinity)
      #expect(item.then == Date(timeIntervalSinceReferenceDate: 0.5))
      #expect(item.made > before.addingTimeInterval(-600) && item.made <= Date.now)
      #expect(item.data == Data([0, 255]) && item.empty == Data() && item.least == .min)
      #expect(item.fixed == UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
      #expect(item.price == 0.1 && item.part.text == "p")
    }
    // One that is made anew for each object differs from row to row.
    #expect(Set(items.map(\.id)).count == 3)
    let digits = items.map { "\($0.id)" }
    #expect(digits.allSatisfy { Array($0)[14] == "4" && "89AB".contains(Array($0)[19]) })
    let (id, price) = (items[1].id, Decimal(0.1)), text = "a\u{0}b"
    func count(_ predicate: Predicate<Newer.Item>) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(try count(#Predicate { $0.id == id }) == 1)
    #expect(try count(#Predicate { $0.price == price }) == 3)
    #expect(try count(#Predicate { $0.price < 1 && $0.text == text }) == 3)
    #expect(try context.container.check() == [])
    context.insert(Newer.Item(3))
    try context.save()
    // The next start changes nothing.
    #expect(try open(Newer.Item.self).fetchCount(FetchDescriptor<Newer.Item>()) == 4)
  }
}

private enum Older {
  @Model final class Item {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

private enum Newer {
  struct Part: Codable { var text = "p" }

  @Model final class Item {
    var number: Int
    var text = "a\u{0}b"
    var infinite = Double.infinity
    var less = -Float.infinity
    var then = Date(timeIntervalSinceReferenceDate: 0.5)
    var made = Date.now
    @Attribute(.unique) var id = UUID()
    var fixed = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var data = Data([0, 255])
    var empty = Data()
    var least = Int64.min
    var price: Decimal = 0.1
    var part = Part()
    init(_ number: Int) { self.number = number }
  }
}
