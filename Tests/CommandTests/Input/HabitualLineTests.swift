import Foundation
import TestSupport
import Testing

/// Lines as people of other programs type them: each is done, or answered with what to type.
struct HabitualLineTests {
  /// Lines that do what is meant: status 0, or they ask for a terminal that is not there.
  private static let acting = """
    whoami|signin|ls work|find github|search github|rm -f work/gitlab|mv work/gitlab work/gl|cp work/gitlab work/gl
    clip work/github|login|config|lock|unlock|version|-version|-V|-h|/?|/help|/h|-?|-help|?|list -?|help me|help commands
    ll|dir|la|l|cat api-token|type api-token|more api-token|peek api-token|reveal api-token|describe work/github
    inspect work/github|details work/github|del work/gitlab|--json list|list --json|list -l|vaults|about|doctor
    health|recent|versions work/github|fsck
    """

  /// Lines that are refused, each with a hint that leads on.
  private static let answered = """
    item list|item get github --fields password|item create --category login|vault list|document get x|account list
    plugin init aws|events|insert -m work/new|-c work/github|grep bob|git push|git log|generate work/x 24
    generate -n work/x 24|otp|otp insert x|stop-agent x|get --full work/github|get github bob|config set x y
    get item github|get password github|get secret db|list --search github|create item|edit item x
    generate -ulns --length 20|db-create x.kdbx|open x.kdbx|show x.kdbx github|lookup server example.com
    store --label=x a b|search --all a b|clear server example.com|create secret generic x --from-literal=a=b
    apply -f x.yaml|list -o wide|-o json get db/prod|get db/prod --output json|get --output=yaml db/prod
    config get-contexts|commit -m x|status -s|log --oneline|diff|push|pull|clone git@x:y|remote add origin x|init .
    checkout x|stash|login -u x -p y|ps|images|secret create x -|secretsmanager get-secret-value --secret-id db/prod
    configure|sts get-caller-identity|path-help x|--list|--get api-token|get --name work/github|GET work/github
    Set x|LIST x|get work/github work/gitlab|set|remove|rename work/github|history|restore|backup|undo 2
    tag work/github x|note work/github x|rotate work/github|expire work/github 30d|share work/github bob
    change-password|update|uninstall|man|info|tui|ui|gui|web|serve|agent|ssh-agent|qr work/github
    copy work/github|shell|use work|switch work|new work|create work|data list|data trips|data sql trips x
    set pw --generate=20|set pw -g|set pw --length 20|--vault get x|-v get x|--debug get api-token|--verbose list
    list --format=json|list -a|list -1|list -R|list work/ db/|tree|cls|exit|quit|run|run work/|run env
    sync promote|sync push|key rm|frobnicate/x|team|invite bob x y z|passphrase|purge|wipe|revoke|report|recover
    branch|blame x|bw get password x|rbw get x|gopass show x|keepassxc-cli open x.kdbx|kubectl get secret|docker ps
    aws sts get-caller-identity|git push|compose up|rollout restart|rekey|--LIST|--copy work/github|get x -ojson
    run -e A=b env|export -f csv|status --raw|sync --force|add -u bob x|show -a TOTP x|clip x 10|gihtub|stop-agent x
    approle|key add --keyfile k|key add --key-file new.key|trash empty|trash list|trash restore x|trash purge|get work/github --field password
    qr|attach|field|username|tags|remote|expire|checkout|reset|rollback|token|kv|recovery|usage|security
    """

  /// The same, and none of them ends in the list of all commands.
  private static let led = """
    sync invite bob|sync users|sync up|sync share bob|key show|key new|key export
    ssh list|ssh add k|publish on|admit x|recovery-code|whereis x|path|which x|pwd|touch x|head x
    ln a b|chmod x|file x|firefox|autofill|fzf|set-default x|support|license|export-env work|dotenv|.env|rand 16
    compact|master|change-master-password|keychain-access|import keychain
    """

  /// Words of the programs that `connect` knows, of other vaults, of shells and of people's aims.
  private static let aims = """
    psql|mysql|curl https://x|cargo publish|twine upload|gh auth login|sudo reboot|pip install x|change work/github
    change passphrase|modify work/github|alter work/github|append work/github|reset-password|chpasswd|display work/github
    value work/github|echo work/github|url work/github|pbcopy work/github|xclip work/github|go github|browse|fill github
    autotype|printenv|size|load .env|source .env|env-file .env|old|leaks|users|permissions|acl|grant bob work|unshare bob
    receive https://x|timeout 30|autolock|factory-reset|empty|forget work/github|star work/github|favorite work/github
    authenticator|u2f|yubikey|fido2|tpm|age|age-keygen|fscopy a work/x|fsmove work/github /tmp/x|templates ls|reorg
    filestatus x|keyservice|projects|configs|environments|activity|list-services|list-backends|diagnose|tessen
    set-key-partition-list -S apple-tool: -s|dump-trust-settings|ssh-copy-id host|ssh-add-key x|rebase main
    cherry-pick x|reflog|bisect|explain secret|annotate secret db a=b|api-resources|port-forward x|scale x|drain node
    readme|quickstart|get-started|changelog|bug|hello|why|do api-token|post work/x|make work/x|truncate|enable|disable
    theme dark|restart|import rbw|import sops x|import hashicorp|import secret-tool|import keyring|import gnome-keyring
    import chamber|import doppler|import terraform|import ssh|import age|import x.csv|import x.kdbx|export env|export bash
    export zsh work/|connect restic|connect borg|connect direnv|connect ansible|connect systemd|connect maven
    connect ssh-agent|connect gpg|connect rclone|connect make
    """

  private static func lines(_ text: String) -> [String] {
    text.split(whereSeparator: { $0 == "|" || $0 == "\n" })
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private func vault() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for name in ["work/github", "work/gitlab", "db/prod", "api-token"] {
      try vault.set(name, "of \(name)")
    }
    return vault
  }

  private func run(_ vault: ThrowawayVault, _ line: String) throws -> VaultProcess.Result {
    try vault.command.run(line.split(separator: " ").map(String.init))
  }

  @Test(arguments: lines(acting)) func aLineThatIsClearIsDone(line: String) throws {
    let done = try run(try vault(), line)
    let isMissingPart = done.errors.contains("no clipboard is available")
    #expect(done.status == 0 || isMissingPart, "\(line): \(done.errors)")
  }

  /// A word behind `list` that finds nothing, and means something else than a search.
  @Test func aListOfEverythingIsNoSearch() throws {
    let vault = try vault()
    for word in ["items", "all", "trash", "passwords", "vaults", "expired"] {
      let list = try vault("list", word)
      #expect(list.status == 0 && list.text.isEmpty)
      #expect(list.errors.contains("hint: ") && list.errors.contains("vault "), "\(list.errors)")
    }
    // A search that finds nothing says nothing to a program, and one that finds is no hint.
    #expect(try vault("list", "zzz").errors.isEmpty)
    try vault.set("trash/bag", "x")
    #expect(try vault("list", "trash").text == "trash/bag\n")
    #expect(try vault("list", "trash").errors.isEmpty)
  }

  @Test func everyOtherLineIsAnsweredWithALineToType() throws {
    let vault = try vault()
    for line in Self.lines(Self.answered) + Self.lines(Self.led) + Self.lines(Self.aims) {
      let refused = try run(vault, line)
      let errors = refused.errors.split(separator: "\n").map(String.init)
      #expect(refused.status != 0, "\(line)")
      #expect(refused.text.isEmpty, "\(line): \(refused.text)")
      let hint = try #require(errors.last, "\(line)")
      #expect(hint.hasPrefix("vault: hint: "), "\(line): \(errors)")
      #expect(!hint.hasPrefix("vault: hint: see: "), "\(line): \(hint)")
      #expect(!hint.hasPrefix("vault: hint: all commands"), "\(line): \(hint)")
      #expect(
        !hint.contains("all commands: ") || Self.lines(Self.answered).contains(line),
        "\(line): \(hint)")
      // The program, or one of its options.
      #expect(hint.contains("vault ") || hint.contains("--"), "\(line): \(hint)")
    }
    #expect(try vault("list").text == "api-token\ndb/prod\nwork/github\nwork/gitlab\n")
  }

  @Test(arguments: [
    "remote add origin x", "expire work/github 30d", "revoke x", "report", "upgrade", "inspekt x",
    "remoted", "deport", "exports x", "rotated", "unlocks", "merges", "mergee",
  ])
  func nothingThatTakesAwayIsSuggestedForAWordThatLooksAlike(line: String) throws {
    let hint = try run(try vault(), line).errors
    for verb in ["remove", "export", "key upgrade", "inject", "disconnect", "key rotate", "undo"]
    where !line.hasPrefix(verb) {
      #expect(!hint.contains("did you mean: vault \(verb)"), "\(line): \(hint)")
    }
  }

  @Test(arguments: [
    ("remvoe", "remove"), ("remov", "remove"), ("udno", "undo"), ("exprot", "export"),
  ])
  func aMistypedWordOfTheSameLettersIsStillUnderstood(typed: String, verb: String) throws {
    #expect(try run(try vault(), typed).errors.contains("did you mean: vault \(verb)"))
  }

  @Test(arguments: [
    "kv get secret/db", "kv put secret/db password=x", "server -dev", "operator unseal",
    "operator init", "token lookup", "policy list", "secrets enable kv", "secrets list",
    "auth list", "login -method=token", "path-help x", "write secret/db value=x",
    "audit enable file", "KV GET secret/db", "--json kv get x", "list -format=json",
    "status -address=http://127.0.0.1:8200", "namespace list", "lease revoke x", "unwrap x",
  ])
  func aLineOfHashiCorpsProgramIsToldSo(line: String) throws {
    let refused = try run(try vault(), line)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("this is not HashiCorp's vault"), "\(refused.errors)")
    // What was to be stored is not repeated.
    #expect(!refused.errors.contains("password=x"))
  }

  @Test func aLineOfAMacIsAnsweredWithItsServiceAndAccount() throws {
    let vault = try vault()
    func hint(_ line: String) throws -> String { try run(vault, line).errors }
    #expect(
      try hint("find-generic-password -s api -a me -w").contains(
        "vault get --attribute service=api --attribute account=me"))
    #expect(
      try hint("security find-generic-password -wa me -s api").contains(
        "vault get --attribute service=api"))
    let add = try hint("add-generic-password -U -a me -s api -w hunter2")
    #expect(add.contains("vault set api/me --attribute service=api --attribute account=me"))
    #expect(!add.contains("hunter2"))
    #expect(
      try hint("add-internet-password -s github.com -a bob -w hunter2").contains(
        "vault set github.com/bob --attribute server=github.com --attribute account=bob"))
    #expect(
      try hint("delete-generic-password -s api").contains("vault list --attribute service=api"))
    #expect(try hint("create-keychain work").contains("vault --vault NAME init"))
    #expect(try hint("dump-keychain").contains("vault list --long"))
    // What a shell would take apart is quoted.
    #expect(
      try hint("find-generic-password -s a;b").contains("--attribute 'service=a;b'"))
  }

  @Test func aLineOfSecretToolIsAnsweredWithItsAttributes() throws {
    let vault = try vault()
    func hint(_ line: String) throws -> String { try run(vault, line).errors }
    #expect(
      try hint("lookup server example.com user bob").contains(
        "vault get --attribute server=example.com --attribute user=bob"))
    #expect(try hint("store --label=mail server x").contains("vault set mail --attribute server=x"))
    #expect(try hint("secret-tool search --all a b").contains("a=b"))
    #expect(try hint("clear a b").contains("vault list --attribute a=b"))
  }

  @Test func theNameOfAnItemInTheVerbsPlaceIsRecognized() throws {
    let vault = try vault()
    #expect(try vault("work/github").errors.contains("did you mean: vault get work/github\n"))
    // A guess is never a line that prints a secret.
    for word in ["github", "gihtub", "work/gihtub"] {
      #expect(try vault(word).errors.contains("did you mean: vault show work/github\n"), "\(word)")
    }
    try vault.set("bank/pin", "1234")
    for line in [["pip", "install", "x"], ["ping"], ["pin", "work/github"], ["github", "x"]] {
      let errors = try vault.command.run(line).errors
      #expect(!errors.contains("bank/pin") && !errors.contains("did you mean"), "\(errors)")
    }
    for word in ["work", "work/"] {
      #expect(try vault(word).errors.contains("did you mean: vault list work/\n"))
    }
    let key = vault.keyFile
    try #expect(vault("--vault", "team", "init", "--key-file", key).status == 0)
    try #expect(
      vault("--vault", "team", "set", "db/one", "--stdin", input: "x").status == 0)
    #expect(
      try vault("--vault", "team", "db/one").errors.contains(
        "did you mean: vault --vault team get db/one"))
    // What is no item may be a secret.
    #expect(try !vault("s3cr3t/of/mine").errors.contains("s3cr3t/of/mine"))
    // A vault that is closed is not asked about.
    var closed = vault.command
    closed.environment = [:]
    let asked = try closed.run(["work/github"])
    #expect(asked.errors.contains("an item is read by: vault get NAME"), "\(asked.errors)")
    #expect(!asked.errors.contains("github"))
  }
}
