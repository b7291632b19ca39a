// VaultCommand
