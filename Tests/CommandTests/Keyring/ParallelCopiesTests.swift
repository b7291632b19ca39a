import Foundation
import TestSupport
import Testing

/// Commands at once: after the last one ends, the keyring holds what the vault holds, one copy of
/// each item and none of an item that is gone.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct ParallelCopiesTests {
  /// Runs lines of sh in a session with a vault that a key file opens, and that publishes.
  ///
  /// `put NAME SECRET` and `remove NAME` are commands; `check NAME` says where vault and keyring
  /// differ, and `failed WHAT` that something went wrong. A round's number is `$r`.
  private func run(_ lines: String, rounds: Int = 25) throws -> KeyringSession.Run {
    let session = try KeyringSession(.unlocked)
    let script = """
      vault() { "$VAULT" "$@" --no-session --keyring-timeout 60s; }
      failed() { echo "round $r: $*"; }
      put() {
        printf %s "$2" | vault set "$1" --stdin 2>"$HOME/said.$2" \\
          || failed "set $1 $2: $? $(cat "$HOME/said.$2")"
      }
      copies() {
        secret-tool search --all service vault username "$1" 2>/dev/null | sed -n 's/^secret = //p'
      }
      check() {
        expected=$(vault get "$1" 2>/dev/null)
        [ "$(copies "$1")" = "$expected" ] || failed "$1 is '$expected', the keyring:" $(copies "$1")
      }
      vault init --key-file "$VAULT_KEY_FILE" || failed init
      vault keyring publish on || failed publish
      r=1
      while [ $r -le \(rounds) ]; do
        \(lines)
        r=$((r + 1))
      done
      r=end
      vault keyring sync --json | tr -d ' \\n'
      """
    return try session.run(
      "/bin/sh", ["-c", script],
      adding: ["VAULT": VaultProcess.path, "VAULT_KEY_FILE": "\(session.home)/key"])
  }

  /// Every round was right, and the whole is.
  private func expectAllCurrent(_ run: KeyringSession.Run, _ copies: Int) {
    let lines = run.text.split(separator: "\n").map(String.init)
    #expect(lines.dropLast() == [], "\(run.errors)")
    let report = lines.last ?? ""
    for member in [
      "\"current\":\(copies)", "\"pending\":0", "\"changedByOthers\":[]", "\"missing\":[]",
      "\"foreign\":[]", "\"leftovers\":[]",
    ] { #expect(report.contains(member), "\(report)") }
  }

  @Test func twoThatSetOneItemEndAsOneAfterTheOther() throws {
    expectAllCurrent(try run("put u a$r & put u b$r & wait; check u"), 1)
  }

  @Test func twoThatMakeOneItemLeaveOneCopy() throws {
    expectAllCurrent(try run("put n$r a$r & put n$r b$r & wait; check n$r"), 25)
  }

  @Test func twoThatMakeDifferentItemsLeaveOneCopyOfEach() throws {
    expectAllCurrent(try run("put p$r a$r & put q$r b$r & wait; check p$r; check q$r"), 50)
  }

  @Test func aRemovalBesideASetLeavesACopyOnlyWhereTheItemIs() throws {
    let run = try run(
      "put s a$r; put s b$r & vault remove s 2>/dev/null & wait; check s; vault remove s 2>/dev/null; check s"
    )
    expectAllCurrent(run, 0)
  }

  @Test func aNewItemThatIsRemovedWhileItIsMadeLeavesNothing() throws {
    let run = try run(
      """
      put t$r a$r &
      until vault remove t$r 2>/dev/null; do vault get t$r >/dev/null 2>&1 || kill -0 $! 2>/dev/null || break; done
      wait; check t$r; vault remove t$r 2>/dev/null; check t$r
      """)
    expectAllCurrent(run, 0)
  }

  @Test func eightThatSetOneItemEndAsOneAfterTheOther() throws {
    let run = try run(
      "for w in 1 2 3 4 5 6 7 8; do put e w$r-$w & done; wait; check e")
    expectAllCurrent(run, 1)
  }

  /// Between the vault's own write and the keyring's, a command waits for the lock that a test can
  /// hold.
  @Test func aCommandThatIsKilledBeforeItPublishesHasItsCopyMadeLater() throws {
    let run = try run(
      """
      mkfifo "$HOME/lifeline"
      put k before
      python3 -c 'import fcntl, os, sys, time
      lock = os.open(sys.argv[1], os.O_RDWR)
      fcntl.lockf(lock, fcntl.LOCK_EX)
      print("locked", flush=True)
      sys.stdin.read()' "$HOME/.local/share/vault/.copies.vault.lock" <"$HOME/lifeline" >"$HOME/locked" &
      exec 9>"$HOME/lifeline"
      until [ -s "$HOME/locked" ]; do :; done
      printf after >"$HOME/after"
      "$VAULT" set k --stdin --no-session --keyring-timeout 5m <"$HOME/after" 9>&- &
      killed=$!
      until [ "$(vault get k)" = after ]; do :; done
      kill -9 $killed; wait $killed 2>/dev/null
      [ "$(copies k)" = before ] || failed "the copy is $(copies k)"
      exec 9>&-; wait
      put other $r
      check k
      """,
      rounds: 1)
    expectAllCurrent(run, 2)
  }
}
