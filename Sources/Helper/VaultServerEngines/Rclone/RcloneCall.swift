import Glibc
import VaultStorage
import VaultSync
import VaultSyncEngines
import VaultTerminal

/// Runs of rclone for one call of the engine, which share a folder and a time.
///
/// Each run is bounded: in time, in what it may write to stdout, in what it may bring, in memory.
struct RcloneCall: Sendable {
  /// Whether what is there already is replaced.
  enum Replacing {
    /// A file that is there stays.
    case nothing
    /// It is replaced, whatever its time or size.
    case all
  }

  private let remote: RcloneAddress
  private let deadline: ContinuousClock.Instant
  private let scratch: RcloneScratch

  /// Most bytes of names.
  private static let maximumListing = 32 << 20
  /// Most bytes that one run brings here.
  private static let maximumTransfer = 48 << 20

  /// Runs `body` with a folder and a time.
  ///
  /// - Parameters:
  ///   - remote: The remote.
  ///   - seconds: When the caller stops waiting.
  ///   - body: What runs rclone.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `SyncError` with code `.unavailable`.
  static func using<Result>(
    _ remote: RcloneAddress, seconds: Int, _ body: (RcloneCall) throws -> Result
  ) throws -> Result {
    // An answer comes before that.
    let deadline = ContinuousClock.now + .seconds(max(1, seconds - max(1, seconds / 10)))
    return try RcloneScratch.using {
      try body(RcloneCall(remote: remote, deadline: deadline, scratch: $0))
    }
  }

  /// The folder in which lies what was brought.
  var folder: String { scratch.path }

  // MARK: - Names

  /// The folders at the top, a name and a slash in each line.
  ///
  /// - Returns: The lines.
  /// - Throws: `SyncError`.
  func folders() throws -> [UInt8] { try list(remote.folder, ["--dirs-only"]) }

  /// The files of a space, as `path TAB size`: invitations and objects are not listed.
  ///
  /// - Parameter space: The space.
  /// - Returns: The lines; none where it is not there.
  /// - Throws: `SyncError`.
  func files(of space: SpaceID) throws -> [UInt8] {
    try list(
      remote.below(space.text),
      [
        "--recursive", "--files-only", "--format", "ps", "--separator", "\t", "--exclude",
        "/o/**", "--exclude", "/i/**",
      ])
  }

  private func list(_ folder: String, _ options: [String]) throws -> [UInt8] {
    let result = try run(["lsf"] + options + [folder], limit: Self.maximumListing)
    if result.isSuccess { return result.output }
    // A storage of objects has no folders: one without files is not there, either.
    guard result.exitStatus == RcloneFailure.folderMissing else { throw failure(result).error }
    return []
  }

  // MARK: - Files

  /// Brings files here, those that are there.
  ///
  /// Nothing is compared: each is read from its beginning to its end.
  ///
  /// - Parameter places: Their paths.
  /// - Throws: `SyncError`, also where one of them did not come whole.
  func fetch(_ places: [String]) throws {
    guard !places.isEmpty else { return }
    let result = try run(
      ["copy", "--no-check-dest"] + Self.listed
        + [
          "--max-transfer", "\(Self.maximumTransfer)B", "--cutoff-mode", "hard", remote.folder,
          folder,
        ], input: places)
    guard result.isSuccess || RcloneFailure.missingStatuses.contains(result.exitStatus) else {
      throw failure(result).error
    }
  }

  /// What was brought of a place; `nil` for nothing.
  func bytes(_ place: String, limit: Int) throws -> [UInt8]? {
    do throws(System.Failure) {
      return try UserFile.bytes(of: "\(folder)/\(place)", limit: limit)
    } catch {
      if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
      throw RcloneFailure.tooMuch
    }
  }

  /// Forgets what was brought, so that it is seen anew.
  func forget(_ places: [String]) {
    for place in places { try? UserFile.removeAll("\(folder)/\(place)") }
  }

  /// Takes files there; whether they are there shows when they are read.
  ///
  /// - Parameters:
  ///   - files: Their paths, and what is in them.
  ///   - replacing: Whether those that are there are replaced.
  /// - Returns: What went wrong, where it may go well when it is done again.
  /// - Throws: `SyncError` where it will not.
  func put(
    _ files: [(place: String, bytes: [UInt8])], replacing: Replacing
  ) throws -> SyncError? {
    guard !files.isEmpty else { return nil }
    // --immutable with --ignore-times: what is there is never taken for the same, nor replaced.
    let options =
      switch replacing {
      case .nothing: ["--immutable", "--ignore-times"]
      case .all: ["--no-check-dest"]
      }
    let result = try RcloneScratch.using { source in
      for file in files { try source.write(file.bytes, at: file.place) }
      return try run(
        ["copy"] + options + Self.listed + [source.path, remote.folder],
        input: files.map(\.place))
    }
    // It looks for each after it was taken there, and does not find one.
    if result.isSuccess || RcloneFailure.missingStatuses.contains(result.exitStatus) { return nil }
    let failure = failure(result)
    if failure.isCorrupted { return failure.error }
    guard replacing == .nothing, failure.isTaken else { throw failure.error }
    return nil
  }

  /// Removes files, those that are there.
  func remove(_ places: [String]) throws {
    guard !places.isEmpty else { return }
    let result = try run(["delete"] + Self.listed + [remote.folder], input: places)
    guard result.isSuccess || RcloneFailure.missingStatuses.contains(result.exitStatus) else {
      throw failure(result).error
    }
  }

  /// Waits before another attempt; false where there is no time left for one.
  func pause(_ attempt: Int) -> Bool {
    let pause = Int.random(in: 50...100) << min(attempt, 6)
    guard ContinuousClock.now + .milliseconds(pause) < deadline else { return false }
    usleep(UInt32(pause) * 1000)
    return true
  }

  // MARK: - Runs

  /// The files are those that stdin names, one in a line, as they stand.
  private static let listed = ["--files-from-raw", "-", "--no-traverse"]

  /// Logs are errors alone; nothing is asked; what fails comes again from here.
  ///
  /// rclone.org/flags.
  private static let settings = [
    "--ask-password=false", "--log-level", "ERROR", "--stats", "0", "--retries", "1",
    "--low-level-retries", "3", "--contimeout", "10s", "--timeout", "30s", "--transfers", "8",
    "--checkers", "8", "--buffer-size", "1M",
  ]
  /// Most address space of rclone in KiB: Go reserves a part of it and uses a small one.
  private static let maximumMemory = 4 << 20

  private func run(
    _ arguments: [String], input: [String] = [], limit: Int = 1 << 20
  ) throws -> ChildProgram.Captured {
    let rest = deadline - .now
    guard rest > .zero else { throw Self.late }
    var surroundings = ChildProgram.Surroundings()
    // It stays in this process's group, which is ended as a whole.
    surroundings.hasTerminal = true
    surroundings.keeps = { RcloneEnvironment.keeps($0) }
    surroundings.variables = ["GOMEMLIMIT": "512MiB"]
    surroundings.patience = Int(rest.components.seconds) + 1
    // sh(1): blocks of 512 bytes, and KiB.
    let script = #"""
      ulimit -f \#(Self.maximumTransfer / 512) 2>/dev/null
      ulimit -v \#(Self.maximumMemory) 2>/dev/null
      exec rclone "$@"
      """#
    let words = ["/bin/sh", "-c", script, "sh"] + arguments + Self.settings
    let result = try RcloneScratch.available { () throws(System.Failure) in
      try ChildProgram.capture(
        words, input: Array(input.map { "\($0)\n" }.joined().utf8), limit: limit,
        in: surroundings)
    }
    guard let result else { throw RcloneFailure.missing }
    return result
  }

  private func failure(_ result: ChildProgram.Captured) -> RcloneFailure {
    RcloneFailure(result, remote: remote.folder)
  }

  private static let late = SyncError(
    .unavailable, "the remote did not do it in time", hint: "try again: what it has it keeps")
}
