import FoundationEssentials
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
