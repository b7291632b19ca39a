@_exported public import VaultAppData
