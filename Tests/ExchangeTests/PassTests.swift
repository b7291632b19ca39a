import Testing
import VaultCredentials
import VaultExchange
import VaultSealing

struct PassTests {
  @Test func aFileIsTakenApartAndPutTogetherAgain() throws {
    let text = "pw\nlogin:   me\nnote 1\nurl: https://a\nnote 2"
    let entry = try PassEntry(file: SecretBytes(text: text))
    #expect(entry.main.text == "pw")
    #expect(entry.fields["user"]?.text == "me")
    #expect(entry.fields["notes"]?.text == "note 1\nnote 2")
    #expect(try entry.file()?.text == text)
  }

  @Test func anItemOfSeveralLinesWithFieldsHasNoFile() throws {
    let entry = PassEntry(
      main: try SecretBytes(text: "two\nlines"), fields: ["user": try SecretBytes(text: "me")])
    #expect(try entry.file() == nil)
  }

  @Test func aKeyIsACertificateAndBinaryDataASecret() throws {
    let key = try SecretBytes(text: "-----BEGIN KEY-----\nuser: x\n")
    #expect(try PassImport.item("k", key).kind == .certificate)
    #expect(try PassImport.item("k", key).fields.isEmpty)
    #expect(try PassImport.item("b", SecretBytes(copying: [0xFF, 0x0A])).kind == .secret)
    #expect(try PassImport.item("p", SecretBytes(text: "pw\n")).kind == .login)
  }

  @Test func keysAreReadWithoutComments() {
    #expect(
      PassStore.keys(in: "# all\n0xAB # me\n\n you@example.com \n") == ["0xAB", "you@example.com"])
  }

  @Test func noNameLeadsOutOfTheStore() throws {
    #expect(try PassStore.path(of: ItemName("work/mail")) == "work/mail.gpg")
    #expect(PassStore.name(ofFile: "work/mail.gpg") == "work/mail")
    #expect(PassStore.name(ofFile: "work/mail.txt") == nil)
    for name in ["../x", "a/.git", ".gpg-id"] {
      let error = #expect(throws: ExchangeError.self) {
        _ = try PassStore.path(of: ItemName(name))
      }
      #expect(error?.code == .invalidRequest)
    }
  }
}
