import VaultCredentials
import VaultSealing
import VaultTerminal

/// Offers a recovery code, which is shown once and must be confirmed.
struct RecoveryOffer {
  /// Whether to create one; `nil` to ask if there is a terminal.
  let isWanted: Bool?

  /// Adds a recovery slot if the person wants one.
  ///
  /// On a terminal it shows the code and asks for two of its groups. Without a terminal the code
  /// goes to stdout, and only if an option asked for it.
  func makeSlot(in vault: UnlockedVault.Blocking) throws {
    if isWanted == false { return }
    guard Prompt.isPossible else {
      guard isWanted == true else { return }
      let (slot, code) = try NewKeySlot.recovery(label: "recovery")
      try vault.addSlot(slot)
      try StandardOutput.write(code.bytes)
      return try StandardOutput.write("\n")
    }
    if isWanted == nil {
      let question = "Create a recovery code, to keep on paper in case the key is lost?"
      guard try Prompt.confirm(question, default: true) == true else { return }
    }
    let (slot, code) = try NewKeySlot.recovery(label: "recovery")
    Prompt.tell("\nWrite this down; it is not shown again:\n\n    ", secret: code.bytes)
    Prompt.tell("")
    for group in [2, 5] { try confirm(group, of: code.bytes) }
    try vault.addSlot(slot)
    Prompt.tell("The recovery code opens the vault from now on.")
  }

  private func confirm(_ group: Int, of code: SecretBytes) throws {
    let expected = try code.slice((group - 1) * 7..<(group - 1) * 7 + 6)
    while true {
      guard let typed = try Prompt.line("Type group \(group) of the code:") else { return }
      let upper = try SecretBytes(capacity: typed.count) { output in
        typed.withBytes { bytes in
          for index in 0..<bytes.byteCount {
            let byte = bytes.byte(at: index)
            output.write(byte: (0x61...0x7A).contains(byte) ? byte - 0x20 : byte, at: index)
          }
        }
        return typed.count
      }
      if upper.isEqual(to: expected) { return }
      Prompt.tell("That is not it.")
    }
  }
}
