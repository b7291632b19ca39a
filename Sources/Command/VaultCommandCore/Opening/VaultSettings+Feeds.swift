import VaultCredentials
import VaultSealing
import VaultStorage
package import VaultSync
package import VaultSyncEngines
import VaultTerminal

extension VaultSettings {
  /// Reads the code of a subscription from where a person says that it is.
  ///
  /// - Parameter source: `-` or `stdin`, `prompt`, `file:PATH`, `fd:N`, `env:NAME` or `cmd:COMMAND`.
  /// - Returns: The code.
  /// - Throws: ``CommandError`` with code `.usage` for another word, which may be the code itself;
  ///   `SyncError` with code `.invitation` for what is no code.
  package func subscriptionCode(from source: String) throws -> SubscriptionCode {
    let option = "--subscription"
    let typed: SecretBytes
    if source == "prompt" {
      guard !isUnattended, let answer = try Prompt.secret("Subscription") else {
        throw CommandError(
          .noTerminal, "there is no terminal to ask for the subscription on",
          hint: "say where its code is: \(option) file:PATH")
      }
      typed = answer
    } else {
      let place: SecretSource
      do {
        place = try SecretSource(source == "-" ? "stdin" : source)
      } catch {
        throw CommandError.usage(
          "\(option) says where the code of the subscription is, and is never the code itself",
          hint: "such as: \(option) file:PATH; or env:NAME, fd:N, cmd:COMMAND, - for stdin, prompt")
      }
      typed = try place.read(for: option, as: .code)
    }
    return try SubscriptionCode(typed: typed)
  }

  /// Makes the vault follow a feed, and takes what is there.
  ///
  /// - Parameters:
  ///   - text: Where the feed is, as it was typed.
  ///   - code: The code of a subscription.
  ///   - merges: Whether a vault that has items is not asked about.
  /// - Returns: What was done, and how the vault stands to the space.
  /// - Throws: ``CommandError`` with code `.usage` for an address that is none; what
  ///   `SyncedVault.follow` throws.
  package func follow(
    _ text: String, with code: SubscriptionCode, merges: Bool
  ) throws -> (report: SyncReport, status: SyncStatus) {
    let (address, mirror) = try feed(at: text)
    // A wrong address or code is told before anything is made.
    guard let found = try mirror.feed(unless: nil), found.feed.space == code.space else {
      throw SyncError(
        .invitation, "that feed is of another space than the code",
        hint: "check the address and the code; if both are right, somebody else answers there")
    }
    try SyncedVault.checkIsOpen(code, by: found.feed, in: mirror)
    return try withVaultMade { vault in
      if !merges { try confirmFollowing(vault, text) }
      let synced = try SyncedVault.follow(
        vault.unlocked, in: mirror, at: address.text, subscription: code,
        label: MachineName.current)
      return (try synced.begin(), try synced.status())
    }
  }

  /// Has a person say that what a space has comes among what a vault has.
  private func confirmFollowing(_ vault: UnlockedVault.Blocking, _ feed: String) throws {
    let count = try vault.items().count
    guard count > 0 else { return }
    let what =
      "this vault has \(Plural.of(count, "item")), among which those of the space would come"
    let (program, place) = (ProgramName.current, StandardOutput.shown(Quoting.shell(feed)))
    let hint =
      "to keep them apart, follow with a vault of its own: \(program) --vault NAME sync join \(place) "
      + "--subscription SOURCE; to have them in one: --merge"
    guard !isUnattended, Prompt.isPossible else { throw CommandError.usage(what, hint: hint) }
    let question =
      "This vault has \(Plural.of(count, "item")), which stay here. Have those of the "
      + "space among them?"
    guard try Prompt.confirm(question, default: false) == true else {
      throw CommandError(.cancelled, "nothing was done", hint: hint)
    }
  }

  /// Whether the vault follows a feed, as far as a file beside it says.
  package func followsFeed() throws -> Bool {
    let name = vaultName ?? ProcessState.variable(EnvironmentNames.vaultName)
    let file = try location().vaultFile(named: name)
    return SyncedVault.followsFeed(vaultAt: "\(file.directory)/\(file.name)")
  }

  /// Has a vault that follows a feed follow it at another address, and says so.
  ///
  /// - Parameter text: The address, as it was typed.
  /// - Throws: ``CommandError`` with code `.usage` for an address that is none; what
  ///   `SyncedVault.followed` throws.
  package func followFeed(to text: String) throws {
    let (address, mirror) = try feed(at: text)
    let (before, report) = try withSpace { space in
      (
        try space.status().store,
        try space.followed(
          to: mirror, at: address.text, acceptingRollback: acceptsRollback
        ).report
      )
    }
    if writesJSON {
      try StandardOutput.write(report.members)
    } else {
      try report.tell()
      let shown = StandardOutput.shown(address.shown)
      StandardError.note(
        before == address.text
          ? "the vault follows \(shown) already: it was brought up to date"
          : "the vault follows \(shown) from now on",
        hint: before == address.text
          ? nil : "on each other machine that reads, too: \(ProgramName.current) sync move ADDRESS")
    }
    if !acceptsRollback, let problem = report.problems.first { throw problem }
  }

  private func feed(at text: String) throws -> (address: StoreAddress, mirror: any FeedEngine) {
    let address: StoreAddress
    do {
      address = try StoreAddress(feed: text, in: UserFile.workingDirectory)
    } catch let error as SyncError where error.code == .notAllowed {
      throw CommandError.usage(error.message, hint: error.hint)
    }
    guard let mirror = address.mirror(asks: !isUnattended) else {
      throw CommandError.usage("that is no address of a feed")
    }
    return (address, mirror)
  }

  /// Publishes the vault's space, once or again and again.
  ///
  /// - Parameters:
  ///   - path: The folder, as it was typed.
  ///   - interval: How often that is done, in seconds.
  ///   - checks: Which files were found whole before.
  /// - Returns: What was done.
  /// - Throws: What a run throws; `SyncError` with code `.notAllowed` for a folder that is none.
  package func publish(
    to path: String, every interval: Int, _ checks: MirrorChecks = MirrorChecks()
  ) throws -> (run: SyncReport, mirror: MirrorReport) {
    return try withSpace { space in
      let report = try space.synchronize(acceptingRollback: acceptsRollback)
      if !acceptsRollback, report.isBlocked, let problem = report.problems.first { throw problem }
      // Nothing is made for a space that cannot be published from here.
      try space.checkCanMirror()
      let folder = try mirror(path, every: interval, checks)
      return (report, try space.mirror(to: folder, every: UInt32(interval)))
    }
  }

  /// Opens the folder of a mirror.
  func mirror(
    _ path: String, every interval: Int, _ checks: MirrorChecks
  ) throws -> MirrorFolder {
    let whole = path.hasPrefix("/") ? path : "\(UserFile.workingDirectory)/\(path)"
    return try MirrorFolder(
      path: whole, grace: .seconds(max(Self.leastGrace, 10 * interval)), checks: checks)
  }

  /// How long files stay at least that no feed names any more, in seconds: an hour.
  private static let leastGrace = 3600
}
