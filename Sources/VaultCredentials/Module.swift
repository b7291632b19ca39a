// VaultCredentials
