import VaultStorage

/// The meaning of each column of a table, as a person gives it.
///
/// The text is itself a row of CSV. A part is a meaning for the column in the same place, or
/// `meaning=column` for the column with that heading or number:
///
/// - `name,url,user,secret`: the first four columns.
/// - `secret=Kennwort,name=1`: the column that is called Kennwort, and the first.
///
/// The meanings are `name`, `folder`, `secret` (or `password`), `user`, `url`, `otp`, `notes` and
/// `tags`; `-` leaves a column out, and any other word is a field with that name.
public struct TableColumns: Sendable, Equatable {
  /// Whether the first row has the headings.
  public let hasHeadings: Bool

  /// A column by its place, counted from 0, or by its heading.
  enum Place: Sendable, Equatable {
    case number(Int)
    case heading(String)
  }

  /// A described column.
  struct Part: Sendable, Equatable {
    let meaning: TableColumn
    let place: Place
  }

  let parts: [Part]

  /// Reads a description.
  ///
  /// - Parameters:
  ///   - text: The description.
  ///   - hasHeadings: Whether the first row has the headings; without them, columns that are not
  ///     described become fields such as `column-7`.
  /// - Throws: ``ExchangeError`` with code `.invalidRequest`.
  public init(_ text: String, hasHeadings: Bool = true) throws(ExchangeError) {
    self.hasHeadings = hasHeadings
    guard let rows = try? CSVReader.rows(Array(text.utf8)), rows.count == 1, let row = rows.first
    else { throw Self.invalid("they are not one row of CSV") }
    var parts: [Part] = []
    for (number, part) in row.enumerated() {
      let (word, column) =
        part.halves(at: "=").map { (String($0.before), String($0.after)) } ?? (part, nil)
      guard !word.isEmpty else { throw Self.invalid("part \(number + 1) is empty") }
      let place: Place
      if let column {
        guard !column.isEmpty else { throw Self.invalid("'\(word)=' names no column") }
        if let number = Int(column), column.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
          guard number > 0 else { throw Self.invalid("columns are counted from 1") }
          place = .number(number - 1)
        } else if hasHeadings {
          place = .heading(column)
        } else {
          throw Self.invalid("'\(word)' names a heading, and the table has none")
        }
      } else {
        place = .number(number)
      }
      parts.append(Part(meaning: TableColumn(word: word), place: place))
    }
    guard parts.contains(where: { $0.meaning == .secret }) else {
      throw Self.invalid("none of them is 'secret'")
    }
    self.parts = parts
  }

  /// Returns the meaning of each column of a table.
  ///
  /// - Parameters:
  ///   - headings: The first row, or `nil` for a table without headings.
  ///   - count: The number of columns.
  /// - Returns: A meaning for each column; `nil` for one that is not described.
  /// - Throws: ``ExchangeError`` with code `.invalidRequest` if the table has not the columns.
  func meanings(headings: [String]?, count: Int) throws(ExchangeError) -> [TableColumn?] {
    var meanings = [TableColumn?](repeating: nil, count: count)
    for part in parts {
      let index: Int?
      switch part.place {
      case .number(let number): index = number < count ? number : nil
      case .heading(let heading):
        index = headings?.firstIndex { $0.lowercased().isSame(as: heading.lowercased()) }
        guard index != nil else { throw Self.invalid("no column is called '\(heading)'") }
      }
      guard let index else { throw Self.invalid("the file has only \(Plural.of(count, "column"))") }
      guard meanings[index] == nil else {
        throw Self.invalid("column \(index + 1) is described twice")
      }
      meanings[index] = part.meaning
    }
    return meanings
  }

  private static func invalid(_ reason: String) -> ExchangeError {
    ExchangeError(
      .invalidRequest, "the columns cannot be used: \(reason)", remedy: .describeColumns)
  }
}

/// The meaning of a column.
enum TableColumn: Hashable, Sendable {
  case title, folder, url, user, secret, otp, notes, tags
  /// The other program's id of the item.
  case id
  /// What the item is: `login` or `note`.
  case type
  /// Fields that the person has added, in the program's own way.
  case customFields
  /// Bookkeeping of the other program: one note for the column, and no loss.
  case housekeeping
  /// Left out, as the caller wants it.
  case leftOut
  /// A field with this name.
  case field(String)

  init(word: String) {
    self =
      switch word {
      case "name", "title": .title
      case "folder", "group": .folder
      case "url": .url
      case "user", "username", "login": .user
      case "secret", "password": .secret
      case "otp", "totp": .otp
      case "notes", "note": .notes
      case "tags": .tags
      case "-": .leftOut
      default: .field(word)
      }
  }
}
