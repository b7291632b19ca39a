import ArgumentParser

extension VaultSettings {
  /// What `--home` and `--vault` say where nothing else was said; `nil` where the parser is to look.
  ///
  /// The parser costs three times what a read of a preference does. A test holds both ways equal.
  package init?(plain options: [String]) {
    self.init()
    var words = options[...]
    while let option = words.popFirst() {
      guard let value = words.popFirst(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
      switch option {
      case "--home" where home == nil: home = value
      case "--vault" where vaultName == nil: vaultName = value
      default: return nil
      }
    }
  }

  /// What the argument parser makes of common options.
  package init(parsing options: [String]) throws {
    self = try GlobalOptions.parse(options).settings()
  }
}
