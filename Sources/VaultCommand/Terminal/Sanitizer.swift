import VaultStorage

/// Makes names and labels harmless for a terminal.
package enum Sanitizer {
  /// `text` with everything escaped that a terminal would act on instead of showing it.
  package static func visible(_ text: String) -> String { Quoting.visible(text) }
}
