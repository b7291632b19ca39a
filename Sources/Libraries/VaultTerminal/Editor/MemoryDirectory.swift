import Glibc
import VaultSealing
import VaultStorage

/// A private directory on a file system in memory, for the file that an editor works on.
///
/// At the end everything in it is overwritten and removed: the file, and copies that the editor
/// left beside it.
final class MemoryDirectory {
  /// The path of the file.
  let file: String
  /// The path of the directory.
  let path: String
  private let parent: Int32
  private let name: String
  private let descriptor: Int32
  private var isThere = true

  private let fileName: String
  private static let prefix = "vault-edit."
  private static let places = ["/dev/shm"]
  private static let attempts = 16

  /// Makes the directory, and removes those that killed processes left behind.
  ///
  /// - Parameter name: What the file is named after.
  /// - Throws: ``TerminalError`` with code `.noMemoryFileSystem`.
  init(fileNamed name: String) throws {
    fileName = Self.fileName(for: name)
    for place in [ProcessState.variable("XDG_RUNTIME_DIR")].compactMap({ $0 }) + Self.places
    where place.hasPrefix("/") {
      guard let parent = try? System.open(place, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY) else {
        continue
      }
      if Self.isSafe(parent), MemoryFileSystem.holds(parent) {
        Self.removeAbandoned(in: parent)
        if let made = Self.make(in: parent) {
          (self.parent, self.name, descriptor) = (parent, made.name, made.descriptor)
          path = "\(place)/\(self.name)"
          file = "\(path)/\(fileName)"
          return
        }
      }
      System.close(parent)
    }
    throw TerminalError(
      .noMemoryFileSystem, "there is no file system in memory for the editor's file", .mountMemory)
  }

  /// Whether nobody else can replace a directory in `parent`.
  ///
  /// It must belong to the user alone, or be sticky and root's. Under su(1) and `sudo -E`,
  /// XDG_RUNTIME_DIR belongs to somebody else.
  private static func isSafe(_ parent: Int32) -> Bool {
    guard let status = try? System.status(parent) else { return false }
    if status.permissions & 0o1000 != 0, status.owner == 0 { return true }
    return status.owner == System.effectiveUser && status.permissions & 0o022 == 0
  }

  /// Makes a directory and takes its lock.
  ///
  /// Between the two, another process may find it unlocked and remove it as abandoned; then the
  /// next attempt makes another one.
  private static func make(in parent: Int32) -> (name: String, descriptor: Int32)? {
    for _ in 0..<attempts {
      let name = Self.prefix + AtomicFile.randomSuffix()
      guard (try? System.makeDirectory(name, in: parent, mode: 0o700)) != nil else { continue }
      guard
        let own = try? System.open(name, in: parent, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      else { continue }
      if System.lockDirectory(own), let status = try? System.status(own),
        let there = try? System.status(of: name, in: parent), there.isSameFile(as: status)
      {
        return (name, own)
      }
      System.close(own)
    }
    return nil
  }

  /// A plain name of a file: no folder, no hidden file, nothing that a shell would act on.
  private static func fileName(for text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars.prefix(60) {
      let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      let isKept = isPlain || "._@+".unicodeScalars.contains(scalar) && !name.isEmpty
      name.unicodeScalars.append(isKept ? scalar : "-")
    }
    return name.isEmpty ? "secret" : name
  }

  deinit {
    remove()
    System.close(descriptor)
    System.close(parent)
  }

  /// The descriptor that holds the lock; a process that inherits it keeps the directory alive.
  var lock: Int32 { descriptor }

  /// Writes the file to edit.
  func write(_ text: SecretBytes) throws(System.Failure) {
    let file = try System.open(
      fileName, in: descriptor, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    defer { System.close(file) }
    try text.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
  }

  /// Reads the file, which the editor may have replaced by another one.
  func read(limit: Int) throws -> SecretBytes {
    let file: Int32
    do {
      file = try System.open(
        fileName, in: descriptor, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      throw TerminalError(
        .inputUnreadable, "the editor left no file: \(error.reason); nothing was saved")
    }
    defer { System.close(file) }
    return try SecretInput.read(file, limit: limit)
  }

  /// Overwrites and removes everything; a second call does nothing.
  func remove() {
    guard isThere else { return }
    isThere = false
    Self.empty(descriptor)
    try? System.removeDirectory(name, in: parent)
  }

  private static func empty(_ folder: Int32) {
    // Byte by byte: an editor may give its backup a name that is no UTF-8.
    for name in (try? System.nameBytes(in: folder)) ?? [] {
      if let inner = try? System.open(
        name, in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      {
        empty(inner)
        System.close(inner)
        try? System.removeDirectory(name, in: folder)
        continue
      }
      overwrite(name, in: folder)
      try? System.unlink(name, in: folder)
    }
  }

  private static func overwrite(_ name: [CChar], in folder: Int32) {
    guard
      let file = try? System.open(name, in: folder, flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
    else { return }
    defer { System.close(file) }
    guard let status = try? System.status(file), status.isRegular else { return }
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    for start in stride(from: 0, to: status.size, by: zeros.count) {
      let piece = zeros[..<min(zeros.count, status.size - start)]
      try? piece.withRawSpan { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
    }
  }

  /// Removes the directories of killed processes: those whose lock nobody holds.
  private static func removeAbandoned(in parent: Int32) {
    for name in (try? System.names(in: parent)) ?? []
    where name.hasPrefix(prefix) {
      guard
        let folder = try? System.open(
          name, in: parent, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
        case let status = try? System.status(folder), status?.owner == System.effectiveUser
      else { continue }
      if System.lockDirectory(folder) {
        empty(folder)
        try? System.removeDirectory(name, in: parent)
      }
      System.close(folder)
    }
  }
}
