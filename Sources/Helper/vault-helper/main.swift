import VaultTerminal

ProcessState.harden()
Helper.main()
