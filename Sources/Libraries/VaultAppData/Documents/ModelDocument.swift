import Glibc
import Synchronization
import VaultDataStore
import VaultStorage

/// A document of models: one file, which a person opens, changes, saves and reverts.
///
/// ```swift
/// @MainActor func add(_ name: String, to file: URL) throws {
///   let document = try ModelDocument(for: Trip.self, contentsOf: file)
///   document.modelContext.insert(Trip(name: name))
///   try document.save()
/// }
/// ```
///
/// The models live in a working copy, so the file stays as it is until it is saved, and is replaced
/// as a whole then: a reader finds the old document or the new one. Contexts save to the working
/// copy as they do to any store; that is not on disk for good, and gone when the document is. The
/// file is a store, which `vault data` reads, too. One of an earlier schema is migrated in the
/// working copy.
///
/// Values marked `.externalStorage` lie in a folder beside the file; leave that out for a document
/// that is to be one file. A new file is its owner's alone (mode 0600); one that is replaced keeps
/// its permissions. Apple's `ModelDocument` belongs to a scene of documents, and has no
/// members.
@MainActor @Observable
public final class ModelDocument {
  /// The file; `nil` for a document that has not been saved yet.
  public private(set) var url: URL?
  /// The container of the working copy; another one after ``revert()``.
  public private(set) var container: ModelContainer
  /// Whether each save of a context also saves the file, soon after; a document without a file is
  /// not saved.
  public var autosaves = false
  /// The error of the last automatic save, if it failed.
  public private(set) var autosaveError: (any Error)?

  @ObservationIgnored private let types: [any PersistentModel.Type]
  @ObservationIgnored private let migrationPlan: (any SchemaMigrationPlan.Type)?
  @ObservationIgnored private var copy: WorkingCopy
  /// The file as it was when it was last opened or saved.
  @ObservationIgnored private var known: FileVersion?
  @ObservationIgnored private let saves = DocumentSaves()
  @ObservationIgnored private var listener: Int?

  /// Opens a document, or makes one that has no file yet.
  ///
  /// - Parameters:
  ///   - types: The classes of its models.
  ///   - url: The file; `nil` for a new document.
  ///   - migrationPlan: How documents of earlier versions are brought to these classes.
  /// - Throws: ``SwiftDataError``, as a container's initializers do; a `StorageError` with code
  ///   `.notFound` if there is no such file.
  public init(
    for types: any PersistentModel.Type..., contentsOf url: URL? = nil,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.types = types
    self.migrationPlan = migrationPlan
    self.url = url
    known = try url.map(FileVersion.init)
    copy = try WorkingCopy(of: url)
    container = try copy.open(types, migrationPlan)
    try listen()
  }

  isolated deinit { stopListening() }

  /// The context of the main actor, which autosaves to the working copy.
  public var modelContext: ModelContext { container.mainContext }

  /// Whether there is something that the file does not have.
  public var isEdited: Bool { modelContext.hasChanges || saves.isAny }

  /// Saves the document to its file, at once and whole.
  ///
  /// Blocks until the file is on disk, or until an error says that it is as it was.
  ///
  /// - Parameter overwriting: Whether what others wrote to the file meanwhile may be lost.
  /// - Throws: ``SwiftDataError/saveConflict`` if the file was changed or removed by others since
  ///   it was opened or saved, or if the document has no file; what a context's `save` throws; a
  ///   `StorageError`.
  public func save(overwriting: Bool = false) throws {
    guard let url else {
      throw SwiftDataError.saveConflict.saying("the document has no file: save it to one")
    }
    if !overwriting, try FileVersion.ifThere(url) != known {
      throw SwiftDataError.saveConflict.saying(
        "\(url.path) was changed by somebody else since it was opened")
    }
    try write(to: url)
  }

  /// Saves the document to another file, which is its own from then on.
  ///
  /// - Parameter url: The file, which is replaced where there is one.
  /// - Throws: What a context's `save` throws; a `StorageError`. Then the document keeps its file.
  public func save(to url: URL) throws {
    try write(to: url)
    self.url = url
  }

  private func write(to url: URL) throws {
    try modelContext.save()
    saves.clear()
    do {
      // A link stays one.
      let file = try DataStoreFile(following: url.path)
      let before = try? System.targetStatus(of: file.path, in: AT_FDCWD)
      try container.backup(to: URL(fileURLWithPath: file.path))
      known = try FileVersion(url)
      // The document is saved: a file system without permissions keeps nobody from that.
      if let before, before.isRegular {
        try? FileManager.default.setAttributes(
          [.posixPermissions: Int(before.permissions & 0o777)], ofItemAtPath: file.path)
      }
      autosaveError = nil
    } catch {
      saves.note()
      throw error
    }
  }

  /// Drops every change since the file was opened or saved; a new document is empty again.
  ///
  /// ``container`` and ``modelContext`` are others afterwards; objects of before belong to nothing
  /// that is saved.
  ///
  /// - Throws: As the initializer does. Then the document is as it was.
  public func revert() throws {
    let version = try url.map(FileVersion.init)
    let copy = try WorkingCopy(of: url)
    let container = try copy.open(types, migrationPlan)
    modelContext.rollback()
    stopListening()
    (self.copy, self.container, known) = (copy, container, version)
    saves.clear()
    try listen()
  }

  // MARK: Saves of contexts

  private func listen() throws {
    listener = try container.observation.add(in: container, isRemote: false) {
      [weak self, saves] _ in
      saves.note()
      Task { @MainActor in self?.autosave() }
    }
  }

  private func stopListening() {
    if let listener { container.observation.remove(listener) }
    listener = nil
  }

  private func autosave() {
    guard autosaves, url != nil, saves.isAny else { return }
    do {
      try save()
    } catch {
      autosaveError = error
    }
  }
}

/// Whether contexts have saved something that the file does not have; known on any thread.
private final class DocumentSaves: Sendable {
  private let flag = Atomic(false)

  var isAny: Bool { flag.load(ordering: .acquiring) }

  func note() { flag.store(true, ordering: .releasing) }
  func clear() { flag.store(false, ordering: .releasing) }
}

/// What tells a file that somebody has written from the one that is known.
private struct FileVersion: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let modified: Int64
  private let size: Int

  /// - Throws: A `StorageError` with code `.notFound` if there is no file; `.accessDenied`,
  ///   `.refused` or `.inputOutput` if it cannot be looked at.
  init(_ url: URL) throws {
    let status: System.FileStatus
    do {
      status = try System.targetStatus(of: url.path, in: AT_FDCWD)
    } catch  where error.errno == ENOENT {
      throw StorageError(.notFound, "there is no file \(url.path)")
    } catch {
      throw Directory.failure(error, "look at", url.path)
    }
    (device, inode) = (status.device, status.inode)
    (modified, size) = (status.modified, status.size)
  }

  /// The version of a file; `nil` if there is none.
  static func ifThere(_ url: URL) throws -> FileVersion? {
    do {
      return try FileVersion(url)
    } catch let error as StorageError where error.code == .notFound {
      return nil
    }
  }
}

/// The store that a document is while it is open, in a folder of its own.
private final class WorkingCopy {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("document-\(UUID().uuidString)", isDirectory: true)

  /// - Parameter url: What is copied; `nil` for nothing.
  /// - Throws: ``SwiftDataError``.
  init(of url: URL?) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    guard let url else { return }
    do {
      let file = try DataStoreFile(following: url.path)
      let connection = try file.open(.read).connection
      defer { connection.close() }
      _ = try DataStoreCopy(file: file).copy(connection, to: DataStoreFile(path: path))
    } catch {
      throw SwiftDataError.loading(error)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var path: String { folder.appendingPathComponent("document.store").path }

  func open(
    _ types: [any PersistentModel.Type], _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContainer {
    var file = ModelConfiguration(url: URL(fileURLWithPath: path))
    // Nothing of it outlives this process: only the file of the document is on disk for good.
    file.durability = .onCheckpoint
    return try ModelContainer(for: Schema(types), migrationPlan: plan, configurations: [file])
  }
}
