import Testing
import VaultCommand
import VaultCommandCore
import VaultProtocols

/// References on the line of `vault run`.
struct ReferenceTests {
  @Test func anItemsNameBecomesAVariable() throws {
    #expect(try RunVariable.variableName(for: "api-token") == "API_TOKEN")
    #expect(try RunVariable.variableName(for: "work/github.com") == "WORK_GITHUB_COM")
    #expect(try RunVariable.variableName(for: "2fa") == "_2FA")
    #expect(throws: CommandError.self) { try RunVariable.variableName(for: "üö") }
    let fields = try RunVariable.all(names: ["secret://db#user"], assignments: ["X_1=plain"])
    #expect(fields.map(\.name) == ["DB_USER", "X_1"])
    var plain = SecretReference(name: "plain")
    plain.variable = "X_1"
    #expect(fields[1].parts == [.reference(plain)])
    for wrong in [["a b", "a-b"], []] {
      #expect(throws: CommandError.self) {
        try RunVariable.all(names: wrong, assignments: wrong.isEmpty ? ["1X=y"] : [])
      }
    }
  }
}
