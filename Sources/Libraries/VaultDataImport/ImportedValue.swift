import FoundationEssentials
import Glibc
import VaultDataStore
import VaultSealing
import VaultStorage

/// Values of Core Data's tables in the forms of ours.
struct ImportedValue {
  let file: CoreDataFile
  let change: ExternalChange
  /// Bytes above this many go to a file.
  var threshold = ExternalFiles.threshold
  /// How many values were in files that are not there.
  private(set) var missingFiles = 0
  /// How many values are in files of ours.
  private(set) var files = 0

  init(file: CoreDataFile, change: ExternalChange) {
    self.file = file
    self.change = change
  }

  /// By entity, the columns that hold text in another form than the composed one.
  private(set) var textForms: [String: Set<String>] = [:]

  /// A text as it is, which is noted if it is in another form than the composed one.
  mutating func note(_ text: String, _ attribute: StoredAttribute, _ entity: String) -> String {
    if !text.utf8.elementsEqual(UnicodeNormalization.nfc(text).utf8) {
      textForms[entity, default: []].insert(attribute.column)
    }
    return text
  }

  /// The values of an attribute: two for a decimal, which has its sort key beside it.
  ///
  /// - Parameters:
  ///   - row: The row of the source; its first column is its key.
  ///   - column: The attribute's place in it.
  ///   - attribute: The attribute of ours.
  ///   - entity: The entity's name.
  ///   - hasMark: Whether the attribute allows external storage, so that a byte before the value
  ///     says where it is.
  /// - Returns: What stands in the columns of the attribute.
  /// - Throws: ``StorageError`` with code `.damaged`, naming entity, property and row.
  mutating func values(
    of row: SQLiteStatement, _ column: Int, _ attribute: StoredAttribute,
    entity: String, hasMark: Bool
  ) throws -> [SQLiteValue] {
    let isDecimal = attribute.type == .decimal
    guard !row.isNull(at: column) else { return isDecimal ? [.null, .null] : [.null] }
    let type = row.type(at: column)
    func refuse(_ expected: String) -> StorageError {
      StorageError(
        .damaged,
        "\(entity).\(attribute.name) of row \(row.int64(at: 0)) is not \(expected)")
    }
    switch attribute.type {
    case .boolean:
      guard type == .integer else { throw refuse("a boolean") }
      return [.integer(row.bool(at: column) ? 1 : 0)]
    case .integer, .unsigned:
      if type == .real, let whole = Int64(exactly: row.double(at: column)) {
        return [.integer(whole)]
      }
      guard type == .integer else { throw refuse("an integer") }
      return [.integer(row.int64(at: column))]
    case .float, .double, .date:
      // A column of numbers stores whole ones as integers.
      guard type == .real || type == .integer else { throw refuse("a number") }
      return [.real(row.double(at: column))]
    case .decimal:
      guard type != .blob, let number = DecimalText(row.string(at: column))
      else { throw refuse("a decimal number") }
      return [.text(number.description), .text(DecimalOrder.key(number))]
    case .json where type == .blob:
      guard let text = ArchivedValue.json(of: row.bytes(at: column)) else {
        throw refuse("an archive of a value")
      }
      return [.text(text)]
    case .string, .character, .url, .json:
      if type == .blob {
        let bytes = try plain(row.bytes(at: column), isExternal: hasMark) ?? []
        return [.text(note(String(decoding: bytes, as: UTF8.self), attribute, entity))]
      }
      return [.text(note(row.string(at: column), attribute, entity))]
    case .uuid:
      if type == .text, let id = UUID(uuidString: row.string(at: column)) {
        return [.text(id.uuidString)]
      }
      guard type == .blob, let text = Self.uuid(row.bytes(at: column)) else {
        throw refuse("a UUID")
      }
      return [.text(text)]
    // A store of a Mac seals nothing; bytes stay bytes.
    case .data, .transformable, .sealed:
      return [try bytes(row, column, attribute, hasMark: hasMark)]
    }
  }

  static func uuid(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 16 else { return nil }
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(0x2d) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func bytes(
    _ row: SQLiteStatement, _ column: Int, _ attribute: StoredAttribute, hasMark: Bool
  ) throws -> SQLiteValue {
    guard let bytes = try plain(row.bytes(at: column), isExternal: hasMark) else {
      return attribute.isOptional ? .null : .blob([])
    }
    guard attribute.isExternal, bytes.count > threshold else { return .blob(bytes) }
    files += 1
    return .text(try change.publish(bytes).text)
  }

  /// The bytes of an attribute that allows external storage: 1 stands before a value in the row, 2
  /// before the name of a file in `.NAME_SUPPORT/_EXTERNAL_DATA`.
  ///
  /// - Returns: `nil` if the file is not there.
  private mutating func plain(_ bytes: [UInt8], isExternal: Bool) throws -> [UInt8]? {
    guard isExternal, let mark = bytes.first else { return bytes }
    switch mark {
    case 1: return Array(bytes.dropFirst())
    case 2:
      let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
      // Nothing but a UUID: the name must not lead to another folder.
      guard let id = UUID(uuidString: name) else { return bytes }
      for spelling in [name, id.uuidString] {
        if let found = try read(spelling) { return found }
      }
      missingFiles += 1
      return nil
    default: return bytes
    }
  }

  private func read(_ name: String) throws -> [UInt8]? {
    let path = ExternalFiles(store: file.file).path
    guard let directory = try Directory.ifThere(anyOwner: path) else { return nil }
    let descriptor: Int32
    do {
      descriptor = try System.openNoLinks(
        name, in: directory.descriptor, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch  where error.errno == ENOENT {
      return nil
    } catch {
      throw Directory.failure(error, "read", "\(path)/\(name)")
    }
    defer { System.close(descriptor) }
    do {
      let status = try System.status(descriptor)
      guard status.isRegular else { return nil }
      // The largest value that SQLite holds: sqlite.org/limits.html.
      return try System.readAll(descriptor, expected: status.size, limit: 1_000_000_000)
    } catch {
      throw Directory.failure(error, "read", "\(path)/\(name)")
    }
  }
}
