import Foundation
import Synchronization
import TestSupport
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// A space that some machines have joined, kept as bytes: each schedule of the simulator begins
/// with a copy of it, which costs less than founding and joining.
struct PreparedSpace: Sendable {
  /// A machine: its key, and the files of its home.
  struct Machine: Sendable {
    let key: SecretBytes
    let files: HomeFiles
  }

  /// By whose clock all of them joined.
  static let start: Int64 = 1_790_000_000_000

  /// Items that all of them have, each with its name as its value.
  static let items = ["item0", "item1"]

  let machines: [Machine]
  let contents: MemoryEngine.Contents

  private static let made = Mutex<[Int: PreparedSpace]>([:])

  /// The space of so many machines, of which the first is the admin; made once.
  static func of(_ count: Int) throws -> PreparedSpace {
    if let known = made.withLock({ $0[count] }) { return known }
    let space = try PreparedSpace(count)
    made.withLock { $0[count] = space }
    return space
  }

  private init(_ count: Int) throws {
    let engine = MemoryEngine()
    let time = SyncMachine.TestTime(Self.start)
    let homes = try (0..<count).map {
      try SyncMachine("m\($0)", time, in: TemporaryHome(inMemory: true))
    }
    for name in Self.items { try homes[0].set(name, name) }
    let first = try homes[0].founding(engine)
    let all = try [first] + homes.dropFirst().map { try $0.joining(first, engine) }
    for _ in 0..<2 { for one in all { try one.synchronize() } }
    machines = try homes.map {
      Machine(key: $0.key, files: try HomeFiles(of: $0.home))
    }
    contents = engine.all
  }
}

/// The files of a home, which can be put back.
struct HomeFiles: Sendable {
  private let folders: [String]
  private let files: [(path: String, bytes: [UInt8])]

  init(of home: TemporaryHome) throws {
    let names = FileManager.default.enumerator(atPath: home.path)?.compactMap { $0 as? String }
    var (folders, files): ([String], [(String, [UInt8])]) = ([], [])
    for name in (names ?? []).sorted() {
      let bytes = try? Data(contentsOf: URL(fileURLWithPath: "\(home.path)/\(name)"))
      if let bytes { files.append((name, Array(bytes))) } else { folders.append(name) }
    }
    self.folders = folders
    self.files = files
  }

  /// Writes them into a home.
  ///
  /// - Parameters:
  ///   - home: The home; what it has is removed.
  ///   - isCopied: Whether it is another machine's home now, which does not know this one's id.
  ///   - keepsFolders: Whether the folders stay, as when a disk is put back as it was.
  /// - Throws: What writing throws.
  func put(into home: TemporaryHome, isCopied: Bool = false, keepsFolders: Bool = false) throws {
    if keepsFolders {
      for name in FileManager.default.enumerator(atPath: home.path)?.compactMap({ $0 as? String })
        ?? []
      where (try? System.status(of: "\(home.path)/\(name)", in: AT_FDCWD).isDirectory) == false {
        try FileManager.default.removeItem(atPath: "\(home.path)/\(name)")
      }
    } else {
      for name in home.names() {
        try FileManager.default.removeItem(atPath: "\(home.path)/\(name)")
      }
    }
    for folder in folders
    where (try? System.status(of: "\(home.path)/\(folder)", in: AT_FDCWD)) == nil {
      try System.makeDirectory("\(home.path)/\(folder)", in: AT_FDCWD, mode: 0o700)
    }
    for (path, bytes) in files {
      if isCopied, path.contains("/state/device") { continue }
      let file = try System.open(
        "\(home.path)/\(path)", in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      defer { System.close(file) }
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
    }
  }
}
