import VaultStorage

/// Makes text safe to write to a terminal.
package enum Sanitizer {
  /// Returns `text` with control and formatting characters escaped.
  package static func visible(_ text: String) -> String { Quoting.visible(text) }
}
