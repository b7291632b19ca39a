extension UnlockedVault {
}
