import Foundation
import VaultAppData

// The same rows for all three: a string, numbers, a date, an optional.

@Model
final class Item {
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
}

@Model
final class Folder {
  var title: String
  @Relationship(deleteRule: .cascade, inverse: \Entry.folder)
  var entries: [Entry]

  init(title: String) {
    self.title = title
    entries = []
  }
}

@Model
final class Entry {
  var text: String
  var folder: Folder?

  init(text: String) { self.text = text }
}

/// What somebody writes over the C API: a class with the row's values.
final class Plain {
  let id: Int64
  let name: String
  let amount: Double
  let count: Int
  let created: Date
  let isDone: Bool
  let note: String?

  init(_ row: Statement) {
    id = row.integer(0)
    name = row.text(1) ?? ""
    amount = row.real(2)
    count = Int(row.integer(3))
    created = Date(timeIntervalSinceReferenceDate: row.real(4))
    isDone = row.integer(5) != 0
    note = row.text(6)
  }
}
