import FoundationEssentials
import Glibc

/// A document in a file: one value that is read and written as a whole.
///
/// A save replaces the file atomically and durably: a reader sees the old value or the new one,
/// never half of one, and after `save` returns the new value survives a power cut. The previous
/// version is kept beside it. Nothing is cached: each call reads the file. Its folder may be a
/// symbolic link; the file may not.
///
/// ```swift
/// struct Settings: Codable, Sendable { var theme = "dark" }
/// let store = FileStore<Settings>(path: "/home/me/.config/tool/settings.json")
/// try await store.update(default: Settings()) { $0.theme = "light" }
/// let settings = try await store.load()
/// ```
///
/// It is in this module and not in `VaultAppData` because it needs only files and
/// FoundationEssentials: a tool that stores one document does not need a database's object layer.
public struct FileStore<Value: Codable & Sendable>: Sendable {
  /// The file format.
  public enum Format: Sendable, Hashable {
    /// JSON for people: indented, its keys sorted, dates as ISO 8601.
    case json
    /// A property list in XML.
    case propertyList
    /// A property list in Apple's binary form.
    case binaryPropertyList
  }

  /// The file's absolute path.
  public let path: String
  /// The file format; reading accepts both forms of property list.
  public let format: Format
  /// Whether the previous version is kept as `NAME.previous`.
  public let keepsPrevious: Bool
  private let patience: Duration
  // A document is read into memory as a whole, so its size is limited.
  private static var limit: Int { 256 << 20 }

  /// Names a file; nothing is read or created.
  ///
  /// - Parameters:
  ///   - path: The file; a relative path is taken from the current directory.
  ///   - format: The file format.
  ///   - keepsPrevious: Whether each save keeps the previous version.
  ///   - patience: How long a call waits while another process writes.
  public init(
    path: String, format: Format = .json, keepsPrevious: Bool = true,
    patience: Duration = .seconds(5)
  ) {
    self.path = StoreLocation(home: path).data
    self.format = format
    self.keepsPrevious = keepsPrevious
    self.patience = patience
  }

  /// Reads the value.
  ///
  /// - Returns: `nil` if there is no file.
  /// - Throws: ``StorageError`` with code `.damaged`, naming the place in the document, if the file
  ///   contains something else; `.refused`, `.accessDenied`, `.tooLarge`, `.inputOutput`.
  public func load() async throws -> Value? { try await run { try $0.load() } }

  /// Reads the version that the last save replaced.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: As ``load()``.
  public func loadPrevious() async throws -> Value? { try await run { try $0.loadPrevious() } }

  /// Replaces the file with one that contains `value`.
  ///
  /// Creates a missing directory, private to the user.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``StorageError`` with code `.cannotCreate`, `.inputOutput`: then the old file is
  ///   unchanged; `.notDurable`: it is replaced, but the disk did not confirm it; `.busy`;
  ///   `.invalidValue` if the format cannot hold the value.
  public func save(_ value: Value) async throws { try await run { try $0.save(value) } }

  /// Reads, changes and saves the value under a lock that other callers wait for.
  ///
  /// - Parameters:
  ///   - initial: The value if there is no file.
  ///   - change: Changes it; if it throws, nothing is saved.
  /// - Returns: What `change` returns.
  /// - Throws: What `change` throws; the errors of ``load()`` and ``save(_:)``.
  public func update<Result: Sendable>(
    default initial: Value, _ change: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await run { try $0.update(default: initial, change) }
  }

  /// Removes the file and the previous version; does nothing if there is none.
  ///
  /// - Throws: ``StorageError`` with code `.inputOutput`, `.busy`.
  public func remove() async throws { try await run { try $0.remove() } }

  private func run<Result: Sendable>(
    _ body: @escaping @Sendable (Blocking) throws -> Result
  ) async throws -> Result {
    let blocking = blocking
    return try await BlockingThread.run(name: "vault-document") { try body(blocking) }
  }

  /// The same calls for commands and scripts; they block the calling thread until the disk has
  /// answered.
  public var blocking: Blocking { Blocking(store: self) }

  /// ``FileStore`` without `await`.
  public struct Blocking: Sendable {
    fileprivate let store: FileStore

    /// As ``FileStore/load()``.
    public func load() throws -> Value? { try read(location.name) }

    /// As ``FileStore/loadPrevious()``.
    public func loadPrevious() throws -> Value? {
      try read(AtomicFile.previousName(of: location.name))
    }

    /// As ``FileStore/save(_:)``.
    public func save(_ value: Value) throws {
      let bytes = try store.encode(value)
      try locked { directory in try write(bytes, in: directory) }
    }

    /// As ``FileStore/update(default:_:)``.
    public func update<Result>(
      default initial: Value, _ change: (inout Value) throws -> Result
    ) throws -> Result {
      try locked { directory in
        var value = try read(location.name) ?? initial
        let result = try change(&value)
        try write(try store.encode(value), in: directory)
        return result
      }
    }

    /// As ``FileStore/remove()``.
    public func remove() throws {
      guard try exists() else { return }
      try locked { directory in
        try directory.remove(location.name)
        try directory.remove(AtomicFile.previousName(of: location.name))
      }
    }

    // MARK: Files

    private var location: FileLocation { FileLocation(path: store.path) }

    private func exists() throws(StorageError) -> Bool { try location.exists() }

    private func locked<Result>(_ body: (Directory) throws -> Result) throws -> Result {
      let directory = try location.directory(create: true)
      let lock = try FileLock(
        ".\(location.name).lock", in: directory, timeout: store.patience)
      defer { withExtendedLifetime(lock) {} }
      return try body(directory)
    }

    private func write(_ bytes: [UInt8], in directory: Directory) throws {
      try AtomicFile.removeStale(of: location.name, in: directory)
      try AtomicFile.replace(
        location.name, in: directory, keepingPrevious: store.keepsPrevious, with: bytes)
    }

    private func read(_ name: String) throws -> Value? {
      let path = "\(location.directoryPath)/\(name)"
      guard let bytes = try contents(of: name, path) else { return nil }
      return try store.decode(bytes, path: path)
    }

    private func contents(of name: String, _ path: String) throws -> [UInt8]? {
      let limit = FileStore.limit
      do {
        let directory = try location.directory()
        guard try directory.contains(name) else { return nil }
        let file = try System.openNoLinks(
          name, in: directory.descriptor, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        defer { System.close(file) }
        let status = try System.status(file)
        guard status.isRegular else {
          throw StorageError(.refused, "\(path) is not a regular file")
        }
        guard let bytes = try System.readAll(file, expected: min(status.size, limit), limit: limit)
        else { throw StorageError(.tooLarge, "\(path) is larger than \(limit) bytes") }
        return bytes
      } catch let failure as System.Failure {
        throw Directory.failure(failure, "read", path, .inputOutput)
      } catch let error as StorageError {
        if error.code == .notFound { return nil }
        throw error
      }
    }
  }

  // MARK: Coding

  private func encode(_ value: Value) throws(StorageError) -> [UInt8] {
    do {
      switch format {
      case .json:
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(value)) + [0x0a]
      case .propertyList, .binaryPropertyList:
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .propertyList ? .xml : .binary
        return Array(try encoder.encode(value))
      }
    } catch {
      throw StorageError(
        .invalidValue, "\(path) cannot hold the value\(Self.place(of: error))")
    }
  }

  private func decode(_ bytes: [UInt8], path: String) throws(StorageError) -> Value {
    do {
      switch format {
      case .json:
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: Data(bytes))
      case .propertyList, .binaryPropertyList:
        return try PropertyListDecoder().decode(Value.self, from: Data(bytes))
      }
    } catch {
      let previous = "\(self.path).previous"
      let way =
        keepsPrevious && path == self.path ? "; the version before may be in \(previous)" : ""
      throw StorageError(.damaged, "\(path) \(Self.damage(error, format))\(way)")
    }
  }

  /// The problem and its position in the document, never the document's contents.
  private static func damage(_ error: any Error, _ format: Format) -> String {
    let kind = format == .json ? "JSON document" : "property list"
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?:
      return "lacks \"\(key.stringValue)\"\(place(context.codingPath))"
    case .typeMismatch(let type, let context)?, .valueNotFound(let type, let context)?:
      return "does not hold \(type)\(place(context.codingPath))"
    case .dataCorrupted(let context)? where !context.codingPath.isEmpty:
      return "holds an invalid value\(place(context.codingPath))"
    default: return "is not a \(kind), or is damaged"
    }
  }

  private static func place(of error: any Error) -> String {
    guard case .invalidValue(_, let context)? = error as? EncodingError else { return "" }
    return place(context.codingPath)
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "" }
    let steps = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return " at \(steps.hasPrefix(".") ? String(steps.dropFirst()) : steps)"
  }
}
