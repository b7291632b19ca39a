// Stores a secret and reads it back: the README's example.
import VaultCredentials
import VaultStorage

do {
  let vault = try await LockedVault(location: StoreLocation()).unlockOrCreate()
  try await vault.set(ItemName("api-token"), to: Secret("s3cr3t"))
  let token = try await vault.get(ItemName("api-token"))
  token.withBytes { bytes in print(bytes.byteCount) }  // 6
  print(token)  // <redacted>

  try await vault.edit { edit in  // one write, one undo
    try edit.set(ItemName("work/github"), to: Secret("ghp_example"))
    try edit.set(ItemName("work/registry"), to: Secret("example"))
  }

  let snapshot = try await vault.read()  // one read of the file
  for item in snapshot.items() { print(item.name, try snapshot.secret(of: item).count) }
} catch {
  print("no token: \(error)")  // such as: there is no vault at … (create a vault)
}
