import VaultSealing
import VaultStorage
public import VaultSync

/// Streams in a folder: a stick, a network drive, or a folder that a file syncer carries.
///
/// Files are made whole under a temporary name and linked to their own, which fails if that is
/// taken. Only heads and invitations are replaced, each by its owner. Names differ in more than
/// case, and hold nothing but hex digits.
///
/// `<space>/s/<stream>/<number>` records, `<space>/p/<stream>/<first>-<last>` several of them,
/// `<space>/h/<stream>` heads, `<space>/i/<id>` invitations, `<space>/o/<hash>` parts of snapshots.
public struct FolderEngine: SyncEngine {
  /// The folder's path.
  public let path: String

  /// A syncer carries files in any order.
  public let isEventual = true

  /// Uses a folder.
  ///
  /// - Parameter path: An absolute path; the folder must be there.
  public init(path: String) { self.path = path }

  func folder(_ space: SpaceID, _ parts: String...) -> String {
    ([path, space.text] + parts).joined(separator: "/")
  }

  /// The spaces whose folders are here.
  public func spaces() throws -> [SpaceID] {
    try names(path, mustExist: true).compactMap { SpaceID(text: $0) }.sorted()
  }

  /// The newest records that are here: those that the heads name, or that lie behind them.
  ///
  /// A head that is half written is none.
  public func heads(in space: SpaceID) throws -> [StreamHead] {
    try checkRoot()
    return try names(folder(space, "h")).sorted().compactMap { name in
      guard let stream = StreamID(text: name),
        let bytes = try read(folder(space, "h"), name, limit: StreamHead.length + 1),
        let head = StreamHead(bytes), head.stream == stream
      else { return nil }
      return try newest(behind: head, in: space)
    }
  }

  /// The head of a stream as its records show it.
  ///
  /// All heads have one size, and one of several that a file syncer meets wins: so an older one may
  /// stay, or come back, while the records, which never change, are there.
  private func newest(behind head: StreamHead, in space: SpaceID) throws -> StreamHead {
    guard let first = try firstBehind(head, in: space) else { return head }
    var behind = try records(of: head.stream, in: space, after: first - 1, limit: .max)
    while let last = behind.last {
      if let hash = StoredRecord.hash(of: last) {
        return StreamHead(
          stream: head.stream, sequence: first - 1 + UInt64(behind.count), hash: hash)
      }
      // It is on its way.
      behind.removeLast()
    }
    return head
  }

  /// The number of the first record behind a head; `nil` for none.
  private func firstBehind(_ head: StreamHead, in space: SpaceID) throws -> UInt64? {
    let (stream, next) = (head.stream, head.sequence + 1)
    // At rest three looks: at what comes next, at the packs, and at the record of the head.
    if isThere(next, of: stream, in: space) { return next }
    let packed = try packs(of: stream, in: space).filter { $0.upperBound >= next }
    let first = packed.map { max($0.lowerBound, next) }.min()
    guard first == nil, !isThere(head.sequence, of: stream, in: space) else { return first }
    // Perhaps a snapshot stands in for what is between.
    return try places(of: stream, in: space).single.filter { $0 >= next }.min()
  }

  private func isThere(_ number: UInt64, of stream: StreamID, in space: SpaceID) -> Bool {
    let path = "\(folder(space, "s", stream.text))/\(FolderNames.name(number))"
    return (try? System.status(of: path, in: SystemFlags.noFolder)) != nil
  }

  /// The records that are here.
  public func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    var (records, size): ([[UInt8]], Int) = ([], 0)
    while records.count < limit, size < SyncRecord.unverifiedLength {
      let number = sequence + UInt64(records.count) + 1
      guard let bytes = try single(number, of: stream, in: space) else {
        let limit = limit - records.count
        return records + (try packedRecords(of: stream, in: space, from: number, limit: limit))
      }
      records.append(bytes)
      size += bytes.count
    }
    return records
  }

  /// A record that lies alone.
  func single(
    _ number: UInt64, of stream: StreamID, in space: SpaceID
  ) throws -> [UInt8]? {
    try read(folder(space, "s", stream.text), FolderNames.name(number), limit: Self.maximumLength)
  }

  /// Links the records to their names, then replaces the head.
  public func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    try checkRoot()
    let first = head.sequence + 1 - UInt64(records.count)
    let directory = try open(folder(space, "s", head.stream.text), create: true)
    let packed = try packedAlready(records, of: head.stream, in: space, from: first)
    for (offset, record) in records.enumerated().dropFirst(packed) {
      try put(
        record, as: FolderNames.name(first + UInt64(offset)), in: directory, path: directory.path)
    }
    try Self.available { try directory.folder.sync() }
    try replace(head.bytes, as: head.stream.text, in: folder(space, "h"))
  }

  /// Puts a record in the place of what is left of it.
  public func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    try checkRoot()
    try replace(record, as: FolderNames.name(sequence), in: folder(space, "s", stream.text))
  }

  /// Heads that come, by whatever carries them; none on a network drive.
  public func changes(in space: SpaceID) throws -> (any StoreSignal)? {
    FolderSignal(folder(space, "h"))
  }

  /// The invitation's file.
  public func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try read(folder(space, "i"), Hexadecimal.text(id), limit: 1 << 20)
  }

  /// Replaces the invitation's file.
  public func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try checkRoot()
    try replace(bytes, as: Hexadecimal.text(id), in: folder(space, "i"))
  }

  /// The object's file.
  public func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try read(folder(space, "o"), Hexadecimal.text(name), limit: SyncObject.maximumLength)
  }

  /// Makes the objects' files; one that is half written is replaced.
  public func put(_ objects: [SyncObject], in space: SpaceID) throws {
    try checkRoot()
    for object in objects where try self.object(object.name, in: space) != object.bytes {
      try replace(object.bytes, as: Hexadecimal.text(object.name), in: folder(space, "o"))
    }
  }
}

// MARK: - Files

extension FolderEngine {
  static let maximumLength = 32 << 20

  private struct OpenFolder {
    let folder: Directory
    let path: String
  }

  private func open(_ path: String, create: Bool) throws -> OpenFolder {
    try Self.available {
      OpenFolder(folder: try Directory(anyOwner: path, create: create), path: path)
    }
  }

  /// A stick that is not there must not look like an empty store.
  func checkRoot() throws { _ = try open(path, create: false) }

  func names(_ path: String, mustExist: Bool = false) throws -> [String] {
    do {
      return try Directory(anyOwner: path).names()
    } catch  where !mustExist && (error.code == .notFound || Self.isOfNoFolder(path)) {
      return []
    } catch {
      throw Self.unavailable(error.message)
    }
  }

  /// Whether something else is in the place of a folder.
  ///
  /// Who can write to the store can put a file or a link there. It has no records, and stops nobody but
  /// the machine whose they would be.
  private static func isOfNoFolder(_ path: String) -> Bool {
    do {
      return try !System.status(of: path, in: SystemFlags.noFolder).isDirectory
    } catch {
      // Of the folder that it is in.
      return error.isOfNoFolder
    }
  }

  func read(_ path: String, _ name: String, limit: Int) throws -> [UInt8]? {
    guard !Self.isOfNoFolder(path),
      let directory = try Self.available({ try Directory.ifThere(anyOwner: path) })
    else { return nil }
    let file: Int32
    do {
      file = try System.openNoLinks(
        name, in: directory.descriptor, flags: SystemFlags.readingWithoutWaiting)
    } catch  where error.isMissing || error.isOfNoFile {
      // Who can write to the store can put a link there: it is no record, and stops nobody.
      return nil
    } catch {
      throw Self.unavailable("cannot read \(path)/\(name): \(error.reason)")
    }
    defer { System.close(file) }
    return try Self.available {
      let status = try System.status(file)
      guard status.isRegular else { return nil }
      return try System.readAll(file, expected: status.size, limit: limit)
    }
  }

  private func write(_ bytes: [UInt8], as name: String, in directory: Directory) throws {
    let file = try System.open(
      name, in: directory.descriptor, flags: SystemFlags.creating, mode: 0o600)
    defer { System.close(file) }
    do {
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
      try System.sync(file)
    } catch {
      try? System.unlink(name, in: directory.descriptor)
      throw error
    }
  }

  /// Gives bytes a name, in the place of what had it.
  func replace(_ bytes: [UInt8], as name: String, in path: String) throws {
    let directory = try open(path, create: true).folder
    try Self.available {
      let temporary = Self.temporaryName(for: name)
      try write(bytes, as: temporary, in: directory)
      do throws(System.Failure) {
        do throws(System.Failure) {
          try System.rename(temporary, to: name, in: directory.descriptor)
        } catch  where error.isOfFolder {
          // A folder that somebody put there goes aside, with what is in it.
          try System.rename(name, to: Self.temporaryName(for: name), in: directory.descriptor)
          try System.rename(temporary, to: name, in: directory.descriptor)
        }
      } catch {
        try? System.unlink(temporary, in: directory.descriptor)
        throw error
      }
      try directory.sync()
    }
  }

  /// Gives bytes a name that nothing has.
  private func put(
    _ bytes: [UInt8], as name: String, in directory: OpenFolder, path: String
  ) throws {
    if let there = try read(path, name, limit: Self.maximumLength) {
      guard there == bytes else { throw Self.taken }
      return
    }
    try Self.available {
      let temporary = Self.temporaryName(for: name)
      try write(bytes, as: temporary, in: directory.folder)
      do throws(System.Failure) {
        try System.link(temporary, to: name, in: directory.folder.descriptor)
        try System.unlink(temporary, in: directory.folder.descriptor)
      } catch  where error.isExisting {
        try? System.unlink(temporary, in: directory.folder.descriptor)
        // Another process of this machine may have been faster.
        guard try read(path, name, limit: Self.maximumLength) == bytes else { throw Self.taken }
      } catch  where error.isWithoutLinks {
        // No links on this file system. Nobody else writes this name.
        try System.rename(temporary, to: name, in: directory.folder.descriptor)
      } catch {
        try? System.unlink(temporary, in: directory.folder.descriptor)
        throw error
      }
    }
  }

  static let taken = SyncError(
    .taken, "another record has that number", hint: "this machine's state was put back or copied")

  static func unavailable(_ reason: String, _ failure: System.Failure? = nil) -> SyncError {
    let hint =
      if failure?.isOfFullDisk == true {
        "make room where the store is, then do it again"
      } else if failure?.isOfReadOnly == true {
        "see how its disk is mounted, and who may write to the folder"
      } else {
        "see whether the folder is there, and its drive is connected; if it lies in another place now, "
          + "move to that"
      }
    return SyncError(.unavailable, "the store cannot be used: \(reason)", hint: hint)
  }

  /// Runs `body`; what the storage throws comes out as an error of the store.
  static func available<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw unavailable(error.message)
    } catch let error as System.Failure {
      throw unavailable(error.reason, error)
    }
  }
}
