import Foundation
import TestSupport
import Testing
import VaultCredentials

/// `vault run --watch`: a command follows the secrets that it was given, and nothing else.
///
/// Against it are other changes of the vault, a vault that is locked or lacks an item, a command that
/// does not stop, one that fails, a signal at the wrong moment, and an end of this process by force.
struct RunWatchTests {
  /// A command that writes what happens to it into a file, a line each.
  private struct Watched {
    let vault: ThrowawayVault
    let running: VaultProcess.Running
    private let log: String

    /// Starts `vault run` with some words, and a script behind them.
    init(_ vault: ThrowawayVault, _ words: [String], script: String) throws {
      self.vault = vault
      log = "\(vault.home.path)/log"
      try Data().write(to: URL(fileURLWithPath: log))
      running = try vault.command.start(
        ["run", "--no-keyring", "--settle", "20ms"] + words + ["--", "/bin/sh", "-c", script],
        adding: ["LOG": log])
    }

    var lines: [String] {
      let text = FileManager.default.contents(atPath: log)
        .map { String(decoding: $0, as: UTF8.self) }
      return text.map { $0.split(separator: "\n").map(String.init) } ?? []
    }

    /// Waits until the command has written so many lines, or has ended.
    func waitForLines(_ count: Int) throws -> [String] {
      for _ in 0..<1200 {
        if lines.count >= count { return lines }
        usleep(50_000)
      }
      throw ThrowawayVault.Refusal(description: "\(count) lines were expected: \(lines)")
    }

    /// Asks `vault` to end, and waits for it.
    func end(_ signal: Int32 = SIGTERM) -> VaultProcess.Result {
      kill(running.pid, signal)
      return running.finish()
    }
  }

  private func vault(_ items: [String: String] = ["token": "one"]) throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for (name, value) in items { try set(name, value, in: vault) }
    return vault
  }

  private func set(_ name: String, _ value: String, in vault: ThrowawayVault) throws {
    _ = try vault.open.blocking.set(ItemName(name), to: Secret(value))
  }

  /// Says what it was given, until it is stopped.
  private static let telling = """
    trap 'echo "stopped $TOKEN" >>"$LOG"; exit 3' TERM
    echo "started $TOKEN" >>"$LOG"
    while :; do sleep 0.05; done
    """

  @Test func aChangedValueStartsTheCommandAgainAndAnotherItemDoesNot() throws {
    let vault = try vault(["token": "one", "other": "a"])
    let watched = try Watched(vault, ["token", "--watch"], script: Self.telling)
    #expect(try watched.waitForLines(1) == ["started one"])
    for value in ["b", "c", "d"] { try set("other", value, in: vault) }
    try set("token", "two", in: vault)
    #expect(
      try watched.waitForLines(3) == ["started one", "stopped one", "started two"])
    // The same value once more is a change of the item, and none of what was given.
    try set("token", "two", in: vault)
    try set("token", "three", in: vault)
    #expect(
      try watched.waitForLines(5).suffix(2) == ["stopped two", "started three"])
    let result = watched.end()
    #expect(result.status == 3)
    #expect(try watched.waitForLines(6).count == 6)
    #expect(!result.errors.contains("two"))
  }

  @Test func theCommandsOwnEndIsTheEnd() throws {
    let vault = try vault()
    for (script, status) in [("exit 7", 7), ("kill -9 $$", 137), ("exit 0", 0)] as [(String, Int32)]
    {
      let watched = try Watched(vault, ["token", "--watch"], script: script)
      #expect(watched.running.finish().status == status)
    }
    let missing = try vault.command.run(
      ["run", "token", "--watch", "--no-keyring", "--", "\(vault.home.path)/none"])
    #expect(missing.status == 127)
  }

  @Test func exitEndsWithAStatusThatAsksToBeStartedAgain() throws {
    let vault = try vault()
    let watched = try Watched(vault, ["token", "--watch=exit"], script: Self.telling)
    _ = try watched.waitForLines(1)
    try set("token", "two", in: vault)
    #expect(watched.running.finish().status == 75)
    #expect(watched.lines == ["started one", "stopped one"])
  }

  @Test func aSignalFindsAllFilesReplacedUnderTheirPaths() throws {
    let vault = try vault(["key": "k1", "cert": "c1"])
    let watched = try Watched(
      vault, ["--as-file", "key", "--as-file", "cert", "--watch=signal", "--signal", "USR1"],
      script: """
        trap 'echo "told $(cat "$KEY_FILE") $(cat "$CERT_FILE")" >>"$LOG"' USR1
        echo "$(stat -L -c %a "$KEY_FILE") $(cat "$KEY_FILE") $(cat "$CERT_FILE")" >>"$LOG"
        while :; do sleep 0.05; done
        """)
    #expect(try watched.waitForLines(1) == ["600 k1 c1"])
    try vault.open.blocking.edit { edit in
      _ = try edit.set(ItemName("key"), to: Secret("k2"))
      _ = try edit.set(ItemName("cert"), to: Secret("c2"))
    }
    #expect(try watched.waitForLines(2).last == "told k2 c2")
    try set("key", "k3", in: vault)
    #expect(try watched.waitForLines(3).last == "told k3 c2")
    #expect(watched.end().status == 128 + SIGTERM)
  }

  @Test func aCommandThatCannotHaveTheNewSecretsGoesOn() throws {
    let vault = try vault(["token": "one", "second": "s"])
    let watched = try Watched(vault, ["token", "second", "--watch"], script: Self.telling)
    _ = try watched.waitForLines(1)
    try vault.open.blocking.remove(ItemName("second"))
    try set("token", "two", in: vault)
    // It is there again, and the command gets both.
    usleep(1_500_000)
    #expect(watched.lines == ["started one"])
    try set("second", "s", in: vault)
    #expect(try watched.waitForLines(3).last == "started two")
    // What is said behind that start is said before the next one.
    try set("token", "three", in: vault)
    #expect(try watched.waitForLines(5).last == "started three")
    let result = watched.end()
    #expect(result.errors.contains("an item is missing: second"))
    #expect(result.errors.contains("can be read again"))
  }

  @Test func whoDoesNotStopIsKilledWithWhatItHasStarted() throws {
    let vault = try vault()
    let watched = try Watched(
      vault, ["token", "--watch", "--stop-timeout", "200ms"],
      script: """
        trap '' TERM
        sleep 300 &
        echo "$TOKEN $!" >>"$LOG"
        wait
        """)
    let first = try watched.waitForLines(1)[0].split(separator: " ")
    try set("token", "two", in: vault)
    let second = try watched.waitForLines(2)[1].split(separator: " ")
    #expect(first[0] == "one" && second[0] == "two")
    let left = try #require(Int32(first[1]))
    #expect(hasEnded(left))
    // By force: the command of this script takes no other word.
    kill(watched.running.pid, SIGKILL)
    if let last = Int32(second[1]) { kill(last, SIGKILL) }
    #expect(watched.running.finish().status == 128 + SIGKILL)
  }

  /// The command ends in time, and what it has started does not: its port would still be taken.
  @Test(arguments: [[], ["--mask"]])
  func nothingThatTheCommandHasStartedIsLeftBehind(_ more: [String]) throws {
    let vault = try vault(["token": "first-one"])
    let watched = try Watched(
      vault, ["token", "--watch"] + more,
      script: """
        sh -c 'trap "" TERM; exec sleep 300' &
        echo "$!" >>"$LOG"
        trap exit TERM
        wait
        """)
    let left = try #require(try Int32(watched.waitForLines(1)[0]))
    try set("token", "second-one", in: vault)
    let next = try #require(try Int32(watched.waitForLines(2)[1]))
    #expect(hasEnded(left))
    // Nor when the whole is to end.
    _ = watched.end()
    #expect(hasEnded(next))
  }

  /// Whether a process is gone; a container's first process may leave it as a zombie.
  private func hasEnded(_ process: pid_t) -> Bool {
    guard let state = FileManager.default.contents(atPath: "/proc/\(process)/stat") else {
      return true
    }
    return String(decoding: state, as: UTF8.self).contains(") Z ")
  }

  @Test func aSignalThatTheCommandSurvivesIsNoEnd() throws {
    let vault = try vault()
    let watched = try Watched(
      vault, ["token", "--watch"],
      script: """
        trap 'echo told >>"$LOG"' INT
        trap 'exit 3' TERM
        echo "started $TOKEN" >>"$LOG"
        while :; do sleep 0.05; done
        """)
    _ = try watched.waitForLines(1)
    kill(watched.running.pid, SIGINT)
    #expect(try watched.waitForLines(2).last == "told")
    try set("token", "two", in: vault)
    #expect(try watched.waitForLines(3).last == "started two")
    #expect(watched.end().status == 3)
  }

  @Test func theCommandIsStoppedWhenThisProcessIsKilled() throws {
    let watched = try Watched(vault(), ["token", "--watch"], script: Self.telling)
    _ = try watched.waitForLines(1)
    #expect(watched.end(SIGKILL).status == 128 + SIGKILL)
    #expect(try watched.waitForLines(2) == ["started one", "stopped one"])
  }

  @Test func aOneTimeCodeIsNoChangeAndIsMadeAnewForEachStart() throws {
    let vault = try vault()
    let stored = try vault.command.run(
      ["set", "hot", "--otp", "--stdin", "--no-keyring"],
      input: Data("otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1".utf8))
    try #require(stored.status == 0, "\(stored.errors)")
    let watched = try Watched(
      vault, ["token", "--env", "CODE=secret://hot?attribute=otp", "--watch"],
      script: """
        trap 'exit' TERM
        echo "$TOKEN $CODE" >>"$LOG"
        while :; do sleep 0.05; done
        """)
    // RFC 4226: the codes of the counters 1 and 2.
    #expect(try watched.waitForLines(1) == ["one 996554"])
    try set("token", "two", in: vault)
    #expect(try watched.waitForLines(2) == ["one 996554", "two 602287"])
    usleep(500_000)
    #expect(watched.lines.count == 2)
    _ = watched.end()
  }

  @Test func whatIsMaskedStaysMasked() throws {
    let vault = try vault(["token": "first-secret"])
    let watched = try Watched(
      vault, ["token", "--watch", "--mask"],
      script: """
        trap 'echo "last $TOKEN"; exit' TERM
        echo "$TOKEN first-secret"
        echo started >>"$LOG"
        while :; do sleep 0.05; done
        """)
    _ = try watched.waitForLines(1)
    try set("token", "second-secret", in: vault)
    _ = try watched.waitForLines(2)
    let result = watched.end()
    #expect(result.status == 0)
    #expect(!result.text.contains("-secret"))
    #expect(result.text.split(separator: "\n").count == 4)
  }

  @Test func whatCannotBeFollowedIsRefused() throws {
    let vault = try vault()
    func refusal(_ words: [String], input: String = "") throws -> String {
      let result = try vault.command.run(
        ["run"] + words + ["--no-keyring", "--", "true"], input: Data(input.utf8))
      #expect(result.status == 64, "\(words)")
      return result.errors
    }
    #expect(try refusal(["token", "--watch=signal"]).contains("--as-file"))
    #expect(try refusal(["--fd", "token", "--watch=signal"]).contains("--as-file"))
    #expect(try refusal(["token", "--signal", "HUP"]).contains("add --watch"))
    #expect(try refusal(["token", "--watch", "--signal", "HUP"]).contains("--stop-signal HUP"))
    #expect(try refusal(["token", "--watch", "--stop-signal", "NO"]).contains("takes a signal"))
    #expect(try refusal(["token", "--watch", "--settle", "1d"]).contains("at most 60 seconds"))
    #expect(
      try refusal(["token", "--watch", "--passphrase", "stdin"], input: "x")
        .contains("again and again"))
  }

  @Test(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
  func aTerminalIsTheCommandsAlone() throws {
    let vault = try vault()
    let result = try PythonScript("run-watch").run([VaultProcess.path, vault.home.path])
    #expect(result.status == 0, "\(result.errors)")
  }
}
