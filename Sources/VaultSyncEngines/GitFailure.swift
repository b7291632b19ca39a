import VaultStorage
import VaultSync
import VaultTerminal

/// Why a run of git failed, in a sentence, and what helps.
struct GitFailure {
  private let result: ChildProgram.Captured

  init(_ result: ChildProgram.Captured) { self.result = result }

  private struct Kind {
    /// What git, ssh or curl say; in English, since git was asked to.
    let signs: [String]
    let message: String
    let hint: String
  }

  /// In this order: the first that fits is taken.
  private static let kinds = [
    Kind(
      signs: [
        "Authentication failed", "Permission denied", "could not read Username",
        "could not read Password", "Host key verification failed", "terminal prompts disabled",
        "returned error: 401", "returned error: 403",
      ],
      message: "the store refused the credentials",
      hint: "try it where git and ssh may ask: git ls-remote ADDRESS"),
    Kind(
      signs: [
        "Could not resolve host", "Failed to connect", "Connection refused", "Connection timed out",
        "Connection reset", "Network is unreachable", "No route to host", "Connection closed",
        "unable to connect", "Couldn't connect",
      ],
      message: "the store cannot be reached", hint: "try again later"),
    Kind(
      signs: [
        "does not appear to be a git repository", "Repository not found", "not found",
        "returned error: 404",
      ],
      message: "there is no git repository at that address",
      hint: "make an empty one there first: git init --bare"),
    Kind(
      signs: ["detected dubious ownership"],
      message: "the store belongs to another user, so git does not use it",
      hint: "if it is to be trusted: git config --global --add safe.directory PATH"),
    Kind(
      signs: ["hook declined", "remote rejected", "protected branch", "deny updating"],
      message: "the store refuses what is pushed",
      hint: "it must allow pushing to the branch \(GitEngine.branch)"),
  ]

  /// The error.
  var error: SyncError {
    if result.exitStatus == 127 { return GitRepository.missingGit }
    switch result.ending {
    case .wasSilent:
      return SyncError(.unavailable, "the store does not answer", hint: "try again later")
    case .wroteTooMuch: return Self.tooLarge
    case nil: break
    }
    // SIGXFSZ: ``GitRepository`` limits the files that git writes.
    if result.signal == 25 { return Self.tooLarge }
    // git-push(1), --porcelain: what the remote refuses is in the output.
    let text = String(decoding: result.errors + result.output.prefix(4096), as: UTF8.self)
    let said = Self.line(of: text)
    for kind in Self.kinds where kind.signs.contains(where: text.contains(bytes:)) {
      return SyncError(.unavailable, "\(kind.message)\(said)", hint: kind.hint)
    }
    if text.contains(bytes: "File size limit exceeded") || text.contains(bytes: "File too large") {
      return Self.tooLarge
    }
    return SyncError(
      .unavailable, "git cannot use the store\(said)", hint: "try it: git ls-remote ADDRESS")
  }

  private static let tooLarge = SyncError(
    .unavailable, "the branch of the store is larger than 1 GiB",
    hint: "no space is so large: something else was pushed to \(GitEngine.branch)")

  /// The first complaint, with what a terminal would obey taken out.
  private static func line(of text: String) -> String {
    let lines = text.split(whereSeparator: { $0 == "\n" || $0 == "\r" || $0 == "\r\n" })
    let complaint =
      lines.first { $0.contains(bytes: "rejected]") }
      ?? lines.first { $0.hasPrefix("fatal: ") || $0.hasPrefix("error: ") } ?? lines.last
    guard let complaint else { return "" }
    let words = complaint.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }.prefix(200)
    return ": \(String(String.UnicodeScalarView(words)))"
  }
}
