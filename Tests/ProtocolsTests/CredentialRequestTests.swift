import FoundationEssentials
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultProtocols
import VaultSealing

/// Requests of other programs against a vault in memory: no process, no input, no output.
struct CredentialRequestTests {
  private let test: InMemoryVault

  init() throws { test = try InMemoryVault() }

  private func bytes(_ text: String) throws -> SecretBytes { try SecretBytes(text: text) }

  /// Answers a request, makes its changes, and returns its output.
  @discardableResult
  private func answer(_ request: some CredentialRequest) throws -> String? {
    let vault = test.open.blocking
    let response = try request.response(in: vault.read())
    try vault.edit { try response.apply(to: &$0) }
    return response.output?.text
  }

  @discardableResult
  private func git(_ action: String, _ description: String) throws -> String? {
    try answer(try GitRequest(action, input: bytes(description)))
  }

  // MARK: git

  @Test func gitGetsWhatItStored() throws {
    let login = "protocol=https\nhost=example.com\nusername=me\npassword=s3cr3t\n"
    #expect(try GitRequest("store", input: bytes(login)).access == .created)
    #expect(try git("store", login) == nil)
    let found = try git("get", "protocol=https\nhost=example.com\n")
    #expect(found == "username=me\npassword=s3cr3t\n")
    #expect(try test.open.blocking.items().map(\.name.text) == ["git/example.com/me"])
    #expect(try git("get", "protocol=http\nhost=example.com\n") == nil)
  }

  @Test func storingTheSameAgainChangesNothing() throws {
    let login = "protocol=https\nhost=a\nusername=me\npassword=s3cr3t\n"
    try git("store", login)
    let request = try GitRequest("store", input: bytes(login))
    #expect(try request.response(in: test.open.blocking.read()).changes.isEmpty)
  }

  @Test(arguments: [
    "protocol=https\nhost=a\nusername=me\npassword=p\nephemeral=1\n",
    "protocol=https\nhost=a\nusername=me\npassword=p\npassword_expiry_utc=1\n",
    "protocol=https\nhost=a\npassword=p\n", "host=a\nusername=me\npassword=p\n",
  ])
  func whatIsNotToBeKeptOpensNoVault(description: String) throws {
    let request = try GitRequest("store", input: bytes(description))
    #expect(request.access == .none)
    #expect(try request.response(in: nil).changes.isEmpty)
  }

  @Test func onlyTheRejectedPasswordIsErased() throws {
    try git("store", "protocol=https\nhost=a\nusername=me\npassword=new\n")
    try git("erase", "protocol=https\nhost=a\nusername=me\npassword=old\n")
    #expect(try test.open.blocking.items().count == 1)
    try git("erase", "protocol=https\nhost=a\nusername=me\npassword=new\n")
    #expect(try test.open.blocking.items().isEmpty)
  }

  @Test func anItemRenamedMeanwhileDoesNotAnswerForAnother() throws {
    let vault = test.open.blocking
    try git("store", "protocol=https\nhost=a\nusername=me\npassword=mine\n")
    let snapshot = try vault.read()
    let name = try ItemName("git/a/me")
    try vault.rename(name, to: ItemName("old"))
    try vault.set(name, to: Secret("another item's"))
    let request = try GitRequest("get", input: bytes("protocol=https\nhost=a\n"))
    #expect(try request.response(in: snapshot).output?.text == "username=me\npassword=mine\n")
  }

  @Test func unknownActionsReadNothing() throws {
    struct NotRead: Error {}
    func input() throws -> SecretBytes { throw NotRead() }
    #expect(try GitRequest("approve", input: try input()).access == .none)
    #expect(
      try GitRequest("capability", input: try input()).response(in: nil).output?.text
        == "version 0\ncapability authtype\ncapability state\n")
  }

  @Test(arguments: ["host", "=a", "host=a\r", "host=a\u{0}"])
  func aDescriptionThatMakesNoSenseIsAnError(description: String) throws {
    let error = #expect(throws: ProtocolError.self) {
      _ = try GitRequest("get", input: bytes(description))
    }
    #expect(error?.code == .invalidDescription)
  }

  // MARK: docker

  @discardableResult
  private func docker(_ action: String, _ input: String = "") throws -> String? {
    try answer(try DockerRequest(action, version: "1.0", input: bytes(input)))
  }

  @Test func dockerGetsWhatItStored() throws {
    try docker("store", #"{"ServerURL":"https://ghcr.io","Username":"me","Secret":"s3cr3t"}"#)
    let object = #"{"Secret":"s3cr3t","ServerURL":"https://ghcr.io","Username":"me"}"# + "\n"
    #expect(try docker("get", "https://GHCR.io\n") == object)
    #expect(try docker("list") == #"{"https://ghcr.io":"me"}"# + "\n")
    try docker("erase", "https://ghcr.io")
    #expect(throws: DockerRequest.Refusal.notFound) { try docker("get", "https://ghcr.io") }
    #expect(try docker("list") == "{}\n")
    #expect(try docker("version") == "docker-credential-vault (vault) v1.0\n")
  }

  @Test func dockerReadsTheReasonsOfARefusal() throws {
    #expect(throws: DockerRequest.Refusal.noServer) { try docker("get", " \n") }
    #expect(throws: DockerRequest.Refusal.noServer) { try docker("store", "{}") }
    #expect(throws: DockerRequest.Refusal.noUsername) {
      try docker("store", #"{"ServerURL":"a"}"#)
    }
    #expect(throws: ProtocolError.self) { try docker("store", "[]") }
    #expect(throws: ProtocolError.self) { try docker("login") }
  }

  // MARK: AWS

  @Test func awsGetsWhatItStored() throws {
    let keys =
      #"{"AccessKeyId":"AKIA","SecretAccessKey":"s","SessionToken":"t","Version":1}"#
    try answer(try AWSRequest.store(profile: "work", input: bytes(keys)))
    #expect(try answer(try AWSRequest.get(profile: "work")) == keys + "\n")
    try answer(try AWSRequest.erase(profile: "work"))
    let error = #expect(throws: ProtocolError.self) { try answer(AWSRequest.get(profile: "work")) }
    #expect(error?.code == .itemNotFound)
  }

  @Test func expiredKeysAreNotAnAnswer() throws {
    let keys =
      #"{"AccessKeyId":"A","Expiration":"2020-01-01T00:00:00+00:00","SecretAccessKey":"s","Version":1}"#
    try answer(try AWSRequest.store(profile: "p", input: bytes(keys)))
    let error = #expect(throws: ProtocolError.self) { try answer(AWSRequest.get(profile: "p")) }
    #expect(error?.code == .expired)
  }

  @Test func whatSTSPrintsIsStored() throws {
    let keys = #"""
      {"Credentials": {"AccessKeyId": "ASIA", "SecretAccessKey": "s", "SessionToken": "t",
       "Expiration": "2030-01-01T02:00:00+02:00"}, "AssumedRoleUser": {"Arn": "a"}}
      """#
    try answer(try AWSRequest.store(profile: "p", input: bytes(keys)))
    let given = try answer(AWSRequest.get(profile: "p"))
    #expect(given?.contains("\"SessionToken\":\"t\"") == true)
    #expect(given?.contains("2030-01-01T00:00:00Z") == true)
    for wrong in [#"{"Credentials": "x"}"#, #"{"Credentials": {}}"#] {
      #expect(throws: ProtocolError.self) {
        try AWSRequest.store(profile: "p", input: bytes(wrong))
      }
    }
  }

  @Test func aProfileWithoutAccessKeyHasACodeOfItsOwn() throws {
    try test.open.blocking.set(ItemName("aws/p"), to: Secret("s"))
    let error = #expect(throws: ProtocolError.self) { try answer(AWSRequest.get(profile: "p")) }
    #expect(error?.code == .noAccessKey)
  }

  // MARK: askpass

  @Test func anyOtherPromptIsAnsweredByTheItemThatHasItToTheLetter() throws {
    let vault = test.open.blocking
    let prompt = "Please enter passphrase for disk data (luks-1): "
    #expect(throws: ProtocolError.self) { try answer(AskpassRequest([prompt], kind: nil)) }
    var changes = ItemChanges()
    changes.attributes = [
      AskpassRequest.attribute: "Please enter passphrase for disk data (luks-1):"
    ]
    try vault.set(ItemName("disk"), to: Secret("open"), changes: changes)
    #expect(try answer(AskpassRequest([prompt], kind: nil)) == "open\n")
    for other in [
      "please enter passphrase for disk data (luks-1): ", "Please enter passphrase for disk data:",
      "x\nPlease enter passphrase for disk data (luks-1):",
    ] {
      #expect(throws: ProtocolError.self) { try answer(AskpassRequest([other], kind: nil)) }
    }
  }

  @Test func theKeyOfAnOlderSSHKeygenIsTheOneOnItsLine() throws {
    let vault = test.open.blocking
    try vault.set(ItemName("ssh/home/me/.ssh/id"), to: Secret("pw"))
    func asked(_ line: [String], folder: String? = "/home/me", _ prompt: String) throws -> String? {
      try answer(
        AskpassRequest(
          [prompt], kind: nil, caller: AskpassCaller(folder: folder, arguments: line)))
    }
    let old = "Enter passphrase: "
    for key in [
      "/home/me/.ssh/id", ".ssh/id", "./.ssh/../.ssh/id.pub", "/home/me/.ssh/id-cert.pub",
    ] {
      #expect(
        try asked(["/usr/bin/ssh-keygen", "-Y", "sign", "-n", "git", "-f", key, "/tmp/x"], old)
          == "pw\n")
    }
    for line in [
      ["-yf", ".ssh/id"], ["-yf.ssh/id"], ["-y", "-P", "-f", "-f", ".ssh/id"],
      ["-s", ".ssh/id", "-I", "name", "other.pub"], ["-qs.ssh/id", "-f", "other"],
    ] {
      #expect(try asked(["ssh-keygen"] + line, old) == "pw\n", "\(line)")
    }
    #expect(try asked([], "Enter passphrase for .ssh/id: ") == "pw\n")
    #expect(try asked([], "Enter passphrase for \".ssh/id\": ") == "pw\n")
    #expect(try asked(["ssh-keygen", "-p", "-f", ".ssh/id"], "Enter old passphrase: ") == "pw\n")
    for (line, folder) in [
      (["ssh-keygen", "-y"], "/home/me"), (["ssh-keygen", "-y", "-f"], "/home/me"),
      (["evil", "-f", "/home/me/.ssh/id"], "/home/me"), ([], "/home/me"),
      (["ssh-keygen", "-f", ".ssh/id"], nil), (["ssh-keygen", "-f", ".ssh/id"], "/home/other"),
      (["ssh-keygen", "-s", "/ca", "-f", "/home/me/.ssh/id"], "/home/me"),
    ] as [([String], String?)] {
      #expect(throws: ProtocolError.self) { try asked(line, folder: folder, old) }
    }
  }

  @Test func aPromptIsAnsweredByNameOrByAttribute() throws {
    let vault = test.open.blocking
    try vault.set(ItemName("ssh/home/me/.ssh/id"), to: Secret("by name"))
    let prompt = ["Enter passphrase for key '/home/me/.ssh/id': "]
    #expect(try answer(AskpassRequest(prompt, kind: nil)) == "by name\n")
    var changes = ItemChanges()
    changes.attributes = [AskpassRequest.attribute: "/home/me/.ssh/id"]
    try vault.set(ItemName("key"), to: Secret("by attribute"), changes: changes)
    #expect(try answer(AskpassRequest(prompt, kind: nil)) == "by attribute\n")
    try vault.set(ItemName("key2"), to: Secret("x"), changes: changes)
    let error = #expect(throws: ProtocolError.self) {
      try answer(AskpassRequest(prompt, kind: nil))
    }
    #expect(error?.code == .askpassCancelled)
  }

  @Test func gitsPromptIsAnsweredByTheCredentialHelpersItem() throws {
    try git("store", "protocol=https\nhost=a\nusername=me\npassword=p\n")
    #expect(try answer(AskpassRequest(["Username for 'https://a/x.git': "], kind: nil)) == "me\n")
    #expect(try answer(AskpassRequest(["Password for 'https://me@a': "], kind: nil)) == "p\n")
  }

  @Test func aConfirmationIsNotGiven() throws {
    #expect(throws: ProtocolError.self) { try AskpassRequest(["Sure?"], kind: "confirm") }
    #expect(throws: ProtocolError.self) {
      try answer(AskpassRequest(["Password: "], kind: nil))
    }
    for decision in [
      "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
      "Please type 'yes', 'no' or the fingerprint: ", "Accept updated hostkeys? (yes/no): ",
      "Enter passphrase (empty for no passphrase): ", "Enter same passphrase again: ",
      "Enter passphrase for \"/k\" (empty for no passphrase): ",
      "Enter new passphrase (empty for no passphrase): ", "Bad passphrase, try again for /k: ",
      "Enter me@h's new password: ", "Retype me@h's new password: ", "\r\nssh> ", " ",
    ] {
      #expect(throws: ProtocolError.self, "\(decision)") {
        try AskpassRequest([decision], kind: nil)
      }
    }
    #expect(try AskpassRequest(["Note"], kind: "none").access == .none)
  }

  // MARK: Python's keyring

  @Test func keyringGetsWhatItStored() throws {
    let line = try KeyringLine(["set", "https://a/", "me"])
    try answer(KeyringRequest(line, secret: bytes("p")))
    #expect(try answer(KeyringRequest(KeyringLine(["get", "https://a/", "me"]))) == "p\n")
    #expect(
      try answer(KeyringRequest(KeyringLine(["--mode", "creds", "get", "https://a/"])))
        == "me\np\n")
    let other = KeyringRequest(try KeyringLine(["get", "https://b/", "me"]))
    #expect(try other.response(in: test.open.blocking.read()).isNegative)
    try answer(KeyringRequest(KeyringLine(["del", "https://a/", "me"])))
    let error = #expect(throws: ProtocolError.self) {
      try answer(KeyringRequest(KeyringLine(["del", "https://a/", "me"])))
    }
    #expect(error?.code == .itemNotFound)
  }

  @Test func withSeveralUsersOneMustBeNamed() throws {
    for user in ["a", "b"] {
      try answer(KeyringRequest(KeyringLine(["set", "s", user]), secret: bytes(user)))
    }
    let error = #expect(throws: ProtocolError.self) {
      try answer(KeyringRequest(KeyringLine(["get", "s", "--mode", "creds"])))
    }
    #expect(error?.code == .severalUsers)
  }

  @Test func theServiceVaultHasTheVaultsOwnItems() throws {
    let name = try ItemName("api/token")
    try test.open.blocking.set(name, to: Secret("me"), field: "user")
    try answer(KeyringRequest(KeyringLine(["set", "vault", "api/token"]), secret: bytes("p")))
    #expect(try answer(KeyringRequest(KeyringLine(["get", "vault", "api/token"]))) == "p\n")
    #expect(try test.open.blocking.get(name, field: "user").text == "me")
  }

  // MARK: Several items

  @Test func ofItemsChangedAtTheSameTimeTheFirstByNameAnswers() throws {
    var options = VaultOptions()
    let moment = Date(timeIntervalSince1970: 1_700_000_000)
    options.now = { Int64(moment.timeIntervalSince1970 * 1000) }
    let test = try InMemoryVault(options: options)
    var changes = ItemChanges()
    changes.attributes = ["client": "git", "protocol": "https", "server": "a", "account": "me"]
    for name in ["b", "a", "c"] {
      try test.open.blocking.set(ItemName(name), to: Secret(name), changes: changes)
    }
    let request = try GitRequest("get", input: bytes("protocol=https\nhost=a\n"))
    let output = try request.response(in: test.open.blocking.read()).output?.text
    #expect(output == "username=me\npassword=a\n")
  }
}
