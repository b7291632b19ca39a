import Glibc
import TestSupport
import Testing
import VaultSealing
import VaultTerminal

struct ChildProgramTests {
  private func text(_ secret: SecretBytes) -> String? {
    secret.withBytes { $0.text(0..<$0.byteCount) }
  }

  @Test func bytesGoInAndOutByStreams() throws {
    let secret = try SecretBytes(copying: Array("s3cr3t".utf8))
    let result = try #require(try ChildProgram.run(["cat"], input: .bytes(secret)))
    #expect(result.isSuccess)
    #expect(text(result.output) == "s3cr3t")
  }

  @Test func theEndOfAProgramIsReported() throws {
    let failed = try #require(try ChildProgram.run(["sh", "-c", "exit 7"], input: .nothing))
    #expect(failed.exitStatus == 7 && failed.signal == nil && !failed.isSuccess)
    let killed = try #require(try ChildProgram.run(["sh", "-c", "kill -9 $$"], input: .nothing))
    #expect(killed.signal == SIGKILL && !killed.isSuccess)
    let missing = "\(try TemporaryHome().path)/program"
    #expect(try ChildProgram.run([missing], input: .nothing) == nil)
    let error = #expect(throws: TerminalError.self) {
      try ChildProgram.runInstalled([missing], input: .nothing)
    }
    #expect(error?.code == .programMissing)
  }

  @Test func tooMuchOutputIsRefusedAndTheProgramEnds() {
    let error = #expect(throws: TerminalError.self) {
      try ChildProgram.run(["cat", "/dev/zero"], input: .nothing, limit: 1000)
    }
    #expect(error?.code == .tooLong)
  }

  @Test func aProgramGetsNoPrivateVariable() throws {
    unsafe setenv("VAULT_TERMINAL_TEST_PRIVATE", "s3cr3t", 1)
    unsafe setenv("VAULT_TERMINAL_TEST_PRIVATE_NOT", "shown", 1)
    PrivateVariables.add("VAULT_TERMINAL_TEST_PRIVATE")
    let result = try #require(try ChildProgram.run(["env"], input: .nothing))
    let lines = try #require(text(result.output)).split(separator: "\n")
    #expect(!lines.contains { $0.hasPrefix("VAULT_TERMINAL_TEST_PRIVATE=") })
    #expect(lines.contains("VAULT_TERMINAL_TEST_PRIVATE_NOT=shown"))
  }

  @Test func anErrorNamesNeitherOptionsNorCommands() throws {
    let missing = "\(try TemporaryHome().path)/file"
    let errors = [
      #expect(throws: TerminalError.self) {
        try SecretInput.read(file: missing, limit: 10)
      },
      #expect(throws: TerminalError.self) {
        try SecretInput.read(file: "/dev/zero", limit: 10)
      },
    ].compactMap { $0 }
    #expect(errors.map(\.code) == [.fileNotFound, .tooLong])
    for error in errors { #expect(!error.message.contains("--")) }
  }
}
