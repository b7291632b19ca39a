import FoundationEssentials
import Glibc
package import VaultStorage

/// The text in a column that names a file with the value; values themselves are bytes.
///
/// `UUID LENGTH CHECKSUM`, so that `sqlite3` shows which file it is and how large.
package struct ExternalReference: Sendable, Hashable {
  /// The file's name.
  package let name: String
  /// The number of bytes.
  package let length: Int
  /// ``Checksum/text`` of them.
  package let checksum: String

  package init(name: String, length: Int, checksum: String) {
    self.name = name
    self.length = length
    self.checksum = checksum
  }

  /// Reads a column's text; `nil` if it is not a reference.
  package init?(_ text: String) {
    let parts = text.parts(at: " ", keepsEmpty: true)
    guard parts.count == 3, Self.isName(String(parts[0])), let length = Int(parts[1]), length >= 0,
      parts[2].utf8.count == 16
    else { return nil }
    self.init(name: String(parts[0]), length: length, checksum: String(parts[2]))
  }

  /// The text that stands in the column.
  package var text: String { "\(name) \(length) \(checksum)" }

  /// Whether a file name has the form given here; other files are never touched.
  static func isName(_ name: String) -> Bool { UUID(uuidString: name)?.uuidString == name }
}

/// Large values beside a store, each in a file of its own: `.NAME_SUPPORT/_EXTERNAL_DATA/<UUID>`.
///
/// A file is written and durable before the row that names it is committed, and removed after no
/// row does; it is never written twice and belongs to one row. What a crash leaves is a file that
/// no row names, and ``sweep(_:)`` takes it away.
///
/// ```swift
/// let files = ExternalFiles(store: file)
/// try files.transaction(on: connection) { change in
///   let reference = try change.publish(bytes)
///   try connection.execute("UPDATE Trip SET photo=? WHERE _id=1", [.text(reference.text)])
/// }
/// ```
package struct ExternalFiles: Sendable {
  /// Values of up to so many bytes stay in the row.
  package static let threshold = 102_400

  package let store: DataStoreFile

  package init(store: DataStoreFile) { self.store = store }

  /// The path of the files.
  package var path: String { "\(supportPath)/_EXTERNAL_DATA" }
  /// The path of the files that the copy made before a migration names.
  package var previousPath: String { "\(supportPath)/_PREVIOUS_DATA" }
  private var supportPath: String { "\(store.directoryPath)/.\(store.stem)_SUPPORT" }

  func directory(create: Bool = false) throws(StorageError) -> Directory {
    try Directory(anyOwner: path, create: create)
  }

  // MARK: Reading

  /// The whole value.
  ///
  /// - Throws: ``StorageError`` with code `.notFound` if the row has been changed meanwhile and the
  ///   file is gone; `.damaged` if it is not what was written.
  package func read(_ reference: ExternalReference) throws(StorageError) -> [UInt8] {
    let bytes: [UInt8]?
    let directory = try directory()
    do {
      let file = try System.openNoLinks(
        reference.name, in: directory.descriptor, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
      defer { System.close(file) }
      // The row says how long it is, and the row may be anybody's: no memory before the file
      // agrees.
      let status = try System.status(file)
      bytes =
        status.size == reference.length
        ? try System.readAll(file, expected: reference.length, limit: reference.length) : nil
    } catch {
      throw Directory.failure(error, "read", "\(path)/\(reference.name)")
    }
    var sum = Checksum()
    if let bytes { sum.add(bytes) }
    guard let bytes, bytes.count == reference.length, sum.text == reference.checksum else {
      throw StorageError(.damaged, "\(path)/\(reference.name) is not what was stored in it")
    }
    return bytes
  }

  // MARK: Changing

  /// Runs `body` in a transaction of files and rows: both or neither.
  ///
  /// - Throws: What `body` throws, or ``StorageError``; then files and rows are as they were.
  package func transaction<Result>(
    on connection: SQLiteConnection, _ body: (ExternalChange) throws -> Result
  ) throws -> Result {
    let change = ExternalChange(files: self)
    do {
      let result = try connection.transaction(.immediate) {
        let result = try body(change)
        try change.makeDurable()
        return result
      }
      change.committed()
      return result
    } catch {
      change.rolledBack()
      throw error
    }
  }

  /// Removes the files that no row names: what a crash left between a file and its row.
  ///
  /// Takes the writers' lock, since a writer makes its files before its rows can be seen.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``StorageError``, with code `.busy` while another process writes.
  @discardableResult
  package func sweep(_ connection: SQLiteConnection) throws -> Int {
    guard let directory = try Directory.ifThere(anyOwner: path), try !directory.names().isEmpty
    else { return 0 }
    return try connection.transaction(.immediate) {
      try removeOrphans(in: directory, connection)
    }
  }

  private func removeOrphans(in directory: Directory, _ connection: SQLiteConnection) throws -> Int
  {
    guard let metadata = try connection.readDataStoreMetadata(path: store.path) else { return 0 }
    let named = try Set(references(of: metadata.schema, on: connection).map(\.name))
    var count = 0
    for name in try directory.names() where !named.contains(name) {
      // Leaves files alone that were put there by others.
      guard ExternalReference.isName(name) || name.begins(with: ".new.") else { continue }
      try directory.remove(name)
      count += 1
    }
    return count
  }

  /// Removes what a killed copy left here half written.
  func removeStale() throws(StorageError) {
    guard let directory = try Directory.ifThere(anyOwner: path) else { return }
    try AtomicFile.removeStale(in: directory, where: ExternalReference.isName)
  }

  /// Removes what an older copy left here.
  func removeAll(but kept: [ExternalReference]) throws(StorageError) {
    guard let directory = try Directory.ifThere(anyOwner: path) else { return }
    let names = Set(kept.map(\.name))
    for name in try directory.names() where ExternalReference.isName(name) && !names.contains(name)
    {
      try directory.remove(name)
    }
  }

  /// Every reference in the store's rows.
  func references(
    of schema: StoredSchema, on connection: SQLiteConnection
  ) throws -> [ExternalReference] {
    var found: [ExternalReference] = []
    for entity in schema.entities {
      for attribute in entity.attributes where attribute.isExternal {
        let column = SQLText.name(attribute.column)
        try connection.forEachRow(
          "SELECT \(column) FROM \(SQLText.name(entity.table)) WHERE typeof(\(column))='text'"
        ) { row in
          if let reference = ExternalReference(row.string(at: 0)) { found.append(reference) }
        }
      }
    }
    return found
  }

  /// The contradictions between rows and files, one line each.
  ///
  /// - Parameters:
  ///   - schema: The store's.
  ///   - connection: Reading suffices.
  ///   - progress: Called with how many of how many files were read.
  /// - Returns: Empty if all is well.
  /// - Throws: ``StorageError``.
  package func problems(
    of schema: StoredSchema, on connection: SQLiteConnection,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> [String] {
    let references = try references(of: schema, on: connection)
    var problems: [String] = []
    var seen: Set<String> = []
    for (number, reference) in references.enumerated() {
      progress(number, references.count)
      if !seen.insert(reference.name).inserted {
        problems.append("two rows name the external file \(reference.name)")
        continue
      }
      do {
        _ = try read(reference)
      } catch {
        problems.append(
          error.code == .notFound
            ? "the external file \(reference.name) is missing" : error.message)
      }
    }
    do {
      let names = try Directory.ifThere(anyOwner: path)?.names() ?? []
      for name in names.sorted() where !seen.contains(name) {
        problems.append("no row names the external file \(name)")
      }
    } catch {
      problems.append(error.message)
    }
    return problems
  }
}

/// The files of one transaction.
///
/// Not `Sendable`: it belongs to the owner of the connection. Its files are made only while that
/// connection holds the writers' lock.
package final class ExternalChange {
  package let files: ExternalFiles
  private var published: [String] = []
  private var retired: [String] = []
  private var directory: Directory?
  private var isCommitting = false

  package init(files: ExternalFiles) { self.files = files }

  /// Writes a value to a new file.
  ///
  /// - Parameter bytes: The value.
  /// - Returns: The reference for the row; see ``ExternalReference/text``.
  /// - Throws: ``StorageError`` with code `.cannotCreate`, `.inputOutput`.
  package func publish(_ bytes: [UInt8]) throws -> ExternalReference {
    let directory = try openDirectory()
    let name = UUID().uuidString
    var sum = Checksum()
    sum.add(bytes)
    // Noted first: what a failed call leaves is removed with the rest.
    published.append(name)
    let temporary = ".new.\(name)"
    do throws(System.Failure) {
      let file = try System.open(
        temporary, in: directory.descriptor,
        flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
      defer { System.close(file) }
      try System.writeAll(file, unsafe bytes.span.bytes)
      try System.sync(file)
      try System.rename(temporary, to: name, in: directory.descriptor)
    } catch {
      throw Directory.failure(error, "write", "\(files.path)/\(name)", .inputOutput)
    }
    return ExternalReference(name: name, length: bytes.count, checksum: sum.text)
  }

  /// Notes that no row will name a file after the commit.
  package func retire(_ reference: ExternalReference) { retired.append(reference.name) }

  /// Makes the new files' names durable; the last thing before COMMIT.
  ///
  /// - Throws: ``StorageError``; then the transaction must be rolled back.
  package func makeDurable() throws(StorageError) {
    defer { isCommitting = true }
    guard let directory, !published.isEmpty else { return }
    do {
      try directory.sync()
    } catch {
      throw Directory.failure(error, "sync", files.path, .inputOutput)
    }
  }

  /// Removes files that the committed rows no longer name.
  ///
  /// Files that cannot be removed are left to the next sweep.
  package func committed() {
    remove(retired)
    published = []
    retired = []
  }

  /// Removes what was written for rows that are not there.
  ///
  /// But not after a COMMIT that failed: its rows may be whole in the log, and come back when that
  /// is read after a crash. Then the next sweep knows.
  package func rolledBack() {
    if !isCommitting { remove(published + published.map { ".new.\($0)" }) }
    published = []
    retired = []
  }

  private func remove(_ names: [String]) {
    guard !names.isEmpty, let directory = try? openDirectory() else { return }
    for name in names { try? directory.remove(name) }
  }

  private func openDirectory() throws(StorageError) -> Directory {
    if let directory { return directory }
    let opened = try files.directory(create: true)
    directory = opened
    return opened
  }
}
