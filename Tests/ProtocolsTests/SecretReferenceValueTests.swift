import Foundation
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultProtocols
import VaultSealing

struct SecretReferenceValueTests {
  private func vault() throws -> InMemoryVault {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let name = try ItemName("work/db")
    var changes = ItemChanges()
    changes.expires = .some(Date(timeIntervalSince1970: 1_767_225_600))
    try vault.set(name, to: Secret("s3 cr3t"), changes: changes)
    try vault.set(name, to: Secret("me"), field: "user")
    try vault.set(name, to: Secret("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), field: "otp")
    return test
  }

  @Test(arguments: [
    ("secret://work/db", "s3 cr3t"), ("secret://work/db#user", "me"),
    ("secret://work/db?encoding=url", "s3%20cr3t"), ("secret://work/db?encoding=hex#user", "6d65"),
    ("secret://work/db?attribute=expiry", "2026-01-01T00:00:00Z"),
    ("secret://work/db?default=none#pin", "none"), ("secret://other?default=", ""),
  ])
  func aReferenceHasAValue(text: String, value: String) throws {
    let test = try vault()
    let snapshot = try test.open.blocking.read()
    #expect(try SecretReference(text).value(in: snapshot).text == value)
  }

  @Test(arguments: [
    ("a.b", "deep"), ("list.1", "two"), ("list.2.c", "3"), ("dotted.name", "kept"),
    ("dotted.name.x", "inner"), ("flag", "true"), ("number", "1.10"), ("a", #"{"b":"deep"}"#),
    ("list", #"["one","two",{"c":3}]"#), ("ü/x", "&"), ("empty", ""),
  ])
  func aMemberOfAJSONSecretIsItsValue(path: String, value: String) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let document = #"""
      {"a":{"b":"deep"},"list":["one","two",{"c":3}],"dotted.name":"kept","dotted":{"name":{"x":"inner"}},
       "flag":true,"number":1.10,"nothing":null,"ü/x":"&","empty":""}
      """#
    try vault.set(ItemName("gcp"), to: Secret(document))
    try vault.set(ItemName("gcp"), to: Secret(document), field: "file")
    let snapshot = try vault.read()
    let encoded = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    let reference = try SecretReference("secret://gcp?json=\(try #require(encoded))")
    #expect(try reference.value(in: snapshot).text == value)
    let field = try SecretReference("secret://gcp?json=a.b&encoding=shell#file")
    #expect(try field.value(in: snapshot).text == "'deep'")
  }

  @Test(arguments: ["nothing", "no", "a.b.c", "list.3", "list.x", "list.-1", "", "a..b"])
  func aMemberThatIsNotThereIsMissing(path: String) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try vault.set(ItemName("j"), to: Secret(#"{"a":{"b":"x"},"list":[1],"nothing":null}"#))
    try vault.set(ItemName("text"), to: Secret("s3cr3t"))
    let snapshot = try vault.read()
    let error = #expect(throws: CredentialError.self) {
      _ = try SecretReference("secret://j?json=\(path)").value(in: snapshot)
    }
    #expect(error?.code == .fieldNotFound)
    let fallback = try SecretReference("secret://j?json=\(path)&default=d")
    #expect(try fallback.value(in: snapshot).text == "d")
    let other = #expect(throws: ProtocolError.self) {
      _ = try SecretReference("secret://text?json=\(path)").value(in: snapshot)
    }
    #expect(other?.code == .notText && other?.message.contains("s3cr3t") == false)
  }

  @Test(arguments: [
    ("shell", "it's $x", "'it'\\''s $x'"), ("shell", "", "''"), ("shell", "a\nb", "'a\nb'"),
    ("pgpass", "a:b\\c d", "a\\:b\\\\c d"), ("netrc", "plain-1", "plain-1"),
    ("netrc", "a b\"c\\", "\"a b\\\"c\\\\\""), ("netrc", "", "\"\""), ("ini", "p@ss", "p@ss"),
    ("ini", "a;b#c\nd\te\"\\", "\"a;b#c\\nd\\te\\\"\\\\\""), ("json", "a\"b", "\"a\\\"b\""),
  ])
  func aSecretIsWrittenAsAProgramReadsIt(encoding: String, secret: String, text: String) throws {
    let known = try #require(SecretEncoding(rawValue: encoding))
    #expect(try known.encode(SecretBytes(text: secret)).text == text)
  }

  @Test(arguments: [
    ("shell", "a\u{0}b"), ("pgpass", "a\nb"), ("pgpass", "a\r"), ("netrc", "a\nb"), ("ini", "a\rb"),
  ])
  func whatAFormCannotHoldIsAnError(encoding: String, secret: String) throws {
    let known = try #require(SecretEncoding(rawValue: encoding))
    let error = #expect(throws: ProtocolError.self) {
      _ = try known.encode(SecretBytes(text: secret))
    }
    #expect(error?.code == .notText)
  }

  @Test func aCodeHasSixDigits() throws {
    let test = try vault()
    let snapshot = try test.open.blocking.read()
    let code = try SecretReference("secret://work/db?attribute=otp").value(in: snapshot)
    #expect(code.text?.utf8.count == 6)
  }

  @Test func aMissingItemIsAnError() throws {
    let test = try vault()
    let snapshot = try test.open.blocking.read()
    let error = #expect(throws: CredentialError.self) {
      _ = try SecretReference("secret://other").value(in: snapshot)
    }
    #expect(error?.code == .itemNotFound)
  }

  @Test func countedCodesAreNotReadFromASnapshot() throws {
    let test = try vault()
    let vault = test.open.blocking
    try vault.set(
      ItemName("hotp"), to: Secret("otpauth://hotp/x?secret=GEZDGNBV&counter=1"), field: "otp")
    let error = #expect(throws: ProtocolError.self) {
      _ = try SecretReference("secret://hotp?attribute=otp").value(in: vault.read())
    }
    #expect(error?.code == .invalidRequest)
  }
}
