import VaultSealing
import VaultStorage

/// The files of one vault: the sealed file, its lock, and what this machine saw last.
struct VaultFolder: Sendable {
  let location: StoreLocation
  let name: String?
  /// The vault file's path, as the location says it.
  let path: String
  /// Where the vault file is: at the end of symbolic links, so that a change goes to what they lead
  /// to, and all who reach it use one lock.
  private let folder: String
  private let file: String
  private let lockFile: String
  /// A name for the path, since one state folder may serve several places.
  private let placeName: String
  /// Which vault is here.
  private var placeFile: String { placeName + Self.placeEnding }
  private static let placeEnding = ".place"

  init(location: StoreLocation, name: String?) throws {
    self.location = location
    self.name = name
    var place = try CredentialError.fromStorage { try location.vaultFile(named: name) }
    let path = "\(place.directory)/\(place.name)"
    self.path = path
    placeName = Hexadecimal.text(try Hash.blake2b(Array(path.utf8), count: 16))
    if System.linkTarget(path) != nil {
      // Other files of the vault lie where the link is, so that folder has to be safe, too.
      _ = try CredentialError.fromStorage { [place] in try Directory(place.directory) }
      let end = try CredentialError.fromStorage { try Directory.end(ofOwnLinks: path) }
      let file = FileLocation(path: end)
      place = (file.directoryPath, file.name)
    }
    (folder, file) = place
    lockFile = try CredentialError.fromStorage { try location.lockName(forVault: name) }
  }

  /// Where the vault file is, at the end of links: to be watched.
  var place: (folder: String, name: String) { (folder, file) }

  /// Whether vaults with a name are kept here.
  var hasNamedVaults: Bool {
    let names = try? Directory("\(location.data)/secrets").names()
    return names?.contains { $0.hasSuffix(".vault") } ?? false
  }

  /// Opens the vault file and reads its header; `nil` if there is none.
  ///
  /// No lock is needed: a rename gives a reader one whole file. What else of it is wanted is read
  /// later, from the file that was opened.
  func read() throws -> VaultFile? {
    let (descriptor, status): (Int32, System.FileStatus)
    do {
      (descriptor, status) = try Directory(folder).openForReading(file, acceptingPrevious: true)
    } catch {
      if error.code == .notFound { return nil }
      throw CredentialError(error)
    }
    return try VaultFile(
      VaultFileBytes(descriptor: descriptor, count: status.size), identity: Self.identity(status))
  }

  /// Reads the generation before; `nil` if there is none, or it is no vault file.
  func readPrevious() throws -> VaultFile? {
    let path = "\(folder)/\(AtomicFile.previousName(of: file))"
    guard let directory = try? Directory(folder),
      let there = try? directory.contains(AtomicFile.previousName(of: file)), there
    else { return nil }
    let bytes = try OutsideFile.read(path, limit: VaultHeader.maximumFile)
    return try? VaultFile(bytes: bytes)
  }

  /// Calls `body` after each change of the vault file, until the watch is stopped.
  ///
  /// - Parameters:
  ///   - interval: How often to look, in place of being told; `nil` as the file system wants it.
  ///   - body: What to do then.
  /// - Returns: The watch.
  /// - Throws: `StorageError` if the folder cannot be watched.
  func watch(
    polling interval: Duration?, _ body: @escaping @Sendable () -> Void
  ) throws(StorageError) -> FileSignal.Watch {
    try FileSignal.watch(file, in: folder, polling: interval, body)
  }

  /// Which file stands under the vault's name now; `nil` if that cannot be told.
  func identity() -> FileIdentity? {
    guard let directory = try? Directory(folder),
      let status = try? System.status(of: file, in: directory.descriptor)
    else { return nil }
    return Self.identity(status)
  }

  private static func identity(_ status: System.FileStatus) -> FileIdentity {
    FileIdentity(
      device: status.device, inode: status.inode, size: status.size, changed: status.changed)
  }

  /// Whether there is a vault file, readable or not.
  func exists() throws -> Bool {
    do {
      return try Directory(folder).contains(file)
    } catch {
      if error.code == .notFound { return false }
      throw CredentialError(error)
    }
  }

  /// Runs `body` with the writers' lock; removes what a killed writer left first.
  func locked<Result>(timeout: Duration, _ body: (Directory) throws -> Result) throws -> Result {
    try CredentialError.fromStorage {
      let directory = try Directory(folder, create: true)
      let lock = try FileLock(lockFile, in: directory, timeout: timeout)
      defer { withExtendedLifetime(lock) {} }
      let files = [file, purgeFile]
      try AtomicFile.removeStale(in: directory) { files.contains($0) }
      return try body(directory)
    }
  }

  /// The lock of whoever changes copies in the keyring; taken before the writers' lock, never while
  /// that is held.
  func copiesLock(timeout: Duration) throws -> FileLock {
    try CredentialError.fromStorage {
      try FileLock(
        location.copiesLockName(forVault: name), in: Directory(folder, create: true),
        timeout: timeout)
    }
  }

  /// Replaces the vault file; the caller holds the lock.
  func replace(_ bytes: [UInt8], in directory: Directory, keepingPrevious: Bool) throws {
    try CredentialError.fromStorage {
      try AtomicFile.replace(
        file, in: directory, keepingPrevious: keepingPrevious, with: bytes)
    }
  }

  /// Keeps the bytes of a damaged vault file beside it; the caller holds the lock.
  ///
  /// - Returns: The path.
  func keepDamaged(_ bytes: [UInt8], in directory: Directory) throws -> String {
    try CredentialError.fromStorage {
      try AtomicFile.replace(damagedName, in: directory, with: bytes)
      return "\(folder)/\(damagedName)"
    }
  }

  /// Removes the vault file; the caller holds the lock.
  func removeFile(in directory: Directory) throws {
    try CredentialError.fromStorage { try directory.remove(file) }
  }

  private var damagedName: String { "\(file).damaged" }

  /// Removes the generation before and a damaged file that was kept, which hold what was purged or
  /// sealed under an old key.
  func removePrevious(in directory: Directory) throws {
    try CredentialError.fromStorage {
      try directory.remove(AtomicFile.previousName(of: file))
      try directory.remove(damagedName)
      // Of before the file was put elsewhere, with a link in its place.
      let link = FileLocation(path: path)
      guard (link.directoryPath, link.name) != (folder, file) else { return }
      let beside = try Directory(link.directoryPath)
      try beside.remove(AtomicFile.previousName(of: link.name))
      try beside.remove("\(link.name).damaged")
    }
  }

  // MARK: What is to go for good

  private var purgeFile: String { "\(file).purge" }

  /// Whether a purge was killed, or is under way.
  func hasPurgeMark() -> Bool {
    guard let directory = try? Directory(folder) else { return false }
    return (try? directory.contains(purgeFile)) ?? false
  }

  /// What a purge that was killed has noted; `nil` if there is none, or it is no such note.
  func purgeMark(in directory: Directory) throws -> PurgeMark? {
    try CredentialError.fromStorage {
      guard try directory.contains(purgeFile) else { return nil }
      return PurgeMark(decoding: try directory.read(purgeFile, limit: VaultHeader.maximumFile))
    }
  }

  /// Notes what is to go, durably.
  func write(_ mark: PurgeMark, in directory: Directory) throws {
    try CredentialError.fromStorage {
      try AtomicFile.replace(purgeFile, in: directory, with: mark.encoded())
    }
  }

  func removePurgeMark(in directory: Directory) throws {
    try CredentialError.fromStorage { try directory.remove(purgeFile) }
  }

  // MARK: What this machine knows

  /// The last-seen record's bytes, or `nil` if there is none.
  func lastSeen(vaultID: [UInt8]) throws -> [UInt8]? { try seen(vaultID: vaultID).record }

  /// The last-seen record's bytes, and the id of the vault that was in this place: `nil` where
  /// there is none.
  func seen(vaultID: [UInt8]) throws -> (record: [UInt8]?, vaultHere: [UInt8]?) {
    let directory: Directory
    do {
      directory = try Directory(location.state)
    } catch {
      if error.code == .notFound { return (nil, nil) }
      throw CredentialError(error)
    }
    let here = try Self.small(placeFile, in: directory)
    let own = try Self.small(ownSeenFile(vaultID), in: directory)
    // An empty one was made by a restore, which cannot open the vault.
    let record =
      try own.map { $0.isEmpty ? nil : $0 } ?? Self.small(seenFile(vaultID), in: directory)
    return (record, here?.count == 16 ? here : nil)
  }

  private static func small(_ name: String, in directory: Directory) throws -> [UInt8]? {
    do {
      return try directory.read(name, limit: 4096)
    } catch {
      switch error.code {
      case .notFound: return nil
      // Nothing of ours is so long.
      case .tooLarge: return []
      default: throw CredentialError(error)
      }
    }
  }

  /// Records what was seen.
  ///
  /// Written aside and renamed, not synced: a record that is too old, or that a power cut left
  /// empty, only makes the check weaker for a moment.
  func record(_ seen: LastSeen, key: SecretBytes) throws {
    let bytes = try seen.encoded(key: key)
    try CredentialError.fromStorage {
      let directory = try Directory(location.state, create: true)
      let own = ownSeenFile(seen.vaultID)
      let file = try directory.contains(own) ? own : seenFile(seen.vaultID)
      try AtomicFile.replace(file, in: directory, isDurable: false, with: bytes)
      if try Self.small(placeFile, in: directory) != seen.vaultID {
        try AtomicFile.replace(placeFile, in: directory, isDurable: false, with: seen.vaultID)
      }
    }
  }

  /// Records when the vault was backed up; it is not sealed, so that a monitor can read it.
  ///
  /// - Parameters:
  ///   - vaultID: The vault.
  ///   - time: In milliseconds since 1970.
  /// - Throws: `StorageError` if it cannot be written.
  func recordBackup(vaultID: [UInt8], at time: Int64) throws {
    let directory = try Directory(location.state, create: true)
    try AtomicFile.replace(
      backupFile(vaultID), in: directory, isDurable: false, with: Array("\(time)\n".utf8))
  }

  /// When the vault was last backed up on this machine, in milliseconds since 1970.
  func lastBackup(vaultID: [UInt8]) -> Int64? {
    guard let directory = try? Directory(location.state),
      let bytes = try? directory.read(backupFile(vaultID), limit: 64)
    else { return nil }
    return Int64(String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self))
  }

  private func backupFile(_ vaultID: [UInt8]) -> String { Hexadecimal.text(vaultID) + ".backup" }

  /// Forgets which vault was in this place, before another one is put there on purpose.
  func forgetPlace() throws {
    try CredentialError.fromStorage {
      do {
        try Directory(location.state).remove(placeFile)
      } catch let error as StorageError where error.code == .notFound {
        return
      }
    }
  }

  /// Keeps a record of its own for a vault that is about to be restored here, if it lies in another
  /// place, too: the two go on apart from each other.
  ///
  /// - Parameter vaultID: The vault.
  /// - Throws: ``CredentialError``.
  func separateFromOtherPlaces(vaultID: [UInt8]) throws {
    try CredentialError.fromStorage {
      let directory = try Directory(location.state, create: true)
      let isElsewhere = try directory.names().contains { name in
        try name.hasSuffix(Self.placeEnding) && name != placeFile
          && Self.small(name, in: directory) == vaultID
      }
      guard isElsewhere else { return }
      try AtomicFile.replace(ownSeenFile(vaultID), in: directory, isDurable: false, with: [])
    }
  }

  /// Makes the vault's directory durable, before a generation of somebody else's is recorded.
  func syncDirectory() throws {
    try CredentialError.fromStorage { try Directory(folder).sync() }
  }

  /// This machine's random id, made on first use.
  ///
  /// It does not travel: a home that was copied to another machine, or that two machines share,
  /// gets an id for each.
  func device() throws -> [UInt8] {
    let name = try Self.deviceFile()
    return try CredentialError.fromStorage {
      let directory = try Directory(location.state, create: true)
      if let id = try Self.id(in: name, directory) { return id }
      if name != Self.deviceOfNoMachine, try !directory.names().contains(where: Self.isDeviceFile) {
        // Earlier versions never found the machine's id. What they wrote is this machine's, which
        // is a member of its spaces by that id; another process may be renaming it, too.
        try? System.rename(Self.deviceOfNoMachine, to: name, in: directory.descriptor)
        for name in [name, Self.deviceOfNoMachine] {
          if let id = try Self.id(in: name, directory) { return id }
        }
      }
      let id = RandomBytes.bytes(count: 16)
      try AtomicFile.replace(name, in: directory, isDurable: false, with: id)
      return id
    }
  }

  private static func id(
    in name: String, _ directory: Directory
  ) throws(StorageError) -> [UInt8]? {
    guard try directory.contains(name) else { return nil }
    let bytes = try directory.read(name, limit: 4096)
    return bytes.count == 16 ? bytes : nil
  }

  /// The file with the id of a machine that has none of its own.
  private static let deviceOfNoMachine = "device"

  private static func isDeviceFile(_ name: String) -> Bool { name.hasPrefix("device-") }

  /// The name of the file with this machine's id: a hash of the machine's own, which is
  /// confidential.
  private static func deviceFile() throws -> String {
    guard let machine = MachineIdentity.digits else { return deviceOfNoMachine }
    let hash = try Hash.blake2b(Array("VLT1/device".utf8) + Array(machine.utf8), count: 16)
    return "device-\(Hexadecimal.text(Array(hash.prefix(8))))"
  }

  private func seenFile(_ vaultID: [UInt8]) -> String { Hexadecimal.text(vaultID) + ".seen" }

  /// How the names of files begin that note slots whose keys are put into the keyring or taken out.
  func slotPrefix(_ vaultID: [UInt8]) -> String { "\(Hexadecimal.text(vaultID))-\(placeName)-" }

  /// The record of a vault that was restored here beside another file of it.
  private func ownSeenFile(_ vaultID: [UInt8]) -> String {
    "\(Hexadecimal.text(vaultID))-\(placeName).seen"
  }
}
