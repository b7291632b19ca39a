import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultExchange
import VaultSealing
import VaultStorage

struct DotenvTests {
  @Test func dotenvKeepsWhatOthersBreak() {
    let text = """
      # comment
      export A=1
      HASH=$2a$10$abc#def
      B = two # comment
      C='single $X \\n'
      D="double \\"q\\" \\n \\$ \\x"
      E="two
      lines"
      no assignment
      F=
      G="open
      """
    #expect(
      DotenvImport.entries(text) == [
        .value(name: "A", value: "1"), .value(name: "HASH", value: "$2a$10$abc#def"),
        .value(name: "B", value: "two"), .value(name: "C", value: "single $X \\n"),
        .value(name: "D", value: "double \"q\" \n $ \\x"), .value(name: "E", value: "two\nlines"),
        .damaged(line: 9, reason: "it is not NAME=value"), .value(name: "F", value: ""),
        .damaged(line: 11, reason: "a quote is not closed"),
      ])
  }

  @Test func anItemIsAVariableInUppercase() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try vault.set(ItemName("work/api-token"), to: Secret("it's"))
    try vault.set(ItemName("2nd"), to: Secret("plain"))
    let snapshot = try vault.read()
    let export = try DotenvExport(snapshot.items(), in: snapshot)
    #expect(export.document.text == "_2ND='plain'\nWORK_API_TOKEN=\"it's\"\n")
    #expect(export.remarks.isEmpty)
  }

  @Test func whatTheFormCannotHoldIsAnError() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try vault.set(ItemName("a-b"), to: Secret("1"))
    try vault.set(ItemName("a/b"), to: Secret("2"))
    var snapshot = try vault.read()
    let collision = #expect(throws: ExchangeError.self) {
      _ = try DotenvExport(snapshot.items(), in: snapshot)
    }
    #expect(collision?.code == .invalidRequest)
    #expect(collision?.message == "'a-b' and 'a/b' would both be A_B")
    try vault.remove(ItemName("a/b"))
    try vault.set(ItemName("a-b"), to: Secret(SecretBytes(copying: [0xFF])))
    snapshot = try vault.read()
    #expect(throws: ExchangeError.self) { _ = try DotenvExport(snapshot.items(), in: snapshot) }
  }

  @Test func fieldsAndValuesThatSomeReadDifferentlyAreRemarks() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let name = try ItemName("a")
    try vault.set(name, to: Secret("${HOME}"))
    try vault.set(name, to: Secret("me"), field: "user")
    let snapshot = try vault.read()
    let remarks = try DotenvExport(snapshot.items(), in: snapshot).remarks
    if case .leavesOutFields(name) = try #require(remarks.first) {
    } else {
      Issue.record("no remark about the fields")
    }
    if case .isReadDifferently(name, let readers) = try #require(remarks.last) {
      #expect(readers == ["python-dotenv"])
    } else {
      Issue.record("no remark about the readers")
    }
  }
}
