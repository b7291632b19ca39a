import VaultCommand

VaultProgram.main()
