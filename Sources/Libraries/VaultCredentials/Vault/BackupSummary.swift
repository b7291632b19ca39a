import Glibc
import VaultSealing
import VaultStorage

/// The contents of a backup.
public struct BackupSummary: Sendable, Equatable {
  /// The path of the file.
  public let path: String
  /// Items whose seal was verified, those in the trash left out.
  public let items: Int
  /// Earlier versions whose seal was verified.
  public let earlierVersions: Int
  /// Bytes of the file.
  public let size: Int

  /// No backup is longer, in bytes.
  package static let maximumSize = BackupFile.maximumLength

  /// Whether the file at a path says that it is a backup.
  ///
  /// - Throws: `StorageError` if it cannot be read.
  package static func isBackup(at path: String) throws -> Bool { try BackupFile.begins(path) }
}
