import VaultStorage
package import VaultSync
import VaultTerminal

/// Why a run of git failed, in a sentence, and what helps.
package struct GitFailure {
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
      signs: ["Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED"],
      message: "ssh does not know the store's host key, or knows another one",
      hint: "compare the key and accept it at a terminal: ssh HOST, or git ls-remote ADDRESS"),
    Kind(
      signs: ["failed to update ref", "unable to lock", "cannot lock ref", ".lock': File exists"],
      message: "the store's branch is locked by another push, or by one that was ended",
      hint:
        "try again; if it stays so, remove the file \(GitEngine.branch).lock below refs/heads there"
    ),
    Kind(
      signs: [
        "Authentication failed", "Permission denied", "could not read Username",
        "could not read Password", "terminal prompts disabled",
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
      hint:
        "if it was there before, try again when it is back; else make an empty one there first: "
        + "git init --bare"),
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
    // timeout(1).
    if result.exitStatus == 124 || result.exitStatus == 137 {
      return SyncError(
        .unavailable, "the store did not come to an end in a quarter of an hour",
        hint: "try again later; see what lies there: git ls-remote ADDRESS")
    }
    // git-push(1), --porcelain: what the remote refuses is in the output.
    return Self.error(
      saying: String(decoding: result.errors + result.output.prefix(4096), as: UTF8.self))
  }

  /// The error for what git, ssh and the server have said.
  package static func error(saying text: String) -> SyncError {
    let said = line(of: text)
    for kind in kinds where kind.signs.contains(where: text.contains(bytes:)) {
      return SyncError(.unavailable, "\(kind.message)\(said)", hint: kind.hint)
    }
    if text.contains(bytes: "ut of memory") || text.contains(bytes: "unable to mmap")
      || text.contains(bytes: "malloc failed")
    {
      return tooLarge
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
    // What the server itself says of a refusal, such as that a branch is protected.
    let server = lines.first { line in
      line.hasPrefix("remote:") && line.dropFirst(7).contains { $0 != " " && $0 != "\t" }
        && (line.contains(bytes: "rror") || text.contains(bytes: "rejected]"))
    }
    let complaint =
      server ?? lines.first { $0.contains(bytes: "rejected]") }
      // git itself only says that it could not read.
      ?? lines.first { $0.hasPrefix("ssh: ") }
      ?? lines.first { $0.hasPrefix("fatal: ") || $0.hasPrefix("error: ") } ?? lines.last
    guard let complaint else { return "" }
    let spaced = complaint.unicodeScalars.map { $0 == "\t" ? " " : $0 }
    let words = spaced.filter { (0x20..<0x7F).contains($0.value) }.prefix(200)
    return ": \(String(String.UnicodeScalarView(words)))"
  }
}
