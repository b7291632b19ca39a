import Foundation
import TestSupport
import Testing

/// The programs whose secrets were moved: what they go on with beside the vault.
struct MovedProgramTests: ClearTextHome {
  let made: ThrowawayVault

  init() throws { made = try Self.make() }

  /// gh takes the token of a company's server from another variable than that of github.com.
  @Test(arguments: [
    ("github.com", "GH_TOKEN"), ("a.ghe.com", "GH_TOKEN"),
    ("git.example.com", "GH_ENTERPRISE_TOKEN"), ("github.com.example", "GH_ENTERPRISE_TOKEN"),
  ])
  func ghGetsTheVariableOfItsHost(_ host: String, _ variable: String) throws {
    let text = "\(host):\n    user: ann\n    oauth_token: c4n4ry-gh\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/.config/gh/hosts.yml"))
    #expect(try made("connect", "gh", "--move").status == 0)
    let run = try made("run", "gh/\(host)/ann", "--", "printenv", variable)
    #expect(run.text == "c4n4ry-gh\n", "\(run.errors)")
  }

  /// A program whose secret cannot go back still needs the vault.
  @Test func whatDoesNotGoBackKeepsItsHelper() throws {
    #expect(try made("connect", "git", "--move").status == 0)
    let gone = try made("remove", "git/git.example/ann")
    try #require(gone.status == 0, "\(gone.errors)")
    let refused = try made("disconnect", "git")
    #expect(refused.status == 1 && refused.errors.contains("goes on asking the vault"))
    #expect(read(".gitconfig").contains("credential git"))
    #expect(try made("disconnect", "git", "--keep").status == 0)
    #expect(!read(".gitconfig").contains("credential git"))
  }

  /// What is gone for good is waited for no longer.
  @Test func whatWasPurgedKeepsNoHelper() throws {
    #expect(try made("connect", "git", "--move").status == 0)
    #expect(try made("remove", "git/git.example/ann", "--purge", "--yes").status == 0)
    let done = try made("disconnect", "git")
    #expect(done.status == 0, "\(done.errors)")
    #expect(!read(".gitconfig").contains("credential git"))
  }

  /// A file that stays as it is goes on being read: the moved one beside it does not end git's helper.
  @Test func gitsOwnHelperGoesOnWhileItsFileHasSomething() throws {
    try write(".gitconfig", "[credential]\n\thelper = store\n")
    try write(
      ".git-credentials",
      "https://ann:C1@github.com\nhttps://ann:C1b@github.com\nhttps://bob:C2@gitlab.com\n")
    let moved = try made("connect", "netrc", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(moved.errors.contains("'store' goes on beside the vault"), "\(moved.errors)")
    #expect(try git("https", "gitlab.com").contains("password=C2"))
    #expect(try git("https", "two.example").contains("password=c4n4ry-two"))
    // Once nothing is left there, it ends.
    try write(".git-credentials", "")
    #expect(try made("connect", "git").status == 0)
    #expect(read(".gitconfig").contains("helper =\n"))
  }

  /// `.netrc` names no protocol, and says what is for every host.
  @Test func netrcIsForHTTPToo() throws {
    try write(".netrc", "machine h.example login ann password C3\ndefault login u password D\n")
    let moved = try made("connect", "netrc", "--move")
    #expect(moved.status == 0 && moved.errors.contains("'default'"), "\(moved.errors)")
    #expect(try git("http", "h.example").contains("password=C3"))
    #expect(try git("https", "h.example").contains("password=C3"))
    // What git itself has stored for https is no answer over http.
    #expect(
      try made(
        "credential", "git", "store", input: "protocol=https\nhost=o\nusername=u\npassword=p\n"
      ).status == 0)
    #expect(try !git("http", "o").contains("password"))
  }

  /// What the move has written goes, and nothing that was there before.
  @Test(arguments: [false, true])
  func netrcLeavesGitAsItWas(_ isConnected: Bool) throws {
    if isConnected { #expect(try made("connect", "git").status == 0) }
    let before = read(".gitconfig")
    #expect(try made("connect", "netrc", "--move").status == 0)
    let back = try made("disconnect", "netrc")
    #expect(back.status == 0, "\(back.errors)")
    #expect(read(".gitconfig") == before)
    #expect(back.errors.contains("goes on asking the vault") == isConnected, "\(back.errors)")
    #expect(read(".netrc").contains("c4n4ry-two"))
  }

  /// Two files, a token and a key; the user that another program serves is left alone.
  @Test func kubectlAsksForEachUser() throws {
    let key = "-----BEGIN PRIVATE KEY-----\nc4n4ry\n-----END PRIVATE KEY-----\n"
    let base64 = Data(key.utf8).base64EncodedString()
    let text = """
      apiVersion: v1
      users:
      - name: kind
        user:
          client-certificate-data: TUlJQgo=
          client-key-data: \(base64)
      - name: eks
        user:
          exec:
            apiVersion: client.authentication.k8s.io/v1beta1
            args:
            - eks
            command: aws
      - name: "a b"
        user:
          token: t2

      """
    try write(".kube/config", text)
    #expect(try made("connect", "kubectl").says(64, "several users"))
    #expect(try made("connect", "kubectl", "eks").errors.contains("another program"))
    let moved = try made("connect", "kubectl", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(!read(".kube/config").contains(base64) && !read(".kube/config").contains("t2"))
    let answer = try made("credential", "kubectl", "kind").text
    #expect(
      answer.contains("clientKeyData") && answer.contains("MIIB") && !answer.contains("token"))
    #expect(try made("credential", "kubectl", "a b").text.contains("\"token\":\"t2\""))
    #expect(try made("credential", "kubectl", "nobody").says(1, "no item for this user"))
    // One by one, then the rest.
    #expect(try made("disconnect", "kubectl", "a b").status == 0)
    #expect(read(".kube/config").contains("t2") && !read(".kube/config").contains(base64))
    #expect(try made("disconnect", "kubectl").status == 0)
    #expect(read(".kube/config") == text, "\(read(".kube/config"))")
  }

  /// git's helpers that the move knows nothing of go on.
  @Test(arguments: ["store --file creds", "!f() { echo username=bob; echo password=C2; }; f"])
  func gitsOtherHelpersGoOn(_ helper: String) throws {
    let value = helper.replacing("creds", with: "\(home)/creds")
    let quoted = value.replacing("\"", with: "\\\"")
    try write(".gitconfig", "[credential]\n\thelper = \"\(quoted)\"\n\thelper = store\n")
    try write("creds", "https://bob:C2@gitlab.com\n")
    let moved = try made("connect", "git", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(moved.errors.contains("its other helpers"), "\(moved.errors)")
    #expect(try git("https", "gitlab.com").contains("password=C2"))
    // That one answers for each host.
    let own = helper.hasPrefix("store") ? "password=c4n4ry@git" : "password=C2"
    #expect(try git("https", "git.example").contains(own))
  }

  /// `gh auth setup-git`: git asks gh, and once gh's token has been moved it asks the vault.
  @Test func gitGetsTheTokenThatGhHad() throws {
    try write(
      ".gitconfig",
      "[credential \"https://github.com\"]\n\thelper =\n\thelper = !gh auth git-credential\n")
    #expect(try made("connect", "gh", "--move").status == 0)
    let answer = try git("https", "github.com")
    #expect(answer.contains("username=ann") && answer.contains("password=gho_c4n4ry"), "\(answer)")
  }
}
