import TestSupport
import Testing
import VaultAppData

/// Attributes of any type, kept as the data that a transformer makes.
struct TransformableTests {
  private let home: TemporaryHome
  private let configuration: ModelConfiguration

  init() throws {
    home = try TemporaryHome()
    configuration = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/a.store"))
    ValueTransformer.setValueTransformer(TurnTransformer(), forName: .init("Turn"))
  }

  private func saved(_ change: (Banner) -> Void) throws -> (ModelContainer, ModelContext, Banner) {
    let container = try ModelContainer(for: Banner.self, configurations: configuration)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let flag = Banner()
    change(flag)
    context.insert(flag)
    try context.save()
    let other = ModelContext(container)
    other.autosaveEnabled = false
    return (container, other, try #require(try other.fetch(FetchDescriptor<Banner>()).first))
  }

  @Test func aValueComesBackByWayOfItsTransformer() throws {
    let (container, context, flag) = try saved { flag in
      flag.color = Color(red: 1, green: 2, blue: 3)
      flag.back = Color(red: 4, green: 5, blue: 6)
      flag.turn = Turn(degrees: 90)
    }
    withExtendedLifetime(context) {
      #expect(flag.color.bytes == [1, 2, 3])
      #expect(flag.back?.bytes == [4, 5, 6])
      #expect(flag.turn?.degrees == 90)
      #expect(flag.color === flag.color)
      #expect(flag.none == nil)
    }
    let sqlite = try container.stores[0].lease().sqlite
    #expect(
      try sqlite.strings("SELECT typeof(color) || hex(color) FROM Banner") == ["blob010203"])
    #expect(try sqlite.strings("SELECT typeof(none) FROM Banner") == ["null"])
  }

  @Test func aChangeIsSavedAndTakenBack() throws {
    let (container, context, flag) = try saved { $0.color = Color(red: 1, green: 2, blue: 3) }
    context.undoManager = UndoManager()
    flag.color = Color(red: 9, green: 9, blue: 9)
    flag.back = Color(red: 7, green: 7, blue: 7)
    #expect(context.hasChanges)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(flag.color.bytes == [1, 2, 3] && flag.back == nil)
    flag.color = Color(red: 8, green: 8, blue: 8)
    try context.save()
    flag.color = Color(red: 5, green: 5, blue: 5)
    context.rollback()
    #expect(flag.color.bytes == [8, 8, 8])
    let again = ModelContext(container)
    #expect(try again.fetch(FetchDescriptor<Banner>()).first?.color.bytes == [8, 8, 8])
  }

  @Test func aValueThatCannotBeTransformedFailsTheSave() throws {
    let (_, context, flag) = try saved { _ in }
    flag.turn = Turn(degrees: .nan)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == SwiftDataError.modelValidationFailure)
    #expect(error?.message.contains("Banner.turn") == true)
    #expect(error?.message.contains("Turn makes no data") == true)
    #expect(context.hasChanges)
  }

  @Test func aQueryAsksWhetherThereIsOne() throws {
    let (_, context, flag) = try saved { $0.back = Color(red: 1, green: 1, blue: 1) }
    defer { withExtendedLifetime(flag) {} }
    func count(_ predicate: Predicate<Banner>) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(try count(#Predicate { $0.back != nil }) == 1)
    #expect(try count(#Predicate { $0.turn != nil }) == 0)
    flag.turn = Turn(degrees: 1)
    #expect(try count(#Predicate { $0.turn != nil }) == 1)
    let turn = Turn(degrees: 1)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try count(#Predicate { $0.turn == turn })
    }
  }

  @Test func anArchiveIsMadeByTheTransformerThatIsAlwaysThere() throws {
    let (container, context, flag) = try saved { $0.list = ["a", "b"] }
    withExtendedLifetime(context) { #expect(flag.list == ["a", "b"]) }
    let data = try #require(
      try container.stores[0].lease().sqlite.strings("SELECT hex(list) FROM Banner").first)
    // "bplist00"
    #expect(data.hasPrefix("62706C6973743030"))
  }

  @Test func aTransformerThatNobodyRegisteredIsToldWhenOpening() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([Unknown.self]),
        configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]
      )
    }
    #expect(error == SwiftDataError.loadIssueModelContainer)
    #expect(error?.message.contains("Unknown.value") == true)
  }

  @Test func transformersAreFoundByTheirNames() throws {
    let name = NSValueTransformerName("Mine")
    #expect(ValueTransformer(forName: name) == nil)
    let made = ColorTransformer()
    ValueTransformer.setValueTransformer(made, forName: name)
    #expect(ValueTransformer(forName: name) === made)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    #expect(ValueTransformer.allowsReverseTransformation())
    #expect(
      ObjectIdentifier(ColorTransformer.transformedValueClass()) == ObjectIdentifier(NSData.self))
    let archive = try #require(
      ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
    let data = try #require(archive.reverseTransformedValue("text") as? Data)
    #expect(archive.transformedValue(data) as? String == "text")
    #expect(archive.transformedValue(Data([1, 2])) == nil)
  }
}

/// A class that is not `Codable`.
final class Color: Equatable {
  let bytes: [UInt8]

  static func == (left: Color, right: Color) -> Bool { left.bytes == right.bytes }

  init(red: UInt8, green: UInt8, blue: UInt8) { bytes = [red, green, blue] }
  init?(_ data: Data) {
    guard data.count == 3 else { return nil }
    bytes = [UInt8](data)
  }
}

final class ColorTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Color).map { Data($0.bytes) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap(Color.init)
  }
}

struct Turn: Codable, Equatable { var degrees: Double }

final class TurnTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    guard let turn = value as? Turn, !turn.degrees.isNaN else { return nil }
    return Data("\(turn.degrees)".utf8)
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { Double(String(decoding: $0, as: UTF8.self)) }.map(Turn.init)
  }
}

@Model
final class Banner {
  @Attribute(.transformable(by: ColorTransformer.self)) var color = Color(red: 0, green: 0, blue: 0)
  @Attribute(.transformable(by: ColorTransformer.self)) var back: Color?
  @Attribute(.transformable(by: ColorTransformer.self)) var none: Color?
  @Attribute(.transformable(by: "Turn")) var turn: Turn?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var list: [String]?

  init() {}
}

@Model
final class Unknown {
  @Attribute(.transformable(by: "nobody's")) var value: Turn?

  init() {}
}
