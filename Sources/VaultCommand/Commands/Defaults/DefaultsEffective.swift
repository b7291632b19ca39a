import VaultPreferences

extension DefaultsSession {
  /// What a program would see, through all layers.
  func readEffective(_ arguments: ArraySlice<String>, _ options: DefaultsOptions) throws {
    throw DefaultsUsage()
  }
}
