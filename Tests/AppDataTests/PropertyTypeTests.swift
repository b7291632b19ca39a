import TestSupport
import Testing
import VaultAppData

@Model
final class Everything {
  enum Mood: String, Codable { case good, bad }
  enum Shape: Codable, Equatable { case circle(radius: Double), square }
  struct Address: Codable, Equatable {
    var city: String
    var lines: [String]
  }

  var int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var bool = false
  var float: Float = 0
  var double = 0.0
  var decimal: Decimal = 0
  var string = ""
  var character: Character = "a"
  var date = Date.distantPast
  var data = Data()
  var uuid = UUID()
  var url = URL(fileURLWithPath: "/")
  var mood = Mood.good
  var shape = Shape.square
  var address = Address(city: "", lines: [])
  var strings: [String] = []
  var numbers: [String: Int] = [:]
  var tags: Set<String> = []
  var addresses: [Address] = []
  var optionalInt: Int?
  var optionalString: String?
  var optionalDate: Date?
  var optionalMood: Mood?
  var optionalShape: Shape?
  var optionalAddress: Address?
  var optionalUUID: UUID?
  var optionalDecimal: Decimal?
  var optionalURL: URL?
  @Transient var transient = 7
  @Attribute(.ephemeral) var ephemeral = 0

  init() {}
}

struct PropertyTypeTests {
  private func fill(_ it: Everything) {
    it.int = .min
    it.int8 = -128
    it.int16 = 32_767
    it.int32 = -5
    it.int64 = .max
    it.uint = .max
    it.uint8 = 255
    it.uint16 = 65_535
    it.uint32 = .max
    it.uint64 = UInt64(Int64.max) + 1
    it.bool = true
    it.float = 0.1
    it.double = -.infinity
    it.decimal = Decimal(string: "12345678901234567890.123456789") ?? 0
    it.string = "cafe\u{301} 'quoted' \0 nul"
    it.character = "🇮🇹"
    it.date = Date(timeIntervalSinceReferenceDate: 123_456_789.123_456_7)
    it.data = Data([0, 1, 255])
    it.url = URL(string: "https://example.com/a%20b?c=d#e") ?? it.url
    it.mood = .bad
    it.shape = .circle(radius: 1.5)
    it.address = .init(city: "Roma", lines: ["via", "1"])
    it.strings = ["a", "b"]
    it.numbers = ["x": 1]
    it.tags = ["t"]
    it.addresses = [.init(city: "A", lines: [])]
    it.optionalInt = 1
    it.optionalString = ""
    it.optionalDate = it.date
    it.optionalMood = .good
    it.optionalShape = .square
    it.optionalAddress = it.address
    it.optionalUUID = it.uuid
    it.optionalDecimal = -0.5
    it.optionalURL = it.url
    it.transient = 9
    it.ephemeral = 9
  }

  private func compare(_ left: Everything, _ right: Everything) {
    #expect(left.int == right.int)
    #expect(left.int8 == right.int8)
    #expect(left.int16 == right.int16)
    #expect(left.int32 == right.int32)
    #expect(left.int64 == right.int64)
    #expect(left.uint == right.uint)
    #expect(left.uint8 == right.uint8)
    #expect(left.uint16 == right.uint16)
    #expect(left.uint32 == right.uint32)
    #expect(left.uint64 == right.uint64)
    #expect(left.bool == right.bool)
    #expect(left.float == right.float)
    #expect(left.double == right.double)
    #expect(left.decimal == right.decimal)
    #expect(left.string == right.string)
    #expect(left.character == right.character)
    #expect(left.date == right.date)
    #expect(left.data == right.data)
    #expect(left.uuid == right.uuid)
    #expect(left.url == right.url)
    #expect(left.mood == right.mood)
    #expect(left.shape == right.shape)
    #expect(left.address == right.address)
    #expect(left.strings == right.strings)
    #expect(left.numbers == right.numbers)
    #expect(left.tags == right.tags)
    #expect(left.addresses == right.addresses)
    #expect(left.optionalInt == right.optionalInt)
    #expect(left.optionalString == right.optionalString)
    #expect(left.optionalDate == right.optionalDate)
    #expect(left.optionalMood == right.optionalMood)
    #expect(left.optionalShape == right.optionalShape)
    #expect(left.optionalAddress == right.optionalAddress)
    #expect(left.optionalUUID == right.optionalUUID)
    #expect(left.optionalDecimal == right.optionalDecimal)
    #expect(left.optionalURL == right.optionalURL)
  }

  @Test func everyTypeComesBackFromTheFile() throws {
    let home = try TemporaryHome()
    let url = URL(fileURLWithPath: "\(home.path)/new/everything.store")
    let full = Everything()
    let empty = Everything()
    do {
      let container = try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      context.autosaveEnabled = false
      fill(full)
      context.insert(full)
      context.insert(empty)
      try context.save()
    }
    let container = try ModelContainer(
      for: Everything.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Everything>())
    try #require(found.count == 2)
    compare(found[0], full)
    compare(found[1], empty)
    #expect(found[0].transient == 7)
    #expect(found[0].ephemeral == 0)
    #expect(found[0].persistentModelID == full.persistentModelID)
    // Changed back, one by one.
    fill(found[1])
    found[1].uuid = full.uuid
    found[1].optionalUUID = full.uuid
    found[0].optionalAddress = nil
    found[0].optionalInt = nil
    try context.save()
    let again = try ModelContext(container).fetch(FetchDescriptor<Everything>())
    compare(again[1], full)
    #expect(again[0].optionalAddress == nil)
    #expect(again[0].optionalInt == nil)
  }

  @Test func aNumberThatIsNoneIsRefused() throws {
    let (_, context) = try memory(Everything.self)
    let it = Everything()
    it.double = .nan
    context.insert(it)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message == "Everything.double of object 1 is not a number")
    it.double = 1
    try context.save()
  }

  @Test func decimalsSortAsNumbers() throws {
    let (_, context) = try memory(Everything.self)
    let numbers = [
      "-100", "-99.5", "-1.25", "-1.2", "-0.001", "0", "0.00099", "0.001", "1", "1.5", "9", "10",
      "100.01",
    ]
    for text in numbers.shuffled() {
      let it = Everything()
      it.decimal = Decimal(string: text) ?? 0
      context.insert(it)
    }
    try context.save()
    let found = try context.fetch(FetchDescriptor<Everything>(sortBy: [SortDescriptor(\.decimal)]))
    #expect(found.map { "\($0.decimal)" } == numbers)
  }
}
