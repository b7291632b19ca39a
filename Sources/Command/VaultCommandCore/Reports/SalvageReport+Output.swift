package import VaultCredentials
package import VaultStorage

extension SalvageReport {
  package var rows: [[String]] {
    let from =
      switch base {
      case .vaultFile: "the vault file"
      case .previousGeneration: "the previous generation"
      case .copies: "the copies in the keyring alone"
      }
    return [
      ["rebuilt from", from], ["whole", String(whole)],
      ["from the previous generation", String(fromPrevious)],
      ["from the keyring", String(fromKeyring)], ["from the history", String(fromHistory)],
      ["lost", String(lost.count)], ["changes lost", String(lostGenerations)],
      ["earlier versions lost", String(lostVersions)],
    ]
  }

  package var members: [(String, JSONValue)] {
    [
      ("mended", .bool(isMended)), ("base", .string(base.rawValue)),
      ("whole", .number(Int64(whole))), ("fromPrevious", .number(Int64(fromPrevious))),
      ("fromKeyring", .number(Int64(fromKeyring))), ("fromHistory", .number(Int64(fromHistory))),
      ("lost", .strings(lost.map(\.text))), ("lostVersions", .number(Int64(lostVersions))),
      ("lostGenerations", .number(Int64(clamping: lostGenerations))),
      ("damagedFile", .optional(damagedFile)),
    ]
  }
}
