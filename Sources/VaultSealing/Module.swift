// VaultSealing
