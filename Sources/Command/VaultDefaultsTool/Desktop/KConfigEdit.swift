import Glibc
import VaultPreferences
import VaultStorage

/// The one change of KConfig's files that its own programs cannot make: a key that is deleted, and
/// that a weaker file has, gets the mark `key[$d]`, which hides that one's value for good.
///
/// The adversary is a program of the desktop's that writes the file meanwhile: it is changed under
/// the lock that KConfig takes, and replaced as a whole.
enum KConfigEdit {
  /// How long another program's lock is waited for.
  private static let patience = Duration.seconds(10)

  /// Removes the marks of a key.
  ///
  /// - Parameters:
  ///   - key: The key, without escapes.
  ///   - group: Its group, as a domain has it.
  ///   - path: The file; where there is none, there is nothing to do.
  /// - Throws: ``System/Failure``.
  static func removeDeletion(of key: String, in group: String, at path: String) throws {
    guard let bytes = try present(path), without(key, group, bytes) != bytes else { return }
    let target = try UserFile.target(of: path)
    let lock = try lock("\(target).lock")
    defer { try? System.unlink(lock, in: AT_FDCWD) }
    guard let bytes = try present(target) else { return }
    let changed = without(key, group, bytes)
    if changed != bytes { try UserFile.replace(target, with: changed, mode: 0o600) }
  }

  private static func present(_ path: String) throws -> [UInt8]? {
    guard UserFile.exists(path) else { return nil }
    return try UserFile.bytes(ofRegular: path, limit: 16 << 20)
  }

  /// A file's bytes without the lines that delete a key.
  private static func without(_ key: String, _ group: String, _ bytes: [UInt8]) -> [UInt8] {
    var current: String? = ""
    var kept: [[UInt8]] = []
    for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
      let line = Array(line)
      if !isDeletion(of: key, in: group, line, &current) { kept.append(line) }
    }
    return Array(kept.joined(separator: [0x0a]))
  }

  /// Whether a line deletes a key of a group; a line with the name of a group begins it.
  private static func isDeletion(
    of key: String, in group: String, _ line: [UInt8], _ current: inout String?
  ) -> Bool {
    let text = KeyFile.trimmed(KConfigSource.escaped(line))
    if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
      let name = String(text.dropFirst().dropLast())
      current = KConfigSource.name(ofGroup: name.substituting("][$i", with: ""))
      return false
    }
    guard text.utf8.first != UInt8(ascii: "#"), let name = current, name.isSame(as: group) else {
      return false
    }
    let word = KeyFile.trimmed(text.halves(at: "=").map { String($0.before) } ?? String(text))
    guard let (found, flags) = KConfigSource.entry(String(word)) else { return false }
    return flags.deletes && found.isSame(as: key)
  }

  /// Takes the lock of Qt's `QLockFile`: a file that nobody else has made, with the process, its
  /// program and the host, so that others see when its holder is gone.
  private static func lock(_ path: String) throws -> String {
    let end = ContinuousClock.now + patience
    while try !isTaken(path) {
      guard ContinuousClock.now < end else { throw System.Failure(errno: EAGAIN) }
      usleep(20_000)
    }
    return path
  }

  private static func isTaken(_ path: String) throws(System.Failure) -> Bool {
    let program = System.linkTarget("/proc/self/exe").map { String(decoding: $0, as: UTF8.self) }
    let name = (program ?? "").parts(at: "/").last.map(String.init) ?? "vault"
    let text = "\(getpid())\n\(name)\n\(HostIdentity.hostName())\n"
    do {
      try UserFile.make(path, with: Array(text.utf8), mode: 0o644)
    } catch {
      guard error.errno == EEXIST else { throw error }
      return false
    }
    return true
  }
}
