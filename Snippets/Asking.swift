// Asks for the passphrase on the terminal where nothing else unlocks the vault.
import VaultCredentials
import VaultStorage
import VaultTerminal

// The echo is off, and the bytes go into locked memory.
let ask = KeySource.passphrase { try Prompt.secret("Passphrase of the vault") }
do {
  let vault = try await LockedVault(location: StoreLocation())
    .unlock(with: KeySource.standard + [ask])
  if let token = try Prompt.newSecret("New token") {
    try await vault.set(ItemName("api-token"), to: Secret(token))
    print("stored \(token.count) bytes")
  }
} catch {
  print(error)
}
