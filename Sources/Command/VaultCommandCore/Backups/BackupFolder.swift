package import FoundationEssentials
import Glibc
import VaultCredentials
import VaultStorage

/// A folder of backups, each named by its vault and its time:
/// `work-e7241a1a-20261122T201530Z.vault`.
package struct BackupFolder {
  /// The folder's path, without a slash at the end.
  private let path: String

  private static let suffix = "Z.vault"
  private static let timeLength = "20261122T201530".utf8.count

  /// The folder that a path names; `nil` if it names a file.
  ///
  /// A path that ends with a slash is a folder, which is made if it is missing.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create`.
  package init?(_ path: String) throws {
    let trimmed = Self.withoutSlash(path)
    let status = try? System.targetStatus(of: trimmed, in: AT_FDCWD)
    guard status?.isDirectory == true || path.utf8.last == UInt8(ascii: "/") else { return nil }
    self.path = trimmed
    guard status == nil else { return }
    do {
      try System.makeDirectory(trimmed, in: AT_FDCWD, mode: 0o700)
    } catch  where error.errno != EEXIST {
      throw CommandError(
        .cannotCreate, "the folder \(trimmed) cannot be created: \(error.reason)",
        hint: "check that the folder above it exists and can be written")
    } catch {}
  }

  private static func withoutSlash(_ path: String) -> String {
    var trimmed = path
    while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
    return trimmed
  }

  /// The newest backup of a vault in a folder.
  ///
  /// - Parameters:
  ///   - path: A path.
  ///   - name: The vault's name; `nil` for the default vault.
  /// - Returns: The path of the backup; `nil` if `path` is not a folder.
  /// - Throws: ``CommandError`` with code `file-not-found` if the folder holds none, `usage` if it
  ///   holds those of several vaults of this name, `input-unreadable` if one that may be the newest
  ///   cannot be read; `StorageError` where the folder cannot be listed.
  package static func newest(in path: String, ofVault name: String?) throws -> String? {
    guard let status = try? System.targetStatus(of: path, in: AT_FDCWD), status.isDirectory else {
      return nil
    }
    let folder = withoutSlash(path)
    let beginning = "\(name ?? "vault")-"
    let idLength = 8
    var newest: [Substring: String] = [:]
    // The time is written so that names sort by it.
    for file in try names(in: folder, beginning, idLength: idLength + 1).reversed() {
      let id = file.dropFirst(beginning.count).prefix(idLength)
      guard newest[id] == nil, try isBackup("\(folder)/\(file)") else { continue }
      newest[id] = "\(folder)/\(file)"
    }
    guard let first = newest.values.sorted().first else {
      throw CommandError(
        .fileNotFound,
        "\(folder) holds no backup of \(name.map { "the vault '\($0)'" } ?? "the default vault")",
        hint: "name the file: \(ProgramName.current) init --from FILE")
    }
    guard newest.count == 1 else {
      throw CommandError.usage(
        "\(folder) holds backups of \(newest.count) vaults of this name",
        hint: "name the file: \(ProgramName.current) init --from \(Quoting.typed(first))")
    }
    return first
  }

  /// Of one that cannot be read nobody can tell whether it is the newest.
  private static func isBackup(_ path: String) throws -> Bool {
    do {
      return try BackupSummary.isBackup(at: path)
    } catch {
      throw CommandError(
        .inputUnreadable,
        "the newest backup may be one that cannot be read: "
          + ErrorReport(error).message,
        hint: "name another: \(ProgramName.current) init --from FILE")
    }
  }

  /// The names of our form, sorted: a beginning, as much of an id and its dash as is not in that,
  /// the time and the suffix.
  private static func names(
    in folder: String, _ beginning: String, idLength: Int = 0
  ) throws -> [String] {
    let length = beginning.utf8.count + idLength + timeLength + suffix.utf8.count
    do {
      return try UserFile.names(in: folder).filter {
        $0.utf8.count == length && $0.begins(with: beginning) && $0.ends(with: suffix)
      }
    } catch {
      throw Directory.failure(error, "list", folder)
    }
  }

  /// How the names of a vault's backups begin; the id tells apart vaults of one name.
  package static func stem(_ name: String?, id: String) -> String {
    "\(name ?? "vault")-\(id.prefix(8))-"
  }

  /// The path of a backup that is made at a time.
  package func path(of stem: String, at time: Date) -> String {
    let time = Timestamp.text(time).utf8.filter {
      $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":")
    }
    let folder = path == "/" ? "" : path
    return "\(folder)/\(stem)\(String(decoding: time.dropLast(), as: UTF8.self))\(Self.suffix)"
  }

  /// Removes all but the newest backups of a vault.
  ///
  /// Only files that are named as ours and begin as backups do; of one that cannot be read, nobody
  /// can tell, and nothing is removed.
  ///
  /// - Returns: The paths of those that were removed, oldest first.
  /// - Throws: ``CommandError`` with code `input-output`.
  package func prune(_ stem: String, keeping count: Int) throws -> [String] {
    let names: [String]
    do {
      names = try Self.names(in: path, stem).filter {
        try BackupSummary.isBackup(at: "\(path)/\($0)")
      }
    } catch {
      throw CommandError(
        .inputOutput,
        "the new backup is written, but no old one is removed: \(ErrorReport(error).message)")
    }
    var removed: [String] = []
    // The time is written so that names sort by it.
    for name in names.dropLast(count) {
      let file = "\(path)/\(name)"
      do {
        try System.unlink(file, in: AT_FDCWD)
      } catch {
        throw CommandError(
          .inputOutput, "the new backup is written, but \(file) cannot be removed: \(error.reason)")
      }
      removed.append(file)
    }
    return removed
  }
}
