import Foundation
import TestSupport
import Testing

/// `vault ssh-agent --confirm`: a person is asked which program signs what, and for whom.
struct SSHConfirmTests {
  /// 500 commits, one question.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func oneAnswerCoversARebase() throws {
    let bench = try SSHBench()
    let run = try bench.client("rebase", ["--confirm"], adding: bench.asker("echo run"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(bench.questions.count == 1, "\(bench.questions)")
    let question = try #require(bench.questions.first)
    #expect(
      question.contains("python3") && question.contains("a git commit or tag in \(bench.home)"))
    #expect(question.contains("'a/key'") && question.contains("SHA256:"))
    let log = try bench.vault("log", "a/key").text
    #expect(log.split(separator: "\n").count == 500)
    #expect(log.contains("ssh-agent for a git commit or tag"))
  }

  @Test(
    .enabled(if: PythonScript.hasPython, "needs python3"),
    arguments: ["exit 1", "echo never", "echo no", "echo", "exec sleep 600", "kill -9 $$"])
  func noAnswerIsARefusal(answer: String) throws {
    let bench = try SSHBench()
    let options = ["--confirm", "--answer-within", answer.contains("sleep") ? "1s" : "1m"]
    let run = try bench.client(
      answer == "echo" ? "rebase" : "refused", options,
      adding: bench.asker(answer == "echo" ? "echo run" : answer))
    #expect(run.status == 0, "\(run.errors)")
    #expect(bench.questions.count == 1)
  }

  /// The adversary runs another program while the person thinks, and hands it the connection.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func aProgramThatRunsAnotherOneGetsNoSignature() throws {
    let bench = try SSHBench()
    let (asked, go) = ("\(bench.home)/asked", "\(bench.home)/go")
    let run = try bench.client(
      "execs", ["--confirm"],
      adding: bench.asker(": >'\(asked)'; until [ -e '\(go)' ]; do sleep 0.01; done; echo once")
        .merging(["TEST_ASKED": asked, "TEST_GO": go]) { $1 })
    #expect(run.status == 0, "\(run.errors)")
    #expect(bench.questions.count == 2, "\(bench.questions)")
    let log = try bench.vault("log", "a/key", "--json").text
    #expect(log.contains(#""decidedBy": "nobody""#), "\(log)")
  }

  /// A program that leaves takes its question along.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func aQuestionEndsWithItsClient() throws {
    let bench = try SSHBench()
    let asked = "\(bench.home)/asked"
    let run = try bench.client(
      "leaves", ["--confirm"],
      adding: bench.asker("echo $$ >'\(asked).new'; mv '\(asked).new' '\(asked)'; exec sleep 600")
        .merging(["TEST_ASKED": asked]) { $1 })
    #expect(run.status == 0, "\(run.errors)")
  }

  /// What is signed is said as what it is; what cannot be verified is not believed.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func thePurposeIsNamed() throws {
    let bench = try SSHBench()
    let run = try bench.client("purposes", ["--confirm"], adding: bench.asker("echo run"))
    #expect(run.status == 0, "\(run.errors)")
    let questions = bench.questions
    #expect(questions.count == 5, "\(questions)")
    for (question, words) in zip(
      questions,
      [
        "something in the namespace 'file'", "something in the namespace '",
        "something that cannot be read",
        "a login as root at a host that is not named",
        // No answer for good covers a host that nobody knows.
        "a login as root at a host that is not named",
      ])
    {
      #expect(question.contains(words), "\(question)")
    }
    #expect(!questions.joined().contains("\u{1B}"), "no escape sequence of a program's choice")
  }

  /// A plain login after a forwarding is one to nobody knows where; a refusal for good holds for it.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func onlyWhatNamesItsHostIsNamedAfterAForwarding() throws {
    let bench = try SSHBench()
    let run = try bench.client(
      "hops", ["--confirm"],
      adding: bench.asker("case $1 in *login*) echo never ;; *) echo once ;; esac"))
    #expect(run.status == 0, "\(run.errors)")
    let logins = bench.questions.filter { $0.contains("a login as root") }
    #expect(logins.count == 2, "\(logins)")
    #expect(logins.first?.contains("not named") == true, "\(logins)")
    #expect(logins.last?.contains("at an UNKNOWN host") == true, "\(logins)")
  }

  /// What a person has said to one key is not written beside the use of another one.
  @Test(
    .enabled(if: PythonScript.hasPython && SSHBench.hasSSH, "needs python3 and OpenSSH's programs"))
  func anAnswerIsRecordedForItsOwnUse() throws {
    let bench = try SSHBench()
    let run = try bench.client("confirmed", adding: bench.asker("echo once"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(bench.questions.count == 1)
    let log = try bench.vault("log", "a/key").text
    #expect(log.contains("a git commit or tag") && !log.contains("allowed by"), "\(log)")
  }

  /// `ssh-add -c`: asked for without `--confirm`, too, and refused where nobody can be asked.
  @Test(.enabled(if: SSHBench.hasSSH, "OpenSSH's programs are not installed"))
  func aKeyMayAskByItself() throws {
    let bench = try SSHBench()
    let script = """
      ssh-keygen -q -t ed25519 -N '' -C mine -f new && ssh-add -q -c new
      echo x | ssh-keygen -q -Y sign -n file -f new.pub >signed && echo signed || echo refused
      """
    let asked = try bench.agent([], script, adding: bench.asker("echo once"))
    #expect(asked.text == "signed\n", "\(asked.errors)")
    #expect(bench.questions.count == 1 && bench.questions[0].contains("'mine'"))
    #expect(try bench.agent([], "rm -f new*; " + script).text == "refused\n")
  }
}
