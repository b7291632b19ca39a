import Foundation
import GRDB

// GRDB's three ways, from its quickest to write to its quickest to run. All keep dates as numbers,
// as vault and the C API do: its default, formatted text, would cost an insert 1.7 times as much.

/// The way its guide begins with.
struct CodableRecord: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "item"

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  var id: Int64?
  var name: String
  var amount: Double
  var count: Int
  var created: Date
  var isDone: Bool
  var note: String?

  init(_ number: Int) {
    name = "item \(number)"
    amount = Double(number) / 7
    count = number % 1_000
    created = Date(timeIntervalSinceReferenceDate: Double(number))
    isDone = number % 2 == 0
    note = number % 3 == 0 ? "note \(number)" : nil
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The way its guide has for what must be quick: columns by position, written by hand.
struct HandRecord: FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "item"

  var id: Int64?
  var name: String
  var amount: Double
  var count: Int
  var created: Date
  var isDone: Bool
  var note: String?

  init(_ number: Int) {
    name = "item \(number)"
    amount = Double(number) / 7
    count = number % 1_000
    created = Date(timeIntervalSinceReferenceDate: Double(number))
    isDone = number % 2 == 0
    note = number % 3 == 0 ? "note \(number)" : nil
  }

  init(row: Row) {
    id = row[0]
    name = row[1]
    amount = row[2]
    count = row[3]
    created = Date(timeIntervalSinceReferenceDate: row[4])
    isDone = row[5]
    note = row[6]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["amount"] = amount
    container["count"] = count
    container["created"] = created.timeIntervalSinceReferenceDate
    container["isDone"] = isDone
    container["note"] = note
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension HandRecord {
  /// The values of a prepared INSERT.
  var arguments: StatementArguments {
    [name, amount, count, created.timeIntervalSinceReferenceDate, isDone, note]
  }
}
