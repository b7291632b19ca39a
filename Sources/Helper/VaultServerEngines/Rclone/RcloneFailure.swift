import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// What a run of rclone says when it fails.
struct RcloneFailure {
  private let result: ChildProgram.Captured
  private let remote: String

  init(_ result: ChildProgram.Captured, remote: String) {
    self.result = result
    self.remote = remote
  }

  private struct Kind {
    let signs: [String]
    /// Statuses of HTTP that mean the same.
    var statuses: [Int] = []
    let code: SyncError.Code
    let message: String
    let hint: String
  }

  /// The first that fits is taken; the signs are words of rclone, of Go, and of storages.
  private static let kinds = [
    Kind(
      signs: ["didn't find section in config file", "didn't find backend called"],
      code: .notPrepared, message: "rclone has no such remote in its configuration",
      hint: "see 'rclone listremotes' and 'rclone config file', for this user"),
    Kind(
      signs: [
        "unable to decrypt configuration", "Couldn't decrypt configuration",
        "password command", "RCLONE_CONFIG_PASS", "Failed to load config file",
      ], code: .unavailable,
      message: "rclone's configuration cannot be read, or is sealed and nothing at hand opens it",
      hint: "name a program that writes its password: RCLONE_PASSWORD_COMMAND"),
    Kind(
      signs: ["unknown flag"], code: .unavailable, message: "this rclone is too old",
      hint: "install rclone 1.60 or later"),
    Kind(
      signs: ["x509:", "certificate"], code: .unavailable,
      message: "the remote shows a certificate that is not trusted",
      hint: "have its roots in the system's, or in the file that RCLONE_CA_CERT names"),
    Kind(
      signs: [
        "Unauthorized", "InvalidAccessKeyId", "SignatureDoesNotMatch", "invalid_grant",
        "InvalidToken", "ExpiredToken", "token expired", "empty token found",
        "fetch token", "unable to authenticate", "authError", "invalid_client",
      ], statuses: [401], code: .unavailable, message: "the remote refused the credentials",
      hint: "they are in rclone's configuration: rclone config reconnect, or rclone config"),
    Kind(
      signs: [
        "nsufficient storage", "nsufficient Storage", "uotaExceeded", "quota exceeded",
        "no space left", "QuotaExceeded", "nsufficient space", "insufficient_space",
      ], statuses: [507], code: .unavailable, message: "the remote is full: it takes nothing more",
      hint: "make room there, or move to another store"),
    Kind(
      signs: ["ateLimitExceeded", "SlowDown", "oo many requests", "Too Many Requests"],
      statuses: [429], code: .unavailable, message: "the remote takes no more requests for now",
      hint: "try again later"),
    Kind(
      signs: [
        "Forbidden", "AccessDenied", "permission denied", "insufficientPermissions",
        "read-only file system", "is read only", "not permitted", "Method Not Allowed",
      ], statuses: [403, 405], code: .notAllowed, message: "the remote does not allow that",
      hint: "this user, key or token may not do it there: also a machine that only reads the space "
        + "writes that it is there"),
    Kind(
      signs: [
        "no such host", "connection refused", "i/o timeout", "network is unreachable",
        "no route to host", "connection reset", "EOF", "TLS handshake", "deadline exceeded",
        "server misbehaving",
      ], code: .unavailable, message: "the remote cannot be reached", hint: "try again later"),
    Kind(
      signs: ["corrupted on transfer"], code: .unavailable,
      message: "the remote gave or took something else than what was sent",
      hint: "try again; if it stays so, another store is safer"),
  ]

  /// The exit status for a folder that is not there: rclone.org/docs, "Exit Code".
  static let folderMissing: Int32 = 3
  /// That, and the one for a file.
  static let missingStatuses: Set<Int32> = [folderMissing, 4]

  /// Whether a file was there that must not be replaced.
  var isTaken: Bool {
    result.ending == nil && text.contains(bytes: "immutable file modified")
      && !text.split(separator: "\n").contains { line in
        line.contains(bytes: " ERROR ") && !line.contains(bytes: "immutable file modified")
          && !line.contains(bytes: "retr")
      }
  }

  /// Whether a file had another size or sum than what was sent.
  var isCorrupted: Bool { text.contains(bytes: "corrupted on transfer") }

  /// The error.
  var error: SyncError {
    switch result.ending {
    case .wasSilent:
      return SyncError(
        .unavailable, "the remote \(shown) did not answer in time", hint: "try again later")
    case .wroteTooMuch: return Self.tooMuch
    case nil: break
    }
    // sh(1): a program that is not found, or cannot be run.
    if [126, 127].contains(result.exitStatus) { return Self.missing }
    // SIGXFSZ, and the status for --max-transfer.
    if result.signal == 25 || result.exitStatus == 8 || text.contains(bytes: "max transfer limit") {
      return Self.tooMuch
    }
    if text.contains(bytes: "out of memory") { return Self.tooMuch }
    let said = Self.line(of: text)
    for kind in Self.kinds
    where kind.signs.contains(where: text.contains(bytes:)) || kind.statuses.contains(where: names)
    {
      return SyncError(kind.code, "\(kind.message)\(said)", hint: kind.hint)
    }
    return SyncError(
      .unavailable, "rclone cannot use \(shown)\(said)", hint: "try it: rclone lsf \(shown)")
  }

  /// Whether a status is named: as a number of its own behind a word that announces it.
  ///
  /// Names and sizes have these digits, too.
  private func names(_ status: Int) -> Bool {
    let words = text.utf8.split { " \t\r\n:,;()[]\"".utf8.contains($0) }
    return zip(words, words.dropFirst()).contains { before, word in
      word.elementsEqual("\(status)".utf8)
        && Self.announcing.contains { before.elementsEqual($0.utf8) }
    }
  }

  private static let announcing = [
    "error", "Error", "status", "Status", "code", "StatusCode", "HTTP",
  ]

  private var text: String { String(decoding: result.errors, as: UTF8.self) }
  private var shown: String { Quoting.visible(remote) }

  static let missing = SyncError(
    .unavailable, "rclone is not installed, or not in PATH", hint: "install rclone 1.60 or later")

  static let tooMuch = SyncError(
    .unavailable, "the remote gives more than a space has",
    hint: "something else lies in that folder: give the space one of its own")

  // MARK: - Words

  /// The last complaint, without what may be a secret or what a terminal would act on.
  private static func line(of text: String) -> String {
    let lines = text.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    guard let last = lines.last else { return "" }
    // `2026/01/31 10:00:00 ERROR : file: words`, or without the level.
    var words = last.split(separator: " ")
    while let first = words.first, isTime(first) || first == "ERROR" || first == ":" {
      words.removeFirst()
    }
    let line = words.map { harmless(String($0)) }.joined(separator: " ")
    return line.isEmpty ? "" : ": \(Quoting.visible(String(line.prefix(200))))"
  }

  private static func isTime(_ word: Substring) -> Bool {
    word.utf8.contains { (0x30...0x39).contains($0) }
      && word.utf8.allSatisfy { (0x30...0x3A).contains($0) || $0 == UInt8(ascii: "/") }
  }

  /// A word without what stands in addresses before the host or after a question mark, and without
  /// long runs of letters and digits, as keys and tokens are.
  private static func harmless(_ word: String) -> String {
    var word = word[...]
    if let question = word.utf8.firstIndex(of: UInt8(ascii: "?")) {
      word = word[..<question] + "?…"
    }
    if let slashes = word.firstRange(ofBytes: "://") {
      let authority = word[slashes...].dropFirst(3).prefix { $0 != "/" }
      if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
        word = word[..<slashes] + "://" + word[word.utf8.index(after: at)...]
      }
    }
    var (result, run) = ("", "")
    func isLong() -> Bool {
      run.utf8.count >= 20 && run.utf8.contains { (0x30...0x39).contains($0) }
    }
    for scalar in word.unicodeScalars {
      switch scalar {
      case "0"..."9", "A"..."Z", "a"..."z", "+", "_", "-", "=", "~", "%":
        run.unicodeScalars.append(scalar)
      default:
        result += isLong() ? "…" : run
        run = ""
        result.unicodeScalars.append(scalar)
      }
    }
    return result + (isLong() ? "…" : run)
  }
}

extension Substring {
  /// Where a text begins, byte by byte.
  fileprivate func firstRange(ofBytes text: String) -> Index? {
    var rest = self
    while !rest.isEmpty {
      if rest.utf8.starts(with: text.utf8) { return rest.startIndex }
      rest = rest[rest.utf8.index(after: rest.startIndex)...]
    }
    return nil
  }
}
