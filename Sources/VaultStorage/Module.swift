// VaultStorage
