import Glibc
import VaultSealing
import VaultStorage

/// A vault file and the history blobs that its index names, in one file.
///
/// Documentation/design/file-format.md, section 7. Everything in it is sealed already; the checksum
/// tells damage.
package struct BackupFile {
  static let magic: [UInt8] = [0x89, 0x56, 0x4C, 0x54, 0x42, 0x0D, 0x0A, 0x1A]
  static let version: UInt16 = 1
  /// The vault file, and as much again of history as may be kept.
  static let maximumLength = VaultHeader.maximumFile + (512 << 20)

  /// The vault file.
  package var vault: [UInt8]
  /// Sealed blobs, by their BLAKE2b-128.
  var blobs: [[UInt8]: [UInt8]]

  /// Whether a file begins as a backup does; nothing else of it is read.
  ///
  /// - Returns: `false` if there is no file.
  /// - Throws: `StorageError` if there is one that cannot be read, or a link that leads nowhere, of
  ///   which nobody can tell.
  static func begins(_ path: String) throws -> Bool {
    do {
      guard try System.targetStatus(of: path, in: AT_FDCWD).isRegular else { return false }
      let file = try System.open(
        path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
      defer { System.close(file) }
      let start = try SecretBytes(capacity: magic.count) { try System.read(file, filling: &$0) }
      return start.withBytes { $0.array(0..<$0.byteCount) } == magic
    } catch let error as System.Failure {
      let isThere = (try? System.status(of: path, in: AT_FDCWD)) != nil
      if error.errno == ENOENT, !isThere { return false }
      throw Directory.failure(error, "read", path)
    }
  }

  init(vault: [UInt8], blobs: [[UInt8]: [UInt8]]) {
    self.vault = vault
    self.blobs = blobs
  }

  func encoded() throws -> [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.magic)
    writer.put(Self.version)
    writer.put(UInt64(vault.count))
    writer.put(vault)
    writer.put(UInt32(blobs.count))
    for (hash, sealed) in blobs.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      writer.put(hash)
      writer.put(UInt32(sealed.count))
      writer.put(sealed)
    }
    return writer.bytes + (try Hash.blake2b(writer.bytes))
  }

  /// Decodes a backup.
  ///
  /// - Throws: ``CredentialError`` with code `.damaged` or `.newerVersion`; `.invalidValue` for a vault
  ///   file.
  package init(decoding bytes: [UInt8]) throws {
    let end = bytes.count - 32
    guard !bytes.starts(with: VaultHeader.magic) else {
      throw CredentialError(.invalidValue, "this is a vault file, not a backup")
    }
    guard !bytes.isEmpty else { throw Self.damaged("the file is empty") }
    // What is shorter may be the beginning of one.
    guard Self.magic.starts(with: bytes.prefix(Self.magic.count)) else {
      throw CredentialError(
        .damaged, "this is not a backup, or its beginning is damaged",
        hint: "name the file that a backup was written to, or another copy of it")
    }
    guard end > Self.magic.count else { throw Self.damaged("it ends too early") }
    guard try bytes[..<end].withRawSpan({ try Hash.blake2b($0) }) == Array(bytes[end...]) else {
      throw Self.damaged("its checksum does not match")
    }
    do {
      (vault, blobs) = try bytes[..<end].withRawSpan { try Self.parts(of: $0) }
    } catch let error as FormatError {
      throw Self.damaged("it cannot be read", underlying: error)
    }
    for (hash, sealed) in blobs
    where try Hash.blake2b(sealed, count: ItemRecord.hashLength) != hash {
      throw Self.damaged("an earlier version in it was changed")
    }
  }

  /// The version that a backup says, also one that is not known here, and the vault file in it.
  ///
  /// - Returns: The version; the vault file if the version is known.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  static func version(of file: [UInt8]) throws -> (version: UInt16, vault: [UInt8]?) {
    let end = file.count - 32
    guard file.starts(with: magic), end >= magic.count + 2,
      try file[..<end].withRawSpan({ try Hash.blake2b($0) }) == Array(file[end...])
    else { throw damaged("its checksum does not match") }
    do {
      return try file[..<end].withRawSpan { span in
        var cursor = ByteCursor(at: magic.count)
        let found = try cursor.u16(in: span)
        return (found, found == version ? try parts(of: span).vault : nil)
      }
    } catch let error as FormatError {
      throw damaged("it cannot be read", underlying: error)
    }
  }

  private static func parts(
    of bytes: RawSpan
  ) throws -> (vault: [UInt8], blobs: [[UInt8]: [UInt8]]) {
    var cursor = ByteCursor(at: magic.count)
    guard try cursor.u16(in: bytes) == version else {
      throw CredentialError(
        .newerVersion, "the backup was written by a newer version",
        hint: "install a newer version of this software to restore it")
    }
    let length = try cursor.u64(in: bytes)
    guard length <= UInt64(VaultHeader.maximumFile) else {
      throw FormatError.tooLong(at: cursor.offset)
    }
    let vault = try cursor.array(Int(length), in: bytes)
    var blobs: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<(try cursor.u32(in: bytes)) {
      let hash = try cursor.array(ItemRecord.hashLength, in: bytes)
      blobs[hash] = try cursor.array(Int(cursor.u32(in: bytes)), in: bytes)
    }
    guard cursor.offset == bytes.byteCount else {
      throw FormatError.notCanonical("bytes after the blobs", at: cursor.offset)
    }
    return (vault, blobs)
  }

  private static func damaged(
    _ why: String, underlying: (any Error)? = nil
  ) -> CredentialError {
    CredentialError(
      .damaged, "the backup is damaged: \(why)", hint: "use another copy of it",
      underlying: underlying)
  }
}
