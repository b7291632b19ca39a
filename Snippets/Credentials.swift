// Stores a secret and reads it back: the README's example.
import VaultCredentials
import VaultStorage

let vault = try await LockedVault(location: StoreLocation()).unlock(with: [.session, .keyring])
try await vault.set(ItemName("api-token"), to: Secret("s3cr3t"))
let token = try await vault.get(ItemName("api-token"))
token.withBytes { bytes in print(bytes.byteCount) }  // 6
print(token)  // <redacted>
