import SwiftData

/// A class of which every stored property is declared with `let`.
@Model
final class Receipt {
  enum Kind: String, Codable { case paid, open }
  struct Line: Codable, Equatable {
    var text: String
    var cents: Int
  }

  let id: UUID
  let number: Int
  let shop: String
  let date: Date
  let total: Decimal
  let isPaid: Bool
  let weight: Double
  let kind: Kind
  let lines: [Line]
  let scan: Data
  let note: String?
  let rating: Int?
  let oldKind: Kind?
  @Attribute(.externalStorage) let photo: Data?
  @Attribute(.transformable(by: ColorTransformer.self)) let color: Color
  /// The same for every object, and not stored.
  let currency = "EUR"

  init(number: Int, note: String? = nil, kind: Kind = .paid) {
    id = UUID()
    self.number = number
    shop = "Shop \(number)"
    date = Date(timeIntervalSinceReferenceDate: 1_000)
    total = Decimal(string: "12.30") ?? 0
    isPaid = true
    weight = 0.5
    self.kind = kind
    lines = [Line(text: "Tea", cents: 250)]
    scan = Data([1, 2, 3])
    self.note = note
    rating = note.map(\.count)
    oldKind = note == nil ? nil : .open
    photo = note == nil ? nil : Data(repeating: 9, count: 150_000)
    color = Color(red: 1, green: 2, blue: 3)
  }

  /// Sets the constants of an object by way of another initializer.
  convenience init(_ number: Int) { self.init(number: number) }

  /// Sets the constants of an object that may not come about.
  init?(checked number: Int) {
    guard number > 0 else { return nil }
    id = UUID()
    self.number = number
    (shop, isPaid, weight, kind) = ("", false, 0, .open)
    (date, total, lines, scan) = (Date(), 0, [], Data())
    (note, rating, oldKind, photo) = (nil, nil, nil, nil)
    color = Color(red: 0, green: 0, blue: 0)
    if number > 1 { return }
  }
}

/// A class whose identity is a constant.
@Model
final class Visitor {
  @Attribute(.unique) let id: String
  var name: String
  init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

enum BadgesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Badge.self] }
  @Model final class Badge {
    let id: UUID
    let code: Int
    init(code: Int) {
      id = UUID()
      self.code = code
    }
  }
}

enum BadgesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Badge.self] }
  @Model final class Badge {
    let id: UUID
    let code: Int
    let label: String?
    var text = ""
    init(code: Int, label: String?) {
      id = UUID()
      self.code = code
      self.label = label
    }
  }
}

enum BadgesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BadgesV1.self, BadgesV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: BadgesV1.self, toVersion: BadgesV2.self,
        willMigrate: { context in
          context.insert(BadgesV1.Badge(code: 2))
          try context.save()
        },
        didMigrate: { context in
          for badge in try context.fetch(FetchDescriptor<BadgesV2.Badge>()) {
            badge.text = "no. \(badge.code)"
          }
          context.insert(BadgesV2.Badge(code: 3, label: "new"))
          try context.save()
        })
    ]
  }
}
