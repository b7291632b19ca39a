import Glibc
import VaultSealing
import VaultStorage

/// What a backup holds.
public struct BackupSummary: Sendable, Equatable {
  /// Where it lies.
  public let path: String
  /// Items whose seal was verified, those in the trash left out.
  public let items: Int
  /// Earlier versions whose seal was verified.
  public let earlierVersions: Int
  /// Bytes of the file.
  public let size: Int

  /// Whether the file at a path says that it is a backup.
  package static func isBackup(at path: String) -> Bool { BackupFile.begins(path) }
}
