import Foundation
import TestSupport
import Testing

/// Who answers behind `vault guard`: whom, how much, and what the log has of it.
@Suite(.enabled(if: GuardBench.canBuild, "bubblewrap cannot make namespaces here"))
struct GuardBrokerTests {
  private static func store(_ user: String, _ password: String) -> String {
    "printf 'protocol=https\\nhost=good.example\\nusername=%s\\npassword=%s\\n\\n'"
      + " \"\(user)\" \"\(password)\" | git-credential-vault store; echo $?"
  }

  private static let fill =
    "printf 'protocol=https\\nhost=good.example\\n\\n' | git-credential-vault"

  /// The records of an item: the verb, and whether it was allowed.
  private func log(_ bench: GuardBench, _ name: String) throws -> [(verb: String, text: String)] {
    let text = try bench.vault("log", name, "--no-session", "--json").text
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let lists = (parsed as? [String: Any])?.values.compactMap { $0 as? [[String: Any]] }
    let uses = try #require(lists)
    return try uses.flatMap(\.self).map { use in
      (try #require(use["verb"] as? String), "\(use)")
    }
  }

  @Test func nothingIsStoredUnlessTheLineSaysSo() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only 'git/good.example/*'",
      """
      \(Self.store("me", "secret-a"))
      \(Self.store("me", "new")); \(Self.store("you", "new"))
      printf 'protocol=https\\nhost=good.example\\nusername=me\\n\\n' | git-credential-vault erase; echo $?
      """)
    // What is there already is no change: git stores it after every use.
    #expect(run.text == "0\n77\n77\n77\n", "\(run.text) \(run.errors)")
    #expect(run.errors.contains("--store"), "\(run.errors)")
    #expect(try bench.vault("list").text == "git/bad.example/me\ngit/good.example/me\n")
    #expect(try bench.vault.get("git/good.example/me").text == "secret-a")
    let refused = try log(bench, "git/good.example/me").map(\.verb)
    #expect(refused.contains { $0.hasPrefix("git store by guard in pid:[") }, "\(refused)")
    #expect(refused.contains { $0.hasPrefix("git erase by guard in pid:[") }, "\(refused)")
    let alone = try bench.shell("exec \"$VAULT\" guard --store -- echo ran")
    #expect(alone.status == 64 && alone.text.isEmpty, "\(alone.errors)")
  }

  /// The version that the person knows stays, and the vault is not filled.
  @Test func whatOneLineStoresIsLimited() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only 'git/good.example/*' --store",
      """
      for n in 1 2 3 4 5 6; do \(Self.store("me", "x$n")); done
      long=$(head -c 50000 /dev/zero | tr '\\0' x)
      for n in 1 2 3 4 5 6; do \(Self.store("u$n", "$long")); done
      """)
    #expect(
      run.text.split(separator: "\n").joined(separator: " ") == "0 0 0 0 77 77 0 0 0 0 0 77",
      "\(run.text) \(run.errors)")
    #expect(try bench.vault.get("git/good.example/me").text == "x4")
    let history = try bench.vault("history", "git/good.example/me", "--no-session")
    #expect(history.status == 0, "\(history.errors)")
    #expect(history.text.split(separator: "\n").count >= 5, "\(history.text)")
    let uses = try log(bench, "git/good.example/me")
    #expect(uses.contains { $0.verb.hasPrefix("git store by guard") }, "\(uses)")
  }

  /// A flood pushes nothing else out of the log.
  @Test func manyAnswersAreFewRecords() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only 'git/good.example/*'",
      "for n in $(seq 40); do \(Self.fill) get >/dev/null || echo $?; done")
    #expect(run.status == 0 && run.text.isEmpty, "\(run.text) \(run.errors)")
    let verbs = try log(bench, "git/good.example/me").map(\.verb)
    #expect((6...12).contains(verbs.count), "\(verbs)")
    #expect(verbs.contains { $0.hasSuffix("], 32 times") }, "\(verbs)")
  }

  /// The socket is the user's, and other programs of the user find it.
  @Test func aProgramOutsideIsNotAnswered() throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      cat >loop <<'END'
      \(Self.fill) get | grep ^password; touch first; until [ -e asked ]; do sleep 0.01; done
      END
      "$VAULT" -q guard --only 'git/*' -- /bin/sh loop & guard=$!
      n=0; until [ -e first ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      printf 'protocol=https\\nhost=good.example\\n\\n' >ask
      VAULT_GUARD=$(echo "$XDG_RUNTIME_DIR"/vault-guard-*/agent) "$VAULT" credential git get <ask
      echo $?; touch asked; wait $guard
      """)
    #expect(run.text == "password=secret-a\n69\n", "\(run.text) \(run.errors)")
  }

  /// The socket's folder is not made where the command writes.
  @Test func theSocketLiesWhereNobodyWrites() throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      mkdir t; unset XDG_RUNTIME_DIR
      TMPDIR=$PWD/t exec "$VAULT" -q guard --only 'git/*' -- /bin/sh -c 'ls -A t; echo ran'
      """)
    #expect(run.text == "ran\n", "\(run.text) \(run.errors)")
  }

  /// What removes a socket follows no link that was put in the place of its folder.
  @Test func theCleanerFollowsNoLink() throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      mkdir t victim; echo kept >victim/agent; echo kept >victim/bus; export PROJECT="$PWD"
      unset XDG_RUNTIME_DIR
      TMPDIR=$PWD/t "$VAULT" -q ssh-agent -- /bin/sh -c '
        d=${SSH_AUTH_SOCK%/*}; echo "$d" >socket; mv "$d" "$d.old"; ln -s "$PROJECT/victim" "$d"'
      d=$(cat socket)
      n=0; while [ -e "$d.old/agent" ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      cat victim/agent victim/bus
      """)
    #expect(run.text == "kept\nkept\n", "\(run.text) \(run.errors)")
  }
}
