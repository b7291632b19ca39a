import ArgumentParser
package import VaultCommandCore

extension VaultSettings {
  /// Parses a line with only `--home` and `--vault`; `nil` for any other option, which needs the
  /// parser.
  ///
  /// The parser takes three times as long as reading a preference. A test checks that both give the
  /// same result.
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

  /// Parses common options with the argument parser.
  package init(parsing options: [String]) throws {
    self = try GlobalOptions.parse(options).settings()
  }
}
