// VaultPreferences
