import VaultStorage

/// What a file of this software needs, and whether this program can read and write it.
///
/// Nothing is opened: no key is asked for, and nothing is written.
package struct FileRequirement: Equatable, Sendable {
  /// What the file is.
  package enum Kind: String, Sendable {
    case vault, backup, store
  }

  /// What the file is.
  package let kind: Kind
  /// The version of its format, or those of the parts of a store: `preferences 1.3`.
  package let formats: [String]
  /// Whether this program can read it.
  package let canRead: Bool
  /// Whether this program can change it; a backup, restore it.
  package let canWrite: Bool

  /// The first version of the program that reads and writes the formats known here.
  package static let firstProgram = "0.1.0"

  /// Looks at a file.
  ///
  /// - Parameter path: A vault, a backup, or the store beside a vault.
  /// - Throws: ``CredentialError`` with code `.fileNotFound`, `.permissionDenied`, `.inputOutput`,
  ///   `.damaged`; `.invalidValue` for a file of another kind.
  package init(of path: String) throws {
    let bytes = try OutsideFile.read(path, limit: BackupFile.maximumLength)
    if bytes.starts(with: VaultHeader.magic) {
      try self.init(vault: bytes)
    } else if bytes.starts(with: BackupFile.magic) {
      try self.init(backup: bytes)
    } else if Self.isStore(bytes) {
      try self.init(store: path)
    } else {
      throw CredentialError(
        .invalidValue, "\(path) is neither a vault, nor a backup, nor the store beside a vault",
        hint: "name such a file; an application's store is looked at by the verbs for data")
    }
  }

  private init(_ kind: Kind, _ formats: [String], canRead: Bool, canWrite: Bool) {
    self.kind = kind
    self.formats = formats
    self.canRead = canRead
    self.canWrite = canWrite
  }

  private init(vault bytes: [UInt8]) throws {
    let found = try VaultHeader.version(of: bytes)
    let canRead = found.major == VaultHeader.major && found.features & 0xFFFF_FFFF == 0
    self.init(
      .vault, ["\(found.major).\(found.minor)"], canRead: canRead,
      canWrite: canRead && found.minor <= VaultHeader.minor)
  }

  /// A backup needs what it needs, and what the vault in it needs.
  private init(backup bytes: [UInt8]) throws {
    let found = try BackupFile.version(of: bytes)
    guard let vault = found.vault else {
      self.init(.backup, ["\(found.version)"], canRead: false, canWrite: false)
      return
    }
    let inside = try FileRequirement(vault: vault)
    self.init(
      .backup, ["\(found.version)", "vault \(inside.formats[0])"], canRead: inside.canRead,
      canWrite: inside.canWrite)
  }

  /// sqlite.org/fileformat2.html#the_database_header.
  private static func isStore(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      return false
    }
    return bytes[68..<72].reduce(0) { $0 << 8 | Int64($1) } == Store.applicationID
  }

  /// A newer minor version only adds to a store; another major version is for other programs.
  private init(store path: String) throws {
    let connection: SQLiteConnection
    do {
      connection = try SQLiteConnection(path: path, mode: .readOnly)
    } catch {
      connection = try SQLiteConnection(path: path, mode: .immutable)
    }
    connection.ignoreTriggersAndViews()
    var formats: [String] = []
    var isKnown = true
    let rows = try connection.cached("SELECT name, major, minor FROM modules ORDER BY name")
    defer { rows.reset() }
    while try rows.step() {
      let (name, major) = (rows.string(at: 0), rows.int(at: 1))
      formats.append("\(Quoting.visible(name)) \(major).\(rows.int(at: 2))")
      let known = ModuleSchema.all.first { $0.name.isSame(as: name) }
      isKnown = isKnown && known.map { $0.major == major } ?? true
    }
    self.init(.store, formats, canRead: isKnown, canWrite: isKnown)
  }
}
