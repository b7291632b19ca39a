import ArgumentParser
package import VaultCommandCore

extension VaultSettings {
  /// Parses common options with the argument parser.
  package init(parsing options: [String]) throws {
    self = try GlobalOptions.parse(options).settings()
  }
}
