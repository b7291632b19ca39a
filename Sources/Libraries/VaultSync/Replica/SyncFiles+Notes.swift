import VaultCredentials
import VaultSealing
import VaultStorage

extension SyncFiles {
  private var notesName: String { name + ".notes" }
  private var automaticName: String { name + ".auto" }
  private var readerName: String { name + ".reader" }

  /// Whether this machine remembers a space.
  var isJoined: Bool { System.isThere("\(folder)/\(name)") }

  /// Whether this machine only reads the space.
  var isReader: Bool { System.isThere("\(folder)/\(readerName)") }

  /// Whether this machine follows a feed.
  var followsFeed: Bool {
    guard isReader, let text = try? read(readerName, limit: 16) else { return false }
    return text == Self.feedWord
  }

  private static let feedWord = Array("feed\n".utf8)

  /// Notes whether this machine only reads the space, perhaps by a feed; a run does not fail because of
  /// that.
  func setReader(_ isReader: Bool, byFeed: Bool = false) {
    guard isReader != self.isReader || byFeed != followsFeed,
      let directory = try? Directory(folder)
    else { return }
    if isReader {
      try? AtomicFile.replace(readerName, in: directory, with: byFeed ? Self.feedWord : [])
    } else {
      try? directory.remove(readerName)
    }
  }

  /// What the runs before met; nothing where that cannot be read.
  package func notes() -> SyncNotes {
    guard let bytes = try? read(notesName, limit: 1 << 20) else { return SyncNotes() }
    return SyncNotes(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Writes down what a run met; a run does not fail because of that.
  package func replace(_ notes: SyncNotes) {
    guard let directory = try? Directory(folder) else { return }
    if notes == SyncNotes() {
      try? directory.remove(notesName)
    } else {
      try? AtomicFile.replace(
        notesName, in: directory, isDurable: false
      ) { try $0.write(Array(notes.text.utf8)) }
    }
  }

  /// Whether changes are to be brought to the store by themselves.
  package var isAutomatic: Bool { System.isThere("\(folder)/\(automaticName)") }

  /// The preference domains whose changes are to be brought to the store by themselves; `nil` where
  /// that is switched off.
  var automaticDomains: Set<String>? {
    // One look where it is switched off, which is before each change of a preference.
    guard isAutomatic, let bytes = try? read(automaticName, limit: 1 << 20) else { return nil }
    return Set(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
  }

  /// Switches it on for the vault and for domains, or off.
  ///
  /// The names stand there in plain text, as they do in the store of the preferences: whoever
  /// changes one need not open the vault.
  func setAutomatic(_ domains: [String]?) throws {
    try Self.reached {
      let directory = try Directory(folder)
      guard let domains else { return try directory.remove(automaticName) }
      try AtomicFile.replace(
        automaticName, in: directory, with: Array(domains.map { $0 + "\n" }.joined().utf8))
    }
  }

  /// Whether the vault file was written after what this machine remembers of its space.
  package var isVaultNewer: Bool {
    guard let vault = System.changed("\(folder)/\(name.dropLast(".sync".count))"),
      let state = System.changed("\(folder)/\(name)")
    else { return false }
    return vault > state
  }

  /// Runs `body` unless another run waits to do the same: a burst of changes needs one run.
  ///
  /// - Parameters:
  ///   - path: The vault file's path.
  ///   - pause: How long to wait for further changes first.
  ///   - body: Brings the changes to the store.
  /// - Returns: What `body` returns; `nil` where another run will do it.
  /// - Throws: What `body` throws; ``SyncError`` with code `.inputOutput`.
  package static func alone<Result>(
    vaultAt path: String, pause: () -> Void, _ body: () throws -> Result
  ) throws -> Result? {
    guard let turn = try SyncFiles(vault: path).turn() else { return nil }
    // From here on a change needs another run, which begins to wait now.
    withExtendedLifetime(turn) { pause() }
    return try body()
  }

  /// The turn to wait for further changes; `nil` if another process has it.
  private func turn() throws -> FileLock? {
    do throws(StorageError) {
      return try FileLock("\(name).turn", in: Directory(folder), timeout: .zero)
    } catch  where error.code == .busy {
      return nil
    } catch {
      throw SyncError(.inputOutput, error.message)
    }
  }

  /// Removes what is written down about runs.
  func removeNotes() throws {
    try Self.reached {
      let directory = try Directory(folder)
      for name in [notesName, automaticName, readerName] { try directory.remove(name) }
    }
  }
}

extension System {
  /// Whether a path is there.
  fileprivate static func isThere(_ path: String) -> Bool { changed(path) != nil }

  /// When a file was written last, in nanoseconds; `nil` if it is not there.
  fileprivate static func changed(_ path: String) -> Int64? {
    (try? targetStatus(of: path, in: LogFlags.noFolder))?.changed
  }
}
